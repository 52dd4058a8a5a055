//go:build unix

package session

import (
	"fmt"
	"testing"
	"time"

	"hookwatch/suites"
)

// TestForgetGone checks that only the latest verdicts of removed cases are kept.
func TestForgetGone(t *testing.T) {
	t.Parallel()
	e := knowing(newScene(t, map[string]string{"suites/s.yaml": pair}).Load(Filter{}))
	for n := range 3 {
		k, passed := suites.Key{Suite: "gone", ID: fmt.Sprint(n)}, &keptVerdict{Status: suites.Pass}
		e.knowledge.Verdicts.Put(k, passed)
		e.knowledge.Tracker.End(k, time.Now(), CaseInputs{})
		e.audit.Add(k, "", passed)
		e.news.Observe(&suites.Record{Suite: "gone", ID: fmt.Sprint(n)}, true)
	}
	e.forgetGone()
	for n := range 3 {
		k := suites.Key{Suite: "gone", ID: fmt.Sprint(n)}
		if e.knowledge.Verdicts.Present(k) == nil {
			t.Errorf("the verdict of %s is forgotten", k)
		}
		if _, problem := e.audit.Check(k, &suites.Record{}); problem != "" {
			t.Errorf("%s is still audited: %s", k, problem)
		}
	}
	if len(e.news.ListUnconfirmed()) > 0 {
		t.Errorf("news of %v", e.news.ListUnconfirmed())
	}
}
