package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/check"
	"hookwatch/suites/client"
	"hookwatch/suites/corpus"
	"hookwatch/suites/discover"
	"hookwatch/suites/prove"
	"hookwatch/suites/shell"
)

// A Call is one event that is sent to hooks.
type Call struct {
	Input string              // as shown
	From  string              // the case or recorded payload that it is of, if any
	Shown func(string) string // removes the secrets of a recorded call from what is reported; may be nil

	key   string
	c     *suites.Case
	step  int
	alone bool // nothing else can be sent in its case
}

// own reports whether the call is a step of a case of its own.
func (c *Call) own() bool { return c.From != "" || c.alone }

// Recorded returns recorded payloads as calls.
func Recorded(c *corpus.Corpus, payloads []corpus.Payload) (all []*Call) {
	for _, p := range payloads {
		all = append(all, &Call{Input: "recorded: " + p.Label(), From: "recorded/" + p.ID, key: p.ID, c: c.Restore(c.Case(p)), Shown: c.Text})
	}
	return all
}

// calls returns the calls that the hooks of a pair may react to: those of check, and those of their
// cases and of sessions.
func (x *Comparison) calls(p pair) (all, own []*Call) {
	known := map[string]bool{}
	add := func(to *[]*Call, c *Call) {
		c.key = c.identity()
		if !known[c.key] {
			known[c.key] = true
			*to = append(*to, c)
		}
	}
	for i, h := range p {
		if h == nil {
			continue
		}
		for _, c := range x.Sides[i].Project.Every() {
			meant := c.Hook != "" && slices.Contains(h.Scripts, c.Hook) || c.Registered != "" && h.Answers(c.Registered) || c.Chain
			if !meant || c.Check != nil || c.Layer == suites.Live || c.Key().IsGenerated() {
				continue
			}
			for step := range c.Steps {
				if c.Steps[step].Event == h.Event {
					add(&own, &Call{Input: fmt.Sprintf("case %s (%s)", c.Key(), c.Name), From: c.Key().String(), c: c, step: step})
				}
			}
		}
		for _, c := range x.recorded {
			if c.c.Steps[0].Event == h.Event {
				add(&own, c)
			}
		}
		for _, t := range check.Tries(x.Sides[i].tree, *h) {
			add(&all, &Call{Input: t.Input, c: t.Case})
		}
	}
	return all, own
}

// identity returns a text that no other call has.
func (c *Call) identity() string {
	step := c.c.Steps[c.step]
	id := fmt.Sprint(step.Event, "\x00", step.Tool, "\x00", step.Command, step.FilePath, string(step.Payload), string(step.PayloadRaw), step.Env, step.Fixtures, c.From, c.step)
	if c.alone {
		id += "\x00" + c.Input // which tells what was arranged
	}
	return id
}

// related returns calls that are near to those that either side stopped: other spellings of the
// command, texts that only mention it, two of them in one command, and one in the background.
func related(p pair, calls []*Call, did [2][]Seen) (all []*Call) {
	const commands, spellings, quoted = 12, 11, 3
	tried, last := 0, ""
	for i, c := range calls {
		if c.own() || tried == commands || did[0][i].rank() < 2 && did[1][i].rank() < 2 {
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
		texts := []string{"echo " + shell.Quote(sent.Input.Command), sent.Input.Command + " # x", sent.Input.Command + " &", "cat <<'EOF'\n" + sent.Input.Command + "\nEOF", "cd /srv/projects/example/packages/frontend/src && " + sent.Input.Command}
		if last != "" {
			texts = append(texts, last+" && "+sent.Input.Command)
		}
		last = sent.Input.Command
		rewrites, _ := prove.Rewrites(sent.Input.Command)
		for _, most := range []struct {
			of prove.Kind
			n  int
		}{{prove.Habit, spellings}, {prove.Quoting, spellings + quoted}} {
			for _, r := range rewrites {
				if r.Kind == most.of && len(texts) < most.n {
					texts = append(texts, r.Text)
				}
			}
		}
		for _, text := range texts {
			one := check.Input{Tool: st.Tool, Command: text}.Case(*p.any())
			all = append(all, &Call{key: st.Event + "\x00" + st.Tool + "\x00" + text, Input: text, c: one})
		}
	}
	return all
}

// every represents all hooks that the client fires for a call.
var every = &discover.Hook{}

// firing returns the number of hooks that the client fires for a call: of all, or whether it fires h.
func (s *Side) firing(h *discover.Hook, c *Call) int {
	st := &c.c.Steps[c.step]
	if h == nil || h != every && (h.Event != st.Event || h.WhyNotRun() != "") {
		return 0
	}
	payload := st.PayloadRaw
	if payload == nil {
		payload, _ = client.Payload(client.PayloadInput{Event: st.Event, Tool: st.Tool, Command: st.Command, FilePath: st.FilePath, Over: st.Payload}) // an event that the client has
	}
	value := cmp.Or(st.MatchedAs, client.MatchedValue(st.Event, st.Tool, payload))
	switch {
	case h == every:
		return len(s.Runner.Hooks(st.Event, value))
	case (value == "" || h.Matches(value)) && h.Takes(st.MatchedAs, payload):
		return 1
	}
	return 0
}

// asCase returns the case that sends some of the calls to a hook.
func asCase(h *discover.Hook, calls []*Call, some []int) *suites.Case {
	first := calls[some[0]]
	c := *first.c
	c.Suite, c.ID, c.Hook, c.Chain, c.Registered = "diff", cmp.Or(h.ID, c.ID), "", h == every, h.ID
	if c.Steps = slices.Clone(c.Steps); !first.own() {
		c.Steps = nil
		for _, n := range some {
			c.Steps = append(c.Steps, calls[n].c.Steps[0])
		}
	}
	for i := range c.Steps {
		st := &c.Steps[i]
		if st.Hook = ""; h == every || !first.alone {
			st.Registered = "" // otherwise another hook may be fired before this one
		}
		// So that the files are known that each step wrote.
		st.Expect.Files = append(slices.Clone(st.Expect.Files), suites.FileExpectation{Path: "{tmp}/.hookwatch-none", Change: suites.Untouched})
	}
	check.Hasten(&c)
	return &c
}
