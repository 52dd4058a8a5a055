#!/usr/bin/env bash
# Pattern: escalating gate. Protects from code that piles up on tests that fail.
# The first write is told, the next is refused, until the tests pass; tests may be mended.
# Fails closed: without jq, with an input that is no JSON, or broken, nothing is written.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${0%/*}/lib.sh" || exit 2

case $file in
*/tests/* | *.md) pass ;;
esac
if [ "$tests" != fail ]; then
  rm -f "$state/strikes"
  pass
fi
strikes=0
[ ! -e "$state/strikes" ] || strikes=$(cat "$state/strikes")
echo $((strikes + 1)) >"$state/strikes"
if [ "$strikes" -ge 1 ]; then
  deny "The tests still fail. Mend them, or the code that they are about, in tests/ first."
fi
tell "The tests fail. The next write outside of tests/ will be refused until they pass."
