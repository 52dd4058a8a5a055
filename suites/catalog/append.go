package catalog

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"hookwatch/suites"
)

// Append returns the text by which a suite file gets the cases of s. Existing is the file's text;
// the result starts the file if it is empty, and must be appended to it otherwise.
func Append(existing string, s suites.Suite) (string, error) {
	text, err := Write(s, false)
	if err != nil || existing == "" {
		return string(text), err
	}
	indent, start, err := Continue(existing)
	own, _ := listIndent(string(text))
	_, cases, _ := strings.Cut(string(text), "cases:\n")
	for line := range strings.Lines(cases) {
		start += indent + strings.TrimPrefix(line, own)
	}
	return start, err
}

// Continue returns the indentation of the cases of a suite file that gets more of them, and the
// text to write before these.
func Continue(existing string) (indent, start string, err error) {
	if existing == "" {
		return "  ", "", nil
	}
	indent, ok := listIndent(existing)
	if !ok {
		return "", "", errors.New("its last key is not cases, with each case in lines below it: name a new file")
	}
	if !strings.HasSuffix(existing, "\n") {
		start = "\n"
	}
	return indent, start, nil
}

// Next returns the first number for IDs with a prefix that a suite file has none above of.
func Next(existing, prefix string) int {
	next := 1
	for _, m := range regexp.MustCompile(`\bid: "?`+prefix+`(\d+)`).FindAllStringSubmatch(existing, -1) {
		if n, err := strconv.Atoi(m[1]); err == nil {
			next = max(next, n+1)
		}
	}
	return next
}

// listIndent returns the indentation of the items below cases, if that is the last key of a file.
func listIndent(text string) (indent string, ok bool) {
	last, first := "", ""
	for line := range strings.Lines(text) {
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == "" || trimmed[0] == '#':
		case line[0] != ' ' && line[0] != '-':
			last, first = trimmed, ""
		case first == "":
			first = line
		}
	}
	indent, _, ok = strings.Cut(first, "- ")
	return indent, ok && last == "cases:" && strings.TrimSpace(indent) == ""
}
