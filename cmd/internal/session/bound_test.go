//go:build unix

package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/plan"
	"hookwatch/suites/toolbox"
)

// TestForgetDigests: after any number of runs a session knows the inputs and the
// tools that verdicts refer to, and no others.
func TestForgetDigests(t *testing.T) {
	t.Parallel()
	s := remembering(t, suites.Key{Suite: "s", ID: "A"})
	for n := range 1000 {
		s.judged(suites.Key{Suite: "s", ID: "A"}, n, "x")
	}
	s.environment.CaseTools = map[string][]string{"tools 7": {"jq"}}
	s.judged(suites.Key{Suite: "s", ID: "A"}, 1000, "y")
	s.forget()
	if got, want := slices.Sorted(maps.Keys(s.inputs)), []string{"inputs 1000", "inputs 999"}; !slices.Equal(got, want) {
		t.Errorf("inputs %v, want %v", got, want)
	}
	if got, want := slices.Sorted(maps.Keys(s.sets)), []string{"tools 1000", "tools 7", "tools 999"}; !slices.Equal(got, want) {
		t.Errorf("tools %v, want %v", got, want)
	}
}

// TestForgetDefinitions: a case that is edited again and again is compared with its
// latest verdicts in a few definitions.
func TestForgetDefinitions(t *testing.T) {
	t.Parallel()
	key := suites.Key{Suite: "s", ID: "A"}
	s := remembering(t, key)
	for n := range 100 {
		s.judged(key, n, fmt.Sprint(n))
	}
	if got := len(s.earlier[key]); got != keptDefinitions {
		t.Errorf("%d definitions are kept, want %d", got, keptDefinitions)
	}
	for n := range 100 {
		if kept := s.baseline(key, fmt.Sprint(n)) != nil; kept != (n >= 99-keptDefinitions) {
			t.Errorf("baseline of definition %d: %v", n, kept)
		}
	}
}

// TestForgetGone: of cases that are no more the latest verdicts stay.
func TestForgetGone(t *testing.T) {
	t.Parallel()
	stays := suites.Key{Suite: "s", ID: "A"}
	s := remembering(t, stays)
	s.judged(stays, 0, "x")
	key := func(n int) suites.Key { return suites.Key{Suite: "gone", ID: fmt.Sprint(n)} }
	for n := range 3 * keptGone {
		s.judged(key(n), n, "x")
		s.judged(key(n), n, "y")
		s.endings[key(n)] = ending{retracted: true}
		s.audited[key(n)] = audited{}
		s.news.Observe(&suites.Record{Suite: "gone", ID: fmt.Sprint(n)}, true)
	}
	s.forgetGone()
	if len(s.present) != keptGone+1 || len(s.earlier) != keptGone || s.present[stays] == nil || s.present[key(3*keptGone-1)] == nil {
		t.Errorf("%d verdicts and %d earlier ones are kept, want the latest %d", len(s.present), len(s.earlier), keptGone)
	}
	if len(s.endings)+len(s.audited) > 0 || len(s.news.Unconfirmed()) > 0 {
		t.Errorf("of cases that are no more: %d endings, %d audited, news of %v", len(s.endings), len(s.audited), s.news.Unconfirmed())
	}
}

// TestForgetFiles: what was seen of files goes with them.
func TestForgetFiles(t *testing.T) {
	t.Parallel()
	own := newSelfWritten()
	for _, path := range []string{"a", "b"} {
		own.touches[path], own.files[path], own.rechecked[path] = 1, true, 1
	}
	own.forget([]string{"b", "c"})
	if own.touches["a"]+own.rechecked["a"] > 0 || own.files["a"] || !own.files["b"] || own.touches["b"] != 1 || own.rechecked["b"] != 1 {
		t.Errorf("left: %+v", own)
	}
	w := &watch{rest: map[string]string{"a": "1"}, latest: map[string]string{"a": "", "b": "2"}}
	w.rests()
	if want := map[string]string{"b": "2"}; !maps.Equal(w.rest, want) || len(w.latest) > 0 {
		t.Errorf("at rest %v, latest %v, want %v", w.rest, w.latest, want)
	}
}

// remembering is a session that knows no more than cases.
func remembering(t *testing.T, keys ...suites.Key) *Session {
	t.Helper()
	files := make(map[string]string)
	for _, k := range keys {
		name := "suites/" + k.Suite + ".yaml"
		if files[name] == "" {
			files[name] = "suite: " + k.Suite + "\nhook: hooks/guard.sh\nevent: Stop\ncases:\n"
		}
		files[name] += "  - {id: " + k.ID + ", name: n" + k.ID + ", expect: {exit: 0}}\n"
	}
	return &Session{
		p: newScene(t, files).load(project.Filter{}), present: make(map[suites.Key]*lastVerdict), earlier: make(map[suites.Key][]*lastVerdict),
		inputs: make(map[string][]suites.Input), sets: make(toolbox.Sets), news: plan.NewNews(nil),
		endings: make(map[suites.Key]ending), audited: make(map[suites.Key]audited),
	}
}

// judged gives a case the verdict of the nth run, with what belongs to it.
func (s *Session) judged(k suites.Key, n int, definition string) {
	d := suites.Digests{Case: definition, Inputs: fmt.Sprint("inputs ", n), Tools: fmt.Sprint("tools ", n)}
	s.inputs[d.Inputs], s.sets[d.Tools] = []suites.Input{{}}, map[string]string{}
	s.remembered(k, &lastVerdict{at: strings.Repeat("z", n), status: suites.Pass, digests: d})
}
