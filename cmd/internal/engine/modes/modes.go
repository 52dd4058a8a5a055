// Package modes runs cases in place and isolated, and explains what differs.
package modes

import (
	"context"
	"fmt"
	"os"
	"strings"

	"hookwatch/cmd/internal/engine"
	"hookwatch/cmd/internal/notify"
	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/disk"
	"hookwatch/suites/isolate"
	"hookwatch/suites/plan"
	"hookwatch/suites/process"
)

// A Difference is a case whose verdict depends on how it is isolated.
type Difference struct {
	Case     *suites.Case
	None     suites.Record // in place
	Isolated suites.Record
	Because  []string // why, the surest cause first; never empty
}

// Compare runs the project's cases twice, in place and isolated as the
// configuration says, and explains every verdict that differs. Nothing is
// recorded. Cases run in place do to the person's files what their hooks do.
func Compare(ctx context.Context, o engine.Options) (compared int, differences []Difference, err error) {
	mode := string(o.Project.Config.Run.Isolation)
	if mode == string(isolate.None) {
		mode = isolate.Auto
	}
	runs := make(map[string]map[suites.Key]suites.Record)
	for _, m := range []string{mode, string(isolate.None)} { // what is done in place, stays
		if runs[m], err = runIn(ctx, o, m, o.Project.Cases); err != nil {
			return 0, nil, err
		}
	}
	for _, c := range o.Project.Cases {
		none, isolated := runs[string(isolate.None)][c.Key()], runs[mode][c.Key()]
		if none.Status() == isolated.Status() {
			continue
		}
		d := Difference{Case: c, None: none, Isolated: isolated}
		if d.Because, err = explain(ctx, o, mode, d); err != nil {
			return 0, nil, err
		}
		differences = append(differences, d)
	}
	return len(o.Project.Cases), differences, nil
}

// runIn runs cases, with their controls, in a mode of isolation.
func runIn(ctx context.Context, o engine.Options, mode string, cases []*suites.Case) (map[suites.Key]suites.Record, error) {
	cfg := *o.Project.Config
	cfg.Run.Isolation = config.Isolation(mode)
	p := *o.Project
	p.Config = &cfg
	records := make(verdicts)
	o.Project, o.Store, o.View = &p, nil, records
	s, err := engine.New(o, nil)
	if err != nil {
		return nil, err
	}
	if sum := s.Once(ctx, plan.WithControls(plan.All(cases, "compared"), p.Every()), false); sum.Interrupted {
		return nil, context.Cause(ctx)
	}
	return records, nil
}

// verdicts is a view that keeps the record of each case.
type verdicts map[suites.Key]suites.Record

func (v verdicts) Handle(e notify.Event) {
	if done, ok := e.(notify.CaseDone); ok {
		v[done.Record.Key()] = done.Record
	}
}

func (verdicts) Close() error { return nil }

// explain says why a case's verdict differs. One of which the runs tell nothing,
// and which does not come out the same a second time, differs for reasons of its
// own.
func explain(ctx context.Context, o engine.Options, mode string, d Difference) ([]string, error) {
	if because := causes(o, d); len(because) > 0 {
		return because, nil
	}
	for _, again := range []struct {
		mode string
		was  suites.Record
	}{{string(isolate.None), d.None}, {mode, d.Isolated}} {
		records, err := runIn(ctx, o, again.mode, []*suites.Case{d.Case})
		if err != nil {
			return nil, err
		}
		if r := records[d.Case.Key()]; r.Status() != again.was.Status() {
			return []string{fmt.Sprintf("not the same twice: with %s it was %s, and alone it is %s: state that cases share, or a flaky hook",
				again.mode, again.was.Status(), r.Status())}, nil
		}
	}
	return []string{fmt.Sprintf("unexplained: %s in place, %s isolated", told(d.None), told(d.Isolated))}, nil
}

func told(r suites.Record) string {
	if r.Note == "" {
		return string(r.Status())
	}
	return string(r.Status()) + " (" + r.Note + ")"
}

// causes are what the isolated run tells of itself.
func causes(o engine.Options, d Difference) []string {
	var out []string
	for _, s := range d.Isolated.Stopped {
		out = append(out, hint(s))
	}
	home, _ := os.UserHomeDir()
	for _, t := range o.Project.ToolsOf(d.Case) {
		path, err := process.LookPath(t, o.Project.Root(), os.Environ())
		if err == nil && home != "" && disk.Within(home, path) && o.Project.Config.Sandbox.Home == config.HomeEmpty {
			out = append(out, fmt.Sprintf("%s is installed in HOME (%s) and may look for its own files there: sandbox.home is empty", t, path))
		}
	}
	if strings.Contains(d.Isolated.ActualStderr, "Read-only file system") {
		out = append(out, "writes outside of the project, HOME and temporary directories: all else is read-only")
	}
	var shared []string
	for _, c := range d.Isolated.Changes {
		if !strings.HasPrefix(c.Path, "{tmp}") && !strings.HasPrefix(c.Path, "{override}") {
			shared = append(shared, c.Path)
		}
	}
	if len(shared) > 0 {
		out = append(out, "state shared: in place, other cases and earlier runs see what it writes: "+strings.Join(shared, ", "))
	}
	return out
}

// hint adds what to do about something that isolation stopped.
func hint(stopped string) string {
	switch {
	case strings.HasSuffix(stopped, "which is masked"):
		return stopped + " (sandbox.unmask shows it)"
	case strings.HasPrefix(stopped, "wanted the network"), strings.HasPrefix(stopped, "connected to loopback"):
		return stopped + " (a case's own server answers as {server})"
	default:
		return stopped
	}
}
