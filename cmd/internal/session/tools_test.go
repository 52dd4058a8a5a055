//go:build unix

package session

import (
	"testing"
)

// Cases of one hook share a lookup of its tools, unless one of them also runs other hooks.
func TestToolsOfSteps(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]string{
		"suites/s.yaml": "suite: s\nhook: hooks/plain.sh\nevent: Stop\ncases:\n" +
			"  - {id: A1, name: a, expect: {exit: 0}}\n" +
			"  - {id: A2, name: b, steps: [{expect: {exit: 0}}, {hook: hooks/jq.sh, expect: {exit: 0}}]}\n" +
			"  - {id: A3, name: c, expect: {exit: 0}}\n",
		"hooks/plain.sh": "#!/bin/bash\ncat >/dev/null\n",
		"hooks/jq.sh":    "#!/bin/bash\njq . >/dev/null\n",
	})
	p := s.Load(Filter{})
	session := s.open(p, nil, nil)
	digests := make([]string, len(p.Cases))
	for i, c := range p.Cases {
		digests[i] = session.knowledge.Digests(c).Tools
	}
	if digests[0] == digests[1] || digests[0] != digests[2] {
		t.Errorf("digests of tools %q, want that of A2 alone to differ", digests)
	}
}
