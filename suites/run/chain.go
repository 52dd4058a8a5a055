package run

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/discover"
	"hookwatch/suites/pattern"
	"hookwatch/suites/process"
)

// A Fired is one hook that an event fired, with its result.
type Fired struct {
	Hook    discover.Hook
	NotRun  string // why it was left out; "" for a hook that ran
	Result  suites.Result
	reading client.Reading
}

// chain fires every hook registered for the event, concurrently as the client does, and combines
// their results.
func (s *caseRun) chain(ctx context.Context, st *suites.Step, stdin []byte) (suites.Result, error) {
	value := client.MatchedValue(st.Event, st.Tool, stdin)
	if s.o.Hooks == nil {
		return suites.Result{}, errors.New("no hooks are registered")
	}
	hooks := s.o.Hooks(st.Event, value)
	for _, h := range hooks {
		if err := h.MatcherError(); err != nil {
			return unknown(h, err), nil
		}
	}
	hooks = slices.DeleteFunc(slices.Clone(hooks), func(h discover.Hook) bool {
		return !h.Takes(st.MatchedAs, stdin) || h.ForPowerShell()
	})
	if s.ruling(st, stdin).First { // the client refuses the call before it fires a hook
		hooks = nil
	}
	fired, err := s.fire(ctx, hooks, st, stdin)
	if err != nil {
		return suites.Result{}, err
	}
	return s.merge(fired, st, stdin), nil
}

// ruling returns what the permission rules decide about the call of a step.
func (s *caseRun) ruling(st *suites.Step, stdin []byte) discover.Ruling {
	if s.o.Ruled == nil || st.Event != "PreToolUse" {
		return discover.Ruling{}
	}
	return s.o.Ruled(st.MatchedAs, stdin)
}

// merge returns the single result that the client forms from several hooks and the permission rules, which
// it applies to the input that the hooks made of the call's.
func (s *caseRun) merge(fired []Fired, st *suites.Step, stdin []byte) suites.Result {
	all, reading := combine(fired)
	var payload map[string]any
	if reading.Input != nil && json.Unmarshal(stdin, &payload) == nil {
		payload["tool_input"] = reading.Input
		stdin, _ = json.Marshal(payload) // JSON that was just read
	}
	if rule := s.ruling(st, stdin); rule.Applies() {
		if ruled := reading.ApplyRule(rule.PermissionRule, rule.Denies); ruled.Cause != reading.Cause {
			all = read(all, ruled)
			all.By = []string{rule.String() + " (" + rule.At.String() + ")"}
		}
	}
	return all
}

// whyUnregistered returns why no one hook is registered under a name.
func (s *caseRun) whyUnregistered(event, name string) string {
	const list = " (hookwatch list --hooks shows what is)"
	n := 0
	var scripts []string
	if s.o.InForce != nil {
		for _, h := range s.o.InForce() {
			if h.Event == event && h.Answers(name) {
				n++
			}
			for _, script := range h.Scripts {
				if base := path.Base(script); h.Event == event && !slices.Contains(scripts, base) {
					scripts = append(scripts, base)
				}
			}
		}
	}
	if n > 1 {
		return fmt.Sprintf("%s means %d hooks of %s: name one by its ID%s", name, n, event, list)
	}
	if s.o.Dropped != nil {
		for _, p := range s.o.Dropped() {
			return fmt.Sprintf("the client never runs it: it does not read the settings that may register %s: %s: %s", name, p.At, p.What)
		}
	}
	hint := list
	if meant := pattern.Nearest(path.Base(name), scripts); meant != "" && meant != path.Base(name) {
		hint = " (did you mean " + meant + "?)"
	}
	return fmt.Sprintf("the client never runs it: no settings register %s for %s%s", name, event, hint)
}

// fireAlone fires the registered hook with the given name as the client does.
func (s *caseRun) fireAlone(ctx context.Context, st *suites.Step, name string, stdin []byte) (suites.Result, error) {
	h, found := discover.Hook{}, false
	if s.o.Registered != nil {
		h, found = s.o.Registered(st.Event, name, st.Matched())
	}
	if !found {
		return suites.Result{Exit: -1, NotStarted: s.whyUnregistered(st.Event, name)}, nil
	}
	value := cmp.Or(st.MatchedAs, client.MatchedValue(st.Event, st.Tool, stdin))
	if matches := value == "" || h.Matches(value); h.MatcherError() != nil {
		return unknown(h, h.MatcherError()), nil
	} else if !matches {
		return suites.Result{Exit: -1, NotStarted: fmt.Sprintf("the client does not fire it: its matcher %s does not match %s", h.Matcher, value)}, nil
	}
	if !h.Takes(st.MatchedAs, stdin) {
		return suites.Result{Exit: -1, NotStarted: "the client does not fire it: " + h.WhyPassedOver()}, nil
	}
	fired, err := s.fire(ctx, []discover.Hook{h}, st, stdin)
	if err != nil {
		return suites.Result{}, err
	}
	all, _ := combine(fired)
	return all, nil
}

