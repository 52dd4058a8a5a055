package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"time"

	"github.com/rs/zerolog"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/verdict"
)

var _ = register(&format{
	name: "json", help: "one JSON document", layout: asDocument,
	view: func(a *app, p *session.Project, _ notify.Options, _ bool) session.View {
		return session.Multi(newJSON(a.json(), p.Agent), diagnostics{a.log()})
	},
	write: func(a *app, r result) error {
		enc := a.encoder()
		enc.SetIndent("", "  ")
		return enc.Encode(r.doc)
	},
})

// diagnostics logs events for which a document has no field.
type diagnostics struct{ log zerolog.Logger }

func (d diagnostics) Handle(e session.Event) {
	switch e := e.(type) {
	case session.Warning:
		d.log.Warn().Msg(e.Text)
	case session.Problems:
		for _, p := range e.List {
			d.log.Error().Msg(p.Error())
		}
	}
}

func (d diagnostics) Close() error { return nil }

// schemaVersion is the "version" of every document and line of JSON. It changes only if programs
// that read them must change.
const schemaVersion = 1

// A runDocument is written by newJSON at the end of a run. The five counts add up to the total,
// in the document and in each suite.
type runDocument struct {
	Version int `json:"version"`
	runSummary
	Cases []suites.Record `json:"cases"` // in case order
}

// A runSummary is the result of a run without its cases.
type runSummary struct {
	RunID     string `json:"run_id"`
	Project   string `json:"project"`
	Client    string `json:"client"` // version of the client; "" if none was used
	Isolation string `json:"isolation"`
	Weaker    string `json:"isolation_why,omitempty"` // why it is not namespaces
	Of        int    `json:"of"`                      // cases of the project
	Total     int    `json:"total"`                   // of these, in this run
	suites.Tally
	DurationMS int64          `json:"duration_ms"` // wall time of the run
	HookMS     int64          `json:"hook_ms"`     // sum over the hooks' own processes
	Reason     string         `json:"aborted_reason,omitempty"`
	StandIns   []string       `json:"stand_ins,omitempty"` // such as "jaq=gojq 0.12.19"
	Suites     []suiteSummary `json:"suites"`              // in the order of their first case
	Groups     []groupSummary `json:"groups"`              // of the failures, by their causes
}

// A groupSummary is a group of failures with one cause. Each failure of a run is in one.
type groupSummary struct {
	Cause verdict.CauseKind `json:"cause"`
	Hook  string            `json:"hook"` // or the library at fault
	Text  string            `json:"text"`
	Cases []string          `json:"cases"` // suite/ID, in case order
}

// A suiteSummary is the part of one suite in a runSummary.
type suiteSummary struct {
	Name  string `json:"name"`
	Agent string `json:"agent"`
	Total int    `json:"total"`
	suites.Tally
}

// newJSON returns a view that writes one runDocument per run to out, on one line, at the end of
// the run; a superseded run writes none. agent returns the agent name of a suite; if it is nil
// the names are empty. Close returns the first write error; it does not close out.
func newJSON(out io.Writer, agent func(suite string) string) session.View {
	return &jsonView{lines: lineWriter{out: out}, agent: agent, of: func(v *jsonView, e session.Event) any {
		if e, ok := e.(session.RunDone); ok {
			return runDocument{schemaVersion, summarise(e, v.agent, v.failed), list(e.Records)}
		}
		return nil
	}}
}

// A jsonView writes what it makes of events.
type jsonView struct {
	lines  lineWriter
	agent  func(suite string) string
	failed mismatches
	of     func(*jsonView, session.Event) any // nil for an event that is not written
}

// mismatches holds the mismatches of a run's failures, because records do not contain them.
type mismatches map[suites.Key][]suites.Mismatch

// see stores the mismatches of a case, and discards those of the previous run.
func (m *mismatches) see(e session.Event) {
	switch e := e.(type) {
	case session.RunStarted:
		*m = mismatches{}
	case session.CaseDone:
		if *m != nil && e.Verdict.Status == suites.Fail {
			(*m)[e.Record.Key()] = e.Verdict.Mismatches
		}
	}
}

func (m mismatches) groups(records []suites.Record) []groupSummary {
	failed := verdict.Failures(records)
	for i := range failed {
		failed[i].Mismatches = m[failed[i].Record.Key()]
	}
	out := []groupSummary{}
	for _, g := range verdict.CauseGroups(failed) {
		out = append(out, groupSummary{Cause: g.Kind, Hook: g.Hook, Text: g.Text, Cases: keyTexts(g.Keys())})
	}
	return out
}

func (v *jsonView) Handle(e session.Event) {
	v.failed.see(e)
	if value := v.of(v, e); value != nil {
		v.lines.write(value)
	}
}

func (v *jsonView) Close() error { return v.lines.err }

func summarise(e session.RunDone, agent func(string) string, failed mismatches) runSummary {
	return runSummary{
		RunID: e.RunID, Project: e.Project, Client: e.Client, Isolation: e.Isolation, Weaker: e.Weaker,
		Of: e.State.Total(), Total: e.Tally.Total(), Tally: e.Tally,
		DurationMS: e.Duration.Round(time.Millisecond).Milliseconds(),
		HookMS:     e.HookTime.Round(time.Millisecond).Milliseconds(),
		Reason:     e.Aborted, StandIns: e.StandIns,
		Suites: summariseSuites(e.Records, agent),
		Groups: failed.groups(e.Records),
	}
}

func summariseSuites(records []suites.Record, agent func(string) string) []suiteSummary {
	index := map[string]int{}
	out := []suiteSummary{}
	for _, r := range records {
		i, ok := index[r.Suite]
		if !ok {
			i = len(out)
			index[r.Suite] = i
			out = append(out, suiteSummary{Name: r.Suite})
			if agent != nil {
				out[i].Agent = agent(r.Suite)
			}
		}
		out[i].Add(r.Status())
		out[i].Total++
	}
	return out
}

// list returns s, or an empty slice if s is nil, to encode it as [] rather than null.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// A lineWriter writes values as JSON, one per line, each with a single write.
type lineWriter struct {
	out io.Writer
	err error
}

func (w *lineWriter) write(v any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // hooks and reasons are full of < > &
	err := enc.Encode(v)
	if err == nil {
		_, err = w.out.Write(b.Bytes())
	}
	if w.err == nil {
		w.err = err
	}
}
