package prove

import (
	"cmp"
	"context"
	"errors"
	"math/rand"
	"slices"
	"strings"
	"time"

	"hookwatch/suites/check"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
)

// due is the portion with which the rewrites of each kind begin, at the earliest.
var due = [kinds]float64{Habit: 0, Quoting: 2, Wrapping: 2.5, Obfuscation: 4}

// portions are the numbers of rewrites that are tried at a time: few at first, so that every seed
// has its turn soon, and then more, because an environment takes time to prepare.
var portions = []int{8, 16, 24}

// atOnce is the number of parts that a search with one seed tries at a time. It does not depend on the number of
// places, so that the same is tried on every machine.
const atOnce = 2

// later is the number of rounds that a seed waits if a way around it by habit is known.
const later = 4

// queue returns the rewrites of a seed in the order in which they are tried: by kind, and within a
// kind first one of each rule.
func (s *search) queue(sd *seed) (out []candidate) {
	type placed struct {
		candidate
		at float64
	}
	var all []placed
	candidates := s.candidates(sd)
	for k := Habit; k <= s.o.Most; k++ {
		of := byRules(slices.DeleteFunc(slices.Clone(candidates), func(c candidate) bool { return c.Kind != k }))
		const usual, first = 16, 32 // of the rewrites of a kind
		switch {
		case s.o.Brief && k == Habit:
			of = of[:min(len(of), first)]
		case s.o.Brief:
			of = of[:min(len(of), usual)]
		}
		for i, c := range of {
			all = append(all, placed{c, due[k] + float64(i/usual)})
		}
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	for _, c := range all {
		out = append(out, c.candidate)
	}
	return out
}

// work searches from all seeds in rounds. A seed that is known to be bypassed by habit waits for the
// others, so that the budget is spent where nothing is known yet. What a round does depends on the
// results of the rounds before it, and not on the time.
func (s *search) work(ctx context.Context) {
	for _, sd := range s.seeds {
		sd.queue, sd.combined = s.queue(sd), s.o.Brief
		if !s.o.Brief && sd.Command != "" && !strings.ContainsAny(sd.Command, "\n'") {
			sd.contexts = forms()["mention"]
		}
	}
	if !s.o.Brief {
		s.seekGoals(ctx)
	}
	const least = 4 // something is tried however slow the hook is
	done := 0
	s.guard.Complete = true
	for round := 0; s.guard.Complete; round++ {
		tasks, more := s.round(round)
		s.guard.Complete = s.parallel(ctx, chunks(len(tasks), 1), least-done, func(i, _ int) {
			tasks[i](ctx)
			if s.o.Progress != nil {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.o.Progress(s.guard)
			}
		})
		if done += len(tasks); !more || s.o.Brief && s.bypassed() {
			return
		}
	}
}

// bypassed reports whether a rewrite of a seed passes.
func (s *search) bypassed() bool {
	return slices.ContainsFunc(s.seeds, func(sd *seed) bool { return len(sd.passing) > 0 })
}

// round returns the tasks of a round, and whether there are more rounds.
func (s *search) round(n int) (tasks []func(context.Context), more bool) {
	var turn []*seed
	for _, sd := range s.seeds {
		known := slices.ContainsFunc(sd.passing, func(f Finding) bool { return f.Kind == Habit })
		if !sd.done() && (!known || sd.rounds+later <= n) {
			turn = append(turn, sd)
		}
	}
	for _, sd := range turn {
		for range (atOnce + len(turn) - 1) / len(turn) {
			if size := min(len(sd.queue), portions[min(sd.rounds, len(portions)-1)]); size > 0 {
				part := sd.queue[:size]
				sd.queue = sd.queue[size:]
				tasks = append(tasks, func(ctx context.Context) { s.try(ctx, sd, part) })
			}
		}
		const few = 4
		switch contexts := sd.contexts[:min(few, len(sd.contexts))]; {
		case sd.rounds == 0: // first the rewrites
		case len(contexts) > 0:
			sd.contexts = sd.contexts[len(contexts):]
			tasks = append(tasks, func(ctx context.Context) { s.mentions(ctx, sd, contexts) })
		case len(sd.queue) == 0 && !sd.combined:
			sd.combined = true
			tasks = append(tasks, func(ctx context.Context) { s.combine(ctx, sd) })
		}
		sd.rounds++
	}
	if n == 0 && len(s.seeds) > 0 {
		tasks = append(tasks, s.inject)
	}
	return tasks, slices.ContainsFunc(s.seeds, func(sd *seed) bool { return !sd.done() })
}

// chunks returns the bounds of n things in groups.
func chunks(n, size int) (all [][2]int) {
	for from := 0; from < n; from += size {
		all = append(all, [2]int{from, min(from+size, n)})
	}
	return all
}

// parallel calls do for all parts, in order, until the search must end, but for the first parts
// even if the time is up. It reports whether all were done.
func (s *search) parallel(ctx context.Context, parts [][2]int, first int, do func(from, to int)) bool {
	return s.Each(ctx, len(parts), func(_ context.Context, i int) error {
		if s.over(ctx) && (i >= first || ctx.Err() != nil || s.failed()) {
			return errOver
		}
		do(parts[i][0], parts[i][1])
		return nil
	}) == nil
}

// errOver ends the parts of a search. Those that run go on.
var errOver = errors.New("the search is over")

// A candidate is a rewrite as an input of the hook.
type candidate struct {
	Rewrite
	input check.Input
	does  string // of a rewrite that is not executed
}

// candidates returns the rewrites of a seed.
func (s *search) candidates(sd *seed) (out []candidate) {
	switch {
	case sd.Command != "":
		all, err := Rewrites(sd.Command)
		if err != nil {
			return nil
		}
		for _, r := range all {
			if executable(r.Text, names(sd.Command)) == "" {
				in := sd.Input
				in.Command = r.Text
				out = append(out, candidate{Rewrite: r, input: in})
			}
		}
	case sd.File != "":
		out = fileCandidates(sd.Input, s.hook)
	default:
		out = promptCandidates(sd.Input)
	}
	return out
}

// byRules orders rewrites so that the first ones are of different rules.
func byRules(all []candidate) []candidate {
	turn, count := map[string]int{}, map[string]int{}
	for _, c := range all {
		rule, _, _ := strings.Cut(c.Rule, "/")
		turn[c.Rule+c.Text] = count[rule]
		count[rule]++
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return turn[a.Rule+a.Text] - turn[b.Rule+b.Text] })
	return all
}

