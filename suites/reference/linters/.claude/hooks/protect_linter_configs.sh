#!/usr/bin/env bash
# PreToolUse hook for the tools that write files: keeps an agent from changing
# the rules where it should change the code.
#
#   hooks and settings of the client               protected by their path
#   protected_files of config.json, or DEFAULTS    protected by their name
#
# stdin: the client's JSON. stdout: one JSON document with the decision. The
# exit code is always 0, and what cannot be read is approved: a broken guard
# must not stop every edit of a session. So there is no set -e here.

JSON_TOOL='' FILE='' PROTECTED=''

# The same list stands in stop_config_guardian.sh.
DEFAULTS='
.markdownlint.jsonc
.markdownlint-cli2.jsonc
.shellcheckrc
.yamllint
.hadolint.yaml
.jscpd.json
.flake8
taplo.toml
.ruff.toml
ty.toml
biome.json
.oxlintrc.json
.semgrep.yml
knip.json'

# --- decisions ---

approve() {
  printf '{"decision":"approve"}\n'
  exit 0
}

block() {
  # shellcheck disable=SC2016 # $reason is the filter's own variable
  "$JSON_TOOL" -cn --arg reason "[hook:block] $1" '{decision: "block", reason: $reason}'
  exit 0
}

# --- input parsing ---

pick_json_tool() {
  for JSON_TOOL in jaq jq; do
    if command -v "$JSON_TOOL" >/dev/null 2>&1; then break; fi
  done
}

# read_file sets FILE to what the tool is about to write; without a JSON tool,
# and for a call without a path, that is nothing.
read_file() {
  resolve "$("$JSON_TOOL" -r '.tool_input | (.file_path // .notebook_path) | strings' 2>/dev/null)"
}

# resolve PATH drops empty, "." and ".." parts, which would hide a directory
# from the patterns below. What is relative gets a slash in front as well.
resolve() {
  local part rest=$1/
  while [[ -n "$rest" ]]; do
    part=${rest%%/*} rest=${rest#*/}
    case "$part" in
      '' | .) ;;
      ..) FILE=${FILE%/*} ;;
      *) FILE+=/$part ;;
    esac
  done
}

# --- configuration ---

# read_config sets PROTECTED, one name a line. A list that is missing, empty or
# unreadable gives way to the defaults.
read_config() {
  local lines
  lines=$("$JSON_TOOL" -r '
    if .hook_enabled == false then "off" else "on" end,
    (.protected_files | arrays[] | strings | select(. != ""))
  ' "${CLAUDE_PROJECT_DIR:-.}/.claude/hooks/config.json" 2>/dev/null)
  if [[ "${lines%%$'\n'*}" == off ]]; then approve; fi
  PROTECTED=${lines#on}
  if [[ -z "$PROTECTED" ]]; then PROTECTED=$DEFAULTS; fi
}

# --- path matching ---

is_client_file() {
  case "$FILE" in
    */.claude/hooks/*) return 0 ;;
    */.claude/settings.json | */.claude/settings.local.json) return 0 ;;
    */.claude/subprocess-settings.json) return 0 ;;
  esac
  return 1
}

# is_linter_config looks at the name only: linters find their files in any directory.
is_linter_config() {
  [[ "$PROTECTED"$'\n' == *$'\n'"${FILE##*/}"$'\n'* ]]
}

protect() {
  pick_json_tool
  read_file
  read_config
  if is_client_file; then block "${FILE##*/} belongs to the hooks and settings, which only a person changes."; fi
  if is_linter_config; then block "${FILE##*/} holds the rules of a linter. Fix the code, not the rules."; fi
  approve
}

protect
