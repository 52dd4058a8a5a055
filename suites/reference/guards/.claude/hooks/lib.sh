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

# One value of the input, or nothing.
field() {
  jq -r "$1 // empty" <<<"$input"
}

# A command on one line, without its quotes.
words() {
  tr '\n' ';' <<<"$1" | tr -d "\"'\\\\"
}

# Whether the command holds what an extended regular expression says.
has() {
  grep -qE -e "$1" <<<"$plain"
}

command -v jq >/dev/null || object "jq is not installed"
input=$(jq -cse 'select(length == 1)[0] | objects | select(.tool_input // {} | type == "object")' 2>/dev/null) || object "the input is not one JSON object"
event=$(field .hook_event_name)
file=$(field .tool_input.file_path)
plain=$(words "$(field .tool_input.command)")

# What guards know of each other.
state=$CLAUDE_PROJECT_DIR/.claude/state
mkdir -p "$state"
tests=$(cat "$state/tests" 2>/dev/null || echo none)

# A command stands at the beginning, after what separates commands, or after what starts
# another; variables and a path may go before its name.
begins='(^|[;&|(`]|[[:space:]](sudo|env|exec|xargs|then|do|else|-c)[[:space:]])[[:space:]]*((sudo|env|exec|[A-Za-z_]+=[^[:space:]]*)[[:space:]]+)*([^[:space:];&|]*/)?'
git="${begins}git([[:space:]]+(-C|-c)[[:space:]]+[^[:space:]]+|[[:space:]]+-[^[:space:]]+)*[[:space:]]+"
