#!/usr/bin/env bash
# What all guards share: how they read their input, what they say, where they keep state.
# Protects from the silent kind of failure: a guard that cannot read, or breaks half-way.
# Fails closed: an end without a message of its own becomes exit code 2, which refuses.
# shellcheck disable=SC2016,SC2034 # variables of jq, and those that guards read
set -e

# The trap speaks for a guard that stopped before it came to a decision.
decided=no
trap '[ "$decided" = yes ] || { echo "${0##*/} broke before it decided" >&2; exit 2; }' EXIT

# Leaves without an objection.
pass() {
  decided=yes
  exit 0
}

# Leaves with an objection that every event heeds.
object() {
  echo "${0##*/}: $1" >&2
  decided=yes
  exit 2
}

# Says a JSON document, made of jq's arguments, and leaves.
say() {
  jq -n "$@"
  pass
}

# Refuses a tool call; the model is told why.
deny() {
  say --arg why "$1" '{hookSpecificOutput: {hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: $why}}'
}

# Tells the model something and lets things go on.
tell() {
  say --arg event "$event" --arg text "$1" '{hookSpecificOutput: {hookEventName: $event, additionalContext: $text}}'
}

# Whether the command holds what an extended regular expression says.
has() {
  [[ $plain =~ $1 ]]
}

# Takes what jq printed: the input, and each field on a line of its own.
read_fields() {
  IFS= read -r input && IFS= read -r event && IFS= read -r stop_hook_active && IFS= read -r file && IFS= read -r plain
}

# One jq reads all, for every program that starts delays the tool call. A command is read
# without its quotes.
fields='
  def drop(text): split(text) | join("");
  def line: . // "" | tostring | split("\n") | join(";");
  select(length == 1)[0] | objects | select(.tool_input // {} | type == "object")
  | tojson, (.hook_event_name, .stop_hook_active, .tool_input.file_path | line),
    (.tool_input.command | line | drop("\u0027") | drop("\"") | drop("\\"))'
command -v jq >/dev/null || object "jq is not installed"
lines=$(jq -rse "$fields" 2>/dev/null) || object "the input is not one JSON object"
read_fields <<<"$lines"

# What guards know of each other.
state=$CLAUDE_PROJECT_DIR/.claude/state
[ -d "$state" ] || mkdir -p "$state"
tests=none
[ ! -e "$state/tests" ] || read -r tests <"$state/tests" || true # which may be empty

# A command stands at the beginning, after what separates commands, or after what starts
# another; variables and a path may go before its name.
begins='(^|[;&|(`]|[[:space:]](sudo|env|exec|xargs|then|do|else|-c)[[:space:]])[[:space:]]*((sudo|env|exec|[A-Za-z_]+=[^[:space:]]*)[[:space:]]+)*([^[:space:];&|]*/)?'
git="${begins}git([[:space:]]+(-C|-c)[[:space:]]+[^[:space:]]+|[[:space:]]+-[^[:space:]]+)*[[:space:]]+"
