#!/usr/bin/env bash
# Denies Bash commands that lose work or show secrets. Exit code 2 denies the call, and the model
# reads what is on stderr. Any other exit code lets the call through.
set -uo pipefail

deny() {
  echo "guard.sh: $1" >&2
  exit 2
}

# A forced push overwrites commits of others.
check_push() {
  local forced=' git push( [^;&|]*)? (--force|-f) '
  [[ ! $1 =~ $forced ]] || deny "no forced push; use git push --force-with-lease"
}

# Nothing brings back what rm removes.
check_remove() {
  local everything=' rm -(rf|fr|Rf|fR) (/|~|[$]HOME)[/*]* '
  [[ ! $1 =~ $everything ]] || deny "remove directories of this project only"
}

# What the model reads is sent to its provider.
check_secrets() {
  local secrets='[ /=<]\.env '
  [[ ! $1 =~ $secrets ]] || deny ".env holds secrets; read .env.example"
}

# A guard that cannot decide denies.
command -v jq >/dev/null || deny "jq is absent: install it (apt install jq, brew install jq)"
command=$(jq -er '.tool_input.command') || deny "the input has no command"
command=" ${command//[$'\t\n']/ } " # so that every word stands between two spaces

check_push "$command"
check_remove "$command"
check_secrets "$command"
