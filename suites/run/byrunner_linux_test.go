package run_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/run"
)

// TestGatePlaces checks that a gate looks where the hook looks, and asks a runner once.
func TestGatePlaces(t *testing.T) {
	t.Parallel()
	asked := "#!/bin/sh\necho asked >>\"$ASKED\"\ncase \"$*\" in *have*) echo 1.0 ;; *) exit 1 ;; esac\n"
	for _, tt := range []struct {
		name, tool string
		files      map[string]string
		want       suites.Status
		note       string
		min        string
	}{
		{"nowhere", "linter", nil, suites.Fail, "LINTER_ABSENT", ""},
		{"in the project", "linter", map[string]string{"node_modules/.bin/linter": "#!/bin/sh\necho 2.0\n"}, suites.Pass, "", ""},
		{"in the project, too old", "sed", map[string]string{"node_modules/.bin/sed": "#!/bin/sh\necho 2.0\n"}, suites.Skip, "version_skip: sed 2.0 < 3.0", "3.0"},
		{"by a runner", "linter-have", map[string]string{"bin/npx": asked}, suites.Pass, "", ""},
		{"not by a runner", "linter", map[string]string{"bin/npx": asked}, suites.Fail, "LINTER_ABSENT", ""},
	} {
		p := newProject(t)
		p.write("hook.sh", "#!/bin/bash\nexit 0\n", 0o755)
		for name, content := range tt.files {
			p.write(name, content, 0o755)
		}
		r := p.inMode("copy", filepath.Join(p.root, "bin"))
		log := filepath.Join(p.temp, "asked")
		c := &suites.Case{Suite: "s", ID: "A", Hook: "hook.sh", Env: map[string]string{"ASKED": log}, Steps: []suites.Step{{Event: "Stop", Expect: suites.Expectation{Exit: code(0)}}},
			Gates: []suites.Gate{{Tool: tt.tool, Policy: suites.GateFail, MinVersion: tt.min, Places: []string{"node_modules/.bin/" + tt.tool, tt.tool, "npx " + tt.tool}}}}
		for range 2 {
			if v := judged(t, r, c); v.Status != tt.want || v.Note != tt.note {
				t.Errorf("%s: %s %q, want %s %q", tt.name, v.Status, v.Note, tt.want, tt.note)
			}
		}
		text, _ := os.ReadFile(log)
		if want := map[bool]string{true: "asked\n"}[tt.files["bin/npx"] != ""]; string(text) != want {
			t.Errorf("%s: asked %q, want %q", tt.name, text, want)
		}
	}
}

// byNpx returns a case with a gate for a tool that only a runner may have.
func (p *project) byNpx(tool string) *suites.Case {
	p.write("hook.sh", "#!/bin/bash\nexit 0\n", 0o755)
	return &suites.Case{
		Suite: "s", ID: "A", Hook: "hook.sh", Steps: []suites.Step{{Event: "Stop", Expect: suites.Expectation{Exit: code(0)}}},
		Gates: []suites.Gate{{Tool: tool, Places: []string{"npx " + tool}}},
	}
}

// npx creates a runner in the directory bin of the project that records its calls in the file
// asked.
func (p *project) npx(script string) (r *run.Runner, asked string) {
	asked = filepath.Join(p.temp, "asked")
	p.write("bin/npx", fmt.Sprintf("#!/bin/sh\necho \"$2\" >>'%s'\n%s\n", asked, script), 0o755)
	return p.inMode("copy", filepath.Join(p.root, "bin")), asked
}

// TestForget checks that the answers of runners are kept for one run only.
func TestForget(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	r, asked := p.npx("[ -e '" + filepath.Join(p.temp, "there") + "' ] && echo 1.0")
	c := p.byNpx("linter")
	expect := func(want suites.Status, wantAsked string) {
		t.Helper()
		if v := judged(t, r, c); v.Status != want {
			t.Errorf("%+v, want %s", v, want)
		}
		if text, _ := os.ReadFile(asked); string(text) != wantAsked {
			t.Errorf("asked %q, want %q", text, wantAsked)
		}
	}
	expect(suites.Skip, "linter\n")
	write(t, filepath.Join(p.temp, "there"), "")
	expect(suites.Skip, "linter\n")
	r.Forget()
	expect(suites.Pass, "linter\nlinter\n")
	expect(suites.Pass, "linter\nlinter\n")
}

// TestRunnerLate checks that a runner that did not answer in time is asked again, and that
// questions about another tool do not wait for it.
func TestRunnerLate(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	r, asked := p.npx("case $2 in quick) echo 1.0 ;; *) [ $(grep -c slow '" + filepath.Join(p.temp, "asked") + "') -gt 1 ] || sleep 1000; echo 1.0 ;; esac")
	slow, late := p.byNpx("slow"), make(chan suites.Status, 1)
	go func() { late <- judged(t, r, slow).Status }()
	for { // until it was asked
		if text, _ := os.ReadFile(asked); len(text) > 0 {
			break
		}
		select {
		case status := <-late:
			t.Fatalf("ended %s without having asked", status)
		case <-time.After(time.Millisecond):
		}
	}
	if v := judged(t, r, p.byNpx("quick")); v.Status != suites.Pass {
		t.Errorf("%+v", v)
	}
	select {
	case <-late:
		t.Fatal("the quick one waited for the slow one")
	default:
	}
	if status := <-late; status != suites.Skip {
		t.Errorf("the late one: %s", status)
	}
	if v := judged(t, r, slow); v.Status != suites.Pass {
		t.Errorf("asked again: %+v", v)
	}
}
