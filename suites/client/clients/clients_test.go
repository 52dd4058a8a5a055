package clients

import (
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/client"
)

// TestData requires that the facts parse, name their source, and use effects, events and forms that
// exist.
func TestData(t *testing.T) {
	all, err := read()
	if err != nil {
		t.Fatal(err)
	}
	known := map[suites.Effect]bool{}
	for _, effect := range suites.Effects {
		known[effect] = true
	}
	for _, c := range all {
		if c.Title == "" || c.Documented == "" || c.On == "" || len(c.Files) == 0 {
			t.Errorf("%s lacks a title, a source, a date or files", c.Name)
		}
		for name, e := range c.Events {
			if _, ok := client.EventByName(e.As); e.As != "" && !ok {
				t.Errorf("%s: %s stands for %q, which is no event", c.Name, name, e.As)
			}
		}
		for _, rule := range c.Outputs {
			if !known[rule.Effect] || rule.Why == "" {
				t.Errorf("%s: rule %q has the effect %q", c.Name, rule.Why, rule.Effect)
			}
			for _, event := range rule.At {
				if _, ok := c.Events[event]; !ok {
					t.Errorf("%s: rule %q is for %s, which is no event", c.Name, rule.Why, event)
				}
			}
			if form := rule.When.Stdout; !strings.Contains(" empty plain broken object refused list ", " "+form+" ") && form != "" {
				t.Errorf("%s: rule %q is for stdout %q", c.Name, rule.Why, form)
			}
			if ended := rule.When.Ended; !strings.Contains(" exit signal timeout unstarted ", " "+ended+" ") && ended != "" {
				t.Errorf("%s: rule %q is for an end by %q", c.Name, rule.Why, ended)
			}
		}
	}
}

// TestInBackground checks that a hook with async decides nothing in a client that does not wait for it.
func TestInBackground(t *testing.T) {
	t.Parallel()
	out := client.Output{Exit: 2, Stderr: []byte("no"), Entry: client.Entry{Async: true}}
	for name, want := range map[string]suites.Effect{"codex": suites.Ignored, "copilot": suites.Denied} {
		c, _ := ByName(name)
		if got := c.Interpret("PreToolUse", out); got.Effect != want {
			t.Errorf("%s: %s (%s), want %s", name, got.Effect, got.Because, want)
		}
	}
}

// TestContext checks that context is sent to the model also if another hook decides.
func TestContext(t *testing.T) {
	t.Parallel()
	c, _ := ByName("codex")
	read := func(out client.Output) client.Reading { return c.Interpret("PreToolUse", out).Reading() }
	all := client.Combine([]client.Reading{
		read(client.Output{Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"context"}}`)}),
		read(client.Output{Exit: 2, Stderr: []byte("reason")}),
	})
	if all.Effect != suites.Denied || !slices.Equal(all.ModelSees, []string{"context", "reason"}) {
		t.Errorf("%s, the model sees %q", all.Effect, all.ModelSees)
	}
}

// TestCells requires that the predicted effects are those that were measured.
func TestCells(t *testing.T) {
	for _, c := range Clients() {
		if c.Measured == "" {
			continue
		}
		cells, err := c.Cells()
		if err != nil {
			t.Fatal(err)
		}
		const least = 120
		if len(cells) < least {
			t.Errorf("%s: %d cells, want at least %d", c.Name, len(cells), least)
		}
		for _, cell := range cells {
			got := c.Interpret(cell.Event, cell.Output)
			runsOn := func(e suites.Effect) bool { return e == suites.Proceeds || e == suites.Ignored }
			if got.Effect != cell.Effect && !(runsOn(got.Effect) && runsOn(cell.Effect)) {
				t.Errorf("%s: %s at %s: %q (%s), measured %s", c.Name, cell.Case, cell.Event, got.Effect, got.Because, cell.Effect)
			}
			if sees := strings.Join(got.ModelSees, "\n"); !strings.Contains(sees, cell.Sees) || cell.Sees == "" && sees != "" {
				t.Errorf("%s: %s at %s: the model sees %q, measured %q", c.Name, cell.Case, cell.Event, sees, cell.Sees)
			}
		}
	}
}
