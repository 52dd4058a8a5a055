package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// nameLimit is how many bytes of a file's name may be a suite's, a case's or an
// agent's: file systems take 255, and stamps, endings and what temporary files
// are called come on top.
const nameLimit = 180

// safeName is a name for a file about what a suite calls so. What could be no
// name of a file, or another's, is called by its digest.
func safeName(text string) string {
	name := url.PathEscape(text)
	if len(name) <= nameLimit && plainName(name) {
		return name
	}
	sum := sha256.Sum256([]byte(text))
	return "~" + hex.EncodeToString(sum[:])
}

// plainName reports whether every system takes a name for a plain file's.
func plainName(name string) bool {
	odd := func(r rune) bool { return !strings.ContainsRune("-_.%", r) && !isAlphanumeric(r) }
	return name != "" && name[0] != '.' && !strings.HasSuffix(name, ".") && !strings.ContainsFunc(name, odd) && !isDevice(name)
}

func isAlphanumeric(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// isDevice reports whether Windows takes a name for a device's, with any ending.
func isDevice(name string) bool {
	base, _, _ := strings.Cut(strings.ToUpper(name), ".")
	switch base = strings.TrimRight(base, " "); base {
	case "CON", "PRN", "AUX", "NUL":
		return true
	}
	port := strings.TrimPrefix(strings.TrimPrefix(base, "COM"), "LPT")
	return len(base) > len(port) && len(port) == 1 && port >= "0" && port <= "9"
}

// checkAgent refuses names that are no plain file name of their own.
func checkAgent(agent string) error {
	odd := func(r rune) bool { return strings.ContainsRune(`/\:*?"<>|`, r) || !unicode.IsPrint(r) }
	_, rotated := currentName(agent + linesSuffix)
	switch {
	case agent == "", strings.ContainsAny(agent[:1], ".- "), strings.HasSuffix(agent, "."), strings.HasSuffix(agent, " "),
		len(agent) > nameLimit, !utf8.ValidString(agent), strings.ContainsFunc(agent, odd), isDevice(agent), rotated:
		return fmt.Errorf("agent %.200q cannot name a file: use letters, digits and dashes in the suite's agent", agent)
	}
	return nil
}

// isDigest reports whether text is what contents are called by.
func isDigest(text string) bool {
	return len(text) >= 16 && len(text) <= nameLimit && strings.Trim(text, "0123456789abcdef") == ""
}
