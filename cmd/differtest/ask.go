package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"hookwatch/cmd/internal/session"
	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
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

// asking is held as long as there is an oracle, because HOME is the process's, and conditions name it.
var asking sync.Mutex

// newOracle loads the project.
func newOracle(s *sessionOnDisk) (o *oracle, err error) {
	asking.Lock()
	defer func() {
		if err != nil {
			asking.Unlock()
		}
	}()
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
	if of := s.draws.of; of.Name != clients.Claude {
		p.Registered = p.Registered.Of(of)
	} else if _, err := p.AddUser(); err != nil {
		return nil, err
	}
	temp := filepath.Join(s.dir, "cases")
	if err := os.MkdirAll(temp, 0o700); err != nil {
		return nil, err
	}
	runner, err := session.NewRunner(p, temp, s.environment())
	return &oracle{s: s, runner: runner}, err
}

func (o *oracle) close() {
	o.runner.Close()
	asking.Unlock()
}

func (o *oracle) ask(ctx context.Context, f firing) (p prediction, err error) {
	at := filepath.Join(o.s.dir, "hookwatch", fmt.Sprint(o.asked))
	o.asked++
	if err := o.s.recordIn(at); err != nil {
		return p, err
	}
	c := func(st suites.Step) *suites.Case {
		return &suites.Case{Suite: "fire", ID: f.Event, Layer: suites.Direct, Chain: true, Steps: []suites.Step{st}}
	}
	st := suites.Step{Event: f.Event, Tool: f.Tool, PayloadRaw: json.RawMessage(f.Stdin)}
	if o.s.draws.of.Name != clients.Claude {
		st.PayloadRaw, st.Payload = nil, o.s.claudes(f)
	}
	_, outcome, err := o.runner.Fire(ctx, c(st))
	if err != nil {
		return p, err
	}
	last := outcome.Last()
	p.effect, p.because, p.texts = last.Effect, last.EffectReason, last.ModelSees
	if p.runs, err = readRecords(at); err != nil {
		return p, err
	}
	if o.s.draws.of.Name != clients.Claude {
		return p, nil
	}
	given := map[string]json.RawMessage{}
	var sent map[string]json.RawMessage
	if json.Unmarshal([]byte(f.Stdin), &sent) == nil && sent["tool_input"] != nil {
		given["tool_input"] = sent["tool_input"]
	}
	over, err := json.Marshal(given)
	if err != nil {
		return p, err
	}
	p.own, err = o.runner.Payload(c(suites.Step{Event: f.Event, Tool: f.Tool, Payload: over}), 0, o.s.dir)
	return p, err
}

// claudes returns the part of Claude Code's payload that decides about a firing of another client.
func (s *sessionOnDisk) claudes(f firing) json.RawMessage {
	var sent map[string]any
	_ = json.Unmarshal([]byte(f.Stdin), &sent) // a hook that did not read its stdin has none
	given := map[string]any{}
	for _, name := range []string{"prompt", "source", "reason", "stop_hook_active"} {
		if value, has := sent[cmp.Or(s.draws.of.Fields[name], name)]; has {
			given[name] = value
		}
	}
	if about, _ := client.EventByName(f.Event); about.Tool {
		given["tool_input"] = s.input(s.project.Calls[f.Turn])
	}
	return encode(given)
}
