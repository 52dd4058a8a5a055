package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/conform"
	"hookwatch/suites/discover"
	"hookwatch/suites/prove"
)

// ask sends calls to a hook of a side, several in one environment. What it did before is known, unless
// the calls with some indexes are to be sent again, with those of their environment. used, if not
// nil, is called with the outcomes, whose accesses are then recorded.
func (d *differ) ask(i int, h *discover.Hook, calls []*sentCall, again []int, used func(suites.Outcome)) ([]seen, error) {
	s, out := &d.sides[i], make([]seen, len(calls))
	var cases [][]int // indexes of the calls that share a case
	for n, c := range calls {
		out[n] = unfired
		if h == nil || !firesFor(h, c) {
			continue
		}
		if did, known := s.seen[h.ID+"\x00"+c.key]; known {
			if out[n] = did; again == nil {
				continue
			}
		}
		const batch = 8
		last := len(cases) - 1
		if last < 0 || c.from != calls[cases[last][0]].from || c.from == "" && len(cases[last]) == batch {
			cases = append(cases, nil)
			last++
		}
		cases[last] = append(cases[last], n)
	}
	if again != nil {
		cases = slices.DeleteFunc(cases, func(of []int) bool {
			return !slices.ContainsFunc(of, func(n int) bool { return slices.Contains(again, n) })
		})
	}
	errs := make([]error, len(cases))
	inParallel(len(cases), d.jobs, func(k int) {
		if d.ctx.Err() != nil {
			return
		}
		c := d.asCase(h, calls, cases[k])
		if again != nil { // another process first, so that process numbers differ from those of the first time
			shift := suites.Fixture{Path: "{tmp}/.hookwatch-again", Age: time.Hour}
			c.Steps[0].Fixtures = append([]suites.Fixture{shift}, c.Steps[0].Fixtures...)
		}
		o, err := s.run(d.ctx, c, used != nil)
		if errs[k] = err; err != nil {
			return
		}
		names := replaced(o)
		for m, n := range cases[k] {
			if calls[n].from != "" {
				m = calls[n].step
			}
			if m < len(o.Results) {
				out[n] = seenIn(o.Results[m], names)
			} else if o.NotRun != nil {
				out[n] = seen{because: o.NotRun.Note()}
			}
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.fired += len(o.Results); d.progress != nil {
			d.progress(h)
		}
		if used != nil {
			used(o)
		}
	})
	for n, c := range calls {
		if h != nil && again == nil {
			s.seen[h.ID+"\x00"+c.key] = out[n]
		}
	}
	return out, cmp.Or(errors.Join(errs...), d.ctx.Err())
}

// asCase returns the case that sends some of the calls to a hook.
func (d *differ) asCase(h *discover.Hook, calls []*sentCall, some []int) *suites.Case {
	first := calls[some[0]]
	c := *first.c
	c.Suite, c.ID, c.Hook, c.Chain, c.Registered = "diff", h.ID, "", false, h.ID
	if c.Steps = slices.Clone(c.Steps); first.from == "" {
		c.Steps = nil
		for _, n := range some {
			c.Steps = append(c.Steps, calls[n].c.Steps[0])
		}
	}
	for i := range c.Steps {
		c.Steps[i].Hook, c.Steps[i].Registered = "", ""
	}
	return &c
}

// replaced returns a replacer of the names that differ between sandboxes.
func replaced(o suites.Outcome) *strings.Replacer {
	pairs := []string{}
	for i := 0; i+1 < len(o.Named); i += 2 {
		if len(o.Named[i+1]) > 3 { // not empty, nor a port
			pairs = append(pairs, o.Named[i+1], o.Named[i])
		}
	}
	if o.Sandbox != "" {
		pairs = append(pairs, o.Sandbox, "{sandbox}")
	}
	return strings.NewReplacer(pairs...)
}

// firesFor reports whether the client fires a hook for a call.
func firesFor(h *discover.Hook, c *sentCall) bool {
	st := &c.c.Steps[c.step]
	if h.Event != st.Event || h.NotRun() != "" {
		return false
	}
	payload := st.PayloadRaw
	if payload == nil {
		payload, _ = client.Payload(client.PayloadInput{Event: st.Event, Tool: st.Tool, Command: st.Command, FilePath: st.FilePath, Over: st.Payload}) // an event that the client has
	}
	value := cmp.Or(st.MatchedAs, client.MatchedValue(st.Event, st.Tool, payload))
	return (value == "" || client.Match(h.Event, h.Matcher, value)) && h.Takes(st.MatchedAs, payload)
}

// seenIn returns what a hook did, without names of the sandbox.
func seenIn(r suites.Result, names *strings.Replacer) seen {
	s := seen{fired: true, effect: r.Effect, because: names.Replace(r.EffectReason), decision: r.Decision, sees: names.Replace(strings.Join(r.ModelSees, "\n"))}
	s.output = names.Replace(fmt.Sprintf("exit %d %s%s\n%s\n%s", r.Exit, r.Signal, r.NotStarted, bytes.TrimSpace(r.Stdout), bytes.TrimSpace(r.Stderr)))
	if r.TimedOut {
		s.output = "timed out"
	}
	s.missing, _ = client.MissingIn(r)
	var printed struct {
		Specific map[string]json.RawMessage `json:"hookSpecificOutput"`
	}
	if json.Unmarshal(r.Stdout, &printed) == nil && r.Effect != suites.Ignored {
		kept := map[string]any{}
		for key, value := range printed.Specific {
			if strings.HasPrefix(key, "updated") {
				kept[key] = value
			}
		}
		if text, err := json.Marshal(kept); err == nil && len(kept) > 0 {
			s.rewrite = names.Replace(string(text))
		}
	}
	return s
}

// calls returns the calls that the hooks of a pair may react to: those of conform, and those of their
// cases.
func (d *differ) calls(p hookPair) (all, own []*sentCall) {
	known := map[string]bool{}
	add := func(to *[]*sentCall, c *sentCall) {
		step := c.c.Steps[c.step]
		c.key = fmt.Sprint(step.Event, "\x00", step.Tool, "\x00", step.Command, step.FilePath, string(step.Payload), string(step.PayloadRaw), step.Fixtures, c.from, c.step)
		if !known[c.key] {
			known[c.key] = true
			*to = append(*to, c)
		}
	}
	for i, h := range p.hooks {
		if h == nil {
			continue
		}
		for _, c := range d.sides[i].project.Every() {
			meant := c.Hook != "" && slices.Contains(h.Scripts, c.Hook) || c.Registered != "" && h.Answers(c.Registered) || c.Chain
			if !meant || c.Check != nil || c.Layer == suites.Live || c.Key().Generated() {
				continue
			}
			for step := range c.Steps {
				if c.Steps[step].Event == h.Event {
					add(&own, &sentCall{label: fmt.Sprintf("case %s (%s)", c.Key(), c.Name), from: c.Key().String(), c: c, step: step})
				}
			}
		}
		for _, c := range d.recorded {
			if c.c.Steps[0].Event == h.Event {
				add(&own, c)
			}
		}
		for _, t := range conform.Calls(d.sides[i].tree, *h) {
			add(&all, &sentCall{label: t.Input, c: t.Case})
		}
	}
	return all, own
}

// related returns calls that are near to those that either side stopped: other spellings of the
// command, and texts that only mention it.
func (d *differ) related(p hookPair, calls []*sentCall, did [2][]seen) (all []*sentCall) {
	const commands, spellings = 12, 8
	tried := 0
	for i, c := range calls {
		if c.from != "" || tried == commands || did[0][i].rank() < 2 && did[1][i].rank() < 2 {
			continue
		}
		var sent struct {
			Input struct {
				Command string `json:"command"`
			} `json:"tool_input"`
		}
		st := c.c.Steps[0]
		if json.Unmarshal(st.PayloadRaw, &sent) != nil || sent.Input.Command == "" {
			continue
		}
		tried++
		texts := []string{"echo " + quote(sent.Input.Command), sent.Input.Command + " # x"}
		rewrites, _ := prove.Rewrites(sent.Input.Command)
		for _, r := range rewrites {
			if r.Kind == prove.Habit && len(texts) < spellings {
				texts = append(texts, r.Text)
			}
		}
		for _, text := range texts {
			one := conform.Input{Tool: st.Tool, Command: text}.Case(*p.any())
			all = append(all, &sentCall{key: st.Event + "\x00" + st.Tool + "\x00" + text, label: text, c: one})
		}
	}
	return all
}
