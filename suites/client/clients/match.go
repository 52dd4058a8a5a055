package clients

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites/client"
	"hookwatch/suites/pattern"
)

// A Matcher describes how a matcher is compared with the name of a tool.
type Matcher struct {
	// Kind is regexp for an unanchored regular expression, and anchored for one that must match the
	// whole name; both are JavaScript's. rust is an unanchored one without look-around.
	Kind string
	// Words reports that a matcher of words and bars only is a list of whole names.
	Words      bool
	IgnoreCase bool `yaml:"ignore_case"`
	// BothNames reports that it is also compared with all of Claude Code's names of the tool.
	BothNames bool `yaml:"both_names"`
	// Trim reports that blanks around it do not count, and Exact that of events without tools it is a
	// whole value and no expression.
	Trim, Exact bool
	// NoStar reports that * is no matcher of the client's own events.
	NoStar bool `yaml:"no_star"`
}

// listed matches a matcher of words and bars only.
var listed = regexp.MustCompile(`^[A-Za-z0-9_|]+$`)

func (m Matcher) matches(matcher, name string) bool {
	switch {
	case m.Words && listed.MatchString(matcher):
		return slices.Contains(strings.Split(matcher, "|"), name)
	case m.Kind == "rust": // Go's expressions have the same syntax, as far as matchers use it
		re, err := regexp.Compile(matcher)
		return err == nil && re.MatchString(name)
	case m.Kind == "anchored":
		matcher = "^(?:" + matcher + ")$"
	}
	group := "(?:"
	if m.IgnoreCase {
		group = "(?i:"
	}
	matched, _ := client.EvaluateMatcher(group+matcher+")", client.MatcherSeparators, name)
	return matched
}

func (c Client) matchesAll(event, matcher string) bool {
	own := c.Events[event]
	star := matcher == "*" && (own.Claude || !c.Matcher.NoStar)
	return own.Unmatched || star || matcher == "" || matcher == ".*"
}

// Match reports whether the client runs a hook with a matcher, both as its file has them, for a value:
// Claude Code's name of a tool, or another value that the event's matchers are compared with.
func (c Client) Match(event, matcher, value string) bool {
	own, known := c.Events[event]
	about, _ := client.EventByName(own.As)
	switch {
	case !known:
		return false
	case c.matchesAll(event, matcher):
		return own.Tool == "" || own.Tool == value
	case own.As != "" && about.MatchedOn == "":
		return true
	}
	if c.Matcher.Trim {
		matcher = strings.TrimSpace(matcher)
	}
	if c.Matcher.Exact && own.As != "" && !about.Tool {
		return matcher == value
	}
	name := cmp.Or(c.Tools[value], value)
	if own.Claude { // the client's name is only known in a list
		named := func(one string) bool { return slices.Contains([]string{name, value}, strings.TrimSpace(one)) }
		return slices.ContainsFunc(strings.Split(matcher, "|"), named) || c.Matcher.matches(matcher, value)
	}
	if c.Matcher.matches(matcher, name) {
		return true
	}
	for claudes, own := range c.Tools { // one tool may have several of Claude Code's names
		if c.Matcher.BothNames && own == name && c.Matcher.matches(matcher, claudes) {
			return true
		}
	}
	return false
}

// ClaudeTool returns Claude Code's name of a tool, by the client's; other names stay as they are.
func (c Client) ClaudeTool(name string) string {
	for _, claudes := range slices.Sorted(maps.Keys(c.Tools)) {
		if c.Tools[claudes] == name {
			return claudes
		}
	}
	return name
}

// claudeMatcher returns a matcher of an event with Claude Code's names of tools; false if it matches
// none of the client's tools. The name of an unknown tool stays as it is.
func (c Client) claudeMatcher(event, matcher string) (string, bool) {
	about, _ := client.EventByName(c.Events[event].As)
	switch {
	case c.matchesAll(event, matcher):
		return "", true
	case !about.Tool:
		return matcher, true
	}
	alternatives := []string{matcher}
	if !strings.ContainsAny(matcher, `()[]\`) {
		alternatives = strings.Split(matcher, "|")
	}
	var all []string
	for _, one := range alternatives {
		found := false
		for _, tool := range slices.Sorted(maps.Keys(c.Tools)) {
			if c.Match(event, one, tool) {
				all, found = append(all, tool), true
			}
		}
		if !found && !c.neverMatches(one) {
			all = append(all, one)
		}
	}
	return strings.Join(all, "|"), len(all) > 0
}

// noName matches what is no name of a tool: a list, or an expression that looks ahead.
var noName = pattern.Lazy(`^\*$|[, ]|\(\?[!=]`)

// neverMatches reports whether an alternative of a matcher that matches none of the known tools certainly
// matches no tool: of a measured client, a tool's name in another form, or what is no name.
func (c Client) neverMatches(one string) bool {
	if c.Measured == "" {
		return false
	}
	if name := strings.Trim(one, "^$ "); c.Tools[name] != "" || name != one && c.ClaudeTool(name) != name {
		return true
	}
	if noName().MatchString(one) {
		return true
	}
	return len(one) > 1 && slices.ContainsFunc(slices.Collect(maps.Values(c.Tools)), func(tool string) bool {
		return strings.Contains(strings.ToLower(tool), strings.ToLower(one))
	})
}
