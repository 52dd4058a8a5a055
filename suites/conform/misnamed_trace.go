package conform

import (
	"slices"
	"strings"

	"hookwatch/suites/pattern"
)

// TraceScripts is the variable, with its value, by which a script of bash says on stderr what
// it runs.
var TraceScripts = map[string]string{"SHELLOPTS": "xtrace"}

var traced = pattern.Lazy(`^\++ (.*)$`)

// idle are words of the shell that do nothing yet.
var idle = []string{"for", "case", "export", "local", "declare", "readonly", "read", "set", "shift", "[", "[[", "test", "((", "true", ":", "return", "exit", "break", "echo", "printf"}

// BeyondTrace is the first command of a trace that another does not have by its first word;
// "" when there is none.
func BeyondTrace(trace, other string) string {
	known := append(words(other), idle...)
	for _, line := range commands(trace) {
		if word, _, _ := strings.Cut(line, " "); !strings.Contains(word, "=") && !slices.Contains(known, word) {
			return line
		}
	}
	return ""
}

func commands(trace string) (out []string) {
	for line := range strings.Lines(trace) {
		if m := traced().FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			out = append(out, m[1])
		}
	}
	return out
}

func words(trace string) (out []string) {
	for _, line := range commands(trace) {
		word, _, _ := strings.Cut(line, " ")
		out = append(out, word)
	}
	return out
}
