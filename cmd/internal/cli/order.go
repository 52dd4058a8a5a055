package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/check"
	"hookwatch/suites/discover"
	"hookwatch/suites/prove"
)

// orderBudget is the time for each hook, unless the user gives one for all.
const orderBudget = 30 * time.Second

// orderDocument is the JSON document of prove --order.
type orderDocument struct {
	Version     int           `json:"version"`
	Project     string        `json:"project"`
	Orders      []prove.Order `json:"orders"`
	BudgetMS    int64         `json:"budget_ms"`
	Millis      int64         `json:"duration_ms"`
	Interrupted bool          `json:"interrupted,omitempty"`

	ranIn
}

// proveOrders searches the orders of hooks, and prints the result.
func proveOrders(ctx context.Context, a *app, p *session.Project, tree check.Tree, hooks []discover.Hook, m *prove.Machine, t *trial, o proving) error {
	if o.input != "" || o.write != "" {
		return errors.New("--input and --write do not go with --order, which makes the calls for which a hook changes files")
	}
	began, budget := time.Now(), cmp.Or(o.budget, orderBudget*time.Duration(len(hooks)))
	doc := orderDocument{Version: 1, Project: p.Name(), Orders: []prove.Order{}, BudgetMS: budget.Milliseconds(), ranIn: t.ranIn}
	within, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	at, marks := map[string]suites.Position{}, []annotation(nil)
	for _, h := range hooks {
		at[h.ID] = annotationPosition(p, h.Source)
	}
	err := prove.Orders(within, tree, hooks, m, func(of prove.Order) {
		doc.Orders = append(doc.Orders, of)
		if of.Race != nil {
			marks = append(marks, annotation{rule: "state-race", severity: suites.Warning, at: at[of.Hook], title: raceTitle(of.Race), text: raceText(of.Race), subject: []string{of.Hook, of.With, of.Race.Path}})
		}
		t.progress.show("%s: %s tried, in %.40s", session.Count(len(doc.Orders), "hook"), session.Count(of.Orders, "order"), of.Hook)
	})
	t.progress.end()
	if err != nil {
		return err
	}
	doc.Interrupted, doc.Millis = ctx.Err() != nil, time.Since(began).Milliseconds()
	summary := fmt.Sprintf("%s, %s, %.1f s", session.Count(len(doc.Orders), "hook"), session.Count(len(marks), "finding"), time.Since(began).Seconds())
	return a.reportAndWrite(ctx, result{doc, jsonLines(doc.Orders, doc.ranIn), func(w io.Writer) { printOrders(w, doc, summary) }, marks, summary, p.Root()}, len(marks) > 0, "", nil)
}

func raceTitle(r *prove.Race) string {
	switch p := r.Parallel; {
	case p != nil:
		return fmt.Sprintf("a limit is passed: %d of %d calls pass at the same time, %d of %d one after the other", p.Passed, p.Calls, p.InSequence, p.Calls)
	case r.What == "effects" || r.What == "answers":
		return "two calls at the same time are answered as in no order of them"
	default:
		return "two calls at the same time leave " + r.What + " as no order of them does"
	}
}

// raceText describes a race in lines.
func raceText(r *prove.Race) string {
	return fmt.Sprintf(`two calls of %s, after %d like them
one after the other: %s
at the same time: %s
the first looks at %s at %s; the second runs to its end when the first has come to %s
hold a lock from before the read until after the write: flock in bash, fcntl.flock in Python, mkdir of a lock elsewhere;
create a marker and see whether that fails (mkdir, open with "x"), instead of looking for it first; or use a file for
each call. An atomic rename does not help.`,
		r.Input, r.Before, strings.Join(r.Sequence, ", or: "), r.Interrupted, r.Path, cmp.Or(r.Read, "a line that is not known"), cmp.Or(r.Held, "its next use"))
}

// printOrders prints the result.
func printOrders(w io.Writer, doc orderDocument, summary string) {
	for _, of := range doc.Orders {
		writef(w, "%s\n", output(strings.TrimSuffix(of.Hook+" and "+of.With, " and ")))
		switch {
		case of.Race != nil:
			writef(w, "  %s\n", output(raceTitle(of.Race)))
			for line := range strings.Lines(raceText(of.Race)) {
				writef(w, "    %s\n", output(strings.TrimSpace(line)))
			}
		case of.Untried != "":
			writef(w, "  not tried: %s\n", output(of.Untried))
		default:
			writef(w, "  %s tried: none differs from one after the other\n", session.Count(of.Orders, "order"))
		}
		if !of.Complete {
			writef(w, "  not everything was tried (--budget)\n")
		}
	}
	printIsolation(w, doc.ranIn)
	writef(w, "%s\n", summary)
	if doc.Interrupted {
		writef(w, "interrupted: these are the findings so far\n")
	}
}
