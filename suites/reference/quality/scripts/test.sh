#!/bin/sh
# The test suite of the project: put yours here.
test -f CLAUDE.md
