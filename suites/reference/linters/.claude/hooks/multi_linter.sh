#!/usr/bin/env bash
# PostToolUse hook for Edit and Write: lints the file that was just written.
#
#   phase 1  format   fixes what formatters fix, silently
#   phase 2  collect  runs the linters; violations become JSON, one a line
#   phase 3  delegate lets `claude -p` fix them, then runs both phases again
#
# stdout stays empty. Exit 0: nothing to say that the model would see. Exit 2:
# the client shows the model what stands on stderr. A linter that is absent is
# passed over; one that fails without a report is named, since a pass that
# nothing checked looks like a clean file. docs/REFERENCE.md says it all.

# Filters hold variables of jaq's own, and linters are called through functions:
# shellcheck disable=SC2016,SC2317

set -euo pipefail

declare -A CONFIG=()
ROOT=${CLAUDE_PROJECT_DIR:-.} STATE=${TMPDIR:-/tmp} SESSION=${HOOK_SESSION_PID:-$PPID}
FILE='' TYPE='' VIOLATIONS='' SAID='' NURSERY=0 STATUS=0
BIOME=() MODEL='' TIER='' CLAUDE='' SETTINGS='' PROMPT=''

# What the subprocess could do; a tier's tools are taken away from it.
TOOL_UNIVERSE=Edit,Read,Write,Bash,Glob,Grep,WebFetch,WebSearch,NotebookEdit,Task
OXLINT_RULES=(noFloatingPromises noMisusedPromises useAwaitThenable)
declare -A DEFAULTS=(
  [haiku_patterns]='[A-Z]+[0-9]+|[A-Z]+_SYNTAX|VULTURE|lint'
  [haiku_tools]='Edit,Read' [haiku_max_turns]=10 [haiku_timeout]=120
  [sonnet_patterns]='C901|PLR[0-9]+|PYD[0-9]+|FAST[0-9]+|ASYNC[0-9]+|unresolved-import|MD[0-9]+|D[0-9]+|complexity'
  [sonnet_tools]='Edit,Read' [sonnet_max_turns]=10 [sonnet_timeout]=300
  [opus_patterns]='unresolved-attribute|type-assertion'
  [opus_tools]='Edit,Read,Write' [opus_max_turns]=15 [opus_timeout]=600
)

has() { command -v "$1" >/dev/null 2>&1; }

# warn TEXT says a thing once, though the phases may run twice.
warn() {
  [[ "$SAID" != *"$1"* ]] || return 0
  SAID+=$1
  printf '[hook:warning] %s\n' "$1" >&2
}

# --- input and configuration ---

# read_input fills FILE and CONFIG by one start of jaq, which is most of what a
# clean file costs: phases.auto_format is "phases_auto_format". Items of a list
# share a key and are separated by line ends. Without the file all is default;
# without a payload that can be read there is nothing to do.
read_input() {
  local key value config=$ROOT/.claude/hooks/config.json
  [[ -r "$config" ]] || config=/dev/null
  while IFS=$'\t' read -r -d '' key value; do
    case "$key" in
      file) FILE=$value ;;
      _?*) CONFIG[${key#_}]=${CONFIG[${key#_}]:+${CONFIG[${key#_}]}$'\n'}$value ;;
    esac
  done < <(jaq -Rsj --rawfile config "$config" '
    def leaves: if type == "object" then to_entries[] | .key as $key | .value | leaves | "_\($key)\(.)"
      elif type == "array" then .[] | leaves
      elif . == null then empty
      else "\t\(.)" end;
    (fromjson | .tool_input.file_path | "file\t\(.)\u0000"),
    ($config | fromjson | leaves | "\(.)\u0000")' 2>/dev/null)
}

# is_on KEY DEFAULT: anything but false is on.
is_on() { [[ "${CONFIG[$1]:-$2}" != false ]]; }

# is_flat_format recognises keys from before there were tiers.
is_flat_format() {
  [[ "${!CONFIG[*]} " != *'subprocess_tiers_'* ]] &&
    [[ "${!CONFIG[*]} " == *'subprocess_timeout '* || "${!CONFIG[*]}" == *'subprocess_model_selection'* ]]
}

# --- file extension routing ---

# route sets TYPE; it fails for files that no linter is for.
route() {
  case "$FILE" in
    *.py) TYPE=python ;;
    *.sh | *.bash) TYPE=shell ;;
    *.json) TYPE=json ;;
    *.yml | *.yaml) TYPE=yaml ;;
    *.toml) TYPE=toml ;;
    *.md | *.mdx) TYPE=markdown ;;
    *.ts | *.tsx | *.js | *.jsx | *.mjs | *.cjs | *.mts | *.cts | *.css) TYPE=typescript ;;
    *.vue | *.svelte | *.astro) TYPE=component ;;
    Dockerfile | Dockerfile.* | */Dockerfile | */Dockerfile.* | *.dockerfile) TYPE=dockerfile ;;
    *) return 1 ;;
  esac
}

