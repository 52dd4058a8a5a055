package run_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
)

// A memory knows nothing, and keeps what it is asked for.
type memory struct{ asked []suites.Firing }

func (m *memory) Outcome(about suites.Firing, fire func() (suites.Outcome, error)) (suites.Outcome, error) {
	m.asked = append(m.asked, about)
	return fire()
}

// TestSameFiring checks that cases with other names are the same firing, because no hook sees the names of its
// case; and that firing a case and firing it with the parts of its outcome are not.
func TestSameFiring(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	choice, err := sandbox.Choose(sandbox.Auto, sandbox.Options{Root: p.root, Home: t.TempDir(), Size: 64 << 20, Processes: 100}, p.temp)
	if err != nil {
		t.Skip("no namespaces: ", err)
	}
	known := new(memory)
	h := discover.Hook{ID: "h", Event: "Stop", Type: "command", Command: "cat; env; pwd; echo ~ $0; ls -a / /tmp $TMPDIR $TMPDIR/.. 2>&1; cat /proc/self/mountinfo", Timeout: time.Minute}
	hooks := func(string, string) []discover.Hook { return []discover.Hook{h} }
	r := run.New(run.Options{Root: p.root, Temp: p.temp, Timeout: time.Minute, Isolation: choice, Env: run.Environment(os.Environ(), nil), Known: known,
		Hooks: hooks, InForce: func() []discover.Hook { return hooks("", "") }})
	t.Cleanup(r.Close)
	for _, c := range []suites.Case{{Suite: "suite-one", ID: "case-one"}, {Suite: "suite-two", ID: "case-two"}} {
		c.Layer, c.Chain, c.Steps = suites.Direct, true, []suites.Step{{Event: "Stop"}}
		o, err := r.Make(t.Context(), suites.Request{Case: &c})
		if err != nil {
			t.Fatal(err)
		}
		out := string(o.Last().Stdout)
		for _, name := range []string{c.Suite, c.ID} {
			if strings.Contains(out, name) || !strings.Contains(out, "TMPDIR=") {
				t.Errorf("the hook sees %s: %s", name, out)
			}
		}
		if _, _, err := r.Fire(t.Context(), &c); err != nil {
			t.Fatal(err)
		}
	}
	key := func(i int) string { return string(known.asked[i].Setup) + string(known.asked[i].Input) }
	if key(0) != key(2) || key(1) != key(3) {
		t.Error("the names of a case make it another firing")
	}
	if key(0) == key(1) {
		t.Error("a firing with the parts of its outcome is one without them")
	}
}
