#!/usr/bin/env bash
# Pattern: evidence gate. Protects the history from commits that nobody tested.
# Only what record_tests.sh wrote down counts, and a later change takes it back.
# Fails closed: without jq, with an input that is no JSON, or broken, no command runs.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${0%/*}/lib.sh" || exit 2

has "${git}(commit|merge)([[:space:]]|[;&|)]|\$)" || pass
case $tests in
pass) pass ;;
fail) deny "The tests failed. Make them pass, and commit then." ;;
stale) deny "Something changed since the tests passed. Run make test, and commit then." ;;
*) deny "The tests did not run in this session. Run make test, and commit then." ;;
esac
