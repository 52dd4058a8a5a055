#!/usr/bin/env bash
# Pattern: deny. Protects from commands that nobody can take back, wherever in a line they stand.
# It reads words, not quotes: a text that looks like such a command is refused, too.
# Fails closed: without jq, with an input that is no JSON, or broken, no command runs.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${0%/*}/lib.sh" || exit 2

has "${begins}rm([[:space:]]+[^[:space:];&|]+)*[[:space:]]+(/|~|[$]HOME|[$][{]HOME[}])/?[*]?([[:space:]]|[;&|)]|\$)" && deny "rm of a whole tree: name the folder below that you mean"
has "${begins}mkfs" && deny "mkfs formats a disk: ask the person at the keyboard"
has "${begins}dd[[:space:]].*of=/dev/" && deny "dd overwrites a device: ask the person at the keyboard"
has "${git}reset[[:space:]].*--hard" && deny "git reset --hard throws work away: git stash keeps it"
has "${git}clean[[:space:]].*-[a-z]*f" && deny "git clean -f deletes what nobody committed: git clean -n shows it"
has "${git}branch[[:space:]].*-D" && deny "git branch -D forgets commits: git branch -d does not"
pass
