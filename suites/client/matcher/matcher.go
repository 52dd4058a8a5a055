// Package matcher says which values the matcher of a hook lets through.
package matcher

import (
	"slices"
	"strings"
)

// Separators split a list of names; of OnlyBars, a comma is part of a name.
const (
	Separators = "|,"
	// OnlyBars is of StopFailure, where a space is part of a name, too; observed on
	// clients 2.1.197 and 2.1.330.
	OnlyBars = "|"
)

// Matches reports whether the matcher lets one of the values through: a value
// and the other names by which a matcher may call it. An empty matcher and * let
// everything through; a list of names is compared exactly; anything else is an
// unanchored JavaScript regular expression, and one that is invalid never
// matches. All of it is case-sensitive. Observed on clients 2.1.197 and 2.1.330.
// One that is too costly to evaluate is taken not to match: see Evaluate.
func Matches(matcher, separators string, values ...string) bool {
	matched, _ := Evaluate(matcher, separators, values...)
	return matched
}

// Evaluate is Matches, with a *CostError if a regular expression is not evaluated for
// its cost. Once a pattern took too long it gives that error for every value.
func Evaluate(matcher, separators string, values ...string) (bool, error) {
	if matchesAll(matcher) {
		return true, nil
	}
	if names := split(matcher, separators); names != nil {
		return slices.ContainsFunc(values, func(value string) bool { return slices.Contains(names, value) }), nil
	}
	pattern, err := compileJS(matcher)
	if err != nil {
		return false, isCostly(err)
	}
	for _, value := range values {
		if matched, err := pattern.matches(value); matched || err != nil {
			return matched, err
		}
	}
	return false, nil
}

// Names lists the names of a matcher that is a list of exact names, sorted and
// without repetition, so that two lists can be compared as sets. It is nil for a
// matcher that lets everything through or is a regular expression.
func Names(matcher string) []string { return split(matcher, Separators) }

// Check says what is wrong with a matcher that is an invalid regular expression,
// and so never matches.
func Check(matcher string) error {
	if matchesAll(matcher) || Names(matcher) != nil {
		return nil
	}
	_, err := compileJS(matcher)
	return err
}

func split(matcher, separators string) []string {
	if matchesAll(matcher) || strings.ContainsFunc(matcher, outsideList) {
		return nil
	}
	names := strings.FieldsFunc(matcher, func(r rune) bool { return strings.ContainsRune(separators, r) })
	if separators == Separators {
		for i, name := range names {
			names[i] = strings.Trim(name, " ")
		}
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
