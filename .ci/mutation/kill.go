package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/depend/edit"
	"hookwatch/suites/depend/trace"
)

// A finding is what became of a mutant.
type finding struct {
	subject
	Killer suites.Key    // the case that noticed it; none: it survived
	Why    string        // as the case says it
	Hung   bool          // the case ran out of time
	Ran    int           // cases
	Took   time.Duration // all of them together
}

func (f finding) killed() bool { return f.Killer != suites.Key{} }

// unmet: no case executes it.
func (f finding) unmet() bool { return f.Ran == 0 }

func (f finding) String() string {
	switch {
	case f.killed():
		return fmt.Sprintf("killed by %s (%s), %d run in %.1f s: %s", f.Killer, brief(f.Why), f.Ran, f.Took.Seconds(), f.subject)
	case f.unmet():
		return fmt.Sprintf("no case executes it: %s", f.subject)
	default:
		return fmt.Sprintf("survived %d run in %.1f s: %s", f.Ran, f.Took.Seconds(), f.subject)
	}
}

// brief is a verdict's note on one line that is not too long.
func brief(note string) string {
	note = strings.Join(strings.Fields(note), " ")
	const most = 160
	if len(note) > most {
		return strings.ToValidUTF8(note[:most], "") + "..."
	}
	return note
}

// try applies a mutant, runs cases until one notices, and puts the file back.
func (s *scoring) try(ctx context.Context, m subject) (finding, error) {
	file := filepath.Join(s.lab.root, filepath.FromSlash(m.File))
	if err := write(file, m.Content); err != nil {
		return finding{}, err
	}
	begin := time.Now()
	f, err := s.hunt(ctx, m, s.jury(m))
	f.Took = time.Since(begin)
	err = errors.Join(err, write(file, m.Original))
	s.rule.now(m.File)
	return f, err
}

// jury are the cases that a session would select, which is asked with the mutant
// in place, the quickest first. Left out are those that executes nothing of
// the edit and are selected only because their hook uses a file of which no trace
// can tell that it is not the hook: to run them could add kills and take none
// away, and they are most of a hook's cases.
func (s *scoring) jury(m subject) []int {
	s.rule.know(m.Original, m.Content)
	edits := edit.Compare(m.File, m.Original, m.Content)
	var list []int
	for i, c := range s.rule.choose(s.standing, s.panel.traces, m.File) {
		if c.selected && s.panel.takesPart[i] && meets(edits, s.panel.traces[i]) {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(s.panel.took[a], s.panel.took[b]) })
	return list
}

// meets reports whether a case can execute an edit, files that it uses
// otherwise than by running them left aside.
func meets(e *edit.Edits, t *trace.Trace) bool {
	if t == nil {
		return true
	}
	ran := *t
	ran.Names = nil
	affected, _ := edit.Affected(e, &ran)
	return affected
}

// hunt runs cases, several at a time, until one fails, and fails again: what
// happens once only is no work of the mutant.
func (s *scoring) hunt(ctx context.Context, m subject, jury []int) (finding, error) {
	h := pursuit{found: finding{subject: m}}
	var wg sync.WaitGroup
	for range s.jobs {
		wg.Go(func() {
			for {
				i, more := h.next(jury)
				if !more || ctx.Err() != nil {
					return
				}
				v, err := s.noticed(ctx, i)
				h.heard(s.lab.cases[i].Key(), v, err)
			}
		})
	}
	wg.Wait()
	return h.found, errors.Join(h.err, ctx.Err())
}

// noticed is the verdict of a case on the mutant. A failure counts when it comes
// twice, and that to have run out of time, which a busy machine makes of
// anything, when there was three times as much.
func (s *scoring) noticed(ctx context.Context, i int) (suites.Verdict, error) {
	const least = 10 * time.Second // an edit can make a hook hang
	timeout := cmp.Or(s.timeout, max(least, 4*s.panel.took[i]))
	v, err := s.lab.judged(ctx, s.lab.cases[i], timeout)
	if err != nil || v.Status != suites.Fail {
		return v, err
	}
	return s.lab.judged(ctx, s.lab.cases[i], 3*timeout)
}

func timedOut(v suites.Verdict) bool {
	return slices.ContainsFunc(v.Mismatches, func(m suites.Mismatch) bool { return m.Field == "timeout" })
}

// A pursuit is what the workers know of one mutant.
type pursuit struct {
	mu    sync.Mutex
	at    int
	found finding
	err   error
}

// next is the next case to be run, while there is any need of one.
func (h *pursuit) next(jury []int) (int, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.at == len(jury) || h.found.killed() || h.err != nil {
		return 0, false
	}
	h.at++
	return jury[h.at-1], true
}

func (h *pursuit) heard(k suites.Key, v suites.Verdict, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.found.Ran++
	switch {
	case err != nil:
		h.err = errors.Join(h.err, err)
	case v.Status == suites.Fail && !h.found.killed():
		h.found.Killer, h.found.Why, h.found.Hung = k, v.Note, timedOut(v)
	}
}
