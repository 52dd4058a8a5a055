// Package sessions counts what registered hooks did in real sessions, as far as transcripts and
// recorded payloads show it.
package sessions

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"hookwatch/suites/client"
	"hookwatch/suites/corpus"
	"hookwatch/suites/discover"
	"hookwatch/suites/verdict"
)

// Figures are those of a registered hook. Its state is fired if a run is shown, silent if calls start
// it and no run left a record, never if nothing starts it, and unknown if transcripts do not show its
// event. Counts that Exact does not name are lower bounds.
type Figures struct {
	ID       string         `json:"id"`
	At       string         `json:"at"` // of the registration
	State    string         `json:"state"`
	Why      string         `json:"why,omitempty"` // no run is shown
	Counts   map[string]int `json:"counts"`        // calls that start it as it is registered now, fired, and corpus.Outcomes
	Exact    []string       `json:"exact"`         // names of counts
	Inferred int            `json:"inferred"`      // of fired: no record names the hook
	Timed    int            `json:"timed"`         // of fired: with a duration
	P50MS    int64          `json:"p50_ms"`
	P95MS    int64          `json:"p95_ms"`
	Last     time.Time      `json:"last,omitzero"`
	Recorded int            `json:"recorded"` // different payloads of hookwatch record that start it

	hook    discover.Hook
	reasons map[string]int  // why calls did not start it
	seen    map[string]bool // IDs of runs before outcomes, which several records may show
	took    verdict.Durations
	hidden  bool // a refusal that belongs to no hook, or to another one, may be its own
}

// A Tally counts what transcripts show.
type Tally struct {
	Hooks        []*Figures     `json:"hooks"`
	Events       map[string]int `json:"events"`       // calls
	Uncovered    map[string]int `json:"uncovered"`    // calls before which no hook runs, by tool
	Unregistered map[string]int `json:"unregistered"` // runs of other commands, by event and command
	Unattributed map[string]int `json:"unattributed"` // runs that several hooks may have caused, by event

	registered discover.Registered
	script     func(name string) string
	redact     func(text string) string
	entries    map[string][]discover.Entry // by event and value
	starts     map[string][]*Figures       // by event and ID of a call
}

