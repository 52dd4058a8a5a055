package prove

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/conform"
	"hookwatch/suites/discover"
	"hookwatch/suites/shell"
)

// A Remedy is a change of the settings that stops ways which pass, and no harmless call that was tried.
type Remedy struct {
	Deny    string   `json:"deny,omitempty"`    // a rule of permissions.deny
	Matcher string   `json:"matcher,omitempty"` // a tool that the matcher of the hook must name
	Closes  []string `json:"closes"`            // kinds of ways, and tools for which the hook is not fired
}

// remedy finds the smallest changes of the settings that close open kinds.
func (s *search) remedy(ctx context.Context, w *Ways) {
	s.remedyByMatcher(ctx, w)
	var candidates []string
	for _, a := range w.tried {
		if a.passes {
			candidates = append(candidates, w.Goal.rules(a.steps)...)
		}
	}
	slices.Sort(candidates)
	candidates = slices.DeleteFunc(slices.Compact(candidates), s.blocksHarmless(w))
	closed := map[string]bool{}
	for {
		var best Remedy
		for _, rule := range candidates {
			closes := slices.DeleteFunc(w.closedBy(rule, s.session()), func(what string) bool { return closed[what] })
			if len(closes) > len(best.Closes) || len(closes) == len(best.Closes) && len(closes) > 0 && len(rule) < len(best.Deny) {
				best = Remedy{Deny: rule, Closes: closes}
			}
		}
		if best.Deny == "" {
			return
		}
		for _, what := range best.Closes {
			closed[what] = true
		}
		w.Remedies = append(w.Remedies, best)
	}
}

// remedyByMatcher fires the hook for the tools that its matcher leaves out: some hooks would stop their calls.
func (s *search) remedyByMatcher(ctx context.Context, w *Ways) {
	as := slices.IndexFunc(client.ToolNames(), s.hook.Matches)
	if as < 0 || s.hook.If != "" {
		return
	}
	for _, u := range w.NotFired {
		var cases []*suites.Case
		var of, twins int
		for _, twin := range []bool{false, true} {
			for _, a := range w.tried {
				steps := a.steps
				if twin {
					steps = a.twin
				}
				if len(steps) != 1 || steps[0].matcher() != u.Tool {
					continue
				}
				c := s.asCase(steps[0], nil)
				c.Steps[0].MatchedAs = client.ToolNames()[as]
				if cases = append(cases, c); twin {
					twins++
				} else {
					of++
				}
			}
		}
		stops := func(r suites.Result) bool { return conform.Stopped(r.Effect) }
		results := s.send(ctx, cases)
		if of > 0 && !slices.ContainsFunc(results[:of], passes) && !slices.ContainsFunc(results[of:], stops) {
			w.Remedies = append(w.Remedies, Remedy{Matcher: u.Tool, Closes: []string{u.Tool}})
		}
	}
}

// rules returns rules of permissions.deny that may stop a way: of its file, of commands that name the object, and of
// commands that begin with the same words.
func (g Goal) rules(steps []Step) (all []string) {
	for _, step := range steps {
		about := client.ToolNamed(step.Tool)
		switch command, _ := step.Input["command"].(string); {
		case about.Path != "":
			if file, ok := step.Input[about.Path].(string); ok {
				all = append(all, step.Tool+"("+asRule(strings.TrimPrefix(file, "{project}/"))+")")
			}
		case step.Tool == "Bash":
			if strings.Contains(command, g.Object) {
				all = append(all, "Bash(*"+g.Object+"*)")
			}
			for _, words := range shell.ReadPlain(command).Commands {
				const most = 4 // words that a rule begins with
				for n := range min(len(words), most) {
					if text := strings.Join(words[:n+1], " "); ruleText.MatchString(text) {
						all = append(all, "Bash("+text+":*)")
					}
				}
			}
		}
	}
	return all
}

// asRule returns the path of a rule for a file: with two slashes if it is absolute.
func asRule(file string) string {
	if strings.HasPrefix(file, "/") {
		return "/" + file
	}
	return file
}

var ruleText = regexp.MustCompile(`^[\w./@:=+~-]+( [\w./@:=+~-]+)*$`)

// closedBy returns the open kinds of which the client would stop every way that passes with a rule, and the tools for
// which the hook is not fired and that the rule stops.
func (w *Ways) closedBy(rule, session string) (all []string) {
	denied := func(a *attempt) bool {
		return slices.ContainsFunc(a.steps, func(step Step) bool {
			return conform.Denies(rule, step.Tool, session, step.input(session)) == conform.Certainly
		})
	}
	left := func(is func(*attempt) bool) bool {
		return slices.ContainsFunc(w.tried, func(a *attempt) bool { return is(a) && a.passes && !denied(a) })
	}
	for _, k := range w.Open() {
		if !left(func(a *attempt) bool { return a.kind == k.Kind && a.isFired() }) {
			all = append(all, k.Kind)
		}
	}
	for _, u := range w.NotFired {
		if !left(func(a *attempt) bool { return len(a.steps) == 1 && a.steps[0].matcher() == u.Tool }) {
			all = append(all, u.Tool)
		}
	}
	return all
}

// blocksHarmless returns a function that reports whether the client may stop a harmless call with a rule: a control, a
// twin of a way, or an input that the suites let through.
func (s *search) blocksHarmless(w *Ways) func(rule string) bool {
	harmless := w.Goal.controls()
	for _, a := range w.tried {
		harmless = append(harmless, a.twin...)
	}
	for _, in := range s.o.Allowed {
		key := client.ToolNamed(in.Tool).Path
		if in.Command != "" {
			key = "command"
		}
		harmless = append(harmless, Step{in.Tool, map[string]any{key: in.Text()}})
	}
	return func(rule string) bool {
		literal := strings.Trim(strings.TrimSuffix(discover.ReadCondition(rule).Text, ":*"), "*")
		return slices.ContainsFunc(harmless, func(step Step) bool {
			input := step.input(s.session())
			denial := conform.Denies(rule, step.Tool, s.session(), input)
			return denial == conform.Certainly || denial == conform.Maybe && strings.Contains(string(input), literal)
		})
	}
}