// unknown returns the result of a step if it is unknown which hooks the client fires.
func unknown(h discover.Hook, err error) suites.Result {
	return suites.Result{Exit: -1, NotStarted: fmt.Sprintf("whether the client fires %s is not known: its matcher could not be evaluated: %v", h.ID, err)}
}

// fire runs hooks as the client does, each with its own timeout: concurrently, or one after the other until
// one decides.
func (s *caseRun) fire(ctx context.Context, hooks []discover.Hook, st *suites.Step, stdin []byte) (all []Fired, err error) {
	if len(hooks) == 0 {
		return nil, nil
	}
	of, _ := clients.ByName(hooks[0].Client)
	if len(of.Launch.Until) == 0 {
		return s.together(ctx, hooks, st, stdin)
	}
	for i := range hooks {
		fired, err := s.together(ctx, hooks[i:i+1], st, stdin)
		if err != nil {
			return all, err
		}
		if all = append(all, fired...); fired[0].reading.Alone || slices.Contains(of.Launch.Until, fired[0].Result.Effect) {
			break
		}
	}
	return all, nil
}

// together runs hooks concurrently.
func (s *caseRun) together(ctx context.Context, hooks []discover.Hook, st *suites.Step, stdin []byte) ([]Fired, error) {
	var commands []process.Command
	if err := s.install(hooks); err != nil {
		return nil, err
	}
	results := make([]process.Result, len(hooks))
	var started []int // indexes of hooks
	for i, h := range hooks {
		if why := h.WhyNotStarted(); why != "" {
			results[i] = process.Result{Exit: -1, StartError: errors.New(why)}
			continue
		}
		c, err := s.registeredCommand(h, st, stdin)
		if err != nil {
			return nil, err
		}
		commands, started = append(commands, c), append(started, i)
	}
	if len(commands) > 0 {
		ended, err := s.runRetrying(ctx, commands...)
		if err != nil {
			return nil, err
		}
		for at, i := range started {
			results[i] = ended[at]
		}
	}
	fired := make([]Fired, len(hooks))
	for i, h := range hooks {
		fired[i] = s.result(h, st, stdin, results[i])
		fired[i].Result.Timeout, fired[i].Result.TimeoutBy = s.waits(h.Timeout)
	}
	return fired, nil
}

// registeredCommand returns the command with which the client runs a hook.
func (s *caseRun) registeredCommand(h discover.Hook, st *suites.Step, stdin []byte) (process.Command, error) {
	h = s.adaptHook(h)
	l, isCommand := h.Launch(s.call(st, stdin))
	if !isCommand {
		return process.Command{}, errors.New("hook " + h.ID + " is of type " + h.Type + ", which is not run")
	}
	c := s.command(st, l.Argv, l.Stdin)
	c.Sockets = givesSockets(h.Client)
	c.Timeout, _ = s.waits(l.Timeout)
	if l.Dir != "" && s.override == "" && s.c.WantedEnv().Cwd == "" {
		c.Dir = l.Dir
	}
	if h.Entry.Dir != "" {
		c.Dir = filepath.Join(c.Dir, filepath.FromSlash(h.Entry.Dir))
	}
	given := map[string]string{}
	for _, v := range l.Env {
		if v.Name != "PATH" || v.Value != s.settings["PATH"] { // that is part of the case's own PATH
			given[v.Name] = v.Value
		}
	}
	if h.Scope == discover.InHome {
		given["HOME"] = s.home()
	}
	base := s.base
	if h.Client != "" {
		base = process.Unset(slices.Clone(base), []string{"CLAUDE_PROJECT_DIR"}) // unless that client sets it
	}
	own := maps.Clone(s.over)
	maps.Copy(own, s.expandAll(st.Env))
	c.Env = process.Unset(process.With(process.With(base, given), own), s.c.WantedEnv().Unset)
	return c, nil
}

// call returns the call of a step.
func (s *caseRun) call(st *suites.Step, stdin []byte) discover.Call {
	return discover.Call{Event: st.Event, Session: "hookwatch-" + s.number, Payload: stdin, Version: s.o.Client, Data: s.tmp}
}

