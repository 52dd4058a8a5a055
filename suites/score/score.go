// Package score measures how many broken versions of the hooks of a project its cases notice.
//
// A mutant is killed by a case that passes on the project as it is and fails on the mutant. A case
// whose control is no longer caught becomes unproven, which needs no count: a control is a case too
// and fails itself. Only cases whose trace meets the edit run. The others do the same as before.
package score

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"sync"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/bench"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/mutate"
)

// A Machine runs cases. It is safe for concurrent use.
type Machine struct {
	*bench.Bench
	// Decode returns the trace of a case that was fired traced and observed.
	Decode func(c *suites.Case, o *suites.Outcome) *trace.Trace
	// Read returns the content of a file, by its slash path from the project's root, and whether it
	// is executable.
	Read func(file string) (content []byte, executable bool, err error)
}

// Options configure a score.
type Options struct {
	Breaks    func(file string) bool // the scripts to break; nil: all that the cases execute
	Operators []string               // nil: all
	Seed      uint64                 // of the order and the choice of mutants
	Most      int                    // mutants of each file and operator; 0: all
	Budget    time.Duration          // for each file; 0: no limit
	Known     Notes
	Progress  func(Progress)
}

// Progress is the state of a score.
type Progress struct {
	Cases, CasesOf       int // of the runs before the first mutant
	Tried, Of, Survivors int // mutants
	File                 string
	Survivor             string // the last one tried, if it survived
}

// A Finding is the result of one mutant.
type Finding struct {
	mutate.Subject
	Killer   suites.Key // the case that noticed it; zero if it survived
	Hung     bool       // the case ran out of time
	Executed int        // number of cases that execute it, or may
	Note     Note       // what is known of it
	Notice   string     // for a survivor: what would notice it
	Gap      Gap
	Case     *suites.Case // for a survivor: a case to start from, nil if no case fires the hook

	differs  map[field]int // number of cases in which a field differs
	from     *suites.Case  // the first of them
	was, now look          // of that case
}

// IsKilled reports whether a case noticed the mutant.
func (f *Finding) IsKilled() bool { return f.Killer != suites.Key{} }

// hasSurvived reports whether no case noticed the mutant, although one could.
func (f *Finding) hasSurvived() bool { return !f.IsKilled() && f.Note.Equivalent == "" }

// A Left is a case that takes no part, because it does not pass on the project as it is.
type Left struct {
	Key    suites.Key
	Status suites.Status
	Note   string
}

// A Result is the score of a project.
type Result struct {
	Cases    int // that take part
	LeftOut  []Left
	Files    []string          // that were broken, sorted
	Unbroken map[string]string // files without mutants, with the reason
	Findings []Finding         // in the order in which they were tried
	Of       int               // mutants that were chosen
	Made     int               // mutants that there are
	Stale    []mutate.Identity // known mutants that no longer exist
}

// A scoring is a score on its way.
type scoring struct {
	Options
	Machine
	cases  []*suites.Case
	panel  panel
	gaps   map[string]*reachability
	begin  time.Time
	result *Result
	mu     sync.Mutex
}

// Score breaks the scripts that the cases execute and runs the cases on the results. If ctx ends it
// returns what was found so far.
func Score(ctx context.Context, cases []*suites.Case, m Machine, o Options) (*Result, error) {
	if o.Operators == nil {
		o.Operators = mutate.Operators
	}
	s := &scoring{Options: o, Machine: m, cases: cases, begin: time.Now(), result: &Result{Unbroken: map[string]string{}}, gaps: map[string]*reachability{}}
	if err := s.baseline(ctx); err != nil {
		return s.result, err
	}
	sample := s.choose()
	var end time.Time
	if s.Budget > 0 {
		end = s.begin.Add(s.Budget * time.Duration(max(len(s.result.Files), 1)))
	}
	_, err := bench.Until(ctx, end, func(ctx context.Context) error { return s.run(ctx, sample) })
	if ctx.Err() != nil {
		err = nil // what was found so far is the result
	}
	return s.result, err
}

// choose makes the mutants of all scripts of the project that cases execute, and draws a sample.
func (s *scoring) choose() []mutate.Subject {
	var all [][]mutate.Subject
	for _, file := range s.panel.executedScripts() {
		if s.Breaks != nil && !s.Breaks(file) {
			continue
		}
		script, err := s.script(file)
		if err != nil {
			s.result.Unbroken[file] = err.Error()
			continue
		}
		s.result.Files = append(s.result.Files, file)
		lists := mutate.All(script, s.Operators)
		all = append(all, lists...)
	}
	known := maps.Clone(s.Known)
	for _, list := range all {
		s.result.Made += len(list)
		for _, m := range list {
			delete(known, m.ID)
		}
	}
	maps.DeleteFunc(known, func(id mutate.Identity, _ Note) bool { return !slices.Contains(s.result.Files, id.File) })
	s.result.Stale = slices.SortedFunc(maps.Keys(known), func(a, b mutate.Identity) int { return cmp.Compare(a.String(), b.String()) })
	sample := mutate.Sample(all, s.Seed, s.Most)
	s.result.Of = len(sample)
	return sample
}

