package cli

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/run"
)

// A contractResult is what a client was seen to do.
type contractResult struct {
	Client string        // its version
	Rows   []contractRow // in the order of the questions
	Absent string        // why there is no client, "" where there is one
	Fault  string        // in what way the client went wrong, "" where it did not
}

// playQuestions asks the questions, jobs clients at a time.
func playQuestions(ctx context.Context, r *run.Runner, jobs int, all []question) (contractResult, error) {
	p := &player{plain: contractRunner(r, nil), asking: contractRunner(r, answering), rows: make(map[string]contractRow)}
	defer p.plain.Close()
	defer p.asking.Close()
	var played []question
	for _, q := range all {
		if why := unplayed(q); why != "" {
			p.unreached([]string{q.ID()}, why)
		} else {
			played = append(played, q)
		}
	}
	p.all(ctx, jobs, playsOf(played))
	p.all(ctx, jobs, p.again(played)) // what changed is told once it is seen alone, too
	for _, q := range all {
		p.result.Rows = append(p.result.Rows, p.rows[q.ID()])
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
	rows   map[string]contractRow
	result contractResult
	err    error
}

// contractRunner is a runner of which the project's own hooks are no part.
func contractRunner(r *run.Runner, hooks func(event, value string) []discover.Hook) *run.Runner {
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

func (p *player) all(ctx context.Context, jobs int, plays []play) {
	next := make(chan int)
	var wait sync.WaitGroup
	for range max(jobs, 1) {
		wait.Go(func() {
			for i := range next {
				if why := p.over(); why != "" {
					p.unreached(plays[i].ids(), why)
					continue
				}
				p.session(ctx, i, plays[i])
			}
		})
	}
	for i := range plays {
		next <- i
	}
	close(next)
	wait.Wait()
}

// again are the questions whose answer changed, a client of its own for each.
func (p *player) again(played []question) (plays []play) {
	for _, q := range played {
		if p.rows[q.ID()].Verdict == changed {
			plays = append(plays, playsOf([]question{q})...)
		}
	}
	return plays
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

func (p *player) session(ctx context.Context, number int, s play) {
	r := p.plain
	if s.hooksAnswer() {
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
		p.unreached(s.ids(), err.Error())
		return
	}
	p.take(s, o)
}

// take judges what a session came to.
func (p *player) take(s play, o suites.Outcome) {
	if o.NotRun != nil {
		if absent, ok := strings.CutPrefix(o.NotRun.Note, suites.NoteAbsent); ok {
			p.note(func() { p.result.Absent = absent })
		}
		p.unreached(s.ids(), strings.TrimPrefix(o.NotRun.Note, suites.NoteNotLive))
		return
	}
	why := "the client ended before it came to this cell"
	var reached []string
	for i, res := range o.Results {
		if fault := faultOf(res); fault != "" {
			why = fault
			p.note(func() { p.result.Fault = fault })
			break
		}
		for _, row := range s.judge(i, res, namedBy(o)) {
			reached = append(reached, row.ID)
			p.note(func() { p.result.Client, p.rows[row.ID] = res.Client, row })
		}
	}
	p.unreached(slices.DeleteFunc(s.ids(), func(id string) bool { return slices.Contains(reached, id) }), why)
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

func (p *player) unreached(ids []string, why string) {
	for _, id := range ids {
		p.note(func() { p.rows[id] = contractRow{ID: id, Verdict: notReachable, Because: why} })
	}
}

// namedBy puts the names of templates into the place of what they stand for, which is
// another in each run.
func namedBy(o suites.Outcome) func(string) string {
	pairs := []string{o.Sandbox, "{sandbox}"}
	for i := 0; i+1 < len(o.Named); i += 2 {
		if o.Named[i] == "{server}" && o.Named[i+1] != "" {
			pairs = append(pairs, o.Named[i+1], o.Named[i])
		}
	}
	return strings.NewReplacer(pairs...).Replace
}