# is_language_enabled is the language toggle check. TypeScript is off unless
# asked for, by a plain true or by its key "enabled".
is_language_enabled() {
  case "$TYPE" in
    typescript | component) is_on languages_typescript "${CONFIG[languages_typescript_enabled]:-false}" ;;
    *) is_on "languages_$TYPE" true ;;
  esac
}

# --- phase 1: format ---

format_file() {
  is_on phases_auto_format true || return 0
  case "$TYPE" in
    python) format_python ;;
    shell) format_shell ;;
    json) format_json ;;
    toml) format_toml ;;
    markdown) format_markdown ;;
    typescript) format_typescript ;;
  esac >/dev/null 2>&1
}

format_python() {
  has ruff || return 0
  ruff format --quiet "$FILE" || true
  ruff check --fix --quiet "$FILE" || true
}

format_shell() { if has shfmt; then shfmt -w -i 2 -ci -bn "$FILE" || true; fi; }

format_toml() { if has taplo; then RUST_LOG=error taplo fmt "$FILE" || true; fi; }

format_markdown() { if has markdownlint-cli2; then markdownlint-cli2 --no-globs --fix "$FILE" || true; fi; }

# format_json leaves a file alone that is no JSON, or is formatted already.
format_json() {
  local formatted
  formatted=$(jaq . "$FILE") || return 0
  if is_on languages_typescript "${CONFIG[languages_typescript_enabled]:-false}" && detect_biome; then
    if in_root "${BIOME[@]}" format --write "$(root_path)"; then return 0; fi
  fi
  cmp -s "$FILE" <(printf '%s\n' "$formatted") || printf '%s\n' "$formatted" >"$FILE"
}

format_typescript() {
  local unsafe=()
  detect_biome || return 0
  if is_on languages_typescript_biome_unsafe_autofix false; then unsafe=(--unsafe); fi
  in_root "${BIOME[@]}" check --write "${unsafe[@]}" "$(root_path)" || true
}

# --- biome ---

# detect_biome sets BIOME to the command. The runners come last, and none of
# them may install anything. npx asks the registry even so, and waits for a
# minute where there is no network: hence --offline.
detect_biome() {
  case "${CONFIG[languages_typescript_js_runtime]:-auto}" in
    node) BIOME=(npx --no-install --offline biome) ;;
    pnpm) BIOME=(pnpm exec biome) ;;
    bun) BIOME=(bunx --no-install biome) ;;
    *) detect_biome_runtime ;;
  esac
  has "${BIOME[0]:-}"
}

detect_biome_runtime() {
  if [[ -x node_modules/.bin/biome ]]; then
    BIOME=("$PWD/node_modules/.bin/biome")
  elif has biome; then
    BIOME=(biome)
  elif has npx; then
    BIOME=(npx --no-install --offline biome)
  elif has pnpm; then
    BIOME=(pnpm exec biome)
  else
    BIOME=(bunx --no-install biome)
  fi
}

# biome finds its configuration in the directory that it runs in, and applies
# some rules to relative paths only.
in_root() { (cd "$ROOT" && "$@"); }

root_path() { printf '%s' "${FILE#"$ROOT"/}"; }

# --- phase 2: collect ---

collect_file() {
  case "$TYPE" in
    python) collect_python ;;
    shell) collect_shell ;;
    json) collect_json ;;
    yaml) collect_yaml ;;
    toml) collect_toml ;;
    markdown) collect_markdown ;;
    dockerfile) collect_dockerfile ;;
    typescript) collect_typescript ;;
  esac
}

