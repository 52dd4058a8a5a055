package score

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/verdict"
)

// A panel describes what the cases did on the project as it is. Its lists are by case.
type panel struct {
	takesPart  []bool
	took       []time.Duration
	traces     []*trace.Trace // nil if there is none
	seen       []look
	executable map[string]bool // files
}

// executes reports whether a trace shows that a case runs a file. Without one, it may.
func (p *panel) executes(i int, file string) bool {
	t := p.traces[i]
	return t != nil && t.Files[file] != nil
}

// executedScripts returns the scripts of the project that the cases execute.
func (p *panel) executedScripts() []string {
	set := map[string]bool{}
	for i, t := range p.traces {
		if t == nil || !p.takesPart[i] {
			continue
		}
		for file := range t.Files {
			if isOwn(file) {
				set[file] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// taking returns the traces that there are of the cases that take part.
func (p *panel) taking() (list []*trace.Trace) {
	for i, t := range p.traces {
		if p.takesPart[i] && t != nil {
			list = append(list, t)
		}
	}
	return list
}

// baseline runs every case traced, and once more on the unedited content of what it executes. One
// that does not pass both times could not tell what an edit did.
func (s *scoring) baseline(ctx context.Context) error {
	n := len(s.cases)
	s.panel = panel{make([]bool, n), make([]time.Duration, n), make([]*trace.Trace, n), make([]look, n), map[string]bool{}}
	first, second := make([]suites.Verdict, n), make([]suites.Verdict, n)
	done := 0
	err := s.Each(ctx, n, func(ctx context.Context, i int) error {
		c := s.cases[i]
		o, err := s.Fire(ctx, suites.Request{Case: c, Name: c.Key().String(), Trace: trace.Start, Observed: true})
		if err != nil {
			return err
		}
		t := s.Decode(c, &o)
		first[i], s.panel.traces[i] = verdict.Judge(c, o, c.Timeout), t
		if first[i].Status == suites.Pass {
			var same []suites.Fixture
			if t != nil {
				if same, err = s.uneditedFixtures(t); err != nil {
					return err
				}
			}
			begin := time.Now()
			var seen look
			if second[i], seen, err = s.judge(ctx, c, 0, same...); err != nil {
				return err
			}
			s.panel.took[i], s.panel.seen[i] = time.Since(begin), seen.stable(lookAt(o))
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if done++; s.Progress != nil {
			s.Progress(Progress{Cases: done, CasesOf: n})
		}
		return nil
	})
	if err != nil {
		return err
	}
	first, second = proven(s.cases, first), proven(s.cases, second)
	for i, c := range s.cases {
		if s.panel.takesPart[i] = first[i].Status == suites.Pass && second[i].Status == suites.Pass; s.panel.takesPart[i] {
			s.result.Cases++
			continue
		}
		v := first[i]
		if v.Status == suites.Pass {
			v = second[i]
		}
		s.result.LeftOut = append(s.result.LeftOut, Left{c.Key(), v.Status, v.Note})
	}
	if s.result.Cases == 0 {
		why := s.result.LeftOut[0] // there are cases, and none passes
		return fmt.Errorf("none of the cases passes on the project as it is (%s: %s), so none could notice a broken hook: run hookwatch --once", why.Key, cmp.Or(why.Note, string(why.Status)))
	}
	return nil
}

// uneditedFixtures returns fixtures with the content that the executed files of the project have.
func (s *scoring) uneditedFixtures(t *trace.Trace) (list []suites.Fixture, err error) {
	for _, file := range slices.Sorted(maps.Keys(t.Files)) {
		if !isOwn(file) {
			continue
		}
		content, executable, err := s.Read(file)
		if err != nil {
			continue // it is not broken either
		}
		s.mu.Lock()
		s.panel.executable[file] = executable
		list = append(list, s.fixture(file, content))
		s.mu.Unlock()
	}
	return list, nil
}

// judge runs a case with other files in its sandbox. A limit of 0 is the case's own.
func (s *scoring) judge(ctx context.Context, c *suites.Case, limit time.Duration, files ...suites.Fixture) (suites.Verdict, look, error) {
	other := *c
	if limit > 0 {
		other.Timeout = limit
	}
	other.Steps = slices.Clone(c.Steps)
	other.Steps[0].Fixtures = slices.Concat(files, c.Steps[0].Fixtures)
	o, err := s.Fire(ctx, suites.Request{Case: &other, Name: c.Key().String()})
	if err != nil {
		return suites.Verdict{}, look{}, err
	}
	return verdict.Judge(&other, o, other.Timeout), lookAt(o), nil
}

// proven returns the verdicts with those of the controls taken into account.
func proven(cases []*suites.Case, own []suites.Verdict) []suites.Verdict {
	by := make(map[suites.Key]suites.Verdict, len(cases))
	for i, c := range cases {
		by[c.Key()] = own[i]
	}
	out := slices.Clone(own)
	for i, c := range cases {
		control, has := verdict.ControlOf(c)
		if !has {
			continue
		}
		v, ok := by[control]
		if !ok {
			v = suites.Verdict{Status: suites.Fail, Note: "was not run"}
		}
		out[i] = verdict.Prove(own[i], control, v)
	}
	return out
}

// A field is a part of an outcome.
type field string

// The fields that cases can look at.
const (
	exitField   field = "the exit code or effect"
	stdoutField field = "stdout"
	stderrField field = "stderr"
	filesField  field = "the files"
)

var fields = []field{exitField, stdoutField, stderrField, filesField}

// A look has the text of each field of an outcome; a field is missing if it is not the same in two
// runs of the same.
type look map[field]string

// What differs between two runs of the same: numbers that stand for PIDs, names of temporary files,
// and times.
var volatile = regexp.MustCompile(`1[0-9]{15}|\btmp\.[A-Za-z0-9]{6,}|\b20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z?`)

func lookAt(o suites.Outcome) look {
	replace := func(text []byte) string { return string(text) }
	if o.Sandbox != "" {
		r := strings.NewReplacer(o.Sandbox, "{sandbox}")
		replace = func(text []byte) string { return volatile.ReplaceAllString(r.Replace(string(text)), "{}") }
	}
	l := look{exitField: "", stdoutField: "", stderrField: "", filesField: ""}
	for _, r := range o.Results {
		l[exitField] += fmt.Sprintf("%d %s %v %q %q %s\n", r.Exit, r.Signal, r.TimedOut, r.NotStarted, r.Decision, r.Effect)
		l[stdoutField] += replace(r.Stdout)
		l[stderrField] += replace(r.Stderr)
		for _, name := range slices.Sorted(maps.Keys(r.Files)) {
			l[filesField] += name + "\n" + replace(r.Files[name]) + "\n"
		}
	}
	for _, c := range o.Changes {
		l[filesField] += string(c.Kind) + " " + volatile.ReplaceAllString(c.Path, "{}") + "\n"
	}
	return l
}

// stable returns the fields that are equal in another run.
func (l look) stable(other look) look {
	out := look{}
	for f, text := range l {
		if other[f] == text {
			out[f] = text
		}
	}
	return out
}

// compare counts the fields that a mutant changes in a case.
func (f *Finding) compare(c *suites.Case, was, now look) {
	for _, of := range fields {
		if text, known := was[of]; known && text != now[of] {
			if f.differs[of]++; f.from == nil {
				f.from, f.was, f.now = c, was, now
			}
		}
	}
}
