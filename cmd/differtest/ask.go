package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"hookwatch/cmd/internal/session"
	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
)

// A prediction is what hookwatch makes of a firing.
type prediction struct {
	runs    []record
	effect  suites.Effect
	because string
	texts   []string // that the model is sent
	own     []byte   // the stdin that hookwatch itself would make up
}

// An oracle asks hookwatch about a project, as the command fire does with --user and --isolation none:
// in isolation the recorder could not write.
type oracle struct {
	s      *sessionOnDisk
	runner *run.Runner
	asked  int
}

// newOracle loads the project. HOME is the process's: one project is asked about at a time.
func newOracle(s *sessionOnDisk) (*oracle, error) {
	env := []string{"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "HOME=" + s.home}
	if err := os.Setenv("HOME", s.home); err != nil {
		return nil, err
	}
	if err := os.Unsetenv("CLAUDE_CONFIG_DIR"); err != nil {
		return nil, err
	}
	none := func(string) (string, bool) { return "", false }
	cfg, err := config.Load(config.LoadOptions{Dir: s.root, Env: none, State: filepath.Join(s.dir, "state")})
	if err != nil {
		return nil, err
	}
	cfg.Run.Isolation = sandbox.InPlace
	p, problems := session.Load(cfg, session.Filter{}, nil)
	if p == nil {
		return nil, problems[0]
	}
	if _, err := p.AddUser(); err != nil {
		return nil, err
	}
	temp := filepath.Join(s.dir, "cases")
	if err := os.MkdirAll(temp, 0o700); err != nil {
		return nil, err
	}
	runner, err := session.NewRunner(p, temp, env)
	return &oracle{s: s, runner: runner}, err
}

func (o *oracle) close() { o.runner.Close() }

// ask fires an event with its payload.
func (o *oracle) ask(ctx context.Context, f firing) (p prediction, err error) {
	at := filepath.Join(o.s.dir, "hookwatch", fmt.Sprint(o.asked))
	o.asked++
	if err := o.s.recordIn(at); err != nil {
		return p, err
	}
	c := func(st suites.Step) *suites.Case {
		return &suites.Case{Suite: "fire", ID: f.event, Layer: suites.Direct, Chain: true, Steps: []suites.Step{st}}
	}
	_, outcome, err := o.runner.Fire(ctx, c(suites.Step{Event: f.event, Tool: f.tool, PayloadRaw: json.RawMessage(f.stdin)}))
	if err != nil {
		return p, err
	}
	last := outcome.Last()
	p.effect, p.because, p.texts = last.Effect, last.EffectReason, last.ModelSees
	if p.runs, err = readRecords(at); err != nil {
		return p, err
	}
	given := map[string]json.RawMessage{}
	var sent map[string]json.RawMessage
	if json.Unmarshal([]byte(f.stdin), &sent) == nil && sent["tool_input"] != nil {
		given["tool_input"] = sent["tool_input"]
	}
	over, err := json.Marshal(given)
	if err != nil {
		return p, err
	}
	p.own, err = o.runner.Sent(c(suites.Step{Event: f.event, Tool: f.tool, Payload: over}), 0, o.s.dir)
	return p, err
}
