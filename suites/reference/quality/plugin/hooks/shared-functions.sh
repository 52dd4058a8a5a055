# shellcheck shell=bash
# Shared library: finds the checks of an event, runs them, and answers once for all of them.
# Protects from failures that get lost: what a check prints never mixes with the answer.
# Fails closed: a command that cannot be started is a check that failed.

CONFIG="${CLAUDE_PLUGIN_ROOT:-}/hooks/quality-checks.json"
BLOCKED=""
WARNED=""

# read_input EVENT: takes the payload; without what the hook needs it ends here.
read_input() {
  INPUT=$(cat)
  if ! command -v jq >/dev/null; then
    [[ $INPUT =~ \"stop_hook_active\":\ *true ]] && exit 0
    echo "jq is not installed: the project's checks did not run" >&2
    exit 2
  fi
  jq -e 'type == "object"' <<<"$INPUT" >/dev/null 2>&1 || exit 0
  [ -f "$CONFIG" ] || exit 0
  if ! jq -e 'type == "object"' "$CONFIG" >/dev/null 2>&1; then
    WARNED="quality-checks.json is no JSON object: the project's checks did not run"
    answer "$1"
    exit 0
  fi
}

# field NAME: one of the payload's fields.
field() { jq -r --arg name "$1" '.[$name] // ""' <<<"$INPUT"; }

# enabled EVENT LIST NAME: whether the list has this very name.
enabled() {
  jq -e --arg event "$1" --arg list "$2" --arg name "$3" \
    'any(.hooks[$event][$list][]?; . == $name)' "$CONFIG" >/dev/null
}

# checks EVENT: names, one a line.
checks() { jq -r --arg event "$1" '.hooks[$event].checks[]?' "$CONFIG"; }

# blocking CHECK: whether its failure blocks.
blocking() { jq -e --arg check "$1" '.checks[$check].blocking == true' "$CONFIG" >/dev/null; }

# command_of CHECK: its command in the front matter of CLAUDE.md; nothing where there is none.
command_of() {
  local file="${CLAUDE_PROJECT_DIR:-.}/CLAUDE.md"
  [ -f "$file" ] || return 0
  awk -v name="$1" '
    NR == 1 { if ($0 != "---") exit; next }
    $0 == "---" { exit }
    /^[^ ]/ { inside = ($0 ~ /^commands:[ \t]*$/); next }
    !inside { next }
    {
      sub(/^ +/, "")
      if (index($0, name ":") != 1) next
      value = substr($0, length(name) + 2)
      sub(/^[ \t]+/, "", value)
      if (value ~ /^"/) { sub(/^"/, "", value); sub(/"[^"]*$/, "", value); gsub(/\\"/, "\"", value) }
      else if (value ~ /^\047/) { sub(/^\047/, "", value); sub(/\047[^\047]*$/, "", value) }
      else sub(/[ \t]+#.*$/, "", value)
      print value
      exit
    }
  ' "$file"
}

# run_checks EVENT: the first that blocks ends it.
run_checks() {
  local check command output
  while IFS= read -r check; do
    command=$(command_of "$check")
    [ -n "$command" ] || continue
    output=$(cd "${CLAUDE_PROJECT_DIR:-.}" && bash -c "$command" 2>&1 </dev/null) && continue
    [ "${#output}" -le 4000 ] || output=${output: -4000}
    if blocking "$check"; then
      BLOCKED="Project $check command failed. Fix errors before completing."$'\n'"$output"
      return
    fi
    WARNED+="Project $check command failed (non-blocking):"$'\n'"$output"$'\n'
  done < <(checks "$1")
}

# answer EVENT: one document, or nothing. A warning would hold up a subagent each time.
answer() {
  [ "$(field stop_hook_active)" != true ] || WARNED=""
  [ -n "$BLOCKED$WARNED" ] || return 0
  jq -n --arg event "$1" --arg blocked "$BLOCKED" --arg warned "$WARNED" '
    (if $blocked == "" then {} else {decision: "block", reason: $blocked} end)
    + (if $warned == "" then {} else {hookSpecificOutput: {hookEventName: $event, additionalContext: $warned}} end)'
}
