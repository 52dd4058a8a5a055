// Package conform checks that the hooks of a project work, without any suite: it finds hooks that
// the client would drop, could not launch or would ignore, and guards that let their targets
// through. It judges the tree and the observed behavior of hooks; it runs nothing itself.
package conform

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
)

// A Finding is a statement about one or several hooks for one cause.
type Finding struct {
	Rule     string          `json:"rule"`
	Severity suites.Severity `json:"severity"`
	Hooks    []string        `json:"hooks,omitempty"` // IDs
	Where    suites.Position `json:"-"`
	At       string          `json:"where"`
	Fault    suites.Position `json:"-"` // the line of a script that caused it, if known
	FaultAt  string          `json:"fault,omitempty"`
	What     string          `json:"what"`              // the evidence, one line
	Input    string          `json:"input,omitempty"`   // the input on which it was seen
	Printed  string          `json:"printed,omitempty"` // the hook's output then
	Effect   string          `json:"effect"`            // the client's behavior
	Remedy   string          `json:"remedy"`
	event    string          // the event of the rule's texts; "" for the finding's own texts
	firing   *Firing         // on which it was seen, if it was
}

// A Firing is one run of a hook.
type Firing struct {
	Case   *suites.Case
	Result suites.Result
}

// Firing returns the firing on which a finding was seen; nil if files show it, or if its place is not
// the registration of the hook.
func (f Finding) Firing() *Firing { return f.firing }

// severities are all severities, the worst first.
var severities = []suites.Severity{suites.Error, suites.Warning, suites.Info}

// LeastSeverity returns the lower of two severities.
func LeastSeverity(a, b suites.Severity) suites.Severity {
	return severities[max(slices.Index(severities, a), slices.Index(severities, b))]
}

// FindingOf returns a finding of a rule. Its severity is the rule's own unless given.
func FindingOf(rule string, hook string, at suites.Position, what string, severity ...suites.Severity) Finding {
	r := client.RuleAt(rule, client.Guarding(client.Calls))
	f := Finding{Rule: rule, Severity: r.Severity, Where: at, At: at.String(), What: what, Effect: r.Client, Remedy: r.Remedy}
	if len(severity) > 0 {
		f.Severity = severity[0]
	}
	if hook != "" {
		f.Hooks = []string{hook}
	}
	return f
}

// forEvent returns the finding with the texts of its rule for an event. The finding's own texts are
// kept.
func (f Finding) forEvent(event string) Finding {
	about, known := client.EventByName(event)
	if !known {
		return f
	}
	usual, here := client.RuleAt(f.Rule, client.Guarding(client.Calls)), client.RuleAt(f.Rule, about)
	if f.Effect == usual.Client {
		f.Effect, f.event = here.Client, event
	}
	if f.Remedy == usual.Remedy {
		f.Remedy = here.Remedy
	}
	return f
}

// merge adds the contents of another finding with the same cause. If the events differ, the effect
// becomes the one for any event.
func (f *Finding) merge(other Finding) {
	if f.Printed == "" { // f was only read, other was observed
		f.Input, f.Printed = other.Input, other.Printed
	}
	if f.FaultAt == "" {
		f.Fault, f.FaultAt = other.Fault, other.FaultAt
	}
	if f.Effect != other.Effect {
		f.Effect = client.RuleAt(f.Rule, client.Event{}).Client
	}
	if len(other.Remedy) < len(f.Remedy) { // the shorter remedy works at both events
		f.Remedy = other.Remedy
	}
	for _, h := range other.Hooks {
		if !slices.Contains(f.Hooks, h) {
			f.Hooks = append(f.Hooks, h)
		}
	}
}

// MergeFindings merges findings with the same cause, and sorts them, the worst first.
func MergeFindings(all []Finding) (out []Finding) {
	for _, f := range all {
		same := func(o Finding) bool {
			alike := o.Effect == f.Effect || o.event != "" && f.event != ""
			return o.Rule == f.Rule && o.Severity == f.Severity && o.What == f.What && alike && (o.Where.File == f.Where.File || f.Where.File == "")
		}
		if i := slices.IndexFunc(out, same); i >= 0 {
			out[i].merge(f)
			continue
		}
		out = append(out, f)
	}
	slices.SortStableFunc(out, func(a, b Finding) int {
		return cmp.Or(
			slices.Index(severities, a.Severity)-slices.Index(severities, b.Severity),
			strings.Compare(a.Where.File, b.Where.File), a.Where.Line-b.Where.Line, strings.Compare(a.Rule, b.Rule))
	})
	return out
}

// habits are rules that a file usually breaks throughout, or not at all.
var habits = []string{"long-timeout", "unset-variable", "relative-path"}

// FindingsPerFile gives the findings of one habit in a file the same text, so that they merge.
func FindingsPerFile(all []Finding) {
	first := map[string]string{}
	for i, f := range all {
		if !slices.Contains(habits, f.Rule) {
			continue
		}
		key := f.Rule + " " + f.Where.File
		first[key] = cmp.Or(first[key], f.What)
		all[i].What = first[key]
	}
}

