#!/usr/bin/env bash
# Pattern: Stop loop. Protects from "done" when what was changed was not tested.
# It asks once: the second time the client says stop_hook_active, and the turn may end.
# Fails closed: without jq, with an input that is no JSON, or broken, the turn goes on.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${0%/*}/lib.sh" || exit 2

[ "$stop_hook_active" != true ] || pass
# shellcheck disable=SC2016 # a variable of jq
case $tests in
stale | fail) say --arg tests "$tests" '{decision: "block", reason: "The tests are \($tests). Run make test, or say why not, before you stop."}' ;;
esac
pass
