// Package contract plays the measured cells of the client's contract to an installed
// client, and holds what it does against what hookwatch predicts.
package contract

import (
	"context"
	"os"
	"strconv"
	"strings"
	"sync"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/cells"
	"hookwatch/suites/discover"
	"hookwatch/suites/run"
)

// A Verdict is what became of a cell.
type Verdict string

// The verdicts.
const (
	Confirmed    Verdict = "confirmed"
	Changed      Verdict = "changed"
	NotReachable Verdict = "not reachable"
)

// A Row is one cell with its verdict.
type Row struct {
	ID        string        `json:"id"`
	Verdict   Verdict       `json:"verdict"`
	Predicted suites.Effect `json:"predicted,omitempty"`
	Seen      suites.Effect `json:"seen,omitempty"`
	Because   string        `json:"because,omitempty"` // of a cell that is not confirmed
}

// A Result is what a client was seen to do.
type Result struct {
	Client string // its version
	Rows   []Row  // in the order of the cells
	Absent string // why there is no client, "" where there is one
	Fault  string // in what way the client went wrong, "" where it did not
}

// Play plays the cells, jobs clients at a time.
func Play(ctx context.Context, r *run.Runner, jobs int, all []cells.Cell) (Result, error) {
	p := &player{plain: alone(r, nil), asking: alone(r, answering), rows: make(map[string]Row)}
	defer p.plain.Close()
	defer p.asking.Close()
	var played []cells.Cell
	for _, c := range all {
		if why := unplayed(c); why != "" {
			p.unreached([]cells.Cell{c}, why)
		} else {
			played = append(played, c)
		}
	}
	p.all(ctx, jobs, sessions(played))
	p.all(ctx, jobs, p.again(played)) // what changed is told once it is seen alone, too
	for _, c := range all {
		p.result.Rows = append(p.result.Rows, p.rows[c.ID()])
	}
	if p.err == nil {
		p.err = ctx.Err()
	}
	return p.result, p.err
}

// A player plays sessions, and collects what comes of them.
type player struct {
	plain, asking *run.Runner

	mu     sync.Mutex
	rows   map[string]Row
	result Result
	err    error
}

// alone is a runner of which the project's own hooks are no part.
func alone(r *run.Runner, hooks func(event, value string) []discover.Hook) *run.Runner {
	o := r.Options
	o.Hooks, o.InForce, o.Registered = hooks, nil, nil
	return run.New(o)
}

// answering tells of the hook of sessions in which hooks answer permission questions.
func answering(event, _ string) []discover.Hook {
	if event != "PermissionRequest" {
		return nil
	}
	return []discover.Hook{{Entry: client.Entry{Event: event}}}
}

func (p *player) all(ctx context.Context, jobs int, plan []session) {
	next := make(chan int)
	var wait sync.WaitGroup
	for range max(jobs, 1) {
		wait.Go(func() {
			for i := range next {
				if why := p.over(); why != "" {
					p.unreached(plan[i].cells, why)
					continue
				}
				p.session(ctx, i, plan[i])
			}
		})
	}
	for i := range plan {
		next <- i
	}
	close(next)
	wait.Wait()
}

// again are sessions of the cells that changed, a client of its own for each.
func (p *player) again(played []cells.Cell) (plan []session) {
	for _, c := range played {
		if p.rows[c.ID()].Verdict == Changed {
			plan = append(plan, sessions([]cells.Cell{c})...)
		}
	}
	return plan
}

// over says why nothing more is played: there is no client, or one that goes wrong
// before it has done anything, and would so again.
func (p *player) over() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.result.Absent != "":
		return p.result.Absent
	case p.err != nil:
		return "hookwatch could not go on"
	case p.result.Client == "":
		return p.result.Fault
	default:
		return ""
	}
}

func (p *player) session(ctx context.Context, number int, s session) {
	r := p.plain
	if s.event == "PermissionRequest" {
		r = p.asking
	}
	o, err := r.Case(ctx, s.asCase(number))
	if err == nil {
		if err = r.Remove(o); os.IsNotExist(err) {
			err = nil
		}
	}
	if err != nil {
		p.note(func() { p.err = err })
		p.unreached(s.cells, err.Error())
		return
	}
	p.take(s, o)
}

// take judges what a session came to.
func (p *player) take(s session, o suites.Outcome) {
	if o.NotRun != nil {
		if absent, ok := strings.CutPrefix(o.NotRun.Note, suites.NoteAbsent); ok {
			p.note(func() { p.result.Absent = absent })
		}
		p.unreached(s.cells, strings.TrimPrefix(o.NotRun.Note, suites.NoteNotLive))
		return
	}
	why := "the client ended before it came to this cell"
	reached := 0
	for i, res := range o.Results {
		if fault := faultOf(res); fault != "" {
			why = fault
			p.note(func() { p.result.Fault = fault })
			break
		}
		row := s.judge(i, res, named(o))
		reached++
		p.note(func() { p.result.Client, p.rows[row.ID] = res.Client, row })
	}
	p.unreached(s.cells[min(reached, len(s.cells)):], why)
}

// faultOf says in what way the client went wrong.
func faultOf(r suites.Result) string {
	if r.TimedOut {
		return "the client did not end in " + r.Timeout.String()
	}
	return r.NotStarted
}

func (p *player) note(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	do()
}

func (p *player) unreached(of []cells.Cell, why string) {
	for _, c := range of {
		p.note(func() { p.rows[c.ID()] = Row{ID: c.ID(), Verdict: NotReachable, Because: why} })
	}
}

// named puts the names of templates into the place of what they stand for, which is
// another in each run.
func named(o suites.Outcome) func(string) string {
	pairs := []string{o.Sandbox, "{sandbox}"}
	for i := 0; i+1 < len(o.Named); i += 2 {
		if o.Named[i] == "{server}" && o.Named[i+1] != "" {
			pairs = append(pairs, o.Named[i+1], o.Named[i])
		}
	}
	return strings.NewReplacer(pairs...).Replace
}

func (s session) judge(i int, r suites.Result, named func(string) string) Row {
	c := s.cells[i]
	var texts []string
	for _, text := range r.ModelSees {
		texts = append(texts, named(text))
	}
	j := c.Judge(client.Version(r.Client), cells.Observation{
		Command: s.entry.Command, URL: s.entry.URL, Matched: s.matched(), Answered: s.answered(i, r), Effect: r.Effect, Texts: texts,
	})
	row := Row{c.ID(), Confirmed, j.Predicted, j.Seen, j.Changed}
	if j.Changed != "" {
		row.Verdict = Changed
	}
	return row
}

// answered reports whether the hook said what the cell says. Of one that runs beside
// the client, or elsewhere, it is enough that the client fired it.
func (s session) answered(i int, r suites.Result) bool {
	if s.entry.Async || s.entry.Type == "http" {
		return r.Fired
	}
	return string(r.Files[taken]) == strconv.Itoa(i)
}
