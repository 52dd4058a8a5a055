#!/bin/sh
# Format, lint and types: put yours here.
test -f CLAUDE.md
