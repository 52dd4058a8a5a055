//go:build unix

package session

import (
	"strings"
	"testing"

	"hookwatch/suites"
)

// A trace is rejected if the hook behaves differently when traced.
func TestTracedOtherwise(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]string{
		"suites/s.yaml":  oneCase("A1", "expect: {exit: 0}"),
		"hooks/guard.sh": "#!/bin/bash\ncat >/dev/null\nif [ -z \"$BASH_ENV\" ]; then\n  echo plain\nelse\n  echo traced\nfi\n",
	})
	session := s.open(s.Load(Filter{}), nil, nil)
	s.all(session)
	session.Trace(t.Context(), session.project.Cases)
	k := suites.Key{Suite: "s", ID: "A1"}
	e := session.knowledge.Selector.Evidence(k, session.knowledge.Verdicts.Present(k).Digests)
	if e == nil || e.Trace == nil || !strings.Contains(e.Trace.Blind(), "went otherwise") {
		t.Errorf("the trace is believed: %+v", e)
	}
}
