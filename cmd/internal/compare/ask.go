package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
)

// Seen is what a hook did with a call, or all hooks did.
type Seen struct {
	Fired    bool // the client fires it
	Effect   suites.Effect
	Because  string
	Sees     string // texts that reach the model
	Rewrite  string // of the input or output, as JSON
	Output   string // exit code and streams
	Wrote    string // files that it created, changed or deleted, one a line, with their new sizes
	decision string
	missing  string // what it needs and did not find
}

// unfired is the behaviour of a hook that the client does not fire.
var unfired = Seen{Effect: suites.Proceeds, Because: "the client does not fire it"}

// rank orders what the client does with a call by how far it is kept from it.
func (s Seen) rank() int {
	switch s.Effect {
	case suites.Denied, suites.PromptBlocked, suites.SessionEnds, suites.AnotherTurn:
		return 3
	case suites.Asked, suites.ShownToModel:
		return 2
	case suites.Allowed:
		return 0
	case suites.Rewritten:
		if s.decision == "allow" || s.decision == "approve" {
			return 0
		}
	}
	return 1
}

// ask sends calls to a hook of a side, several in one environment. What it did before is known, unless
// the calls with the indexes in again must be sent again, with those of their environment; round counts
// these attempts from 1.
func (x *Comparison) ask(s *Side, h *discover.Hook, calls []*Call, again []int, round int) ([]Seen, error) {
	out, fires, cases := s.batches(h, calls, again != nil)
	if again != nil {
		cases = slices.DeleteFunc(cases, func(some []int) bool {
			return !slices.ContainsFunc(some, func(n int) bool { return slices.Contains(again, n) })
		})
	}
	requests := make([]suites.Request, len(cases))
	for i, some := range cases {
		c := asCase(h, calls, some)
		if again != nil { // another process first, so that process numbers differ from those of the first time
			for n := range round { // as many as the round, because one may be offset by a process of the sandbox
				shift := suites.Fixture{Path: fmt.Sprintf("{tmp}/.hookwatch-again-%d", n), Age: time.Hour}
				c.Steps[0].Fixtures = append([]suites.Fixture{shift}, c.Steps[0].Fixtures...)
			}
		}
		requests[i] = suites.Request{Case: c, Name: calls[some[0]].Input}
	}
	outcomes, err := s.bench.All(x.ctx, requests)
	for i, o := range outcomes {
		names, some := replaced(o), cases[i]
		fired := len(o.Results)
		if h == every && fired > 0 {
			fired = fires[some[0]] // they are combined
		}
		x.Firings.Add(int64(fired))
		for m, n := range some {
			if calls[n].own() {
				m = calls[n].step
			}
			if m < len(o.Results) {
				out[n] = seenIn(o.Results[m], names)
				out[n].Wrote = names.Replace(written(o.Results[:m+1]))
			} else if o.NotRun != nil {
				out[n] = Seen{Fired: true, Effect: suites.Proceeds, Because: o.NotRun.Note()}
			}
		}
	}
	for n, c := range calls {
		if h != nil && again == nil && err == nil {
			s.seen[h.ID+"\x00"+c.key] = out[n]
		}
	}
	return out, err
}

// askBoth sends calls to the hooks of a pair at the same time, as ask does.
func (x *Comparison) askBoth(p pair, calls []*Call, again []int, round int) (did [2][]Seen, err error) {
	var group errgroup.Group
	for i, s := range x.Sides {
		group.Go(func() (err error) {
			did[i], err = x.ask(s, p[i], calls, again, round)
			return err
		})
	}
	return did, group.Wait()
}

// batches returns what is already known of calls, the number of hooks that each fires, and the indexes of
// those to ask for, together those that share a case. again asks for known ones, too.
func (s *Side) batches(h *discover.Hook, calls []*Call, again bool) (out []Seen, fires []int, cases [][]int) {
	out, fires = make([]Seen, len(calls)), make([]int, len(calls))
	for n, c := range calls {
		out[n] = unfired
		if fires[n] = s.firing(h, c); fires[n] == 0 {
			continue
		}
		if did, known := s.seen[h.ID+"\x00"+c.key]; known {
			if out[n] = did; !again {
				continue
			}
		}
		const batch = 8
		last := len(cases) - 1
		if last < 0 || c.alone || calls[cases[last][0]].alone || c.From != calls[cases[last][0]].From || c.From == "" && len(cases[last]) == batch {
			cases = append(cases, nil)
			last++
		}
		cases[last] = append(cases[last], n)
	}
	return out, fires, cases
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

// written returns the files that the last step of a case wrote, without compiled modules.
func written(steps []suites.Result) string {
	last := len(steps) - 1
	var all []string
	for _, c := range steps[last].Changes {
		if last > 0 && slices.Contains(steps[last-1].Changes, c) || strings.Contains(c.Path, "__pycache__") {
			continue
		}
		all = append(all, fmt.Sprintf("%s %s (%d bytes)", c.Kind, c.Path, c.Size))
	}
	return strings.Join(all, "\n")
}

// seenIn returns what a hook did, without names of the sandbox.
func seenIn(r suites.Result, names *strings.Replacer) Seen {
	s := Seen{Fired: true, Effect: r.Effect, Because: names.Replace(r.EffectReason), decision: r.Decision, Sees: names.Replace(strings.Join(r.ModelSees, "\n"))}
	s.Output = names.Replace(fmt.Sprintf("exit %d %s%s\n%s\n%s", r.Exit, r.Signal, r.NotStarted, bytes.TrimSpace(r.Stdout), bytes.TrimSpace(r.Stderr)))
	if r.TimedOut {
		s.Output = "timed out"
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
			s.Rewrite = names.Replace(string(text))
		}
	}
	return s
}
