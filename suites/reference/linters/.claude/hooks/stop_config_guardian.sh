#!/usr/bin/env bash
# Stop hook: when a turn ends with linter configuration changed since the last
# commit, the model has to ask the user about it before it may stop.
#
# stdin: the client's JSON. stdout: one JSON document with the decision. What
# cannot be read is approved, as in protect_linter_configs.sh, which guards the
# same files. An approval of the user is kept in a guard file, by content.

JSON_TOOL='' PRINT=''
PROTECTED=() CHANGED=()

# Of a session: the client gives every hook a parent of its own, so that PPID
# alone would be another key each time.
KEY=${HOOK_GUARD_PID:-${CLAUDE_CODE_SESSION_ID:-$PPID}}
GUARD="${TMPDIR:-/tmp}/stop_hook_approved_$KEY.json"

# The same list stands in protect_linter_configs.sh.
DEFAULTS=(
  .markdownlint.jsonc .markdownlint-cli2.jsonc .shellcheckrc .yamllint
  .hadolint.yaml .jscpd.json .flake8 taplo.toml .ruff.toml ty.toml
  biome.json .oxlintrc.json .semgrep.yml knip.json
)

# --- input parsing ---

pick_json_tool() {
  for JSON_TOOL in jaq jq; do
    if command -v "$JSON_TOOL" >/dev/null 2>&1; then break; fi
  done
}

# is_first_stop: a turn that goes on because of this hook must be able to end.
is_first_stop() {
  [[ "$("$JSON_TOOL" -r '.stop_hook_active // false' 2>/dev/null)" == false ]]
}

# --- configuration ---

# read_config sets PROTECTED. A list that is missing, empty or unreadable gives
# way to the defaults.
read_config() {
  local lines line
  lines=$("$JSON_TOOL" -r '
    if .hook_enabled == false then "off" else "on" end,
    (.protected_files | arrays[] | strings)
  ' .claude/hooks/config.json 2>/dev/null)
  if [[ "${lines%%$'\n'*}" == off ]]; then approve; fi
  while IFS= read -r line; do
    if [[ -n "$line" ]]; then PROTECTED+=("$line"); fi
  done <<<"${lines#on}"
  if [[ ${#PROTECTED[@]} -eq 0 ]]; then PROTECTED=("${DEFAULTS[@]}"); fi
}

# --- detection ---

# differing OPTION... prints names with a NUL behind each, since git would quote
# some otherwise. A file that git does not know differs from nothing.
differing() {
  git --literal-pathspecs diff --name-only --relative -z "$@" -- "${PROTECTED[@]}" 2>/dev/null
}

# changed_names looks at the work tree and at the index.
changed_names() {
  differing
  differing --cached
}

find_changes() {
  local file
  while IFS= read -r -d '' file; do
    CHANGED+=("$file")
  done < <(changed_names | sort -zu)
}

# --- guard file ---

# fingerprint FILE sets PRINT, as in approve_configs.sh.
fingerprint() {
  PRINT=deleted
  if [[ -e "$1" ]]; then
    PRINT=$(sha256sum <"$1" 2>/dev/null || shasum -a 256 <"$1")
    PRINT=sha256:${PRINT%% *}
  fi
}

recorded() {
  # shellcheck disable=SC2016 # $file is the filter's own variable
  "$JSON_TOOL" -r --arg file "$1" '.files[$file]' "$GUARD" 2>/dev/null
}

# is_approved: the user saw every change as it is now; so it is, too, when
# there is none.
is_approved() {
  local file
  for file in "${CHANGED[@]}"; do
    fingerprint "$file"
    [[ "$(recorded "$file")" == "$PRINT" ]] || return 1
  done
}

# --- decisions ---

approve() {
  printf '{"decision":"approve"}\n'
  exit 0
}

# directive FILES is for the model; the client hands it on as the reason.
directive() {
  cat <<TEXT
[hook:block] Protected configuration differs from the last commit. Before you stop, call the AskUserQuestion tool, whatever was said about these changes so far. Do not ask in plain text and do not argue for an answer.

  question: "Protected configuration was changed: $1. What shall become of it?"
  header: "Config changed"
  multiSelect: false
  options: "Keep changes", "Restore to last commit", "Show diff first"

Then do what the user chose:
- Keep changes: run .claude/hooks/approve_configs.sh $KEY $1
- Restore to last commit: run git checkout HEAD -- $1
- Show diff first: run git diff HEAD -- $1 and ask again
TEXT
}

block() {
  local files
  printf -v files ' %q' "${CHANGED[@]}"
  # shellcheck disable=SC2016 # $reason and $message are the filter's own variables
  "$JSON_TOOL" -n --arg reason "$(directive "${files# }")" \
    --arg message "Protected configuration was changed:$(printf '\n  - %s' "${CHANGED[@]}")" \
    '{decision: "block", reason: $reason, systemMessage: $message}'
}

guard() {
  pick_json_tool
  is_first_stop || approve
  cd "${CLAUDE_PROJECT_DIR:-.}" 2>/dev/null || approve
  read_config
  find_changes
  if is_approved; then approve; fi
  block
}

guard