// Static judges the tree without running anything.
func Static(t Tree) []Finding {
	all := append(t.registrations(), t.judgeContents()...)
	FindingsPerFile(all)
	all = append(all, t.judgeUnregistered()...)
	all = append(all, t.judgeDenies()...)
	if len(t.Clients) > 0 {
		all = append(all, t.elsewhere()...)
	}
	return MergeFindings(all)
}

// Registrations judges the registration of hooks, and whether their commands can be started. It
// reads only the first lines of scripts.
func Registrations(t Tree) []Finding { return MergeFindings(t.registrations()) }

func (t Tree) registrations() []Finding {
	all := t.settings()
	for _, h := range t.hooks() {
		own := slices.Concat(t.judgeMatcher(h), timeout(h), condition(h))
		if h.Type == "command" {
			own = append(own, append(t.command(h), t.files(h)...)...)
		}
		for _, f := range own {
			all = append(all, f.forEvent(h.Event))
		}
	}
	return all
}

// settings judges the files that register hooks.
func (t Tree) settings() (all []Finding) {
	all = append(all, RefusedFiles("settings-dropped", t.Registered.Dropped)...)
	unknown, newer := t.newer()
	all = append(all, RefusedFiles("entry-ignored", unknown)...)
	all = append(all, newer...)
	if at := t.Registered.DisabledBy; at.Line > 0 {
		all = append(all, FindingOf("hooks-disabled", "", at, "disableAllHooks is true"))
	}
	for _, file := range t.Stray {
		all = append(all, FindingOf("file-not-read", "", suites.Position{File: file}, "hooks stand in "+file))
	}
	return append(all, t.judgeLooseFiles()...)
}

// judgeLooseFiles judges files in the form of a plugin's hooks that do not belong to a plugin.
func (t Tree) judgeLooseFiles() (all []Finding) {
	hooks := map[string][]string{}
	var files []string
	for _, h := range t.Registered.Others {
		file := h.Source.File
		if h.Scope != discover.InTemplate || !discover.IsPluginFile(file) {
			continue
		}
		if hooks[file] = append(hooks[file], h.ID); len(hooks[file]) == 1 {
			files = append(files, file)
		}
	}
	for _, file := range files {
		manifest := path.Join(path.Dir(path.Dir(file)), ".claude-plugin/plugin.json")
		f := FindingOf("file-not-read", "", suites.Position{File: file}, file+" has the form of a plugin's hooks, but "+manifest+" does not exist", suites.Warning)
		f.Effect = "the client reads this file only as part of a plugin; otherwise none of its hooks ever runs"
		f.Remedy = "add " + manifest + ", or move the hooks into .claude/settings.json"
		f.Hooks = hooks[file]
		all = append(all, f)
	}
	return all
}

// judgeUnregistered judges scripts of the hook directories that nothing runs.
func (t Tree) judgeUnregistered() (all []Finding) {
	text := t.named()
	var idle []string
	for _, s := range t.Scripts {
		if isHookScript(s) && !strings.Contains(text, path.Base(s)) {
			idle = append(idle, s)
		}
	}
	for _, s := range idle {
		severity := suites.Info
		if len(idle) == len(t.Scripts) {
			severity = suites.Warning // nothing at all is registered
		}
		all = append(all, FindingOf("unregistered-script", "", suites.Position{File: s}, s+" is registered nowhere", severity))
	}
	for _, h := range t.Registered.Others {
		if h.Scope == discover.InGuess && !slices.Contains(idle, h.Scripts[0]) {
			all = append(all, FindingOf("unregistered-script", h.ID, h.Source, h.Scripts[0]+" is registered nowhere: that it is for "+h.Event+" is a guess", suites.Info))
		}
	}
	return all
}

// named returns all text that can name a script: commands and scripts.
func (t Tree) named() string {
	var b strings.Builder
	for _, hooks := range [][]discover.Hook{t.Registered.Hooks, t.Registered.Others, t.Registered.Elsewhere} {
		for _, h := range hooks {
			b.WriteString(h.Command + " " + strings.Join(h.Args, " ") + "\n")
			for _, s := range h.Scripts {
				b.WriteString(t.read(s) + "\n")
			}
		}
	}
	for _, p := range t.Registered.Dropped {
		b.WriteString(t.read(p.At.File) + "\n") // dropped settings still name their scripts
	}
	for _, file := range runners {
		b.WriteString(t.read(file) + "\n")
	}
	for _, s := range t.Scripts {
		b.WriteString(strings.ReplaceAll(t.read(s), path.Base(s), "") + "\n") // a script's references to itself do not count
	}
	return b.String()
}

// runners are files by which programs other than the client run scripts.
var runners = []string{".pre-commit-config.yaml", "lefthook.yml", "Makefile", "justfile", "package.json", ".husky/pre-commit", "pyproject.toml", "Taskfile.yml"}

// isHookScript excludes libraries and tests, which hooks or users run.
func isHookScript(s string) bool {
	for _, part := range strings.Split(path.Dir(s), "/") {
		if slices.Contains([]string{"lib", "libs", "common", "utils", "shared", "test", "tests", "examples"}, part) {
			return false
		}
	}
	base := path.Base(s)
	return !discover.IsOfGit(s) && !strings.Contains(base, "test") && !strings.HasPrefix(base, "_") && !strings.HasSuffix(base, ".md")
}
