package check

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/pattern"
)

// one returns a finding as a list.
func one(f Finding) []Finding { return []Finding{f} }

// evidence returns a finding of which nothing but the evidence differs from its rule.
func evidence(format string, values ...any) []Finding {
	return one(Finding{What: fmt.Sprintf(format, values...)})
}

// evidenceIf returns such a finding if a condition is true.
func evidenceIf(is bool, format string, values ...any) []Finding {
	if !is {
		return nil
	}
	return evidence(format, values...)
}

// matches reports whether a hook has a matcher that the client compares with something, and that can be evaluated.
func (s site) matches() bool {
	return s.event.Name != "" && !slices.Contains([]string{"", "*"}, s.hook.Matcher) && s.hook.MatcherError() == nil
}

func judgeCostly(s site) []Finding {
	err := s.hook.MatcherError()
	return evidenceIf(err != nil && s.event.Name != "", "matcher %s could not be evaluated: %v", Short(strconv.Quote(s.hook.Matcher)), err)
}

func judgeIgnoredMatcher(s site) []Finding {
	return evidenceIf(s.event.MatchedOn == "", "matcher %q on %s, which has none", s.hook.Matcher, s.hook.Event)
}

func judgeValues(s site) []Finding {
	list := s.event.Values
	return evidenceIf(list != nil && !slices.ContainsFunc(list, s.hook.Matches), "matcher %q never matches: %s has %s", s.hook.Matcher, s.hook.Event, strings.Join(list, ", "))
}

// emptyAlternative matches an alternative with nothing in it.
var emptyAlternative = pattern.Lazy(`\|\s*\||^\s*\||\|\s*$|\(\||\|\)`)

// judgeAlternatives judges a matcher with an empty alternative: in a regular expression it matches every
// tool, in a list of names none.
func judgeAlternatives(s site) []Finding {
	const noTool = "hookwatch_no_such_tool"
	all := evidence("matcher %q has an empty alternative", s.hook.Matcher)
	switch {
	case !emptyAlternative().MatchString(s.hook.Matcher):
		return nil
	case s.hook.Matches(noTool):
		all[0].What += ", which takes every tool"
	default:
		all[0].Effect = "as a list of names it is left out; with one character more, such as a dot, it takes every tool"
	}
	return all
}

// judgeExpression judges a matcher that is a regular expression: it may mean a tool of a server of the hook's plugin by
// a name that the client does not send.
func judgeExpression(s site) []Finding {
	h := s.hook
	if client.MatcherNames(h.Matcher) != nil {
		return nil
	}
	for _, server := range h.Servers {
		tool := "mcp__" + server + "__example"
		if client.Match(h.Event, h.Matcher, tool) && !client.Match(h.Event, h.Matcher, h.ServerTool(tool)) {
			return evidence("matcher %q: tools of the plugin's own server %s are called %s", h.Matcher, server, h.ServerTool("mcp__"+server+"__TOOL"))
		}
	}
	tool, _, _ := strings.Cut(h.Matcher, "(")
	switch {
	case strings.Contains(h.Matcher, "mcp__"), slices.ContainsFunc(tools, h.Matches):
		return nil
	case slices.Contains(tools, tool):
		return evidence("matcher %q is a permission rule; a matcher is a tool's name: %s", h.Matcher, tool)
	}
	return evidence("matcher %q is a regular expression that matches no tool", h.Matcher)
}

