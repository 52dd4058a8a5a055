package check

import (
	"cmp"
	"path"
	"slices"

	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/discover"
	"hookwatch/suites/shell"
)

// A need returns the sites of a tree to which rules are applied, the same for all rules that need them.
type need struct{ sites func(Tree) []site }

// A rule finds one kind of fault in files alone. A finding of judge has what differs from the severity and the texts
// of the client's rule, and from the place of the hook.
type rule struct {
	id    string
	needs *need // what it is applied to
	judge func(site) []Finding
}

// entryRules are those about registrations, and the start of their commands. They read only the first lines of scripts.
var entryRules = []rule{
	{"settings-dropped", theTree, func(s site) []Finding { return judgeRefused(s.Registered.Dropped, true) }},
	{"entry-ignored", theTree, judgeIgnored},
	{"hooks-disabled", theTree, judgeDisabled},
	{"file-not-read", theTree, judgeStray},
	{"file-not-read", theTree, judgeLoose},
	{"matcher-not-evaluated", eachEntry, judgeCostly},
	{"matcher-ignored", eachMatcher, judgeIgnoredMatcher},
	{"dead-matcher", eachMatcher, judgeValues},
	{"empty-alternative", eachToolMatcher, judgeAlternatives},
	{"dead-matcher", eachToolMatcher, judgeExpression},
	{"dead-matcher", eachToolMatcher, judgeNames},
	{"old-tool", eachToolMatcher, judgeOldNames},
	{"uncovered-tool", eachToolMatcher, judgeUncovered},
	{"short-timeout", eachEntry, judgeShortTimeout},
	{"long-timeout", eachEntry, judgeLongTimeout},
	{"dead-condition", eachEntry, judgeCondition},
	{"uncovered-tool", eachEntry, judgeNarrowCondition},
	{"wrong-root", eachCommand, judgeRoot},
	{"home-path", eachCommand, judgeHomePath},
	{"backslash-path", eachShellLine, judgeBackslashes},
	{"variable-not-expanded", eachShellLine, judgePercent},
	{"variable-not-expanded", eachCall, judgeLiteral},
	{"shell-syntax", eachShellLine, judgeSyntax},
	{"unset-variable", eachCall, judgeParameters},
	{"unquoted-path", eachCall, judgeUnquoted},
	{"relative-path", eachCall, judgeRelative},
	{"script-missing", eachScript, judgeMissing},
	{"script-missing", eachScript, judgeUntracked},
	{"script-not-executable", eachScript, judgeMode},
	{"bad-interpreter", eachScript, judgeFirstLine},
}

// rules are all rules about files.
var rules = slices.Concat(entryRules, []rule{
	{"unset-variable", eachCode, judgeVariables},
	{"not-portable", eachCode, judgeBash},
	{"not-portable", eachCode, judgePortability},
	{"starts-client", eachCode, judgeClientStart},
	{"unregistered-script", theTree, judgeUnregistered},
	{"let-through", theTree, judgeDenies},
	{"client-entry", theTree, judgeForeignFiles},
	{"client-entry", eachForeign, judgeForeign},
})

// A site is a place to which a rule is applied.
type site struct {
	Tree
	hook   discover.Hook
	event  client.Event   // of the hook; without a name if the client does not have it
	reader clients.Client // the other client that reads the entry
	line   *shell.Script  // the command
	script string
	code   string // of the script
}

func (t Tree) site(h discover.Hook) site {
	event, _ := client.EventByName(h.Event)
	return site{Tree: t, hook: h, event: event}
}

// entries returns the entries of the hooks that some session launches.
func entries(t Tree) (all []site) {
	for _, h := range t.hooks() {
		all = append(all, t.site(h))
	}
	return all
}

// entriesThat returns the entries of which something is true.
func entriesThat(is func(site) bool) *need {
	return &need{func(t Tree) []site { return slices.DeleteFunc(entries(t), func(s site) bool { return !is(s) }) }}
}

