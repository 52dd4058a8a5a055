#!/usr/bin/env bash
# PreToolUse hook for the Bash tool: keeps legacy package managers out.
#
#   python      pip, python -m pip, python -m venv, poetry, pipenv  -> uv
#   javascript  npm, npx, yarn, pnpm                                -> bun
#
# stdin: the client's JSON. stdout: one JSON document with the decision. The
# exit code is always 0, and what cannot be read is approved: a broken guard
# must not stop every command of a session. Results go through variables and
# JSON is read twice at most, since starting processes is what takes time.

set -euo pipefail

JSON_TOOL='' COMMAND='' SEGMENTS=''
TOOL='' ECOSYSTEM='' SUBCOMMAND='' FLAGS='' REST='' ARGS=''
CONFIG_READ='' PYTHON='' JAVASCRIPT='' ALLOWED='' MODE=off
SUGGESTION='' ESCAPED='' WARNED=''
HEREDOC='(^|[^<])<<(-?)[[:blank:]]*["'\''\]?([A-Za-z0-9_.+-]+)'

# --- input parsing ---

# read_command fails when there is no command to judge.
read_command() {
  for JSON_TOOL in jaq jq ''; do
    if command -v "$JSON_TOOL" >/dev/null 2>&1; then break; fi
  done
  [[ -n "$JSON_TOOL" ]] || return 1
  COMMAND=$("$JSON_TOOL" -r '.tool_input.command | strings' 2>/dev/null) || return 1
  [[ -n "$COMMAND" ]]
}

