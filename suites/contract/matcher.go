package contract

import (
	"slices"
	"strings"
)

// Match reports whether a hook with this matcher runs when the event fires and
// its matched field holds value. An empty matcher and * let everything through;
// a list of names split on | and , is compared exactly; anything else is an
// unanchored JavaScript regular expression, and one that is invalid never
// matches. All of it is case-sensitive. An event that has no matched field
// ignores the matcher; an event that the client does not have never runs.
//
// The matcher Task still means the tool Agent, which is its name now; this was
// observed for a list of names only (client 2.1.197).
func Match(event, matcher, value string) bool {
	about, known := EventByName(event)
	switch {
	case !known:
		return false
	case about.MatchedOn == "" || matchesAll(matcher):
		return true
	}
	if names := MatcherSet(matcher); names != nil {
		if slices.Contains(names, value) {
			return true
		}
		return about.Tool && value == "Agent" && slices.Contains(names, "Task")
	}
	pattern, err := compileJS(matcher)
	return err == nil && pattern.matches(value)
}

// MatcherSet lists the names of a matcher that is a list of exact names, sorted
// and without repetition, so that two lists can be compared as sets. It is nil
// for a matcher that lets everything through or is a regular expression.
func MatcherSet(matcher string) []string {
	if matchesAll(matcher) || strings.ContainsFunc(matcher, outsideList) {
		return nil
	}
	names := strings.FieldsFunc(matcher, func(r rune) bool { return r == '|' || r == ',' })
	for i, name := range names {
		names[i] = strings.Trim(name, " ")
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	slices.Sort(names)
	return append([]string{}, slices.Compact(names)...)
}

func matchesAll(matcher string) bool { return matcher == "" || matcher == "*" }

func outsideList(r rune) bool {
	isWord := '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	return !isWord && !strings.ContainsRune("_- ,|", r)
}
