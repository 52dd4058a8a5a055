package conform

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// RefusedFiles judges what keeps hooks from being in force.
func RefusedFiles(rule string, problems []suites.Problem) (all []Finding) {
	var documents []suites.Problem
	for _, p := range problems {
		if strings.HasSuffix(p.At.File, ".md") {
			documents = append(documents, p)
			continue
		}
		f := FindingOf(rule, "", p.At, p.What)
		f.Remedy = withHint(f.Remedy, p)
		if rule == "settings-dropped" && slices.Contains(ofPlugins, path.Base(p.At.File)) {
			f.Effect = "no hook of the plugin ever runs, which the client tells only among errors of plugins"
		}
		all = append(all, f)
	}
	return append(all, fronts(rule, documents)...)
}

// ofPlugins are files of which the client tells, somewhere, that it drops them.
var ofPlugins = []string{"hooks.json", "plugin.json"}

// fronts judges the hooks of documents. Many have the same front, so what is said of
// one is said of all at once. That there is no such event holds everywhere; what
// clients make of another fault in a document was not observed.
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
		f.Remedy = withHint(f.Remedy, p)
		all = append(all, f)
	}
	return all
}

// noEvent matches what is said of an event that there is not.
var noEvent = pattern.Lazy(`^no event is called (\S+):`)

func once(all []string, s string) []string {
	if slices.Contains(all, s) {
		return all
	}
	return append(all, s)
}

func withHint(remedy string, p suites.Problem) string {
	if hint, _, _ := strings.Cut(p.Hint, "; until then"); hint != "" {
		return hint
	}
	return remedy
}
