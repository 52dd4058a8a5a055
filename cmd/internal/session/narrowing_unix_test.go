//go:build unix

package session

import (
	"os"
	"path/filepath"
	"testing"

	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/record"
)

// TestFlushThatFails: evidence that could not be written is not given up, and
// written as soon as it can be.
func TestFlushThatFails(t *testing.T) {
	t.Parallel()
	scene := newScene(t, map[string]string{"suites/s.yaml": oneCase("A1", "expect: {exit: 0}")})
	s := scene.open(scene.load(project.Filter{}), nil, nil)
	results := s.p.Config.ResultsDir
	inTheWay := filepath.Join(results, "traces", "blocked")
	if err := os.MkdirAll(filepath.Dir(inTheWay), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(inTheWay, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, suite := range []string{"blocked", "free"} {
		for _, id := range []string{"A", "B", "C"} {
			k := suites.Key{Suite: suite, ID: id}
			s.narrow.evidence[k], s.narrow.dirty[k] = &evidence{Evidence: record.Evidence{Wide: "an audit"}}, true
		}
	}
	onDisk := func(k suites.Key) bool {
		kept := s.o.Store.Evidence(k)
		return kept != nil && kept.Wide == "an audit"
	}
	for range 2 {
		s.flush()
		s.narrow.forget()
		for _, suite := range []string{"blocked", "free"} {
			for _, id := range []string{"A", "B", "C"} {
				k := suites.Key{Suite: suite, ID: id}
				if held := s.narrow.evidence[k] != nil && s.narrow.dirty[k]; held == onDisk(k) {
					t.Errorf("%s: in memory %v, on disk %v", k, held, onDisk(k))
				}
			}
		}
	}
	if err := os.Remove(inTheWay); err != nil {
		t.Fatal(err)
	}
	s.flush()
	if k := (suites.Key{Suite: "blocked", ID: "A"}); len(s.narrow.dirty) > 0 || !onDisk(k) {
		t.Errorf("flushed: %d are left, %s on disk %v", len(s.narrow.dirty), k, onDisk(k))
	}
}
