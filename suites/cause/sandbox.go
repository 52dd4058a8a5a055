package cause

import (
	"strings"

	"hookwatch/suites"
)

// base is the last part of a path: the rest differs where cases have copies.
func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// inSandbox reports whether a path lies in the sandbox of a record's case.
func inSandbox(r *suites.Record, path string) bool {
	_, _, found := sandbox(r, path)
	return found
}

// everywhere is text as it would be in any run: a sandbox is one run's own.
func everywhere(r *suites.Record, text string) string {
	for {
		from, to, found := sandbox(r, text)
		if !found {
			return text
		}
		text = text[:from] + "{sandbox}" + text[to:]
	}
}

// sandbox finds the first path in a text that leads to the sandbox of a record's case,
// which is named by the case and a number.
func sandbox(r *suites.Record, text string) (from, to int, found bool) {
	name := "/" + r.Suite + "-" + r.ID + "-"
	for start := 0; ; {
		i := strings.Index(text[start:], name)
		if i < 0 {
			return 0, 0, false
		}
		from, to = start+i, start+i+len(name)
		number := to
		for to < len(text) && text[to] >= '0' && text[to] <= '9' {
			to++
		}
		if to > number {
			return strings.LastIndexAny(text[:from], " \t\r\n\"'=:`()") + 1, to, true
		}
		start = number
	}
}