// waits returns the timeout of a registered hook: the client's, but no more than the case's, or
// than run.timeout, because the client waits up to ten minutes. by names what bounds it if the
// client would wait longer. A patient case (a probe) keeps its own timeout, because a busy machine
// is no fault of the hook.
func (s *caseRun) waits(hook time.Duration) (limit time.Duration, by string) {
	if s.c.Patient {
		return s.o.limit(s.c.Timeout), ""
	}
	limit, by = s.c.Timeout, "timeout of the case"
	if limit == 0 {
		limit, by = s.o.Timeout, "run.timeout"
	}
	if limit == 0 || limit >= hook {
		limit, by = hook, ""
	}
	if most := s.o.limit(limit); most < limit {
		limit, by = most, "run.backstop"
	}
	if by != "" {
		by += "; the client itself waits for " + hook.String()
	}
	return limit, by
}

// result returns the result of one hook and the client's reaction to it alone.
func (s *caseRun) result(h discover.Hook, st *suites.Step, stdin []byte, res process.Result) Fired {
	f := Fired{Hook: h}
	f.Result, f.reading = s.interpret(st, h.NamedEntry(), stdin, res, startFault(res))
	if h.Client != "" {
		of, _ := clients.ByName(h.Client)
		f.reading = of.Interpret(h.ClientEvent, clients.OutputOf(f.Result, h.Entry)).Reading()
		f.Result = read(f.Result, f.reading)
	}
	return f
}

// combine returns the single result that the client forms from several hooks: concatenated streams, the
// strongest decision, and the time from the start of the first to the end of the last.
func combine(fired []Fired) (all suites.Result, reading client.Reading) {
	inOrder := false
	var readings []client.Reading
	ended := slices.SortedStableFunc(slices.Values(fired), func(a, b Fired) int { return cmp.Compare(a.Result.Duration, b.Result.Duration) })
	if len(fired) > 0 {
		of, _ := clients.ByName(fired[0].Hook.Client)
		switch {
		case of.Launch.Denials != "":
			ended = mergeDenials(fired, of.Launch.Denials == "all")
		case len(of.Launch.Until) > 0:
			ended, inOrder = slices.Clone(fired), true
		}
		if of.Events[fired[0].Hook.ClientEvent].Last {
			ended = lastContext(ended)
		}
	}
	for _, f := range ended {
		readings = append(readings, f.reading)
	}
	for i, f := range fired {
		r := f.Result
		if i == 0 || worse(r.Exit, all.Exit) {
			all.Exit = r.Exit
		}
		all.Signal = cmp.Or(all.Signal, r.Signal)
		all.NotStarted = cmp.Or(all.NotStarted, r.NotStarted)
		all.Memory = cmp.Or(all.Memory, r.Memory)
		all.StdinUnread = all.StdinUnread || r.StdinUnread
		if r.TimedOut {
			all.TimedOut, all.Timeout, all.TimeoutBy = true, r.Timeout, r.TimeoutBy
		}
		all.Stdout = bytes.Join([][]byte{all.Stdout, r.Stdout}, nil)
		all.Stderr = bytes.Join([][]byte{all.Stderr, r.Stderr}, nil)
		all.StdoutBytes += r.StdoutBytes
		all.StderrBytes += r.StderrBytes
		all.LeftBehind = append(all.LeftBehind, r.LeftBehind...)
		all.HoldsOutput = all.HoldsOutput || r.HoldsOutput
		if inOrder {
			all.Duration += r.Duration
		} else {
			all.Duration = max(all.Duration, r.Duration)
		}
	}
	reading = client.Combine(readings)
	all = read(all, reading)
	for _, f := range fired {
		if f.reading.Effect == reading.Effect {
			all.By = append(all.By, f.Hook.ID)
		}
	}
	return all, reading
}

// mergeDenials returns hooks of which only the first that denies gives a reason: its own, or those of
// all.
func mergeDenials(fired []Fired, all bool) []Fired {
	fired = slices.Clone(fired)
	first := -1
	for i := range fired {
		r := &fired[i].reading
		switch {
		case r.Effect != suites.Denied:
		case first < 0:
			first = i
		default:
			if all {
				sees := &fired[first].reading.ModelSees
				*sees = slices.Concat(*sees, r.ModelSees)
			}
			*r = client.Reading{Decision: r.Decision, Effect: suites.Proceeds, Context: r.Context, ModelSees: r.Context}
		}
	}
	return fired
}

