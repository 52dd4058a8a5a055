#!/usr/bin/env bash
# Deny commands that begin with a line of a list; which library decides is a setting.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
name=$(<"$here/rules/match.conf")
. "$here/lib/${name%%[[:space:]]*}.sh"
input=$(cat)
command=${input#*\"command\":\"}
command=${command%%\"*}
while IFS= read -r rule; do
  [[ -n $rule && $rule != \#* ]] || continue
  if matches "$command" "$rule"; then
    echo "denied by the rule: $rule" >&2
    exit 2
  fi
done <"$here/rules/deny".txt