// try executes rewrites, and sends those that do the same to the hook. It returns those that pass.
func (s *search) try(ctx context.Context, sd *seed, all []candidate) (found []Finding) {
	var texts []string
	for _, c := range all {
		if sd.Prompt == "" {
			texts = append(texts, asCommand(c.input))
		}
	}
	from, effects := asCommand(sd.Input), map[string]Effect{}
	if sd.Prompt == "" {
		effects = s.execute(ctx, []string{from}, append(texts, from))
	}
	var same []candidate
	var inputs []check.Input
	for _, c := range all {
		if e, ok := effects[asCommand(c.input)]; ok && e.key() == effects[from].key() && !e.None() {
			c.does = e.String()
		}
		if c.does != "" {
			same = append(same, c)
			inputs = append(inputs, c.input)
		}
	}
	if len(same) == 0 {
		s.count(ctx, len(all), 0, sd, nil, nil)
		return nil
	}
	again := !sd.repeated.Swap(true)
	if again {
		inputs = append(inputs, sd.Input)
	}
	results := s.fire(ctx, inputs)
	if again && passes(results[len(results)-1]) { // the hook stops the same input only once
		s.alone.Store(true)
		results = s.fire(ctx, inputs)
	}
	var held []Finding
	by := s.stoppedBy(ctx, s.cases(inputs), results)
	for i, c := range same {
		r := results[i]
		f := Finding{What: Bypass, Kind: c.Kind, Rule: c.Rule, Input: c.input, From: sd.Input, Does: c.does, Effect: r.Effect, Because: r.EffectReason, Of: sd.effect}
		switch {
		case by[i] != "": // it passes this hook and not the call
		case passes(r):
			found = append(found, f)
		case check.Stopped(r.Effect):
			held = append(held, f)
		}
	}
	s.count(ctx, len(all), len(same), sd, found, held)
	return found
}

func (s *search) count(ctx context.Context, tried, same int, sd *seed, passing, held []Finding) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		return // some were not sent
	}
	s.setTried()
	s.guard.Tried += tried
	s.guard.Equivalent += same
	s.guard.Passed += len(passing)
	s.guard.Held = append(s.guard.Held, held...)
	sd.passing = append(sd.passing, passing...)
}

// Recheck sends what a guard held to it again, the most habitual first, until the budget is used up
// or ctx ends. It returns what passes now, the smallest first, each confirmed in an environment of
// its own.
func Recheck(ctx context.Context, h discover.Hook, m *Machine, held []Finding, budget time.Duration) ([]Finding, error) {
	s := newSearch(m, h, Options{})
	s.deadline = time.Now().Add(budget)
	held = slices.Clone(held)
	slices.SortStableFunc(held, smaller)
	ask := func(all []Finding, size int) (passing []Finding) {
		results := unsent(len(all))
		s.parallel(ctx, chunks(len(all), size), 1, func(from, to int) {
			var inputs []check.Input
			for _, f := range all[from:to] {
				inputs = append(inputs, f.Input)
			}
			copy(results[from:to], s.sendTogether(ctx, s.cases(inputs)))
		})
		for i, f := range all {
			if r := results[i]; passes(r) {
				f.Effect, f.Because = r.Effect, r.EffectReason
				passing = append(passing, f)
			}
		}
		return passing
	}
	return ask(ask(held, 16), 1), s.err
}

