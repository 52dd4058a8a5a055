package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"hookwatch/suites"
	"hookwatch/suites/check"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/discover"
	"hookwatch/suites/verdict"
)

// page returns a page with something in every part.
func page() *Page {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var records []suites.Record
	for i := range 3 {
		for j, r := range []suites.Record{record("P01", true, ""), record("P02", i < 2, "exit 0, want 2"), record("P03", true, "absent: biome"), record("P04", true, "unproven: control P01 did not fail")} {
			r.RunID, r.Timestamp, r.DurationMS = fmt.Sprintf("run-%d", i), at.Add(time.Duration(i)*time.Hour).Format(time.RFC3339), int64(10+j+100*i)
			records = append(records, r)
		}
	}
	found := func(rule, hook, at, fault string, s suites.Severity) check.Finding {
		f := check.FindingOf(rule, hook, suites.Position{}, "what is wrong", s)
		f.At, f.FaultAt, f.Input, f.Printed = at, fault, "git push", "no"
		return f
	}
	key := func(id string) suites.Key { return suites.Key{Suite: "pm", ID: id} }
	p := &Page{
		Project: "plan|kton", Program: "0.1.0", Made: at, Fired: true, NotRun: 1, Untraced: 1, Records: records, Cases: verdict.Histories(records, nil),
		Hooks: []PageHook{
			{Hook: discover.Hook{ID: "PreToolUse-guard.sh-1", Event: "PreToolUse", Matcher: "Bash", Source: suites.Position{File: ".claude/settings.json", Line: 3, Column: 5}},
				State: suites.State{Tally: suites.Tally{Passed: 1, Failed: 1, Skipped: 1, Unproven: 1}, NotRun: 1}, Name: "guard.sh", Clients: []string{clients.Claude, "copilot"}, Stops: "git push"},
			{Hook: discover.Hook{ID: "Stop-gone.sh-2", Event: "Stop"}, Name: "gone.sh", Idle: "gone.sh does not exist", Clients: []string{clients.Claude}},
			{Hook: discover.Hook{ID: "Stop-lint.sh-3", Event: "Stop"}, Name: "lint.sh", Absent: "ruff is absent", Clients: []string{clients.Claude}},
		},
		Findings: []check.Finding{
			found("exit-code-not-2", "PreToolUse-guard.sh-1", ".claude/settings.json:3:5", "guard.sh:4", suites.Error), found("bypass", "", "x:1", "", suites.Warning),
			found("unreached", "", "guard.sh:7", "", suites.Warning), found("client-differs", "PreToolUse-guard.sh-1", "x:1", "", suites.Info),
		},
		Proved: &Proved{},
		Sources: []Source{
			{Path: "guard.sh", Text: "#!/bin/bash\ninput=$(cat)\nif a; then\n  b\nfi\nif c; then\n  d\nfi\n# end\nexit 0\n", Coverage: &trace.Coverage{Path: "guard.sh", Cases: 4,
				Functions: []trace.CoveredFunction{{Name: "f", Line: 3, End: 5, Cases: []string{"pm/P01"}}},
				Lines: []trace.CoveredLine{{Line: 2, Cases: 1, By: []suites.Key{key("P01")}}, {Line: 3, Cases: 1, By: []suites.Key{key("P01")}}, {Line: 4},
					{Line: 6, Cases: 4, By: []suites.Key{key("P01"), key("P02"), key("P03"), key("P05")}}, {Line: 7}, {Line: 10, Cases: 4, By: []suites.Key{key("P01"), key("P02"), key("P03"), key("P05")}}}}},
			{Path: "large.js", Unread: "9000 lines are too many to show"},
			{Path: "lint.sh", Text: "exit 0"},
		},
	}
	p.Findings[3].What = "Copilot CLI lets it run: no decision"
	doc := `{"guards": [{"id": "PreToolUse-guard.sh-1", "stops": ["a", "b", "c", "d", "e"], "ways": [
		{"goal": {"aim": "modify", "object": ".env"}, "complete": false, "not_fired": [{"kind": "Edit", "reached": 1, "passed": 1}], "remedies": [{"deny": "Edit(.env)", "closes": ["Edit"]}], "kinds": [{"kind": "shell", "reached": 2, "passed": 0}, {"kind": "redirection", "reached": 3, "passed": 2, "open": [{"tool": "Bash", "input": {"command": "echo >.env"}}]}]},
		{"goal": {"aim": "disclose", "object": "key"}, "complete": true, "not_fired": [{"kind": "Bash", "reached": 1, "passed": 1}], "remedies": [{"matcher": "Bash", "closes": ["Bash"]}], "kinds": []}]}, {"id": "other", "unproved": "it stops none of 9 inputs"}],
		"findings": [{"hook": "PreToolUse-guard.sh-1", "what": "bypass", "input": {"command": "git -P push"}, "from": {"command": "git push"}, "does": "calls git push"}]}`
	if err := json.Unmarshal([]byte(doc), p.Proved); err != nil {
		panic(err)
	}
	return p
}

