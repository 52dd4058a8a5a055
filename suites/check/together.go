package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/discover"
)

// A Whole is a call of which all hooks are fired, as a client fires them.
type Whole struct {
	Client string // "" is Claude Code
	Event  string
	Tool   string // "" for an event without one
	Case   *suites.Case
	Times  int     // that it is fired: several times for its latency
	of     *Report // of the hook that decided about it alone
	fired  fired   // by that hook
}

// A Part is what one hook of a call did.
type Part struct {
	Hook   discover.Hook
	Result suites.Result
}

// latencies is how often a harmless call is fired for its latency.
const latencies = 5

// Calls returns the calls to fire: one harmless call of each event and tool, and those about which a hook came
// to a decision by itself, if something else decides about them as well, or another client makes them, too.
func (t Tree) Calls(reports []Report) (all []Whole) {
	measured := map[string]bool{}
	for i := range reports {
		r := &reports[i]
		h := r.Hook
		if why := cmp.Or(h.WhyNotRun(), r.Absent); why != "" || !h.Scope.IsEverywhere() {
			continue
		}
		for _, f := range typical(h, t) {
			c := t.call(h.Client, f, h)
			key := strings.Join([]string{c.Client, c.Event, c.Tool}, "\x00")
			if c.Case.Steps[0].PayloadRaw != nil && !measured[key] {
				measured[key], c.Times = true, latencies
				all = append(all, c)
			}
		}
		for _, f := range r.decisions {
			for _, client := range t.deciding(h, f) {
				c := t.call(client, f.firing, h)
				c.of, c.fired = r, f
				all = append(all, c)
			}
		}
	}
	return all
}

// deciding returns the names of clients that make a call about which a hook came to a decision: its own if something
// else decides about the call as well, and others.
func (t Tree) deciding(h discover.Hook, f fired) (names []string) {
	if t.Shares(h, f.tool) {
		names = append(names, h.Client)
	}
	for _, other := range t.Clients {
		if h.Client == "" && other.Measured != "" && stopped(f.Result) {
			names = append(names, other.Name)
		}
	}
	return names
}

// call returns the call of a firing.
func (t Tree) call(of string, f firing, h discover.Hook) Whole {
	c := f.asCase(h)
	c.ID, c.Registered, c.Chain, c.Client, c.Timeout, c.Patient = f.event, "", true, of, 0, false
	return Whole{Client: of, Event: f.event, Tool: f.tool, Case: c, Times: 1}
}

// Shares reports whether another hook, or a permission rule, may decide about the calls of a tool for which a
// hook is fired.
func (t Tree) Shares(h discover.Hook, tool string) bool {
	r := t.Registered
	if of, other := clients.ByName(h.Client); other {
		r = r.Of(of)
	}
	if !h.Scope.IsEverywhere() {
		return false
	}
	ruled := len(r.Rules) > 0 && h.Event == "PreToolUse"
	return ruled || slices.ContainsFunc(r.For(h.Event, tool), func(o discover.Hook) bool { return o.ID != h.ID })
}

// decisions returns the first firings by which a hook came to each effect that counts in a call.
func (r *results) decisions() (all []fired) {
	for _, effect := range []suites.Effect{suites.Denied, suites.Asked, suites.Allowed, suites.Rewritten} {
		for _, part := range []string{"typical", "named", "search", "ruled"} {
			if i := slices.IndexFunc(r.by[part], func(f fired) bool { return f.Effect == effect && !f.isArranged() }); i >= 0 {
				all = append(all, r.by[part][i])
				break
			}
		}
	}
	return all
}

// Judge judges what the hooks of a call did together, and its effect in the client.
func (c Whole) Judge(parts []Part, all suites.Result) (found []Finding) {
	if c.of == nil {
		return nil
	}
	h, alone := c.of.Hook, c.fired
	if h.Client != c.Client {
		if stopped(all) || all.NotStarted != "" {
			return nil
		}
		of, _ := clients.ByName(c.Client)
		f := FindingOf("one-client", h.ID, h.Source, fmt.Sprintf("it denies %s in Claude Code; no hook of %s stops it", alone.input(), of.Title))
		if of.Reads(h.Source.File) {
			f.Remedy = "read the fields of both payloads (hookwatch help clients)"
		}
		return []Finding{f}
	}
	var rewriting []string
	for _, p := range parts {
		if p.Result.Effect == suites.Rewritten {
			rewriting = append(rewriting, p.Hook.ID)
		}
	}
	if len(rewriting) > 1 {
		f := FindingOf("input-race", "", h.Source, fmt.Sprintf("%s %s: the input is rewritten by %s", c.Event, c.Tool, strings.Join(rewriting, " and ")))
		f.Hooks = rewriting
		found = append(found, f)
	}
	did, severity := "it allows", suites.Info // what others may deny, which is usual
	if alone.Effect == suites.Asked {
		did, severity = "it asks about", suites.Warning
	}
	switch {
	case !stopped(all), slices.Contains(all.By, h.ID):
	case alone.Effect == suites.Allowed, alone.Effect == suites.Asked && all.Effect == suites.Denied:
		found = append(found, FindingOf("overruled", h.ID, h.Source, fmt.Sprintf("%s %s, and the call is %s by %s", did, alone.input(), all.Effect, strings.Join(all.By, " and ")), severity))
	}
	return found
}

// Latency is how long the client waits for all hooks of a call.
type Latency struct {
	Client string `json:"client,omitempty"` // "" is Claude Code
	Event  string `json:"event"`
	Tool   string `json:"tool,omitempty"`
	Hooks  int    `json:"hooks"` // that were fired
	Runs   int    `json:"runs"`
	P50MS  int64  `json:"p50_ms"`
	P95MS  int64  `json:"p95_ms"`
}

// Slow returns a finding for a call whose hooks usually take longer than a budget, 0 for any time. One slow run
// proves nothing on a busy machine.
func (l Latency) Slow(parts []Part, budget time.Duration) []Finding {
	if budget == 0 || time.Duration(l.P50MS)*time.Millisecond <= budget || len(parts) == 0 {
		return nil
	}
	slowest := slices.MaxFunc(parts, func(a, b Part) int { return cmp.Compare(a.Result.Duration, b.Result.Duration) })
	f := FindingOf("slow-call", slowest.Hook.ID, slowest.Hook.Source, fmt.Sprintf("%s: all hooks take %d ms (p50) and %d ms (p95) together, more than budget.call (%s); the slowest is %s",
		strings.TrimSpace(l.Event+" "+l.Tool), l.P50MS, l.P95MS, budget, slowest.Hook.ID))
	return []Finding{f.forEvent(l.Event)}
}
