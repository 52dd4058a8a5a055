#!/usr/bin/env bash
# Pattern: session start. Protects from evidence of another session, and from not knowing where one is.
# Evidence is forgotten before anything is read, so that no failure here can keep it.
# Fails closed: nothing can be refused at this event; without jq the gates refuse by themselves.
rm -f "$CLAUDE_PROJECT_DIR/.claude/state/tests" "$CLAUDE_PROJECT_DIR/.claude/state/strikes"
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${0%/*}/lib.sh" || exit 2

branch=$(git -C "$CLAUDE_PROJECT_DIR" symbolic-ref --short HEAD 2>/dev/null || echo none)
tell "Branch: $branch. Tests did not run in this session: make test does, and commits wait for it."
