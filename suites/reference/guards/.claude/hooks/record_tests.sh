#!/usr/bin/env bash
# Pattern: state file. Protects from evidence that is out of date: it writes down what the
# tests said, and takes it back when something changes. Others read it; only this one writes.
# Fails closed: it cannot refuse what has happened, but tells the model that it was not recorded.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${0%/*}/lib.sh" || exit 2

if [ -n "$file" ]; then
  [ "$tests" != pass ] || echo stale >"$state/tests"
  pass
fi
has "^[[:space:]]*make test[[:space:];]*\$" || pass
if [ "$event" = PostToolUse ]; then
  echo pass >"$state/tests"
else
  echo fail >"$state/tests"
fi
pass