// shownEvents are the events that transcripts of client 2.1.332 show, whatever hooks do.
var shownEvents = []string{"PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "Stop"}

// NewTally returns a tally for the hooks of Claude Code. script returns the content of a hook's script,
// to compare texts with, and redact a text without secrets.
func NewTally(r discover.Registered, script, redact func(string) string) *Tally {
	t := &Tally{
		Hooks: []*Figures{}, Events: map[string]int{}, Uncovered: map[string]int{}, Unregistered: map[string]int{}, Unattributed: map[string]int{},
		registered: r, script: script, redact: redact, entries: map[string][]discover.Entry{}, starts: map[string][]*Figures{},
	}
	for _, h := range slices.Concat(r.Hooks, r.Others) {
		f := &Figures{ID: h.ID, At: h.Source.String(), Counts: map[string]int{"fired": 0}, Exact: []string{}, hook: h, reasons: map[string]int{}, seen: map[string]bool{}}
		if slices.Contains(shownEvents, h.Event) {
			f.Counts["calls"] = 0
		}
		t.Hooks = append(t.Hooks, f)
	}
	return t
}

// Take counts what a record shows. A call precedes the decisions of its hooks.
func (t *Tally) Take(s corpus.Shown) {
	if s.Payload == nil {
		t.run(s)
		return
	}
	t.Events[s.Event]++
	started, passedBy := t.findStarted(s.Event, s.Value, s.Payload)
	for _, f := range started {
		f.Counts["calls"]++
	}
	for f, why := range passedBy {
		f.reasons[why]++
	}
	if s.ID != "" {
		t.starts[s.Event+s.ID] = started
	}
	if s.Event == "PreToolUse" && len(started) == 0 {
		t.Uncovered[s.Value]++
	}
}

// TakePayload counts a payload of hookwatch record.
func (t *Tally) TakePayload(p corpus.Payload) {
	started, _ := t.findStarted(p.Event, client.MatchedValue(p.Event, p.Tool, p.Input), p.Input)
	for _, f := range started {
		f.Recorded++
	}
}

// findStarted returns the hooks that the client starts for a payload, as they are registered now, and why
// it does not start others.
func (t *Tally) findStarted(event, value string, payload []byte) (all []*Figures, passedBy map[*Figures]string) {
	key, passedBy := event+"\x00"+value, map[*Figures]string{}
	if _, known := t.entries[key]; !known {
		t.entries[key] = t.registered.Entries(event, value)
	}
	for _, e := range t.entries[key] {
		f := t.Hooks[slices.IndexFunc(t.Hooks, func(f *Figures) bool { return f.ID == e.Hook.ID })]
		if why := e.WhyNotStarted("", payload); why != "" {
			passedBy[f] = why
		} else {
			all = append(all, f)
		}
	}
	return all, passedBy
}

// run counts a run of a hook.
func (t *Tally) run(s corpus.Shown) {
	may := t.mayRun(s)
	f, name := t.findNamed(s, may)
	isInferred := f == nil && name == ""
	if isInferred {
		f = t.infer(s.Text, may)
	}
	denies := s.Event == "PreToolUse" && slices.Contains(s.Outcomes, corpus.Blocked)
	for _, o := range may {
		o.hidden = o.hidden || denies && o != f || isInferred && f == nil // of several denials the client reports one
	}
	switch {
	case f == nil && name != "":
		t.Unregistered[s.Event+" "+t.redact(name)]++
		return
	case f == nil:
		t.Unattributed[s.Event]++
		return
	}
	before := f.Counts["fired"]
	for _, outcome := range append(s.Outcomes, "fired") {
		key := s.ID + "\x00" + outcome
		listed := outcome == "fired" && s.Async && s.Event == "Stop" // by the record of the end of the turn
		if !f.seen[key] && !listed {
			f.Counts[outcome]++
		}
		f.seen[key] = s.ID != ""
	}
	isNew := f.Counts["fired"] > before
	if s.At.After(f.Last) {
		f.Last = s.At
	}
	if isNew && isInferred {
		f.Inferred++
	}
	if isNew && s.Took > 0 {
		f.took = append(f.took, s.Took.Milliseconds())
	}
}

// mayRun returns the hooks that may have run.
func (t *Tally) mayRun(s corpus.Shown) []*Figures {
	may, known := t.starts[s.Event+s.ID]
	switch {
	case known:
	case s.Value != "":
		may, _ = t.findStarted(s.Event, s.Value, nil)
	default:
		may = t.Hooks[:len(t.registered.Hooks)]
	}
	return slices.DeleteFunc(slices.Clone(may), func(f *Figures) bool { return f.hook.Event != s.Event || f.hook.Entry.InBackground() != s.Async })
}

// ofProject reports whether the settings of the project register the hook.
func (f *Figures) ofProject() bool { return f.hook.Scope == discover.InProject }

// findNamed returns the hook that a record names, by its command or in the text of a refusal, before the
// reason. name is not empty if it is no registered hook's.
func (t *Tally) findNamed(s corpus.Shown, may []*Figures) (f *Figures, name string) {
	var names []string
	if s.Command != "" {
		names = []string{s.Command}
	} else if strings.HasPrefix(s.Text, "[") {
		for at := range len(s.Text) {
			if strings.HasPrefix(s.Text[at:], "]: ") {
				names = append(names, s.Text[1:at])
			}
		}
	}
	others := func(f *Figures) bool { return f.hook.Event != s.Event || !slices.ContainsFunc(names, f.bears) }
	all := slices.DeleteFunc(slices.Clone(may), others)
	if len(all) == 0 {
		all = slices.DeleteFunc(slices.Clone(t.Hooks), others)
	}
	switch {
	case len(all) == 1:
		return all[0], ""
	case len(all) == 0 && len(names) > 0:
		return nil, names[0]
	}
	return nil, ""
}

// bears reports whether the client names the hook so: by its status message in records of an output,
// else by its command, where a sign stands for a line break; observed on client 2.1.332. The directory
// of a plugin may be that of another installation.
func (f *Figures) bears(name string) bool {
	plain := func(text string) string { return strings.TrimSpace(strings.ReplaceAll(text, "\n", "␤")) }
	h := f.hook
	raw := strings.Join(append([]string{h.Command}, h.Args...), " ")
	for _, own := range []string{h.Entry.StatusMessage, raw, h.NamedEntry().Command, h.Entry.Prompt} {
		if own != "" && plain(own) == plain(name) {
			return true
		}
	}
	before, after, ofPlugin := strings.Cut(plain(h.NameIn("\x00", raw)), "\x00")
	ofPlugin = ofPlugin && h.PluginRoot != ""
	return ofPlugin && strings.HasPrefix(plain(name), before) && strings.HasSuffix(plain(name), after)
}

// infer returns the only hook that may have run, or the one whose command or script has the longest
// part of the text.
func (t *Tally) infer(text string, may []*Figures) (f *Figures) {
	if len(may) == 1 {
		return may[0]
	}
	const least, searched = 8, 500 // characters
	text = text[:min(len(text), searched)]
	most := least - 1
	for _, one := range may {
		source, length := one.hook.Command, 0
		for _, name := range one.hook.Scripts {
			source += "\n" + t.script(name)
		}
		for at := range text {
			for at+length < len(text) && strings.Contains(source, text[at:at+length+1]) {
				length++
			}
		}
		if length > most {
			f, most = one, length
		} else if length == most {
			f = nil
		}
	}
	return f
}

// End completes the figures; whole reports that every line could be read. distrusting is the file that says
// that the user does not trust the project, which is why its hooks have no runs if none of them has one.
func (t *Tally) End(whole bool, distrusting string) {
	ran := slices.ContainsFunc(t.Hooks, func(f *Figures) bool { return f.ofProject() && f.Counts["fired"] > 0 })
	distrusted := distrusting != "" && !ran
	for i, f := range t.Hooks {
		f.Timed, f.P50MS, f.P95MS = len(f.took), f.took.Quantile(0.5), f.took.Quantile(0.95)
		f.State, f.Why = t.state(f, i >= len(t.registered.Hooks))
		if distrusted && f.ofProject() && f.State != "never" {
			f.Why = "not trusted in " + distrusting + "; else " + f.Why
		}
		if whole {
			f.Exact = append(f.Exact, f.exactCounts()...)
		}
	}
}

// exactCounts returns the counts that are no lower bounds.
func (f *Figures) exactCounts() (all []string) {
	about, _ := client.EventByName(f.hook.Event)
	calls, known := f.Counts["calls"]
	known = known && f.hook.Event != "UserPromptSubmit" // for which finished tasks count as well
	if known {
		all = append(all, "calls")
	}
	trace := about.Trace
	if f.hook.Entry.InBackground() {
		trace = 0
	}
	if trace == client.TraceAll || known && f.Counts["fired"] == calls {
		all = append(all, "fired")
	}
	if trace >= client.TraceOutput && !f.hidden {
		all = append(all, corpus.Outcomes...)
	}
	return all
}

// state returns whether a hook ran, and why no run is shown; idle hooks are those of no session at the root.
func (t *Tally) state(f *Figures, idle bool) (state, why string) {
	event := f.hook.Event
	calls, known := f.Counts["calls"]
	switch {
	case f.Counts["fired"] > 0:
		return "fired", ""
	case idle:
		entries := t.registered.Entries(event, "")
		return "never", entries[slices.IndexFunc(entries, func(e discover.Entry) bool { return e.Hook.ID == f.ID })].WhyNotRun()
	case !known:
		return "unknown", "transcripts show no calls of " + event + ", and no run that prints nothing"
	case calls > 0:
		return "silent", "a run that prints nothing and exits with 0 leaves no record"
	case t.Events[event] == 0:
		return "never", "these sessions have no " + event
	}
	most := slices.MaxFunc(slices.Sorted(maps.Keys(f.reasons)), func(a, b string) int { return f.reasons[a] - f.reasons[b] })
	return "never", fmt.Sprintf("%s (%d of %d calls)", most, f.reasons[most], t.Events[event])
}
