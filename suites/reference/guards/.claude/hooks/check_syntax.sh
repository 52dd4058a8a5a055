#!/usr/bin/env bash
# Pattern: feedback loop. Protects from shell scripts that do not parse, and so do nothing.
# What is wrong goes back to the model with exit code 2, which mends it at once.
# Fails closed: without jq, with an input that is no JSON, or broken, the model is told.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${0%/*}/lib.sh" || exit 2

case $file in
*.sh) wrong=$(bash -n "$file" 2>&1) || object "$wrong" ;;
esac
pass
