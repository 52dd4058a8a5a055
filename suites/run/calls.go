package run

import (
	"strconv"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/shell"
)

// Limit is how many bytes of each stream of a call are noted.
const Limit = 8000

// The log holds one text a call: fields end with fieldEnd, calls with callEnd.
const fieldEnd, callEnd = "\x1f", "\x1e"

// Shim is a script that passes a call on, and appends it to the log in one piece.
func Shim(tool, passesTo, log string) string {
	return strings.NewReplacer("@TOOL", shell.Quote(tool), "@REAL", shell.Quote(passesTo), "@LOG", shell.Quote(log), "@LIMIT", strconv.Itoa(Limit)).Replace(`#!/bin/sh
at=@LOG.$$
@REAL "$@" >"$at.out" 2>"$at.err"
code=$?
cat "$at.out"
cat "$at.err" >&2
{
  printf '%s\037%s\037' @TOOL "$code"
  head -c @LIMIT "$at.out" | tr -d '\036\037'
  printf '\037'
  head -c @LIMIT "$at.err" | tr -d '\036\037'
  for arg; do printf '\037'; printf '%s' "$arg" | head -c 1000 | tr -d '\036\037'; done
  printf '\036'
} >"$at.call"
cat "$at.call" >>@LOG
rm -f "$at.out" "$at.err" "$at.call"
exit $code
`)
}

// Parse reads a log of calls; what is no whole call is left out.
func Parse(log string) []suites.ToolCall {
	var calls []suites.ToolCall
	for {
		text, rest, whole := strings.Cut(log, callEnd)
		if !whole {
			return calls
		}
		log = rest
		fields := strings.Split(text, fieldEnd)
		if len(fields) < 4 {
			continue
		}
		exit, err := strconv.Atoi(fields[1])
		if err != nil {
			continue
		}
		calls = append(calls, suites.ToolCall{Tool: fields[0], Exit: exit, Stdout: []byte(fields[2]), Stderr: []byte(fields[3]), Args: fields[4:]})
	}
}
