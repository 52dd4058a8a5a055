package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/run"
)

// sent is what a step of a case sends, were it run in the directory for temporary
// files.
func sent(p *project.Project, c *suites.Case, step int) ([]byte, error) {
	o := run.Options{Root: p.Root(), Env: run.Environment(os.Environ(), p.Config.Run.PassEnv)}
	return o.Sent(c, step, filepath.Join(os.TempDir(), "hookwatch", c.Suite+"-"+c.ID))
}

// shownPayload is what a step, from 1, of the one case of s sends, and what there is to
// note of it.
func shownPayload(p *project.Project, s suites.Suite, step int) (payload []byte, note string, err error) {
	if len(s.Cases) != 1 {
		return nil, "", fmt.Errorf("--payload is of one case, and %s has %d (such as hookwatch show --payload %s)", s.Name, len(s.Cases), s.Cases[0].Key())
	}
	c := &s.Cases[0]
	switch {
	case c.Check != nil:
		return nil, "", fmt.Errorf("%s sends nothing: it looks at %s and fires no hook", c.Key(), c.Summary)
	case step < 1 || step > len(c.Steps):
		return nil, "", fmt.Errorf("--step %d: %s has %s", step, c.Key(), notify.Count(len(c.Steps), "step"))
	}
	if len(c.Steps[step-1].Fixtures) > 0 || c.Repo != nil {
		note = fmt.Sprintf("%s is about files that exist only while it runs (hookwatch run %s)", c.Key(), c.Key())
	}
	payload, err = sent(p, c, step-1)
	return payload, note, err
}