func judgeNames(s site) []Finding {
	names, unknown := client.MatcherNames(s.hook.Matcher), []string{}
	for _, name := range names {
		if own := s.hook.ServerTool(name); own != name {
			unknown = append(unknown, fmt.Sprintf("%s: a tool of the plugin's own server is called %s", name, own))
		} else if why := client.Misname(name); why != "" {
			unknown = append(unknown, why)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	f := Finding{What: fmt.Sprintf("matcher %q: %s", s.hook.Matcher, strings.Join(unknown, ", ")), Severity: suites.Warning} // tools of a newer client?
	ofServer := slices.ContainsFunc(unknown, func(s string) bool { return strings.HasPrefix(s, "mcp__") })
	switch {
	case ofServer && len(s.hook.Servers) > 0:
		f.Remedy = "write the whole name, mcp__plugin_PLUGIN_SERVER__TOOL"
	case ofServer:
		f.Remedy = "write mcp__.* or mcp__server__.* in its place: the whole matcher is a regular expression then"
	}
	if len(unknown) < len(names) {
		f.Effect, f.Severity = "the hook never runs for it; the other names of the matcher are not affected", suites.Info // a tool of another agent
	}
	if strings.Contains(strings.Join(unknown, " "), ":") {
		f.Severity = suites.Error // certainly wrong
	}
	return one(f)
}

func judgeOldNames(s site) []Finding {
	var old []string
	var f Finding
	for _, name := range client.MatcherNames(s.hook.Matcher) {
		switch next := client.ToolByName(name).Successor; {
		case next != "":
			old = append(old, name+" (today "+next+")")
		case client.Misname(name) == "" && s.hook.ServerTool(name) == name:
			f.Severity = suites.Info // it is next to a current name
		}
	}
	if len(old) == 0 {
		return nil
	}
	f.What = fmt.Sprintf("matcher %q: %s", s.hook.Matcher, strings.Join(old, ", "))
	return one(f)
}

// tools are the names that a matcher of a tool's event can mean; alike are groups of tools with the
// same effect.
var (
	tools = client.ToolNames()
	alike = [][]string{client.ToolNames(client.EditsFile, client.CreatesFile), client.ToolNames(client.RunsCommand)}
)

func judgeUncovered(s site) []Finding {
	if s.event.Guards != client.Calls {
		return nil
	}
	names := client.MatcherNames(s.hook.Matcher)
	lists := func(tool string) bool { return slices.Contains(names, tool) }
	for _, same := range alike {
		if !slices.ContainsFunc(same, lists) {
			continue
		}
		out := slices.DeleteFunc(slices.Clone(same), func(tool string) bool { return lists(tool) || s.covers(s.hook, tool) })
		if len(out) > 0 {
			return evidence("matcher %q leaves out %s", s.hook.Matcher, strings.Join(out, ", "))
		}
	}
	return nil
}

// covers reports whether a hook is registered for a tool, under any matcher.
func (t Tree) covers(h discover.Hook, tool string) bool {
	return slices.ContainsFunc(t.hooks(), func(o discover.Hook) bool {
		same := o.Event == h.Event && o.Command == h.Command && slices.Equal(o.Args, h.Args)
		return same && o.Matches(tool)
	})
}

func judgeShortTimeout(s site) []Finding {
	t := s.hook.Timeout
	return evidenceIf(0 < t && t < shortest && !s.hook.Entry.Async, "timeout %g is %s", t.Seconds(), t)
}

// judgeLongTimeout judges a timeout that is too long to be meant in seconds, unlike 1800 or 3600.
func judgeLongTimeout(s site) []Finding {
	t, n := s.hook.Timeout, int64(s.hook.Timeout/time.Second)
	minutes := n%60 == 0 && n%500 != 0 && t <= 24*time.Hour
	return evidenceIf(t >= 1000*time.Second && !minutes, "timeout %d is %s", n, t)
}

func judgeCondition(s site) []Finding {
	why, remedy := s.deadCondition()
	if why == "" {
		return nil
	}
	return one(Finding{What: fmt.Sprintf("\"if\": %q %s", s.hook.If, why), Remedy: remedy})
}

// deadCondition returns why the "if" of a hook accepts nothing, and what to do; "" if it accepts something.
func (s site) deadCondition() (why, remedy string) {
	if s.hook.If == "" || s.event.Name == "" {
		return "", ""
	}
	rule := discover.ReadCondition(s.hook.If)
	about, ofServer := client.ToolByName(rule.Tool), strings.HasPrefix(rule.Tool, "mcp__")
	named := ofServer || slices.Contains(tools, rule.Tool)
	switch {
	case !s.event.Tool:
		return "on " + s.hook.Event + ", which has no tool", ""
	case strings.ContainsAny(rule.Tool, "( )"):
		return "is no rule: write TOOL or TOOL(ARGUMENTS), without blanks around it", "write it as in Bash(git push *)"
	case about.Successor != "":
		return "is for a tool that current clients do not have", "name " + about.Successor
	case rule.Text != "" && (about.OnlyWhole || ofServer):
		return "never matches: arguments of " + rule.Tool + " are not compared", "write \"if\": \"" + rule.Tool + "\", and check the arguments in the hook"
	case ofServer && wholeServer().MatchString(rule.Tool):
		return "is compared with the whole name of a tool, and names a server", "remove it: the matcher takes mcp__server__.*"
	case named && s.hook.MatcherError() == nil && !s.hook.Matches(rule.Tool):
		return fmt.Sprintf("lets only calls of %s through, and the matcher %q does not take that tool", rule.Tool, s.hook.Matcher),
			"name " + rule.Tool + " in the matcher, or a tool of the matcher in \"if\""
	}
	return "", ""
}

// wholeServer matches a name that lacks the tool of a server, or stands for several.
var wholeServer = pattern.Lazy(`^mcp__(?:_?[^_])*_?$|\*`)

func judgeNarrowCondition(s site) []Finding {
	rule := discover.ReadCondition(s.hook.If)
	out := slices.DeleteFunc(client.MatcherNames(s.hook.Matcher), func(tool string) bool { return tool == rule.Tool || !slices.Contains(tools, tool) })
	switch why, _ := s.deadCondition(); {
	case s.hook.If == "", s.event.Guards != client.Calls, why != "", len(out) == 0:
		return nil
	}
	what := fmt.Sprintf("\"if\": %q lets only calls of %s through, and the matcher names %s as well", s.hook.If, rule.Tool, strings.Join(out, ", "))
	return one(Finding{What: what, Severity: suites.Warning, Remedy: "register the hook once for each tool, each with an \"if\" of its own"})
}

// judgeRefused judges problems of files by which no hook of theirs is in force, or some are not. Many documents have
// the same front matter, so one finding covers all documents with a problem.
func judgeRefused(problems []suites.Problem, whole bool) (all []Finding) {
	var documents []suites.Problem
	for _, p := range problems {
		if strings.HasSuffix(p.At.File, ".md") {
			documents = append(documents, p)
			continue
		}
		f := Finding{Where: p.At, What: p.What, Remedy: hint(p)}
		if whole && slices.Contains(ofPlugins, path.Base(p.At.File)) {
			f.Effect = "no hook of the plugin ever runs, which the client reports only among errors of plugins"
		}
		all = append(all, f)
	}
	return append(all, judgeDocuments(documents)...)
}

// ofPlugins are files that the client reports if it drops them.
var ofPlugins = []string{"hooks.json", "plugin.json", "marketplace.json"}

// hint returns what a problem suggests to do now.
func hint(p suites.Problem) string {
	now, _, _ := strings.Cut(p.Hint, "; until then")
	return now
}

// judgeDocuments judges the hooks of documents, by the cause. An unknown event never fires; the effect of other
// mistakes in a document was not observed.
func judgeDocuments(problems []suites.Problem) (all []Finding) {
	const noEvents = "no event"
	var causes, events []string
	first, files := map[string]suites.Problem{}, map[string][]string{}
	for _, p := range problems {
		cause := p.What
		if m := noEvent().FindStringSubmatch(p.What); m != nil {
			cause, events = noEvents, include(events, m[1])
		}
		if len(files[cause]) == 0 {
			causes, first[cause] = append(causes, cause), p
		}
		files[cause] = include(files[cause], p.At.File)
	}
	for _, cause := range causes {
		f := Finding{Where: first[cause].At, What: cause, Severity: suites.Info, Remedy: hint(first[cause])}
		if cause == noEvents {
			f.Severity, f.What = suites.Warning, "no event is called "+strings.Join(events, ", ")+": their hooks never run"
		}
		if n := len(files[cause]) - 1; n > 0 {
			f.What += fmt.Sprintf(" (and in %d more documents)", n)
		}
		all = append(all, f)
	}
	return all
}

// noEvent matches the message about an unknown event.
var noEvent = pattern.Lazy(`^no event is called (\S+):`)

func include(all []string, s string) []string {
	if slices.Contains(all, s) {
		return all
	}
	return append(all, s)
}

// NamesUnknownEvent reports whether a problem is an event that hookwatch does not know.
func NamesUnknownEvent(p suites.Problem) bool { return noEvent().MatchString(p.What) }

// judgeIgnored judges the entries that the client ignores. That an event is newer than hookwatch's model is no
// fault of the project.
func judgeIgnored(s site) []Finding {
	var unknown []suites.Problem
	var newer []Finding
	for _, p := range s.Registered.Ignored {
		m := noEvent().FindStringSubmatch(p.What)
		if m == nil || !slices.Contains(s.Newer, m[1]) {
			unknown = append(unknown, p)
			continue
		}
		newer = append(newer, Finding{
			Where: p.At, What: fmt.Sprintf("%s is not judged: newer than hookwatch's model %s", m[1], client.Default), Severity: suites.Info,
			Effect: "the installed client names the event", Remedy: "update hookwatch, or test the hook with the client (hookwatch help client)",
		})
	}
	return append(judgeRefused(unknown, false), newer...)
}

func judgeDisabled(s site) []Finding {
	if s.Registered.DisabledBy.Line == 0 {
		return nil
	}
	return one(Finding{Where: s.Registered.DisabledBy, What: "disableAllHooks is true"})
}

func judgeStray(s site) (all []Finding) {
	for _, file := range s.Stray {
		all = append(all, Finding{Where: suites.Position{File: file}, What: "hooks stand in " + file})
	}
	return all
}

// judgeLoose judges files in the form of a plugin's hooks that do not belong to a plugin.
func judgeLoose(s site) (all []Finding) {
	for _, h := range s.Registered.Others {
		file := h.Source.File
		if h.Scope != discover.InTemplate || !discover.IsPluginFile(file) {
			continue
		}
		if at := slices.IndexFunc(all, func(f Finding) bool { return f.Where.File == file }); at >= 0 {
			all[at].Hooks = append(all[at].Hooks, h.ID)
			continue
		}
		manifest := path.Join(path.Dir(path.Dir(file)), ".claude-plugin/plugin.json")
		all = append(all, Finding{
			Where: suites.Position{File: file}, What: file + " has the form of a plugin's hooks, but " + manifest + " does not exist", Severity: suites.Warning, Hooks: []string{h.ID},
			Effect: "the client reads this file only as part of a plugin; otherwise none of its hooks ever runs",
			Remedy: "add " + manifest + ", or move the hooks into .claude/settings.json",
		})
	}
	return all
}
