package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/bench"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/printable"
	"hookwatch/suites/prove"
	"hookwatch/suites/run"
)

// Prover returns the machine that runs the cases of a search: those of hooks at a bench of r, and
// those that execute commands in the same isolation, where no other hook is registered. The caller
// must call the returned function at the end.
func Prover(r *run.Runner, b *bench.Bench) (*prove.Machine, func(), error) {
	if !r.Isolation.Describe().Private {
		return nil, nil, fmt.Errorf("prove executes commands that guards stop, and does so in namespaces only, not with isolation %s (hookwatch doctor says what is missing)", r.Isolation.Describe().Name)
	}
	o := r.Options
	o.Hooks, o.InForce, o.Registered, o.Standing, o.StandIns = nil, nil, prove.Executor, nil, nil
	executor := run.New(o)
	executor.KeepReady(b.Jobs())
	texts := b.With(executor.Make)
	texts.Begun = nil // it fires no hook
	return &prove.Machine{Bench: b, Executor: texts}, executor.Close, nil
}

// recheckBudget is the maximum time after a save for what a proven guard held before.
const recheckBudget = 10 * time.Second

// proving holds the proofs of a watch. A guard that was proven is sent what it held after each save
// that changes it.
type proving struct {
	asked  bool              // by the user, and not done yet
	guards map[string]proven // by the ID of the hook
}

// proven is a guard with the inputs that it held.
type proven struct {
	held   []prove.Finding
	passes []prove.Finding // of these, since a save
	hook   *suites.Case    // a case that depends on the scripts of the hook
	digest string          // of its content
}

// lastSavedGuards returns the hooks that can stop something and have the script saved last.
func (w *watch) lastSavedGuards() (guards []discover.Hook) {
	var last time.Time
	for _, h := range slices.Concat(w.session.project.Registered.Hooks, w.session.project.Registered.Others) {
		if about, _ := client.EventByName(h.Event); about.Guards == "" || h.WhyNotRun() != "" {
			continue
		}
		for _, script := range h.Scripts {
			if !filepath.IsAbs(script) {
				script = filepath.Join(w.session.project.Root(), filepath.FromSlash(script))
			}
			info, err := os.Stat(script)
			if err != nil || info.ModTime().Before(last) {
				continue
			}
			if info.ModTime().After(last) {
				guards = nil
			}
			last, guards = info.ModTime(), append(guards, h)
		}
	}
	return guards
}

// proveNext starts the proof that the user asked for, or the next one of a proven guard that has
// changed, and reports whether there is one.
func (w *watch) proveNext(ctx context.Context) bool {
	if w.in.Prove == nil || w.session.equipment.Isolation().Refusal() != nil {
		return false
	}
	var again *discover.Hook
	var hooks []discover.Hook
	if w.proofs.asked {
		if hooks = w.lastSavedGuards(); len(hooks) == 0 {
			w.proofs.asked = false
			w.session.warn("no hook here can stop anything, so there is none to prove")
			return false
		}
	} else if again = w.changedGuard(); again == nil {
		return false
	}
	machine, end, err := Prover(w.session.equipment.Runner, bench.New(w.session.equipment.Jobs, w.session.equipment.Runner.Make))
	if err != nil {
		w.proofs.asked = false
		w.session.warnError(err)
		return false
	}
	if again == nil {
		w.session.opts.View.Handle(Proved{Text: "proving " + hooks[0].ID + " (a save interrupts it)"})
	}
	p, held := w.session.project, []prove.Finding(nil)
	if again != nil {
		held = w.proofs.guards[again.ID].held
	}
	w.background(ctx, func(ctx context.Context) func(bool) {
		defer end()
		var guards []prove.Guard
		var text string
		var passing []prove.Finding // of what the guard held before
		var err error
		if again != nil {
			passing, err = prove.Recheck(ctx, *again, machine, held, recheckBudget)
		} else {
			guards, text, err = w.in.Prove(ctx, p, hooks, machine)
		}
		return func(over bool) {
			switch {
			case over: // again when nothing else is to do
			case err != nil:
				w.proofs.asked = false
				w.session.warnError(err)
				if again != nil {
					delete(w.proofs.guards, again.ID)
				}
			case again != nil:
				w.compare(again, passing)
			default:
				w.keepProof(guards, text)
			}
		}
	})
	return true
}

// changedGuard returns a proven guard whose content differs from the proven one, nil if there is
// none.
func (w *watch) changedGuard() *discover.Hook {
	for _, h := range slices.Concat(w.session.project.Registered.Hooks, w.session.project.Registered.Others) {
		if g, known := w.proofs.guards[h.ID]; known && w.session.project.ContentDigest(g.hook) != g.digest {
			return &h
		}
	}
	return nil
}

// keepProof keeps what guards held, and announces the result of a proof.
func (w *watch) keepProof(guards []prove.Guard, text string) {
	w.proofs.asked = false
	if w.proofs.guards == nil {
		w.proofs.guards = map[string]proven{}
	}
	for _, g := range guards {
		of := CaseOf(g.Hook)
		w.proofs.guards[g.Hook.ID] = proven{held: g.Held, hook: of, digest: w.session.project.ContentDigest(of)}
	}
	w.session.opts.View.Handle(Proved{Text: text})
}

// compare announces inputs that a guard held before the save and lets through now, as regressions,
// and those that it stops again.
func (w *watch) compare(h *discover.Hook, passing []prove.Finding) {
	g := w.proofs.guards[h.ID]
	e := Transitions{Project: w.session.project.Name()}
	without := func(of, others []prove.Finding) (records []suites.Record, text string) {
		for _, f := range of {
			if !slices.ContainsFunc(others, func(o prove.Finding) bool { return o.Input == f.Input }) {
				records = append(records, suites.Record{Hook: h.ID, TestName: f.Input.Text(), Note: f.Does})
			}
		}
		for _, r := range records[:min(3, len(records))] {
			text += "\n" + printable.Field(r.TestName) + ": it " + printable.Field(r.Note)
		}
		if more := len(records) - 3; more > 0 {
			text += fmt.Sprintf("\nand %d more", more)
		}
		return records, text
	}
	var passes, stops string
	e.Regressions, passes = without(passing, g.passes)
	e.Resolved, stops = without(g.passes, passing)
	g.passes, g.digest = passing, w.session.project.ContentDigest(g.hook)
	w.proofs.guards[h.ID] = g
	if passes != "" {
		w.session.opts.View.Handle(Proved{Transition: Regression, Text: h.ID + " lets through what it stopped" + passes})
	}
	if stops != "" {
		w.session.opts.View.Handle(Proved{Transition: Resolved, Text: h.ID + " stops again" + stops})
	}
	if len(e.Regressions)+len(e.Resolved) > 0 {
		w.session.opts.View.Handle(e)
	}
}

// A ProveFunc searches guards, and describes the result to the user.
type ProveFunc func(context.Context, *Project, []discover.Hook, *prove.Machine) ([]prove.Guard, string, error)