# strip_heredocs drops here-document bodies and comment lines: they are data.
# One that never ends stays, lest "1 << 2" hide the lines behind it.
strip_heredocs() {
  local line rest match kept='' i=0 lines=()
  while IFS= read -r line; do lines+=("$line"); done <<<"$COMMAND"
  while ((i < ${#lines[@]})); do
    line=${lines[i]} rest=${lines[i]} i=$((i + 1))
    [[ "$line" =~ ^[[:blank:]]*# ]] && continue
    kept+=$line$'\n'
    while [[ "$rest" =~ $HEREDOC ]]; do
      match=${BASH_REMATCH[0]}
      find_terminator "$i" "${BASH_REMATCH[2]}" "${BASH_REMATCH[3]}"
      rest=${rest#*"$match"}
    done
  done
  COMMAND=$kept
}

# find_terminator START DASH WORD moves the caller's i behind the closing line.
find_terminator() {
  local at line
  for ((at = $1; at < ${#lines[@]}; at++)); do
    line=${lines[at]}
    if [[ -n "$2" ]]; then line=${line#"${line%%[!$'\t']*}"}; fi
    if [[ "$line" == "$3" ]]; then i=$((at + 1)) && return 0; fi
  done
}

# split_commands cuts COMMAND into simple commands. It does so inside quotes
# too, because `bash -c "..."` runs what it quotes.
split_commands() {
  local mark
  SEGMENTS=${COMMAND//\\$'\n'/ }
  for mark in '&&' '||' ';' '|' '& ' '(' ')' '`'; do
    SEGMENTS=${SEGMENTS//"$mark"/$'\n'}
  done
}

# --- what a segment runs ---

# find_tool SEGMENT finds the first word that names a package manager. A
# preferred tool in front of it (`uv pip`, `uv add poetry`) clears the segment.
find_tool() {
  local i word words=()
  [[ "$1" =~ pip|venv|poetry|npm|npx|yarn ]] || return 1 # the most, at no cost
  read -ra words <<<"$1"
  for ((i = 0; i < ${#words[@]}; i++)); do
    word=${words[i]//[\"\'\{\}]/}
    word=${word##*/}
    case "$word" in
      uv | uvx | bun | bunx) return 1 ;;
      python | python3 | python3.[0-9]*)
        if find_module "${words[@]:i+1}"; then return 0; else continue; fi
        ;;
      pip | pip3 | pip3.[0-9]*) TOOL=pip ECOSYSTEM=python ;;
      poetry | pipenv) TOOL=$word ECOSYSTEM=python ;;
      npm | npx | yarn | pnpm) TOOL=$word ECOSYSTEM=javascript ;;
      *) continue ;;
    esac
    parse_arguments "${words[@]:i+1}"
    return 0
  done
  return 1
}

# find_module WORD... looks for "-m pip" or "-m venv" behind python's own flags.
find_module() {
  local module
  while (($#)) && [[ "$1" == -* && "$1" != -m* ]]; do shift; done
  [[ "${1:-}" == -m* ]] || return 1
  module=${1#-m}
  shift
  if [[ -z "$module" && $# -gt 0 ]]; then module=$1 && shift; fi
  [[ "$module" == pip || "$module" == venv ]] || return 1
  TOOL="python -m $module" ECOSYSTEM=python
  parse_arguments "$@"
}

# parse_arguments WORD... separates leading flags, subcommand and the rest.
parse_arguments() {
  SUBCOMMAND='' FLAGS='' REST='' ARGS=''
  while (($#)); do
    case "$1" in
      -*) FLAGS+="$1 " ;;
      *[\<\>]) if (($# > 1)); then shift; fi ;; # a redirection and its target
      *[\<\>]*) ;;
      *) break ;;
    esac
    shift
  done
  [[ -n "${1:-}" && "$1" != '#'* ]] || return 0
  SUBCOMMAND=${1//[\"\'\}]/} REST=${*:2}
  drop_odd_quotes
  ARGS=$FLAGS$REST
}

# drop_odd_quotes removes quotes from REST that the split left without partner.
drop_odd_quotes() {
  local quote others
  for quote in '"' "'"; do
    others=${REST//[!$quote]/}
    if ((${#others} % 2)); then REST=${REST//"$quote"/}; fi
  done
}

# is_diagnostic: a flag such as --version and no subcommand changes nothing.
is_diagnostic() {
  [[ -z "$SUBCOMMAND" && " $FLAGS" =~ \ (--version|--help|-[vVh])\  ]]
}

# --- configuration ---

# load_config reads all settings at once; what cannot be read is off.
load_config() {
  [[ -z "$CONFIG_READ" ]] || return 0
  CONFIG_READ=yes
  local lines
  lines=$("$JSON_TOOL" -r '
    (.package_managers.python // false | tostring),
    (.package_managers.javascript // false | tostring),
    (.package_managers.allowed_subcommands // {} | to_entries[] | "\(.key) \(.value[]?)")
  ' "${CLAUDE_PROJECT_DIR:-.}/.claude/hooks/config.json" 2>/dev/null) || true
  PYTHON=${lines%%$'\n'*}
  lines=${lines#*$'\n'}
  JAVASCRIPT=${lines%%$'\n'*}
  ALLOWED=$'\n'${lines#*$'\n'}$'\n'
}

# parse_pm_config VALUE sets MODE: false -> off, uv:warn -> warn, uv -> block.
parse_pm_config() {
  case "$1" in
    '' | false | off) MODE=off ;;
    *:warn) MODE=warn ;;
    *) MODE=block ;;
  esac
}

# is_allowed_subcommand: `python -m pip` shares the list of pip.
is_allowed_subcommand() {
  [[ -n "$SUBCOMMAND" && "$ALLOWED" == *$'\n'"${TOOL#python -m } $SUBCOMMAND"$'\n'* ]]
}

# --- replacements ---

# suggest sets SUGGESTION to the command to use in place of the segment's.
suggest() {
  local packages=${ARGS:-<packages>} gone=${REST#-y }
  case "$TOOL $SUBCOMMAND" in
    *'pip install') SUGGESTION="uv add $packages" && suggest_files ;;
    *'pip freeze' | *'pip list' | *'pip show') SUGGESTION="uv pip $SUBCOMMAND${ARGS:+ $ARGS}" ;;
    *'pip uninstall' | 'poetry remove' | 'pipenv uninstall') SUGGESTION="uv remove ${gone:-<packages>}" ;;
    'python -m venv '*) SUGGESTION="uv venv${SUBCOMMAND:+ $SUBCOMMAND}" ;;
    'poetry add') SUGGESTION="uv add $packages" ;;
    'pipenv install') SUGGESTION=${REST:+uv add $ARGS} && SUGGESTION=${SUGGESTION:-uv sync} ;;
    'poetry install' | 'poetry sync' | 'pipenv sync') SUGGESTION='uv sync' ;;
    'poetry lock' | 'pipenv lock') SUGGESTION='uv lock' ;;
    'poetry run' | 'pipenv run') SUGGESTION="uv run ${ARGS:-<command>}" ;;
    'npx '*) SUGGESTION="bunx ${SUBCOMMAND:-<package>}${REST:+ $REST}" ;;
    'yarn ' | 'pnpm ') SUGGESTION='bun install' ;; # what they do when told nothing
    'npm '* | 'yarn '* | 'pnpm '*) suggest_bun ;;
    *) SUGGESTION='uv <equivalent>' ;;
  esac
}

# suggest_files: requirement files and editable installs stay with uv's own pip.
suggest_files() {
  case " $ARGS " in
    *' -r'* | *' --requirement'* | *' -e '* | *' --editable'*) SUGGESTION="uv pip install $ARGS" ;;
  esac
}

suggest_bun() {
  case "$SUBCOMMAND" in
    add) SUGGESTION="bun add ${ARGS:-<packages>}" ;;
    install | i) SUGGESTION=${REST:+bun add $ARGS} && SUGGESTION=${SUGGESTION:-bun install} ;;
    ci) SUGGESTION='bun install --frozen-lockfile' ;;
    uninstall | remove | rm) SUGGESTION="bun remove ${REST:-<packages>}" ;;
    run) SUGGESTION="bun run ${ARGS:-<script>}" ;;
    start) SUGGESTION='bun run start' ;;
    test | init) SUGGESTION="bun $SUBCOMMAND" ;;
    exec | dlx) SUGGESTION="bunx ${REST:-<package>}" ;;
    *) SUGGESTION='bun <equivalent>' ;;
  esac
}

# check_replacement_tool says once a session that the tool to use instead is
# not installed: a model told "use uv" would otherwise go round in circles.
check_replacement_tool() {
  local tool=uv source=https://docs.astral.sh/uv/ marker
  if [[ "$ECOSYSTEM" == javascript ]]; then tool=bun source=https://bun.sh; fi
  command -v "$tool" >/dev/null 2>&1 && return 0
  marker="${TMPDIR:-/tmp}/.pm_warn_${tool}_${HOOK_GUARD_PID:-$PPID}"
  [[ ! -e "$marker" ]] || return 0
  printf '[hook:warning] %s not found, so the replacement for %s cannot run. Install: %s\n' \
    "$tool" "$TOOL" "$source" >&2
  { : >>"$marker"; } 2>/dev/null || true
}

# --- decisions ---

# log_decision ACTION TOOL SUBCOMMAND writes one line, where it is asked for.
log_decision() {
  local excerpt=${COMMAND//[[:cntrl:]]/ }
  excerpt=${excerpt%"${excerpt##*[! ]}"}
  if [[ "${HOOK_DEBUG_PM:-0}" == 1 ]]; then
    printf "[hook:debug] PM check: command='%s', action='%s', tool='%s', subcmd='%s'\n" \
      "$excerpt" "$1" "$2" "$3" >&2
  fi
  if [[ "${HOOK_LOG_PM:-0}" == 1 ]]; then
    printf '%s | %s | %s | %s | %s\n' "$(date -u +%FT%TZ)" "$1" "$2" "$3" "${excerpt:0:80}" \
      2>/dev/null >>"${TMPDIR:-/tmp}/.pm_enforcement_${HOOK_GUARD_PID:-$PPID}.log" || true
  fi
}

approve() {
  if [[ -z "$WARNED" ]]; then log_decision approve '' ''; fi
  printf '{"decision":"approve"}\n'
  exit 0
}

block() {
  suggest
  log_decision block "$TOOL" "$SUBCOMMAND"
  json_escape "[hook:block] $TOOL is not allowed. Use: $SUGGESTION"
  printf '{"decision":"block","reason":"%s"}\n' "$ESCAPED"
  exit 0
}

# warn lets the command through; a later segment may still block it.
warn() {
  WARNED=yes
  suggest
  log_decision warn "$TOOL" "$SUBCOMMAND"
  printf '[hook:advisory] %s detected. Prefer: %s\n' "$TOOL" "$SUGGESTION" >&2
}

# json_escape TEXT sets ESCAPED; control characters become spaces.
json_escape() {
  local slash=$'\\' quote='"'
  ESCAPED=${1//"$slash"/"$slash$slash"}
  ESCAPED=${ESCAPED//"$quote"/"$slash$quote"}
  ESCAPED=${ESCAPED//[[:cntrl:]]/ }
}

judge() {
  find_tool "$1" || return 0
  if is_diagnostic; then return 0; fi
  load_config
  if [[ "$ECOSYSTEM" == python ]]; then parse_pm_config "$PYTHON"; else parse_pm_config "$JAVASCRIPT"; fi
  [[ "$MODE" != off ]] || return 0
  if is_allowed_subcommand; then return 0; fi
  check_replacement_tool
  if [[ "$MODE" == warn ]]; then warn; else block; fi
}

# --- main enforcement ---

enforce() {
  local segment
  [[ "${HOOK_SKIP_PM:-0}" != 1 ]] || approve
  read_command || approve
  strip_heredocs
  split_commands
  while IFS= read -r segment; do judge "$segment"; done <<<"$SEGMENTS"
  approve
}

enforce