# lint NAME FILTER COMMAND... runs a linter and adds to VIOLATIONS what the
# filter finds in its output: arrays of line, column, code and message.
lint() {
  local name=$1 filter=$2 output found='' code=0
  shift 2
  output=$("$@" 2>/dev/null) || code=$?
  if [[ -n "$output" ]]; then
    found=$(jaq -Rsc --arg linter "$name" "$filter"' | {line: .[0], column: .[1], code: .[2], message: .[3], linter: $linter}' \
      <<<"$output" 2>/dev/null) || code=1
  fi
  VIOLATIONS+=${found:+$found$'\n'}
  if [[ -z "$found" && $code != 0 ]]; then
    warn "$name gave no readable report: $FILE was not checked by it"
  fi
}

collect_shell() {
  if has shellcheck; then
    lint shellcheck 'fromjson | .[] | [.line, .column, "SC\(.code)", .message]' shellcheck -f json "$FILE"
  fi
}

collect_yaml() {
  if has yamllint; then
    lint yamllint 'split("\n") | .[] | capture(":(?<l>[0-9]+):(?<c>[0-9]+): \\[[a-z]+\\] (?<m>.*) \\((?<r>[^()]+)\\)$")
      | [(.l | tonumber), (.c | tonumber), .r, .m]' yamllint -f parsable "$FILE"
  fi
}

collect_json() {
  local message
  message=$(jaq empty "$FILE" 2>&1) || lint jaq '[1, 1, "JSON_SYNTAX", .[:-1]]' printf '%s' "${message:-not JSON}"
}

# taplo has no form for programs: the place stands in the line below the error.
collect_toml() {
  if has taplo; then
    lint taplo 'capture("error: (?<m>[^\n]*)\n[^\n]*:(?<l>[0-9]+):(?<c>[0-9]+)\n"; "g")
      | [(.l | tonumber), (.c | tonumber), "TOML_SYNTAX", .m]' both_streams env RUST_LOG=error taplo check "$FILE"
  fi
}

both_streams() { "$@" 2>&1; }

