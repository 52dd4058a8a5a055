package conform

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/pattern"
)

// judgeMatcher judges the values that a hook's matcher can match.
func (t Tree) judgeMatcher(h discover.Hook) []Finding {
	event, known := client.EventByName(h.Event)
	if !known || h.Matcher == "" || h.Matcher == "*" {
		return nil
	}
	if err := h.MatcherError(); err != nil {
		return []Finding{FindingOf("matcher-not-evaluated", h.ID, h.Source, fmt.Sprintf("matcher %s could not be evaluated: %v", Short(strconv.Quote(h.Matcher)), err))}
	}
	if event.MatchedOn == "" {
		return []Finding{FindingOf("matcher-ignored", h.ID, h.Source, fmt.Sprintf("matcher %q on %s, which has none", h.Matcher, h.Event))}
	}
	if list := event.Values; list != nil && !slices.ContainsFunc(list, h.Matches) {
		return []Finding{FindingOf("dead-matcher", h.ID, h.Source,
			fmt.Sprintf("matcher %q never matches: %s has %s", h.Matcher, h.Event, strings.Join(list, ", ")))}
	}
	if !event.Tool {
		return nil
	}
	all := alternatives(h)
	names := client.MatcherNames(h.Matcher)
	if names == nil {
		return append(all, expression(h)...)
	}
	return append(all, append(judgeList(h, names), t.judgeUncovered(h, names)...)...)
}

// emptyAlternative matches an alternative with nothing in it.
var emptyAlternative = pattern.Lazy(`\|\s*\||^\s*\||\|\s*$|\(\||\|\)`)

// alternatives judges a matcher with an empty alternative: in a regular expression it matches every
// tool, in a list of names none.
func alternatives(h discover.Hook) []Finding {
	const noTool = "hookwatch_no_such_tool"
	if !emptyAlternative().MatchString(h.Matcher) {
		return nil
	}
	f := FindingOf("empty-alternative", h.ID, h.Source, fmt.Sprintf("matcher %q has an empty alternative", h.Matcher))
	if h.Matches(noTool) {
		f.What += ", which takes every tool"
	} else {
		f.Effect = "as a list of names it is left out; with one character more, such as a dot, it takes every tool"
	}
	return []Finding{f}
}

// expression judges a matcher that is a regular expression.
func expression(h discover.Hook) []Finding {
	if server := unmatchedServer(h); server != "" {
		return []Finding{FindingOf("dead-matcher", h.ID, h.Source, fmt.Sprintf("matcher %q: tools of the plugin's own server %s are called %s", h.Matcher, server, h.ServerTool("mcp__"+server+"__TOOL")))}
	}
	if slices.ContainsFunc(tools, h.Matches) || strings.Contains(h.Matcher, "mcp__") {
		return nil
	}
	what := fmt.Sprintf("matcher %q is a regular expression that matches no tool", h.Matcher)
	if tool, _, rule := strings.Cut(h.Matcher, "("); rule && slices.Contains(tools, tool) {
		what = fmt.Sprintf("matcher %q is a permission rule; a matcher is a tool's name: %s", h.Matcher, tool)
	}
	return []Finding{FindingOf("dead-matcher", h.ID, h.Source, what)}
}

// unmatchedServer returns a server of the hook's plugin whose tools its matcher means by a name that
// the client does not send; "" if there is none.
func unmatchedServer(h discover.Hook) string {
	for _, server := range h.Servers {
		tool := "mcp__" + server + "__example"
		if client.Match(h.Event, h.Matcher, tool) && !client.Match(h.Event, h.Matcher, h.ServerTool(tool)) {
			return server
		}
	}
	return ""
}