func written(t *testing.T, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPage(t *testing.T) {
	t.Parallel()
	text := written(t, page())
	golden(t, "page.golden.html", []byte(regexp.MustCompile(`(?s)sha256-.*</style>`).ReplaceAllString(text, "</style>")))
	if !strings.HasPrefix(text, PageMark) {
		t.Error("the page does not begin with its mark")
	}
	if strings.ContainsFunc(pageCSS, func(r rune) bool { return r > '~' || r == '<' }) {
		t.Error("the style must be what the policy permits, so nothing in it may be escaped")
	}
	long := Page{Sources: []Source{{Path: "bundle.js", Text: strings.Repeat("x", 1<<20)}}}
	if out := written(t, &long); len(out) > 30_000 {
		t.Errorf("a line of 1 MB makes a page of %d bytes", len(out))
	}
	if empty := written(t, &Page{}); strings.Count(empty, `class="empty"`) < 8 {
		t.Errorf("each section says why it is empty:\n%s", empty)
	}
}

// TestBlocks checks which lines of a source belong together.
func TestBlocks(t *testing.T) {
	t.Parallel()
	p := page()
	var got []string
	for _, b := range p.Blocks(p.Sources[0]) {
		got = append(got, fmt.Sprintf("%d+%d %s %d %d", b.From, len(b.Lines), b.State, len(b.By), len(b.Findings)))
	}
	want := []string{"1+1  0 0", "2+2 ran 1 0", "4+1 not 0 1", "5+1  0 0", "6+1 ran 4 0", "7+1 never 0 1", "8+2  0 0", "10+1 ran 4 0"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	p.Findings = nil // without them 7 is as 4, and 8 to 9 have no statement
	got = nil
	for _, b := range p.Blocks(Source{Text: "a\n\nb\n\nc", Coverage: &trace.Coverage{Lines: []trace.CoveredLine{{Line: 1}, {Line: 3}, {Line: 5, Cases: 1}}}}) {
		got = append(got, fmt.Sprintf("%d+%d %s", b.From, len(b.Lines), b.State))
	}
	if d := cmp.Diff([]string{"1+3 not", "4+1 ", "5+1 ran"}, got); d != "" {
		t.Error(d)
	}
}

// spoil sets every text below a value to a hostile one.
func spoil(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			spoil(v.Elem(), text)
		}
	case reflect.Slice:
		for i := range v.Len() {
			spoil(v.Index(i), text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				spoil(v.Field(i), text)
			}
		}
	case reflect.String:
		switch v.Interface().(type) {
		case suites.Severity, suites.Status: // from lists of the program
		default:
			v.SetString(text)
		}
	}
}

// hostile is text that forges markup, reorders and hides text, and is invalid or long.
const hostile = "\x00</code></td></table><script src=//x>alert(1)</script><img src=//y onerror=alert(2)>\" onload=\"alert(3)' style='x:y {{.}} <!-- \u202e\u2066\u200b\x1b[31m\xff&lt;\r\n<h1>FORGED</h1>"

// hostilePage returns a page whose texts are hostile.
func hostilePage(text string) *Page {
	p := page()
	spoil(reflect.ValueOf(p).Elem(), text)
	return p
}