collect_markdown() {
  if has markdownlint-cli2; then
    lint markdownlint 'split("\n") | .[] | capture(":(?<l>[0-9]+)(:(?<c>[0-9]+))? (error |warning )?(?<r>MD[0-9]+)[^ ]* (?<m>.*)$")
      | [(.l | tonumber), (.c // "1" | tonumber), .r, .m]' both_streams markdownlint-cli2 --no-globs "$FILE"
  fi
}

collect_dockerfile() {
  has hadolint || return 0
  check_hadolint_version
  lint hadolint 'fromjson | .[] | [.line, .column, .code, .message]' hadolint --no-color -f json "$FILE"
}

check_hadolint_version() {
  local version
  version=$(hadolint --version 2>/dev/null) || true
  [[ "$version" =~ ([0-9]+)\.([0-9]+)(\.[0-9]+)? ]] || return 0
  if ((BASH_REMATCH[1] < 2 || BASH_REMATCH[1] == 2 && BASH_REMATCH[2] < 12)); then
    warn "hadolint ${BASH_REMATCH[0]} < 2.12.0 (some features may not work)"
  fi
}

collect_typescript() {
  local options=(lint --reporter=json) rule
  if ! detect_biome; then
    warn 'biome not found: TypeScript, JavaScript and CSS are not checked. Install @biomejs/biome'
    return 0
  fi
  # oxlint_tsgolint: these rules are oxlint's then, and would be reported twice.
  if is_on languages_typescript_oxlint_tsgolint false; then
    for rule in "${OXLINT_RULES[@]}"; do options+=("--skip=nursery/$rule"); done
  fi
  if [[ "$(nursery_mode)" == off ]]; then options+=(--skip=nursery); fi
  # Up to 2.3 biome gave a place as bytes from the start of the file.
  lint biome 'def place: if .start then [.start.line, .start.column] elif .span then
      .sourceCode[:.span[0]] + "x" | split("\n") | [length, (.[-1] | length)] else [1, 1] end;
    fromjson | .diagnostics[] | select(.severity == "error" or .severity == "warning")
      | (.location | place) + [.category, .description // .message]' \
    in_root "${BIOME[@]}" "${options[@]}" "$(root_path)"
  count_nursery
}

nursery_mode() { printf '%s' "${CONFIG[languages_typescript_biome_nursery]:-warn}"; }

# count_nursery takes nursery diagnostics out of the violations unless they are
# to block, and counts them.
count_nursery() {
  local violation kept=''
  [[ "$(nursery_mode)" != error ]] || return 0
  NURSERY=0
  while IFS= read -r violation; do
    if [[ "$violation" == *'"code":"lint/nursery/'* ]]; then NURSERY=$((NURSERY + 1)); else kept+=$violation$'\n'; fi
  done < <(printf '%s' "$VIOLATIONS")
  VIOLATIONS=$kept
}

collect_python() {
  if has ruff; then
    lint ruff 'fromjson | .[] | [.location.row, .location.column, .code // "syntax-error", .message]' \
      ruff check --preview --output-format=json "$FILE"
  fi
  lint ty 'fromjson | .[] | [.location.positions.begin.line, .location.positions.begin.column, .check_name, .description]' \
    in_environment ty check --output-format gitlab "$FILE"
  lint flake8 'split("\n") | .[] | capture(":(?<l>[0-9]+):(?<c>[0-9]+): (?<r>[A-Z]+[0-9]+) (?<m>.*)$")
    | [(.l | tonumber), (.c | tonumber), .r, .m]' in_environment flake8 --select=PYD,ASYNC "$FILE"
  if is_excluded; then return 0; fi
  lint vulture 'split("\n") | .[] | capture(":(?<l>[0-9]+): (?<m>.*)$") | [(.l | tonumber), 1, "VULTURE", .m]' \
    in_environment vulture "$FILE" --min-confidence 80
  lint bandit 'fromjson | .results[] | [.line_number, .col_offset // 1, .test_id, .issue_text]' \
    in_environment bandit -f json -q "$FILE"
}

# in_environment TOOL ARG... runs a tool of the project's virtual environment,
# or from PATH where there is no uv. That uv fails for a tool that the
# environment does not have is no news.
in_environment() {
  if has uv; then
    uv run "$@" || true
  elif has "$1"; then
    "$@"
  fi
}

# is_excluded: security linters leave some directories of the project alone.
is_excluded() {
  local path prefix
  path=$(root_path)
  while IFS= read -r prefix; do
    [[ "$path" != "$prefix"* ]] || return 0
  done <<<"${CONFIG[exclusions]:-$'tests/\ndocs/\n.venv/\nscripts/\nnode_modules/\n.git/\n.claude/'}"
  return 1
}

# --- phase 3: delegate and verify ---

delegate() {
  [[ "${HOOK_SKIP_SUBPROCESS:-}" != 1 ]] || return 0
  if is_on phases_subprocess_delegation true; then spawn_subprocess; fi
  VIOLATIONS=''
  format_file
  collect_file
}

spawn_subprocess() {
  choose_model
  if ! find_claude; then
    printf '[hook:error] claude binary not found, cannot delegate\n' >&2
  elif ! find_settings; then
    printf '[hook:error] cannot write %s, cannot delegate\n' "$SETTINGS" >&2
  else
    write_prompt
    run_claude
  fi
}

# choose_model: an override, else volume, else the tier of the most demanding
# code. The model's name is the tier's.
choose_model() {
  local line code unmatched=()
  MODEL=${CONFIG[subprocess_global_model_override]:-} TIER=haiku
  if [[ -z "$MODEL" ]]; then
    MODEL=haiku
    while IFS= read -r line; do
      code=$(code_of "$line")
      if matches_tier opus "$code"; then
        MODEL=opus
      elif matches_tier sonnet "$code"; then
        if [[ "$MODEL" == haiku ]]; then MODEL=sonnet; fi
      elif ! matches_tier haiku "$code"; then
        unmatched+=("$code")
      fi
    done < <(printf '%s' "$VIOLATIONS")
    if (($(count) > ${CONFIG[subprocess_volume_threshold]:-5})); then MODEL=opus; fi
    if [[ "$MODEL" == haiku ]]; then warn_unmatched "${unmatched[@]}"; fi
  fi
  if [[ "$MODEL" == opus || "$MODEL" == sonnet ]]; then TIER=$MODEL; fi
}

# code_of LINE: inside of a text the quotes would be escaped.
code_of() { if [[ "$1" =~ \"code\":\"([^\"]*) ]]; then printf '%s' "${BASH_REMATCH[1]}"; fi; }

warn_unmatched() {
  local code
  for code; do warn "unmatched pattern '$code', defaulting to haiku"; done
}

# matches_tier TIER CODE: a pattern matches a whole code, or a part of one that
# has slashes, as biome's do.
matches_tier() {
  local pattern="(^|/)(${CONFIG[subprocess_tiers_${1}_patterns]:-${DEFAULTS[${1}_patterns]}})(/|\$)"
  [[ "$2" =~ $pattern ]]
}

# tier KEY is a setting of the chosen tier.
tier() { printf '%s' "${CONFIG[subprocess_tiers_${TIER}_$1]:-${DEFAULTS[${TIER}_$1]}}"; }

count() {
  local ends=${VIOLATIONS//[!$'\n']/}
  printf '%d' "${#ends}"
}

# all_violations makes one document of the lines.
all_violations() {
  local lines=${VIOLATIONS%$'\n'}
  printf '[%s]' "${lines//$'\n'/,$'\n'}"
}

find_claude() {
  for CLAUDE in claude ~/.local/bin/claude ~/.npm-global/bin/claude /usr/local/bin/claude; do
    if has "$CLAUDE"; then return 0; fi
  done
  return 1
}

# find_settings sets SETTINGS to a file that switches all hooks off: without it
# the subprocess's edits would start this hook again, and so on.
find_settings() {
  SETTINGS=${CONFIG[subprocess_settings_file]:-$ROOT/.claude/subprocess-settings.json}
  SETTINGS=${SETTINGS/#\~\//${HOME:-}/}
  [[ ! -f "$SETTINGS" ]] || return 0
  local new
  { mkdir -p "${SETTINGS%/*}" && new=$(mktemp "$SETTINGS.XXXXXX"); } 2>/dev/null || return 1
  cat >"$new" <<'JSON'
{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "disableAllHooks": true,
  "skipDangerousModePermissionPrompt": true
}
JSON
  mv "$new" "$SETTINGS" # whole or not at all, whoever else does the same
  warn "created missing ${SETTINGS#"$ROOT"/}"
}

write_prompt() {
  local formatter
  formatter=$(formatter_command)
  PROMPT="You repair lint findings. Every violation below must go from $FILE.

VIOLATIONS:
$(all_violations)

RULES:
- Edit the reported places only; do not write the file anew and do not refactor.
- Add no comments about what you changed.
${formatter:+- The formatter runs when you are done: $formatter
}- The linters run again afterwards. Say why if one finding cannot be repaired."
}

# formatter_command is empty for types that have no formatter of their own.
formatter_command() {
  case "$TYPE" in
    python) printf "ruff format '%s'" "$FILE" ;;
    shell) printf "shfmt -w -i 2 -ci -bn '%s'" "$FILE" ;;
    toml) printf "taplo fmt '%s'" "$FILE" ;;
    markdown) printf "markdownlint-cli2 --no-globs --fix '%s'" "$FILE" ;;
    typescript) printf "%s format --write '%s'" "${BIOME[*]}" "$FILE" ;;
  esac
}

# run_claude never skips permissions without a list of what is forbidden, but
# for a tier that may use everything.
run_claude() {
  local limit=() forbidden code=0
  forbidden=$(forbidden_tools)
  if has timeout; then limit=(timeout "$(time_limit)"); fi
  if [[ -z "$forbidden" ]]; then warn "all tools allowed for tier $TIER"; fi
  "${limit[@]}" "$CLAUDE" -p "$PROMPT" --dangerously-skip-permissions --settings "$SETTINGS" \
    ${forbidden:+--disallowedTools "$forbidden"} \
    --max-turns "${CONFIG[subprocess_max_turns_override]:-$(tier max_turns)}" \
    --model "$MODEL" "$FILE" </dev/null >/dev/null || code=$?
  case $code in
    0) ;;
    124) warn 'subprocess timed out (exit 124)' ;;
    *) warn "subprocess failed (exit $code)" ;;
  esac
}