// lastContext returns hooks of which only the last with context sends it to the model.
func lastContext(fired []Fired) []Fired {
	sent := false
	for i := range slices.Backward(fired) {
		r := &fired[i].reading
		if sent {
			r.ModelSees, r.Context = nil, nil
		}
		sent = sent || len(r.Context) > 0
	}
	return fired
}

// worse reports whether exit code a describes a chain better than b: -1, no exit code, comes first,
// then the higher code.
func worse(a, b int) bool { return b != -1 && (a == -1 || a > b) }

// Fire runs either one script (a case with a hook) or every command registered for the event (a
// case with Chain) in a temporary sandbox. Hooks of other types, and those whose `if` does not
// match, are returned without being run. Only the first step of the case counts.
//
// The outcome contains one result, combined from all hooks.
func (r *Runner) Fire(ctx context.Context, c *suites.Case) ([]Fired, suites.Outcome, error) {
	about, ok := r.about(c, nil)
	if !ok {
		return r.fire(ctx, c, false)
	}
	about.Setup = append(about.Setup, "with the parts"...) // which those of Make lack
	var fired []Fired
	o, err := r.Known.Outcome(about, func() (o suites.Outcome, err error) {
		fired, o, err = r.fire(ctx, c, true)
		for _, f := range fired {
			o.Parts = append(o.Parts, suites.Part{Hook: f.Hook.ID, NotRun: f.NotRun, Result: f.Result})
		}
		return o, err
	})
	if fired == nil { // it is known
		for _, p := range o.Parts {
			hooks := slices.Concat(r.of(c).InForce(), []discover.Hook{{ID: p.Hook}})
			i := slices.IndexFunc(hooks, func(h discover.Hook) bool { return h.ID == p.Hook })
			fired = append(fired, Fired{Hook: hooks[i], NotRun: p.NotRun, Result: p.Result})
		}
	}
	return fired, o, err
}

func (r *Runner) fire(ctx context.Context, c *suites.Case, observed bool) ([]Fired, suites.Outcome, error) {
	s, err := r.open(ctx, c, nil, observed)
	if err != nil {
		return nil, suites.Outcome{}, err
	}
	defer func() {
		s.close()
		_ = r.pool.Discard(s.dir)
	}()
	fired, all, err := s.fireOnce(ctx)
	o := suites.Outcome{Results: []suites.Result{all}, Sandbox: s.dir, Root: s.root, Named: s.named, Project: r.Root, Unobserved: "it was not traced"}
	if err == nil {
		o.Changes, o.Stopped = s.changes()
	}
	if observed {
		o.Accesses, o.Unobserved = s.accesses(o.Results)
	}
	return fired, o, err
}

func (s *caseRun) fireOnce(ctx context.Context) ([]Fired, suites.Result, error) {
	st := &s.c.Steps[0]
	stdin, err := s.stdin(st)
	if err != nil {
		return nil, suites.Result{}, err
	}
	s.Begin()
	if !s.c.Chain {
		res, err := s.hook(ctx, st, stdin)
		return []Fired{{Hook: discover.Hook{ID: s.c.Hook, Command: s.c.Hook, Event: st.Event}, Result: res}}, res, err
	}
	var hooks, passed []discover.Hook
	for _, h := range s.o.Hooks(st.Event, client.MatchedValue(st.Event, st.Tool, stdin)) {
		if h.Takes(st.MatchedAs, stdin) {
			hooks = append(hooks, h)
		} else {
			passed = append(passed, h)
		}
	}
	if rule := s.ruling(st, stdin); rule.First {
		var fired []Fired
		for _, h := range hooks {
			fired = append(fired, Fired{Hook: h, NotRun: "the client refuses the call first: " + rule.String()})
		}
		return fired, s.merge(nil, st, stdin), nil
	}
	commands, others := byType(hooks)
	fired, err := s.fire(ctx, commands, st, stdin)
	all := s.merge(fired, st, stdin)
	for _, h := range others {
		why := "hooks of type " + h.Type + " are not run"
		if h.Type == "command" {
			why = h.WhyNotRun()
		}
		fired = append(fired, Fired{Hook: h, NotRun: why})
	}
	for _, h := range passed {
		fired = append(fired, Fired{Hook: h, NotRun: h.WhyPassedOver() + ", so the client would not run it"})
	}
	return fired, all, err
}

// byType separates the commands from the hooks that are not run: those of other types, which only
// the client can run, those for PowerShell, and those whose matcher cannot be evaluated.
func byType(hooks []discover.Hook) (commands, others []discover.Hook) {
	for _, h := range hooks {
		if h.WhyNotRun() == "" {
			commands = append(commands, h)
		} else {
			others = append(others, h)
		}
	}
	return commands, others
}
