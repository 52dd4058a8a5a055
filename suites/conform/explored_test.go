package conform

import (
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/explore"
)

// TestUnreached checks how decisions are reported to which no input came.
func TestUnreached(t *testing.T) {
	t.Parallel()
	src := "#!/bin/bash\nf=$(jq -r .tool_input.file_path)\nif [[ $f == secrets/* ]]; then\n  exit 2\nfi\n[[ $f == *.env ]] && exit 2\n"
	decisions := explore.Decisions("guard.sh", []byte(src))
	if len(decisions) != 2 {
		t.Fatalf("%d decisions", len(decisions))
	}
	compared := []explore.Comparison{
		{File: "/p/guard.sh", Line: 3, Op: explore.Glob, Value: "/p/src/a.py", Pattern: "secrets/*"},
		{File: "/p/guard.sh", Line: 6, Op: explore.Glob, Value: "/p/src/a.py", Pattern: "*.env"},
	}
	for _, tt := range []struct {
		name    string
		event   string
		reached map[int]bool
		ran     bool
		want    []string // severity, and a part of the text
	}{
		{"all but one that no path passes", "PreToolUse", map[int]bool{1: true}, true, []string{"warning absolute"}},
		{"all but one that some path passes", "PreToolUse", map[int]bool{0: true}, true, []string{`info "/p/src/a.py" with "*.env"`}},
		{"none of a guard", "PreToolUse", map[int]bool{}, true, []string{"warning absolute", `warning with "*.env"`}},
		{"none of a hook that stops nothing", "PostToolUse", map[int]bool{}, true, []string{"warning absolute", `info with "*.env"`}},
		{"a script that was not seen to run", "PreToolUse", map[int]bool{}, false, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			q := &Inquiry{hook: discover.Hook{ID: "h", Event: tt.event, Matcher: "Edit"}}
			q.exploration = &exploration{decisions: decisions, reached: tt.reached, ran: map[string]bool{"guard.sh": tt.ran}, seen: compared, compared: true}
			_ = q.unreached()
			if len(q.findings) != len(tt.want) {
				t.Fatalf("%d findings, want %d: %+v", len(q.findings), len(tt.want), q.findings)
			}
			for i, f := range q.findings {
				severity, part, _ := strings.Cut(tt.want[i], " ")
				if f.Severity != suites.Severity(severity) || !strings.Contains(f.What, part) {
					t.Errorf("%s %s, want %s", f.Severity, f.What, tt.want[i])
				}
			}
		})
	}
}

// TestUnobserved checks that an inquiry goes on where no firing is observed, as in place.
func TestUnobserved(t *testing.T) {
	t.Parallel()
	q := &Inquiry{hook: discover.Hook{Event: "PreToolUse", Matcher: "Bash"}}
	f := firing{event: "PreToolUse", tool: "Bash", command: "echo hello"}
	q.rounds = []func() []Probe{func() []Probe { return []Probe{q.probe(f, nil)} }}
	q.exploration = &exploration{}
	p := q.observed(f, explore.Input{})
	q.Take(p, suites.Outcome{})
	if next := q.Next(); len(next) != 1 {
		t.Errorf("%d probes follow", len(next))
	}
}

// TestInputs checks which texts make another call of a hook.
func TestInputs(t *testing.T) {
	t.Parallel()
	q := &Inquiry{hook: discover.Hook{Event: "PreToolUse", Matcher: "Edit|Write"}}
	usual := firing{event: "PreToolUse", tool: "Write", file: "src/example.py"}
	for _, tt := range []struct {
		field explore.Field
		text  string
		ok    bool
		sent  string // in the payload
	}{
		{"tool_input.file_path", "x/.env", true, `"{override}/x/.env"`},
		{"tool_input.file_path", "/etc/passwd", true, `"/etc/passwd"`},
		{"tool_input.content", "a <b> & c", true, `"a <b> & c"`},
		{"tool_name", "Edit", true, `"tool_name":"Edit"`},
		{"tool_name", "Bash", false, ""},
		{"tool_input.other.deep", "x", true, `"tool_name":"Write"`}, // there is no such object
	} {
		f, ok := q.with(usual, explore.Input{Field: tt.field, Text: tt.text})
		if ok != tt.ok {
			t.Errorf("%s %q: %v", tt.field, tt.text, ok)
		}
		if sent := string(f.asCase(q.hook).Steps[0].PayloadRaw); ok && !strings.Contains(sent, tt.sent) {
			t.Errorf("%s %q: sent %s", tt.field, tt.text, sent)
		}
	}
}
