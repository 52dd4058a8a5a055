package prove

import (
	"cmp"
	"context"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/check"
)

// Ways is what a guard does with the ways to a goal of one that it stops.
type Ways struct {
	Goal     Goal       `json:"goal"`
	Kinds    []WayKind  `json:"kinds"`               // those of which at least one reached the goal and is asked of the guard
	Complete bool       `json:"complete"`            // every way was tried within the budget
	NotFired []WayKind  `json:"not_fired,omitempty"` // tools that reach the goal, and for which the hook is not fired
	Harmless Harmless   `json:"harmless"`
	Remedies []Remedy   `json:"remedies,omitempty"`
	tried    []*attempt // those that reached the goal
}

// A WayKind is what a guard does with the ways of a kind, or by a tool for which the hook is not fired.
type WayKind struct {
	Kind    string `json:"kind"`             // or the tool, as a matcher names it: mcp__SERVER__.* for those of a server
	Reached int    `json:"reached"`          // ways that reached the goal when they were executed
	Passed  int    `json:"passed"`           // of those, the ones that the guard lets through
	Open    []Step `json:"open,omitempty"`   // the smallest of them
	Wanted  bool   `json:"wanted,omitempty"` // the configuration allows the kind
}

// Harmless is what a guard does with calls that should pass: the ways that it stops with another object, and
// ordinary calls near the goal.
type Harmless struct {
	Sent    int    `json:"sent"`
	Stopped int    `json:"stopped"`
	First   []Step `json:"first,omitempty"` // the smallest that is stopped
}

// Open returns the kinds of which a way passes that the configuration does not allow.
func (w Ways) Open() []WayKind {
	return slices.DeleteFunc(slices.Clone(w.Kinds), func(k WayKind) bool { return k.Passed == 0 || k.Wanted })
}

// An attempt is a way that reached its goal.
type attempt struct {
	way
	made   [][]string // the files that the steps before each step changed, as in Effect
	fired  []bool     // by step: the client fires the hook for it
	passes bool       // no step is stopped, by the hook, another of its call or a permission rule
}

// group returns the kind of a way of which any step is sent to the hook, or the tool of the only one, for which the hook
// is not fired; "" for several such steps.
func (a *attempt) group() string {
	switch {
	case slices.Contains(a.fired, true):
		return a.kind
	case len(a.steps) == 1:
		return a.steps[0].matcher()
	default:
		return ""
	}
}

// smallerSteps orders ways by the number of their steps and by length.
func smallerSteps(a, b []Step) int {
	return cmp.Or(len(a)-len(b), len(ShowSteps(a))-len(ShowSteps(b)), strings.Compare(ShowSteps(a), ShowSteps(b)))
}

// attempt executes texts in the scene of a goal. The result has an effect for each, none for those that failed.
func (s *search) attempt(ctx context.Context, g Goal, texts []string) []Effect {
	all := make([]Effect, len(texts))
	o, err := s.Executor.Fire(ctx, suites.Request{Case: g.execution(texts)})
	if err != nil {
		s.fail(ctx, err)
		return all
	}
	for i, e := range effects(o) {
		all[i] = e
	}
	return all
}

// seekGoals tries the ways to the goals of what the guard stops, in half of the time that is left.
func (s *search) seekGoals(ctx context.Context) {
	if s.over(ctx) && len(s.o.Goals) == 0 {
		return
	}
	all := s.goals(ctx)
	end := s.deadline
	defer func() { s.deadline = end }()
	half := time.Now().Add(time.Until(end) / 2)
	for i, g := range all {
		s.deadline = time.Now().Add(time.Until(half) / time.Duration(len(all)-i))
		s.tryWays(ctx, g)
	}
}

// tryWays executes the ways to a goal, sends those that reach it to the hook, and then harmless ones.
func (s *search) tryWays(ctx context.Context, g Goal) {
	all, out := g.ways(), Ways{Goal: g, Kinds: []WayKind{}}
	if s.o.Ways > 0 {
		all = slices.DeleteFunc(all, func(w way) bool { return w.rank >= s.o.Ways })
	}
	size := (len(g.about().Kinds) + atOnce - 1) / atOnce // so that one way of each kind is tried first
	parts := 0
	out.Complete = s.parallel(ctx, chunks(len(all), size), atOnce, func(from, to int) {
		tried := s.tryPart(ctx, g, all[from:to])
		s.mu.Lock()
		defer s.mu.Unlock()
		out.tried = append(out.tried, tried...)
		if parts++; parts == atOnce {
			s.setTried()
		}
	})
	s.setTried()
	out.count(s.o.Allows)
	s.tryHarmless(ctx, &out)
	s.remedy(ctx, &out)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.guard.Ways = append(s.guard.Ways, out)
}

