package prove

import (
	"cmp"
	"context"
	"path"
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/check"
	"hookwatch/suites/client"
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
	slices.SortFunc(candidates, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	candidates = slices.DeleteFunc(slices.Compact(candidates), s.blocksHarmless(w))
	closed := map[string]bool{}
	for {
		var best Remedy
		for _, rule := range candidates {
			closes := slices.DeleteFunc(w.closedBy(rule, s.session()), func(group string) bool { return closed[group] })
			if len(closes) > len(best.Closes) {
				best = Remedy{Deny: rule, Closes: closes}
			}
		}
		if best.Deny == "" {
			return
		}
		for _, group := range best.Closes {
			closed[group] = true
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
		var ways, twins []Step
		if open := u.Open[0]; open.Input["command"] != nil {
			twins = append(twins, Step{open.Tool, map[string]any{"command": "true"}})
		}
		for _, a := range w.tried {
			if a.group() == u.Kind {
				ways, twins = append(ways, a.steps...), append(twins, a.twin...)
			}
		}
		fired := func(steps []Step) (cases []*suites.Case) {
			for _, step := range steps {
				c := s.asCase(step, nil)
				c.Steps[0].MatchedAs = client.ToolNames()[as]
				cases = append(cases, c)
			}
			return cases
		}
		stops := func(r suites.Result) bool { return check.Stopped(r.Effect) }
		some := len(twins) == 0 || slices.ContainsFunc(s.send(ctx, fired(ways)), passes) || slices.ContainsFunc(s.send(ctx, fired(twins)), stops)
		if !some && ctx.Err() == nil { // else some may not have been sent
			w.Remedies = append(w.Remedies, Remedy{Matcher: u.Kind, Closes: []string{u.Kind}})
		}
	}
}

// rules returns rules of permissions.deny that may stop a way: of its file, of commands that name the object, and of
// commands that begin with the same words.
func (g Goal) rules(steps []Step) (all []string) {
	for _, step := range steps {
		if file, ok := step.Input[client.ToolByName(step.Tool).Path].(string); ok {
			rule := strings.TrimPrefix(file, "{project}/")
			if path.IsAbs(rule) {
				rule = "/" + rule
			}
			all = append(all, step.Tool+"("+rule+")")
		}
		if strings.Contains(step.command(), g.Object) {
			all = append(all, "Bash(*"+g.Object+"*)")
		}
		for _, words := range shell.ReadPlain(step.command()).Commands {
			for n := range min(len(words), 4) { // longer rules close little
				if text := strings.Join(words[:n+1], " "); ruleText.MatchString(text) {
					all = append(all, "Bash("+text+":*)")
				}
			}
		}
	}
	return all
}

// ruleText matches words that have no meaning of their own in a rule.
var ruleText = regexp.MustCompile(`^[\w./@:=+~-]+( [\w./@:=+~-]+)*$`)

// closedBy returns the open kinds of which the client would stop every way that passes with a rule, and the tools for
// which the hook is not fired and that the rule stops.
func (w *Ways) closedBy(rule, session string) (all []string) {
	certainly := func(step Step) bool {
		return ruleStops(rule, step, session) && !shell.ReadPlain(step.command()).Unclear
	}
	left := map[string]bool{}
	for _, a := range w.tried {
		if a.passes && !slices.ContainsFunc(a.steps, certainly) {
			left[a.group()] = true
		}
	}
	for _, k := range w.Open() {
		all = append(all, k.Kind)
	}
	for _, u := range w.NotFired {
		all = append(all, u.Kind)
	}
	return slices.DeleteFunc(all, func(group string) bool { return left[group] })
}

// blocksHarmless returns a function that reports whether the client may stop a harmless call with a rule: a control, a
// twin of a way, or an input that the suites let through.
func (s *search) blocksHarmless(w *Ways) func(rule string) bool {
	harmless := w.Goal.controls()
	for _, a := range w.tried {
		harmless = append(harmless, a.twin...)
	}
	for _, in := range s.o.Allowed {
		key := map[bool]string{true: "command", false: client.ToolByName(in.Tool).Path}[in.Command != ""]
		harmless = append(harmless, Step{in.Tool, map[string]any{key: in.Text()}})
	}
	return func(rule string) bool {
		return slices.ContainsFunc(harmless, func(step Step) bool { return ruleStops(rule, step, s.session()) })
	}
}

// ruleStops reports whether the client denies a call because of a rule of permissions.deny.
func ruleStops(rule string, step Step, session string) bool {
	return ruled([]client.PermissionRule{{List: "deny", Text: rule}}, step, session).Denies
}
