//go:build unix

package session

import (
	"os"
	"testing"

	"hookwatch/suites"
)

// TestRunnersAskedEachRun checks that runners are queried again for each run of a session.
func TestRunnersAskedEachRun(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]string{
		"bin/npx": "#!/bin/sh\n[ -e there ] && echo 1.0\n",
		"suites/s.yaml": `suite: s
hook: hooks/guard.sh
event: Stop
cases:
  - {id: D1, name: present, check: {tool: lint-of-none, need: optional, places: [npx lint-of-none]}}
  - {id: A1, name: gated, gates: [lint-of-none], expect: {exit: 0}}
`,
	})
	session := s.open(s.Load(Filter{}), nil, func(o *Options) {
		o.Env = []string{"PATH=" + s.Path("bin") + ":" + os.Getenv("PATH"), "HOME=" + s.temp}
	})
	for _, want := range []suites.Status{suites.Skip, suites.Pass} {
		s.all(session)
		if got := s.present()["A1"]; got.Status() != want {
			t.Errorf("%s %q, want %s", got.Status(), got.Note, want)
		}
		s.Write("there", "")
	}
}
