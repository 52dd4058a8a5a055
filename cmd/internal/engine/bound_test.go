//go:build unix

package engine

import (
	"fmt"
	"testing"
	"time"

	"hookwatch/cmd/internal/engine/freshness"
	"hookwatch/cmd/internal/engine/verdicts"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
)

// TestForgetGone: of cases that are no more nothing stays but their latest verdicts.
func TestForgetGone(t *testing.T) {
	t.Parallel()
	e := knowing(newScene(t, map[string]string{"suites/s.yaml": pair}).Load(project.Filter{}))
	for n := range 3 {
		k, passed := suites.Key{Suite: "gone", ID: fmt.Sprint(n)}, &verdicts.Verdict{Status: suites.Pass}
		e.known.Verdicts.Put(k, passed)
		e.known.Freshness.Ended(k, time.Now(), freshness.Seen{})
		e.audit.Add(k, "", passed)
		e.news.Observe(&suites.Record{Suite: "gone", ID: fmt.Sprint(n)}, true)
	}
	e.forgetGone()
	for n := range 3 {
		k := suites.Key{Suite: "gone", ID: fmt.Sprint(n)}
		if e.known.Verdicts.Present(k) == nil {
			t.Errorf("the verdict of %s is forgotten", k)
		}
		if _, told := e.audit.Check(k, &suites.Record{}); told != "" {
			t.Errorf("%s is audited still: %s", k, told)
		}
	}
	if len(e.news.Unconfirmed()) > 0 {
		t.Errorf("news of %v", e.news.Unconfirmed())
	}
}