// tryPart tries a part of the ways to a goal, and returns those that reach it.
func (s *search) tryPart(ctx context.Context, g Goal, part []way) (reached []*attempt) {
	var texts []string
	for _, w := range part {
		for n := range w.texts { // the beginning of a way shows what its next step finds
			texts = append(texts, strings.Join(w.texts[:n+1], "\n"))
		}
	}
	effects := s.attempt(ctx, g, texts)
	var alone []*attempt // with one step
	for _, w := range part {
		last := len(w.steps) - 1
		a := &attempt{way: w, passes: true, made: [][]string{nil}}
		for _, e := range effects[:last] {
			a.made = append(a.made, e.Files)
		}
		ok := g.reached(effects[last])
		if effects = effects[last+1:]; !ok {
			continue
		}
		for _, step := range w.steps {
			a.fired = append(a.fired, s.firedFor(step))
			a.passes = a.passes && !ruled(s.tree.Registered.Rules, step, s.session()).Denies
		}
		switch reached = append(reached, a); {
		case a.fired[0] && last == 0:
			alone = append(alone, a)
		default:
			a.passes = a.passes && s.passAll(ctx, a)
		}
	}
	var cases []*suites.Case
	for _, a := range alone {
		cases = append(cases, s.asCase(a.steps[0], nil))
	}
	results := s.send(ctx, cases)
	by := s.stoppedBy(ctx, cases, results)
	for i, r := range results {
		alone[i].passes = alone[i].passes && passes(r) && by[i] == ""
	}
	if ctx.Err() != nil || s.failed() {
		return nil
	}
	return reached
}

// passAll sends the steps of a way, each after what those before it did, and reports whether all of them pass the
// hook, and the others of their calls.
func (s *search) passAll(ctx context.Context, a *attempt) bool {
	for n, step := range a.steps {
		cases, results := []*suites.Case{s.asCase(step, a.made[n])}, make([]suites.Result, 1)
		if a.fired[n] {
			results = s.send(ctx, cases)
		}
		if !passes(results[0]) || s.stoppedBy(ctx, cases, results)[0] != "" {
			return false
		}
	}
	return true
}

// session is the directory of the session, as a template.
func (s *search) session() string { return cmp.Or(s.hook.Session, "{override}") }

// firedFor reports whether the client fires the hook for a call.
func (s *search) firedFor(step Step) bool {
	return s.hook.Matches(step.Tool) && s.hook.Takes("", s.asCase(step, nil).Steps[0].PayloadRaw)
}

// asCase returns the case that sends a call to the hook, after steps that left files.
func (s *search) asCase(step Step, made []string) *suites.Case {
	c := check.CallCase(s.hook, step.Tool, step.input(s.session()))
	for _, changed := range made {
		name, content, _ := strings.Cut(changed, "\x1f")
		file, inWork := strings.CutPrefix(name, "work/")
		if noFile := slices.Contains([]string{"/", "(removed)"}, content); noFile || !inWork {
			continue
		}
		f := suites.Fixture{Path: s.session() + "/" + file, Content: strings.TrimSuffix(content, " (executable)")}
		if target, link := strings.CutPrefix(content, "-> "); link {
			f.Content, f.Mode, f.Fill = strings.ReplaceAll(target, work, s.session()), uint32(fs.ModeSymlink), true
		}
		c.Steps[0].Fixtures = append(c.Steps[0].Fixtures, f)
	}
	return c
}

// count counts the ways by kind, and collects the tools for which the hook is not fired.
func (w *Ways) count(allowed []string) {
	slices.SortFunc(w.tried, func(a, b *attempt) int { return smallerSteps(a.steps, b.steps) })
	groups := map[string]*WayKind{}
	for _, a := range w.tried {
		k := groups[a.group()]
		if k == nil {
			k = &WayKind{Kind: a.group(), Wanted: slices.Contains(allowed, string(w.Goal.Aim)+"/"+a.kind)}
			groups[k.Kind] = k
		}
		if k.Reached++; !a.passes {
			continue
		}
		if k.Passed++; k.Open == nil {
			k.Open = a.steps
		}
	}
	delete(groups, "")
	for _, form := range w.Goal.about().Kinds {
		if k := groups[form.Kind]; k != nil {
			w.Kinds = append(w.Kinds, *k)
			delete(groups, form.Kind)
		}
	}
	for _, tool := range slices.Sorted(maps.Keys(groups)) {
		if groups[tool].Passed > 0 { // no permission rule denies it
			w.NotFired = append(w.NotFired, *groups[tool])
		}
	}
}

// matcher returns the matcher that names the tool of a call, or all tools of its MCP server.
func (s Step) matcher() string {
	if words := strings.SplitN(s.Tool, "__", 3); words[0] == "mcp" && len(words) == 3 {
		return "mcp__" + words[1] + "__.*"
	}
	return s.Tool
}

// tryHarmless sends what a guard should let through: the controls, and the twins of the ways that it stops.
func (s *search) tryHarmless(ctx context.Context, w *Ways) {
	calls := w.Goal.controls()
	for _, a := range w.tried {
		if !a.passes && len(a.steps) == 1 {
			calls = append(calls, a.twin...)
		}
	}
	calls = slices.DeleteFunc(calls, func(step Step) bool { return !s.firedFor(step) })
	slices.SortFunc(calls, func(a, b Step) int { return smallerSteps([]Step{a}, []Step{b}) })
	results := unsent(len(calls))
	s.parallel(ctx, chunks(len(calls), 16), 1, func(from, to int) {
		var cases []*suites.Case
		for _, step := range calls[from:to] {
			cases = append(cases, s.asCase(step, nil))
		}
		copy(results[from:to], s.send(ctx, cases))
	})
	for i, r := range results {
		if r.NotStarted == "" {
			w.Harmless.Sent++
		}
		if !check.Stopped(r.Effect) {
			continue
		}
		if w.Harmless.Stopped++; w.Harmless.First == nil {
			w.Harmless.First = calls[i : i+1]
		}
	}
}