// judgeList judges a matcher that lists names.
func judgeList(h discover.Hook, names []string) (out []Finding) {
	var old, unknown []string
	for _, name := range names {
		switch {
		case h.ServerTool(name) != name:
			unknown = append(unknown, fmt.Sprintf("%s: a tool of the plugin's own server is called %s", name, h.ServerTool(name)))
		case slices.Contains(tools, name), isFormerName(name):
		case client.ToolNamed(name).Successor != "":
			old = append(old, name+" (today "+client.ToolNamed(name).Successor+")")
		case strings.Trim(name, "_") == "mcp":
			unknown = append(unknown, fmt.Sprintf("%s names no server: mcp__.* takes the tools of all servers", name))
		case strings.HasPrefix(name, "mcp__") && strings.Count(name, "__") == 1:
			unknown = append(unknown, fmt.Sprintf("%s names a server: its tools are %s__.*", name, name))
		case strings.HasPrefix(name, "mcp__"):
		default:
			unknown = append(unknown, strings.TrimSpace(name+" is no tool"+meant(name)))
		}
	}
	all := len(old)+len(unknown) == len(names)
	if len(old) > 0 {
		severity := suites.Info // next to current names
		if all {
			severity = suites.Warning
		}
		out = append(out, FindingOf("old-tool", h.ID, h.Source, fmt.Sprintf("matcher %q: %s", h.Matcher, strings.Join(old, ", ")), severity))
	}
	if len(unknown) > 0 {
		f := FindingOf("dead-matcher", h.ID, h.Source, fmt.Sprintf("matcher %q: %s", h.Matcher, strings.Join(unknown, ", ")), severityOfUnknown(unknown))
		if slices.ContainsFunc(unknown, func(s string) bool { return strings.HasPrefix(s, "mcp__") }) {
			f.Remedy = "write mcp__.* or mcp__server__.* in its place: the whole matcher is a regular expression then"
			if len(h.Servers) > 0 {
				f.Remedy = "write the whole name, mcp__plugin_PLUGIN_SERVER__TOOL"
			}
		}
		if len(unknown) < len(names) {
			f.Effect = "the hook never runs for it; the other names of the matcher are not affected"
			if f.Severity == suites.Warning {
				f.Severity = suites.Info // a tool of another agent, or of a newer client
			}
		}
		out = append(out, f)
	}
	return out
}

// tools are the names that a matcher of a tool's event can mean; alike are groups of tools with the
// same effect.
var (
	tools = client.ToolNames()
	alike = [][]string{client.ToolNames(client.EditsFile, client.CreatesFile), client.ToolNames(client.RunsCommand)}
)

// isFormerName reports whether the client accepts a former name for its successor.
func isFormerName(name string) bool {
	return slices.ContainsFunc(client.Tools(), func(t client.Tool) bool { return slices.Contains(t.Also, name) })
}

// covers reports whether a hook is registered for a tool, under any matcher.
func (t Tree) covers(h discover.Hook, tool string) bool {
	return slices.ContainsFunc(t.hooks(), func(o discover.Hook) bool {
		return o.Event == h.Event && o.Command == h.Command && slices.Equal(o.Args, h.Args) && o.Matches(tool)
	})
}

// judgeUncovered judges a guard whose matcher leaves out a tool similar to those it lists.
func (t Tree) judgeUncovered(h discover.Hook, names []string) []Finding {
	if about, _ := client.EventByName(h.Event); about.Guards != client.Calls {
		return nil
	}
	for _, same := range alike {
		if !slices.ContainsFunc(same, func(tool string) bool { return slices.Contains(names, tool) }) {
			continue
		}
		var out []string
		for _, tool := range same {
			if !slices.Contains(names, tool) && !t.covers(h, tool) {
				out = append(out, tool)
			}
		}
		if len(out) > 0 {
			return []Finding{FindingOf("uncovered-tool", h.ID, h.Source, fmt.Sprintf("matcher %q leaves out %s", h.Matcher, strings.Join(out, ", ")))}
		}
	}
	return nil
}

// meant returns a hint to the tool whose name was probably intended.
func meant(name string) string {
	for _, tool := range tools {
		if strings.EqualFold(tool, name) {
			return ": names are case-sensitive, " + tool
		}
	}
	if near := pattern.Nearest(name, slices.Sorted(slices.Values(tools))); near != "" {
		return ": " + near + "?"
	}
	return ""
}

