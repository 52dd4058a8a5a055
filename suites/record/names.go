package record

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"hookwatch/suites/disk"
	"hookwatch/suites/record/jsonl"
	"hookwatch/suites/record/rolling"
)

// checkAgent refuses names that are no plain file name of their own.
func checkAgent(agent string) error {
	odd := func(r rune) bool { return strings.ContainsRune(`/\:*?"<>|`, r) || !unicode.IsPrint(r) }
	_, rotated := rolling.Current(agent + jsonl.Suffix)
	switch {
	case agent == "", strings.ContainsAny(agent[:1], ".- "), strings.HasSuffix(agent, "."), strings.HasSuffix(agent, " "),
		len(agent) > disk.NameLimit, !utf8.ValidString(agent), strings.ContainsFunc(agent, odd), disk.IsDevice(agent), rotated:
		return fmt.Errorf("agent %.200q cannot name a file: use letters, digits and dashes in the suite's agent", agent)
	}
	return nil
}
