#!/usr/bin/env bash
# Pattern: rewrite. Protects other people's commits: a forced push becomes one that first looks.
# The whole input is given back with one word changed, for the client replaces all of it.
# Fails closed: without jq, with an input that is no JSON, or broken, no command runs.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${0%/*}/lib.sh" || exit 2

forced="${git}push[[:space:]](.*[[:space:]])?(--force|-f)([[:space:]]|[;&|)]|\$)"
has "$forced" || pass
safer=$(jq -r .tool_input.command <<<"$input" | sed -E 's/(push .*|push )(--force|-f)([[:space:];&|)]|$)/\1--force-with-lease\3/')
plain=$(tr '\n' ';' <<<"$safer" | tr -d "\"'\\\\")
has "$forced" && deny "Write each forced push as git push --force-with-lease, without quotes."
# shellcheck disable=SC2016 # a variable of jq
say --argjson input "$input" --arg safer "$safer" '{hookSpecificOutput: {hookEventName: "PreToolUse", updatedInput: ($input.tool_input + {command: $safer})}}'