// combine tries pairs of rewrites, if no single one passes, and shrinks those that pass.
func (s *search) combine(ctx context.Context, sd *seed) {
	s.mu.Lock()
	found := len(sd.passing) > 0
	s.mu.Unlock()
	if sd.Command == "" || found {
		return
	}
	random := rand.New(rand.NewSource(s.o.Seed))
	first := s.candidates(sd)
	const rounds = 8
	for range rounds {
		const pairsAtOnce = 16
		if s.over(ctx) || len(first) == 0 {
			return
		}
		var pairs []candidate
		for len(pairs) < pairsAtOnce {
			a := first[random.Intn(len(first))]
			second, err := Rewrites(a.Text)
			if err != nil || len(second) == 0 {
				continue
			}
			b := second[random.Intn(len(second))]
			if max(a.Kind, b.Kind) > s.o.Most || executable(b.Text, names(sd.Command)) != "" {
				b = a.Rewrite
			}
			in := sd.Input
			in.Command = b.Text
			pairs = append(pairs, candidate{Rewrite: Rewrite{max(a.Kind, b.Kind), a.Rule + " " + b.Rule, b.Text}, input: in})
		}
		if passing := s.try(ctx, sd, pairs); len(passing) > 0 {
			s.shrink(ctx, sd, passing[0])
			return
		}
	}
}

// shrink tries whether the second rewrite of a pair is enough: the first alone does not pass.
func (s *search) shrink(ctx context.Context, sd *seed, f Finding) {
	_, second, _ := strings.Cut(f.Rule, " ")
	for _, c := range s.candidates(sd) {
		if c.Rule == second {
			s.try(ctx, sd, []candidate{c})
		}
	}
}

// confirm repeats the smallest findings of each seed and kind, each in an environment of its own, and
// keeps those that are found again, the most serious first. When the time is up, it relies on the
// first time.
func (s *search) confirm(ctx context.Context) {
	s.alone.Store(true)
	var groups [][]Finding
	for _, sd := range s.seeds {
		slices.SortStableFunc(sd.passing, smaller)
		for k := range kinds {
			groups = append(groups, slices.DeleteFunc(slices.Clone(sd.passing), func(f Finding) bool { return f.Kind != k }))
		}
		groups = append(groups, slices.DeleteFunc(slices.Clone(s.blocks), func(f Finding) bool { return f.What != FalseBlock || f.From != sd.Input }))
	}
	slices.SortStableFunc(groups, func(a, b []Finding) int {
		if len(a) == 0 || len(b) == 0 {
			return len(b) - len(a)
		}
		return int(a[0].Kind - b[0].Kind)
	})
	kept := make([]*Finding, len(groups))
	check := func(i int) {
		const most = 3
		if len(groups[i]) > 0 && groups[i][0].What == Bypass {
			slices.SortStableFunc(groups[i], smaller)
		}
		for _, f := range groups[i][:min(most, len(groups[i]))] {
			again := s.over(ctx)
			if !again {
				r := s.sendTogether(ctx, s.cases([]check.Input{f.Input, f.From}))
				again = ctx.Err() != nil || passes(r[0]) == (f.What == Bypass) && check.Stopped(r[1].Effect)
			}
			if again {
				f.Others = len(groups[i]) - 1
				kept[i] = &f
				return
			}
		}
		groups[i] = nil // none was found again
	}
	s.parallel(ctx, chunks(len(groups), 1), 0, func(i, _ int) { check(i) })
	for i := range groups {
		if kept[i] == nil && s.over(ctx) {
			check(i) // without another firing
		}
		if kept[i] != nil {
			s.guard.Findings = append(s.guard.Findings, *kept[i])
		}
	}
	for _, f := range s.blocks {
		if f.What != FalseBlock {
			s.guard.Findings = append(s.guard.Findings, f)
		}
	}
	s.guard.Findings = merged(s.guard.Findings)
	slices.SortStableFunc(s.guard.Findings, func(a, b Finding) int {
		return cmp.Or(slices.Index(order, a.What)-slices.Index(order, b.What), int(a.Kind-b.Kind))
	})
}

// merged keeps one finding of the files that pass in the same way.
func merged(all []Finding) (out []Finding) {
	for _, f := range all {
		i := slices.IndexFunc(out, func(o Finding) bool { return f.From.File != "" && o.From.File != "" && o.Rule == f.Rule })
		if i < 0 {
			out = append(out, f)
		} else {
			out[i].Others += f.Others + 1
		}
	}
	return out
}

// smaller orders findings by kind and length. Other space in a command comes last, because it is
// never longer than the command and no one writes it.
func smaller(a, b Finding) int {
	size := func(f Finding) int {
		return len(f.Input.Text()) + map[bool]int{true: 1000}[strings.HasPrefix(f.Rule, "spacing")]
	}
	return cmp.Or(int(a.Kind-b.Kind), size(a)-size(b), cmp.Compare(a.Input.Text(), b.Input.Text()))
}

// order lists the kinds of findings, the most serious first.
var order = []What{Injection, Bypass, Choke, FalseBlock}

// ofPrompts reports whether the hook decides about prompts.
func (s *search) ofPrompts() bool {
	about, _ := client.EventByName(s.hook.Event)
	return about.Guards == client.Prompts
}