// TestPageHostile checks that no text becomes markup or stays invisible, and that each is cut.
func TestPageHostile(t *testing.T) {
	t.Parallel()
	for _, text := range []string{hostile, "x" + hostile, strings.Repeat("<b>x\t", 20_000), strings.Repeat("\u202e", 20_000)} {
		out := written(t, hostilePage(text))
		if i := strings.IndexFunc(out, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("%q", out[max(0, i-80):i+10])
		}
		if len(out) > 400_000 {
			t.Errorf("a page of %d bytes", len(out))
		}
		structure(t, out)
	}
}

// structure checks that a page has only the elements and attributes of the template.
func structure(t *testing.T, text string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	const elements = " html head meta style title body header main footer nav section article h1 h2 h3 h4 p ul li a b span small code pre time table caption colgroup col thead tbody tr th td details summary div svg g path rect circle line text "
	ids, targets := map[string]int{}, []string{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if !strings.Contains(elements, " "+n.Data+" ") && (n.Data != "title" || n.Namespace != "svg") {
			t.Errorf("an element %s", n.Data)
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "style" || strings.HasPrefix(a.Key, "on") || a.Key == "src":
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			case a.Key == "href" && !strings.HasPrefix(a.Val, "#"):
				t.Errorf("a link to %q", a.Val)
			case a.Key == "href":
				targets = append(targets, a.Val[1:])
			case a.Key == "id":
				ids[a.Val]++
			}
		}
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("%d elements have the ID %s", n, id)
		}
	}
	for _, to := range targets {
		if ids[to] == 0 {
			t.Errorf("a link to #%s, which is nowhere", to)
		}
	}
}

// TestPageInBrowser opens pages in headless Chromium: nothing is requested and nothing complains, axe-core
// finds no violation, nothing is wider than the screen, and the keyboard visits everything in order.
func TestPageInBrowser(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is absent")
	}
	tools := os.Getenv("HOOKWATCH_TEST_BROWSER") // the directory in which npm installs both
	browser, axe := filepath.Join(tools, "chromium"), filepath.Join(tools, "node_modules/axe-core/axe.min.js")
	for _, tool := range []string{browser, axe} {
		if _, err := os.Stat(tool); err != nil {
			t.Skipf("%s is absent: HOOKWATCH_TEST_BROWSER names the directory that .ci/browser fills", filepath.Base(tool))
		}
	}
	for name, p := range map[string]*Page{"page": page(), "hostile": hostilePage(hostile + strings.Repeat("wide", 100)), "empty": {Project: "empty"}} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), name+".html")
			if err := os.WriteFile(file, []byte(written(t, p)), 0o644); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), node, "testdata/browse.mjs", browser, axe, file)
			if shots := os.Getenv("HOOKWATCH_TEST_SHOTS"); shots != "" {
				cmd.Args = append(cmd.Args, shots)
			}
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			checkSeen(t, out)
		})
	}
}

// checkSeen checks what the browser saw of a page.
func checkSeen(t *testing.T, out []byte) {
	t.Helper()
	var seen struct {
		Overflow, Violations []json.RawMessage
		Console, Requests    []string
		Stops, Documents     int
		Order                []struct {
			Name                   string
			Visible, Ring, Forward bool
		}
	}
	if err := json.Unmarshal(out, &seen); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for what, all := range map[string][]json.RawMessage{"wider than the screen": seen.Overflow, "axe-core": seen.Violations} {
		for _, one := range all {
			t.Errorf("%s: %s", what, one)
		}
	}
	if len(seen.Console)+len(seen.Requests) > 0 || seen.Documents == 0 {
		t.Errorf("console %q, requests %q, %d documents", seen.Console, seen.Requests, seen.Documents)
	}
	if len(seen.Order) != min(seen.Stops, 200) || seen.Stops < 8 {
		t.Errorf("the keyboard makes %d stops of %d", len(seen.Order), seen.Stops)
	}
	for _, stop := range seen.Order {
		if !stop.Visible || !stop.Ring || !stop.Forward {
			t.Errorf("a stop of the keyboard: %+v", stop)
		}
	}
}