// severityOfUnknown returns Error for names that are certainly wrong, and Warning for unknown names, because
// they may be tools of a newer client.
func severityOfUnknown(unknown []string) suites.Severity {
	if slices.ContainsFunc(unknown, func(s string) bool { return strings.Contains(s, ":") }) {
		return suites.Error
	}
	return suites.Warning
}

// RefusedFiles judges problems that keep hooks from being in force.
func RefusedFiles(rule string, problems []suites.Problem) (all []Finding) {
	var documents []suites.Problem
	for _, p := range problems {
		if strings.HasSuffix(p.At.File, ".md") {
			documents = append(documents, p)
			continue
		}
		f := FindingOf(rule, "", p.At, p.What)
		f.Remedy = remedyOf(f.Remedy, p)
		if rule == "settings-dropped" && slices.Contains(ofPlugins, path.Base(p.At.File)) {
			f.Effect = "no hook of the plugin ever runs, which the client reports only among errors of plugins"
		}
		all = append(all, f)
	}
	return append(all, fronts(rule, documents)...)
}

// ofPlugins are files that the client reports if it drops them.
var ofPlugins = []string{"hooks.json", "plugin.json", "marketplace.json"}

// NamesUnknownEvent reports whether a problem is an event that hookwatch does not know.
func NamesUnknownEvent(p suites.Problem) bool { return noEvent().MatchString(p.What) }

// newer returns the problems without those of events that the installed client knows, and a remark for
// each of these: a newer client is no fault of the project.
func (t Tree) newer() (others []suites.Problem, remarks []Finding) {
	for _, p := range t.Registered.Ignored {
		m := noEvent().FindStringSubmatch(p.What)
		if m == nil || !slices.Contains(t.Newer, m[1]) {
			others = append(others, p)
			continue
		}
		f := FindingOf("entry-ignored", "", p.At, fmt.Sprintf("%s is not judged: newer than hookwatch's model %s", m[1], client.Default), suites.Info)
		f.Effect, f.Remedy = "the installed client names the event", "update hookwatch, or test the hook with the client (hookwatch help client)"
		remarks = append(remarks, f)
	}
	return others, remarks
}

// fronts judges the hooks of documents. Many have the same front matter, so one finding covers all
// documents with a problem. An unknown event never fires; the effect of other mistakes in a
// document was not observed.
func fronts(rule string, problems []suites.Problem) (all []Finding) {
	events, files := map[string][]string{}, map[string][]string{}
	var order []suites.Problem
	for _, p := range problems {
		cause := p.What
		if m := noEvent().FindStringSubmatch(p.What); m != nil {
			cause = "no event"
			events[cause] = once(events[cause], m[1])
		}
		if len(files[cause]) == 0 {
			order = append(order, suites.Problem{At: p.At, What: cause, Hint: p.Hint})
		}
		files[cause] = once(files[cause], p.At.File)
	}
	for _, p := range order {
		severity, what, more := suites.Info, p.What, ""
		if n := len(files[p.What]) - 1; n > 0 {
			more = fmt.Sprintf(" (and in %d more documents)", n)
		}
		if names := events[p.What]; len(names) > 0 {
			severity, what = suites.Warning, "no event is called "+strings.Join(names, ", ")+": their hooks never run"
		}
		f := FindingOf(rule, "", p.At, what+more, severity)
		f.Remedy = remedyOf(f.Remedy, p)
		all = append(all, f)
	}
	return all
}

// noEvent matches the message about an unknown event.
var noEvent = pattern.Lazy(`^no event is called (\S+):`)

func once(all []string, s string) []string {
	if slices.Contains(all, s) {
		return all
	}
	return append(all, s)
}

func remedyOf(remedy string, p suites.Problem) string {
	if hint, _, _ := strings.Cut(p.Hint, "; until then"); hint != "" {
		return hint
	}
	return remedy
}