func (s *scoring) script(file string) (mutate.Script, error) {
	text, executable, err := s.Read(file)
	if err != nil {
		return nil, err
	}
	s.panel.executable[file] = executable
	script, err := mutate.NewScript(file, text, s.Seed)
	if err != nil {
		return nil, err
	}
	parsed, err := trace.Parse(file, text)
	s.gaps[file] = &reachability{file: file, text: text, script: parsed, traces: s.panel.taking()}
	return script, err
}

// run tries the mutants, several at a time.
func (s *scoring) run(ctx context.Context, sample []mutate.Subject) error {
	found := make([]*Finding, len(sample))
	err := s.Each(ctx, len(sample), func(ctx context.Context, i int) error {
		f, err := s.hunt(ctx, sample[i])
		if err != nil {
			return err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		found[i] = f
		s.progress(f, len(sample), found)
		return nil
	})
	for _, f := range found {
		if f != nil {
			s.result.Findings = append(s.result.Findings, *f)
		}
	}
	return err
}

func (s *scoring) progress(f *Finding, of int, found []*Finding) {
	if s.Progress == nil {
		return
	}
	p := Progress{Of: of, File: f.File}
	for _, f := range found {
		if f == nil {
			continue
		}
		if p.Tried++; f.hasSurvived() {
			p.Survivors++
		}
	}
	if f.hasSurvived() {
		p.Survivor = f.Mutant.String()
	}
	s.Progress(p)
}

// jury returns the cases whose trace meets an edit, the quickest first. Files that a case uses
// otherwise than by running them are left aside: most cases of a hook use one of which no trace can
// tell that it is not the hook, and to run those could only add kills.
func (s *scoring) jury(m mutate.Subject) (list []int) {
	edits := trace.Compare(m.File, m.Original, m.Content)
	for i := range s.cases {
		if s.panel.takesPart[i] && meets(edits, s.panel.traces[i]) {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(s.panel.took[a], s.panel.took[b]) })
	return list
}

func meets(e *trace.Edits, t *trace.Trace) bool {
	if t == nil {
		return true
	}
	ran := *t
	ran.Names = nil
	return trace.Reached(e, &ran)
}

// hunt runs cases on a mutant until one notices it.
func (s *scoring) hunt(ctx context.Context, m mutate.Subject) (*Finding, error) {
	f := &Finding{Subject: m, Note: s.Known[m.ID], differs: map[field]int{}}
	jury := s.jury(m)
	for _, i := range jury {
		v, seen, err := s.judgeTwice(ctx, i, m)
		if err != nil {
			return nil, err
		}
		if v.Status == suites.Fail {
			f.Killer, f.Hung = s.cases[i].Key(), slices.ContainsFunc(v.Mismatches, func(m suites.Mismatch) bool { return m.Field == "timeout" })
			return f, nil
		}
		f.compare(s.cases[i], s.panel.seen[i], seen)
	}
	s.explain(f, jury)
	return f, nil
}

// Time limits of a case on a mutant, because an edit can make a hook hang. The first one is for a
// case that has failed once: a busy machine makes anything slow.
const (
	patience = 3
	least    = 3 * time.Second
)

// judgeTwice returns the verdict of a case on a mutant. A failure counts if it comes twice.
func (s *scoring) judgeTwice(ctx context.Context, i int, m mutate.Subject) (suites.Verdict, look, error) {
	limit := max(least, 4*s.panel.took[i])
	v, seen, err := s.judge(ctx, s.cases[i], limit, s.fixture(m.File, m.Content))
	if err != nil || v.Status != suites.Fail {
		return v, seen, err
	}
	return s.judge(ctx, s.cases[i], patience*limit, s.fixture(m.File, m.Content))
}

// fixture puts a file of the project, with another content, into the sandbox of a case.
func (s *scoring) fixture(file string, content []byte) suites.Fixture {
	mode := uint32(0o644)
	if s.panel.executable[file] {
		mode = 0o755
	}
	return suites.Fixture{Path: "{project}/" + file, Content: string(content), Mode: mode}
}

// isOwn reports whether a path is in the project.
func isOwn(file string) bool { return !path.IsAbs(file) }
