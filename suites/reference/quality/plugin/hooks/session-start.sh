#!/usr/bin/env bash
# Session start: the model reads which checks will run, before it writes anything.
# Protects from rules that nobody knows, and from a check that is on and has no command.
# Fails closed: it says so when the checks cannot run, rather than nothing.
set -euo pipefail
# shellcheck source=/dev/null # it lies beside this one
. "$(dirname "${BASH_SOURCE[0]}")/shared-functions.sh"

read_input SessionStart
for event in PostToolUse SubagentStop; do
  while IFS= read -r check; do
    command=$(command_of "$check")
    WARNED+="$event runs $check: ${command:-nothing, for CLAUDE.md has no command of that name}"$'\n'
  done < <(checks "$event")
done
answer SessionStart