var (
	theTree         = &need{func(t Tree) []site { return []site{{Tree: t}} }}
	eachEntry       = &need{entries}
	eachCall        = &need{parsedLines}
	eachScript      = &need{scripts}
	eachCode        = &need{codes}
	eachForeign     = &need{foreignEntries}
	eachMatcher     = entriesThat(site.matches)
	eachToolMatcher = entriesThat(func(s site) bool { return s.event.Tool && s.matches() })
	eachCommand     = entriesThat(func(s site) bool { return s.hook.Type == "command" })
	eachShellLine   = entriesThat(func(s site) bool { return s.hook.Type == "command" && s.hook.Args == nil && !s.hook.ForPowerShell() })
)

// parsedLines returns these shell lines, without those with a variable of cmd.exe, after which no path can be found.
func parsedLines(t Tree) (all []site) {
	for _, s := range eachShellLine.sites(t) {
		line, err := shell.Read(s.hook.Command)
		if s.line = line; err == nil && !byPercent().MatchString(s.hook.Command) {
			all = append(all, s)
		}
	}
	return all
}

// scripts returns the scripts that commands name, without those of which the form of the path is the only problem.
func scripts(t Tree) (all []site) {
	sites := eachCommand.sites(t)
	for _, h := range t.Elsewhere() {
		sites = append(sites, t.site(h))
	}
	for _, s := range sites {
		if byPercent().MatchString(s.hook.Command) || len(judgeBackslashes(s)) > 0 {
			continue
		}
		for _, s.script = range s.hook.Scripts {
			all = append(all, s)
		}
	}
	return all
}

// codes returns the text of each script that hooks run, once.
func codes(t Tree) (all []site) {
	var seen []string
	for _, s := range entries(t) {
		for _, s.script = range s.hook.Scripts {
			if !slices.Contains(seen, s.script) && !slices.Contains(dataFiles, path.Ext(s.script)) {
				s.code, seen = t.read(s.script), append(seen, s.script)
				all = append(all, s)
			}
		}
	}
	return all
}

// dataFiles are no code.
var dataFiles = []string{".json", ".md", ".yaml", ".yml", ".toml", ".txt"}

// complete adds the place and the texts of a rule to a finding, those for the event if the hook is Claude Code's.
func (s site) complete(id string, f Finding) Finding {
	done := FindingOf(id, s.hook.ID, cmp.Or(f.Where, s.hook.Source), f.What)
	if s.hook.Client == "" {
		done = done.forEvent(s.event.Name)
	}
	if f.Effect != "" {
		done.Effect, done.event = f.Effect, ""
	}
	done.Severity, done.Remedy = cmp.Or(f.Severity, done.Severity), cmp.Or(f.Remedy, done.Remedy)
	if f.Hooks != nil {
		done.Hooks = f.Hooks
	}
	return done
}

func (t Tree) judge(rules []rule) (all []Finding) {
	known := map[*need][]site{}
	for _, r := range rules {
		if _, ok := known[r.needs]; !ok {
			known[r.needs] = r.needs.sites(t)
		}
		for _, s := range known[r.needs] {
			for _, f := range r.judge(s) {
				all = append(all, s.complete(r.id, f))
			}
		}
	}
	return all
}

// Static judges the tree without running anything.
func Static(t Tree) []Finding {
	all := t.judge(rules)
	shareTexts(all)
	return MergeFindings(all)
}

// Registrations judges the registration of hooks, and whether their commands can be started. It
// reads only the first lines of scripts.
func Registrations(t Tree) []Finding { return MergeFindings(t.judge(entryRules)) }

// habits are rules that a file usually breaks throughout, or not at all.
var habits = []string{"long-timeout", "unset-variable", "relative-path"}

// shareTexts gives the findings of one habit in a file the same text, so that they merge.
func shareTexts(all []Finding) {
	first := map[[2]string]string{}
	for i, f := range all {
		if key := [2]string{f.Rule, f.Where.File}; slices.Contains(habits, f.Rule) {
			first[key] = cmp.Or(first[key], f.What)
			all[i].What = first[key]
		}
	}
}