time_limit() {
  printf '%s' "${HOOK_SUBPROCESS_TIMEOUT:-${CONFIG[subprocess_timeout_override]:-$(tier timeout)}}"
}

forbidden_tools() {
  local tool allowed forbidden=''
  allowed=,$(tier tools),
  for tool in ${TOOL_UNIVERSE//,/ }; do
    if [[ "$allowed" != *",$tool,"* ]]; then forbidden+=,$tool; fi
  done
  printf '%s' "${forbidden#,}"
}

# --- advisories, at most once a session ---

advise() {
  case "$TYPE" in
    python) advise_duplicates jscpd 'Duplicate code detected' ;;
    typescript)
      check_nursery_config
      advise_nursery
      if [[ "$FILE" != *.css ]]; then advise_security; fi
      advise_duplicates jscpd_ts 'Duplicate code detected (TS/JS)'
      ;;
    component)
      warn_component
      advise_security
      ;;
  esac
}

# once NAME succeeds the first time in a session.
once() {
  [[ ! -e "$STATE/.$1_$SESSION" ]] || return 1
  { : >"$STATE/.$1_$SESSION"; } 2>/dev/null
}

# enough_files NAME COUNT notes the file, and succeeds once a session, when
# COUNT different files were noted.
enough_files() {
  local seen="$STATE/.$1_session_$SESSION"
  grep -qxF -- "$FILE" "$seen" || printf '%s\n' "$FILE" >>"$seen"
  (($(wc -l <"$seen") >= $2)) && once "$1_session_done"
} 2>/dev/null

