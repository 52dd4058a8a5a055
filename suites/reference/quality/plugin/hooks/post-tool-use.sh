#!/usr/bin/env bash
# Feedback loop: after an edit the project's checks run, and the model reads what fails.
# Protects from errors that are found only when everything is written.
# Fails closed: without jq, or with settings that are no JSON, the model reads that nothing was checked.
set -euo pipefail
# shellcheck source=/dev/null # it lies beside this one
. "$(dirname "${BASH_SOURCE[0]}")/shared-functions.sh"

read_input PostToolUse
enabled PostToolUse enabled_tools "$(field tool_name)" || exit 0
run_checks PostToolUse
answer PostToolUse
