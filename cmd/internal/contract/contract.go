// Package contract plays the measured cells of the client's contract to an installed
// client, and holds what it does against what hookwatch predicts.
package contract

import (
	"context"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/cells"
	"hookwatch/suites/discover"
	"hookwatch/suites/run"
)

// patience is how long one client may take.
const patience = time.Minute

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
	Client string
	Rows   []Row
	Fault  string // how a client went wrong, "" for none
}

// Play plays the cells, jobs clients at a time.
func Play(ctx context.Context, r *run.Runner, jobs int, all []cells.Cell) (Result, error) {
	p := &player{plain: alone(r, nil), asking: alone(r, answering)}
	defer p.plain.Close()
	defer p.asking.Close()
	var res Result
	played := slices.DeleteFunc(slices.Clone(all), func(c cells.Cell) bool {
		why := unplayed(c)
		if why != "" {
			res.Rows = append(res.Rows, Row{ID: c.ID(), Verdict: NotReachable, Because: why})
		}
		return why != ""
	})
	plan := sessions(played)
	rows := make([][]Row, len(plan))
	errs := make([]error, len(plan))
	next := make(chan int)
	var wait sync.WaitGroup
	for range max(jobs, 1) {
		wait.Go(func() {
			for i := range next {
				rows[i], errs[i] = p.session(ctx, i, plan[i])
			}
		})
	}
	for i := range plan {
		next <- i
	}
	close(next)
	wait.Wait()
	for i := range plan {
		if errs[i] != nil {
			return res, errs[i]
		}
		res.Rows = append(res.Rows, rows[i]...)
	}
	res.Client, res.Fault = p.version, p.fault
	place := make(map[string]int)
	for i, c := range all {
		place[c.ID()] = i
	}
	slices.SortFunc(res.Rows, func(a, b Row) int { return place[a.ID] - place[b.ID] })
	return res, ctx.Err()
}

type player struct {
	plain, asking *run.Runner
	mu            sync.Mutex
	version       string
	fault         string
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

func (p *player) session(ctx context.Context, number int, s session) ([]Row, error) {
	r := p.plain
	if s.event == "PermissionRequest" {
		r = p.asking
	}
	o, err := r.Case(ctx, s.asCase(number))
	if err != nil {
		return nil, err
	}
	if err := r.Remove(o); err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	if o.NotRun != nil {
		return s.unreached(0, o.NotRun.Note), nil
	}
	var rows []Row
	for i, res := range o.Results {
		if res.NotStarted != "" || res.TimedOut {
			p.note("", res.NotStarted)
			return append(rows, s.unreached(i, res.NotStarted)...), nil
		}
		p.note(res.Client, "")
		rows = append(rows, s.judge(i, res))
	}
	return append(rows, s.unreached(len(o.Results), "the client ended before")...), nil
}

func (p *player) note(version, fault string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if version != "" {
		p.version = version
	}
	if fault != "" {
		p.fault = fault
	}
}

func (s session) judge(i int, r suites.Result) Row {
	c := s.cells[i]
	j := c.Judge(client.Version(r.Client), cells.Observation{
		Command: s.entry.Command, Matched: s.matched(), Answered: s.answered(i, r), Effect: r.Effect, Texts: r.ModelSees,
	})
	row := Row{c.ID(), Confirmed, j.Predicted, j.Seen, ""}
	if j.Changed != "" {
		row.Verdict, row.Because = Changed, j.Changed+"; seen: "+r.EffectReason
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

// matched is what a matcher would be compared with.
func (s session) matched() string {
	switch s.event {
	case "PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure":
		return "Bash"
	case "SessionStart":
		if s.starts {
			return "startup"
		}
		return "clear"
	default:
		return ""
	}
}

func (s session) unreached(from int, why string) []Row {
	var rows []Row
	for _, c := range s.cells[min(from, len(s.cells)):] {
		rows = append(rows, Row{ID: c.ID(), Verdict: NotReachable, Because: why})
	}
	return rows
}