# advise_duplicates NAME TEXT blocks only where advisory_only is switched off.
advise_duplicates() {
  local clones dir dirs=() jscpd=(npx --no-install --offline jscpd) work
  enough_files "$1" "${CONFIG[jscpd_session_threshold]:-3}" || return 0
  if has jscpd; then jscpd=(jscpd); fi
  while IFS= read -r dir; do
    if [[ -d "$ROOT/$dir" ]]; then dirs+=("$dir"); fi
  done <<<"${CONFIG[jscpd_scan_dirs]:-$'src/\nlib/'}"
  ((${#dirs[@]})) || return 0
  work=$(mktemp -d)
  in_root "${jscpd[@]}" --config .jscpd.json --reporters json --silent --output "$work" "${dirs[@]}" >/dev/null 2>&1 || true
  clones=$(jaq '.statistics.total.clones' "$work/jscpd-report.json" 2>/dev/null) || clones=0
  rm -rf "$work"
  ((clones > 0)) || return 0
  printf '[hook:advisory] %s: %d clone(s)\n' "$2" "$clones" >&2
  is_on jscpd_advisory_only true || STATUS=2
}

# advise_security needs rules of the project's own.
advise_security() {
  local files found
  is_on languages_typescript_semgrep true || return 0
  enough_files semgrep 3 || return 0
  has semgrep && [[ -f "$ROOT/.semgrep.yml" ]] || return 0
  mapfile -t files <"$STATE/.semgrep_session_$SESSION"
  found=$({ semgrep --json --config "$ROOT/.semgrep.yml" "${files[@]}" || true; } 2>/dev/null | jaq '.results | length' 2>/dev/null) || found=0
  ((found > 0)) || return 0
  printf '[hook:advisory] Semgrep: %d security finding(s)\n' "$found" >&2
}

warn_component() {
  once "sfc_warned_${FILE##*.}" || return 0
  has semgrep || warn "no linter for .${FILE##*.} files: install semgrep"
}

advise_nursery() {
  if ((NURSERY > 0)); then printf '[hook:advisory] Biome nursery: %d diagnostic(s)\n' "$NURSERY" >&2; fi
}

# check_nursery_config compares the mode with what biome was told, where the
# strictest level counts. To count nothing is as good as a count of nothing.
check_nursery_config() {
  local level mode
  [[ -f "$ROOT/biome.json" ]] && once nursery_checked || return 0
  level=$(jaq -r '.linter.rules.nursery // "off" | [.. | strings]
    | if any(. == "error") then "error" elif any(. != "off") then "warn" else "off" end' \
    "$ROOT/biome.json" 2>/dev/null) || return 0
  mode=$(nursery_mode)
  [[ "$mode" == "$level" || "$mode $level" == 'warn off' ]] ||
    warn "config.json biome_nursery='$mode' but biome.json nursery='$level'"
}

# --- exit ---

report() {
  [[ -n "$VIOLATIONS" ]] || return 0
  STATUS=2
  if [[ "${HOOK_SKIP_SUBPROCESS:-}" == 1 ]]; then
    printf '[hook] %s\n' "$(all_violations)" >&2
  else
    printf '[hook] %d violation(s) remain after delegation\n' "$(count)" >&2
  fi
}

main() {
  if ! has jaq; then
    printf '[hook:error] jaq not found: nothing is linted\n' >&2
    exit 0
  fi
  read_input
  is_on hook_enabled true || exit 0
  if is_flat_format; then
    printf '[hook:error] config.json: subprocess.timeout and subprocess.model_selection are gone. Move them to subprocess.tiers\n' >&2
    exit 2
  fi
  [[ -f "$FILE" ]] && route && is_language_enabled || exit 0
  format_file
  collect_file
  if [[ -n "$VIOLATIONS" ]]; then delegate; fi
  report
  advise
  exit "$STATUS"
}

main
