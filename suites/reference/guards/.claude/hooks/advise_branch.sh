#!/usr/bin/env bash
# Pattern: advisory. Protects the main branch from work that should have had its own.
# It only tells; the model decides, for there are good reasons to write there once.
# Fails closed: without jq, with an input that is no JSON, or broken, nothing is written.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${0%/*}/lib.sh" || exit 2

branch=$(git -C "$CLAUDE_PROJECT_DIR" symbolic-ref --short HEAD 2>/dev/null || echo none)
case $branch in
main | master) tell "You are on $branch. Unless this is a small correction, make a branch first: git switch -c NAME" ;;
esac
pass
