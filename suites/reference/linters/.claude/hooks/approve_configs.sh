#!/usr/bin/env bash
# Keeps, for stop_config_guardian.sh, that the user approved of configuration
# files as they are now.
#
#   approve_configs.sh KEY FILE...
#
# The guard file {"approved_at":TIME,"files":{FILE:"sha256:HASH"}} replaces an
# earlier one of the same key. A name with a control character in it cannot be
# written down: its guard file is no JSON, and the user is asked again.

set -euo pipefail

PRINT='' ENTRIES=''

# fingerprint FILE sets PRINT, as in stop_config_guardian.sh.
fingerprint() {
  PRINT=deleted
  if [[ -e "$1" ]]; then
    PRINT=$(sha256sum <"$1" 2>/dev/null || shasum -a 256 <"$1")
    PRINT=sha256:${PRINT%% *}
  fi
}

add_entry() {
  local slash=$'\\' quote='"' name
  name=${1//"$slash"/"$slash$slash"}
  name=${name//"$quote"/"$slash$quote"}
  fingerprint "$1"
  ENTRIES+="${ENTRIES:+,}\"$name\":\"$PRINT\""
}

record() {
  local guard="${TMPDIR:-/tmp}/stop_hook_approved_$1.json" file
  cd "${CLAUDE_PROJECT_DIR:-.}"
  for file in "${@:2}"; do add_entry "$file"; done
  printf '{"approved_at":"%s","files":{%s}}\n' "$(date -u +%FT%TZ)" "$ENTRIES" >"$guard"
  printf 'Guard file created: %s\n' "$guard"
}

if (($# < 2)); then
  printf 'Usage: approve_configs.sh KEY FILE...\n' >&2
  exit 1
fi
record "$@"
