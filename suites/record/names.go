package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"hookwatch/suites/disk"
)

// checkAgent refuses names that are no plain file name of their own.
func checkAgent(agent string) error {
	odd := func(r rune) bool { return strings.ContainsRune(`/\:*?"<>|`, r) || !unicode.IsPrint(r) }
	_, rotated := Current(agent + Suffix)
	switch {
	case agent == "", strings.ContainsAny(agent[:1], ".- "), strings.HasSuffix(agent, "."), strings.HasSuffix(agent, " "),
		len(agent) > disk.NameLimit, !utf8.ValidString(agent), strings.ContainsFunc(agent, odd), disk.IsDevice(agent), rotated:
		return fmt.Errorf("agent %.200q cannot name a file: use letters, digits and dashes in the suite's agent", agent)
	}
	return nil
}

// safeName is a name for a file about what a suite calls so. What could be no
// name of a file, or another's, is called by its digest.
func safeName(text string) string {
	name := url.PathEscape(text)
	if len(name) <= disk.NameLimit && plainName(name) {
		return name
	}
	sum := sha256.Sum256([]byte(text))
	return "~" + hex.EncodeToString(sum[:])
}

// plainName reports whether every system takes a name for a plain file's.
func plainName(name string) bool {
	odd := func(r rune) bool { return !strings.ContainsRune("-_.%", r) && !isAlphanumeric(r) }
	return name != "" && name[0] != '.' && !strings.HasSuffix(name, ".") && !strings.ContainsFunc(name, odd) && !disk.IsDevice(name)
}

func isAlphanumeric(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// IsDigest reports whether text is what contents are called by.
func IsDigest(text string) bool {
	return len(text) >= 16 && len(text) <= disk.NameLimit && strings.Trim(text, "0123456789abcdef") == ""
}
