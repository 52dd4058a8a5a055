#!/usr/bin/env bash
# Blocking and warning checks: a subagent is not done while a check that blocks fails.
# Protects from work that is handed back broken.
# Fails closed: without jq the subagent is held up once and told why. A warning is given once, too: it costs a turn.
set -euo pipefail
# shellcheck source=/dev/null # it lies beside this one
. "$(dirname "${BASH_SOURCE[0]}")/shared-functions.sh"

read_input SubagentStop
enabled SubagentStop enabled_agents "$(field agent_type)" || exit 0
run_checks SubagentStop
answer SubagentStop
