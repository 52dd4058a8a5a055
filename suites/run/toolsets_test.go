package run

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
	"hookwatch/suites/process"
)

// TestRecall checks that a recorded environment counts only if its tools have the digest of the
// set.
func TestRecall(t *testing.T) {
	t.Parallel()
	tools := []suites.Tool{{Name: "bash", Digest: "1"}, {Name: "jq", Digest: "2"}}
	all, one := suites.ToolsDigest(tools), suites.ToolsDigest(tools[:1])
	s := make(ToolSets)
	s.Recall(suites.Environment{Tools: tools, CaseTools: map[string][]string{
		all: {"bash", "jq"}, one: {"bash"}, "of-an-earlier-bash": {"bash"}, "not-listed": {"awk"},
	}}, func() []suites.Environment { return nil })
	want := ToolSets{all: {"bash": "1", "jq": "2"}, one: {"bash": "1"}}
	if d := cmp.Diff(want, s); d != "" {
		t.Errorf("facts (-want +got):\n%s", d)
	}
	older := []suites.Tool{{Name: "bash", Digest: "1"}, {Name: "jq", Digest: "1"}}
	earlier := func() []suites.Environment {
		return []suites.Environment{{Tools: tools[:1]}, {Tools: older}, {Tools: tools}}
	}
	before := suites.ToolsDigest(older)
	s.Recall(suites.Environment{Tools: tools, CaseTools: map[string][]string{before: {"bash", "jq"}}}, earlier)
	want[before] = map[string]string{"bash": "1", "jq": "1"}
	if d := cmp.Diff(want, s); d != "" {
		t.Errorf("facts of earlier tools (-want +got):\n%s", d)
	}
}

// TestChanged checks which tools differ in a later set.
func TestChanged(t *testing.T) {
	t.Parallel()
	s := make(ToolSets)
	know := func(versions ...string) string {
		var tools []suites.Tool
		for i := 0; i < len(versions); i += 2 {
			tools = append(tools, suites.Tool{Name: versions[i], Digest: versions[i+1]})
		}
		set := suites.ToolsDigest(tools)
		s.Add(set, tools)
		return set
	}
	base := know("bash", "1", "jq", "1")
	for _, tt := range []struct {
		now     string
		changed []string
		differ  bool
	}{
		{base, nil, false},
		{know("bash", "1", "jq", "2"), []string{"jq"}, true},
		{know("bash", "1", "jq", ""), []string{"jq"}, true},
		{know("awk", "1", "bash", "1", "jq", "1"), nil, false},
		{know("bash", "1"), nil, false},
		{"unknown", nil, true},
	} {
		if got := s.ChangedTools(base, tt.now); !slices.Equal(got, tt.changed) || s.MayDiffer(base, tt.now) != tt.differ {
			t.Errorf("%s: changed %q, may differ %v", tt.now, got, s.MayDiffer(base, tt.now))
		}
	}
}

// TestLook checks that a tool is looked up once per look, and that cases with one key share a set.
func TestLook(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	box := NewToolbox(dir, []string{"PATH=" + dir + ":/bin:/usr/bin"}, map[string]string{"jaq": "gojq 1"}, nil)
	l, asked := NewToolLook(box, make(ToolSets)), 0
	names := func() []string { asked++; return []string{"jaq", "sh"} }
	first := l.Set("hook", names)
	for i, key := range []string{"hook", ""} {
		if set := l.Set(key, names); set != first || asked != i+1 {
			t.Errorf("key %q: set %s, want %s; asked for names %d times, want %d", key, set, first, asked, i+1)
		}
	}
	other := l.Set("other", func() []string { return []string{"none"} })
	if d := cmp.Diff(map[string][]string{first: {"jaq", "sh"}, other: {"none"}}, l.Sets()); d != "" {
		t.Errorf("sets (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"jaq", "none", "sh"}, l.Names()); d != "" {
		t.Errorf("names (-want +got):\n%s", d)
	}
}

// TestVersionOnce checks that a tool that several cases want is asked once, and again only if the case
// that asked was interrupted.
func TestVersionOnce(t *testing.T) {
	t.Parallel()
	for name, interrupted := range map[string]bool{"answered": false, "interrupted": true} {
		box := NewToolbox(t.TempDir(), nil, nil, nil)
		ctx, cancel := context.WithCancel(t.Context())
		var asked atomic.Int32
		var wanted, done sync.WaitGroup
		wanted.Add(3)
		begun := make(chan struct{})
		ask := func(ctx context.Context, _ []string) (process.Result, error) {
			if asked.Add(1) == 1 {
				close(begun)
				wanted.Wait() // for those that must not ask
			}
			if interrupted {
				cancel()
			}
			return process.Result{Stdout: process.Capture{Bytes: []byte("jq-1.7\n")}}, nil
		}
		tool := suites.Tool{Name: "jq", Path: "/bin/jq", Digest: "x"}
		done.Go(func() { _, _ = box.Version(ctx, tool, ask) })
		<-begun
		for range 3 {
			done.Go(func() {
				wanted.Done()
				if v, err := box.Version(t.Context(), tool, ask); v != "jq-1.7" || err != nil {
					t.Errorf("%s: %q, %v", name, v, err)
				}
			})
		}
		done.Wait()
		cancel()
		if n, want := asked.Load(), map[bool]int32{false: 1, true: 2}[interrupted]; n != want {
			t.Errorf("%s: asked %d times, want %d", name, n, want)
		}
	}
}
