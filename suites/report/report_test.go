package report

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	renderer "github.com/yuin/goldmark/renderer/html"

	"hookwatch/suites"
	"hookwatch/suites/verdict"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (-update rewrites it):\n%s", path, d)
	}
}

const nasty = "a | b `code` ```fence``` \\| *bold* _x_ <b>html</b> [l](u) &amp;\nsecond # line"

// record returns a record with the given note.
func record(id string, pass bool, note string) suites.Record {
	zero, two := 0, 2
	r := suites.Record{Hook: "hook.sh", TestName: "case_" + id, Suite: "pm", ID: id, InputSummary: "pip install a|b", ExpectedDecision: "block",
		ExpectedExit: &two, ActualDecision: "approve", ActualExit: &zero, Pass: pass, Note: note, DurationMS: 12,
		Digests: suites.Digests{Case: "c", Inputs: "i", Tools: "t1"}}
	r.Settle()
	return r
}

func resultsInput() ResultsInput {
	failed := record("P02", false, "exit 0, want 2; "+nasty)
	failed.ActualStderr = "[hook] ```\n" + strings.Repeat("line\n", 30)
	return ResultsInput{
		RunID: "20260301T120000Z-1a2b", Project: "plan|kton", Started: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		Duration: 4123 * time.Millisecond, HookTime: 3 * time.Second, Hookwatch: "0.1.0", StandIns: []string{"jaq=gojq 0.12.19"},
		Agents: []Agent{
			{Name: "ml-agent", File: "ml-agent-20260301T120000Z.jsonl", Expected: 2, Records: []suites.Record{
				record("M01", true, ""), record("M28", true, "version_skip: biome 2.3"), record("M31", true, "absent: bandit")}},
			{Name: "pm-agent", File: "pm-agent-20260301T120000Z.jsonl", Hook: "hook.sh", Expected: 5, Records: []suites.Record{
				record("P01", true, ""), failed, record("P11", true, "unproven: control P01 did not fail"), record("P12", false, "ABORTED: DEP01 jaq absent")}},
		},
		Env: suites.Environment{OS: "linux", Isolation: "namespaces", Tools: []suites.Tool{
			{Name: "bandit"}, {Name: "biome", Path: "/usr/bin/biome", Version: "2.3.15"}, {Name: "jaq", Path: "/tmp/x|y/jaq", Version: "gojq 0.12.19", StandIn: true}}},
	}
}

func TestResults(t *testing.T) {
	t.Parallel()
	golden(t, "RESULTS.md", Results(resultsInput()))
}

func TestResultsOfNothing(t *testing.T) {
	t.Parallel()
	got := string(Results(ResultsInput{RunID: "r", Aborted: "DEP01 jaq | absent"}))
	for _, want := range []string{"| hookwatch | 0 | 0 | 0 | 0 | 0 | 0 |", "No tools are on record.", "1. **Mend what stopped the run**: DEP01 jaq \\| absent"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// runs returns two runs with every kind of delta.
func runs() (prev, cur verdict.Run) {
	edited, explained, changed := record("P05", false, "edited"), record("P06", false, "exit 1, want 2"), record("P07", true, nasty)
	edited.Digests.Case, explained.Digests.Tools, explained.Digests.Inputs = "c2", "t2", "i2"
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	prev = verdict.Run{ID: "20260301T120000Z", Time: at, Records: []suites.Record{record("P01", true, ""), record("P02", true, ""), record("P03", false, "exit 0, want 2"),
		record("P04", true, ""), record("P05", true, ""), record("P06", true, ""), record("P07", true, "")}}
	cur = verdict.Run{ID: "20260301T130000Z", Time: at.Add(time.Hour), Records: []suites.Record{record("P01", true, ""), record("P02", false, nasty), record("P03", true, ""),
		edited, explained, changed, record("P08", true, "absent: rg"), record("P09", true, "")}}
	prev.Env = suites.Environment{Tools: []suites.Tool{{Name: "biome", Path: "/usr/bin/biome", Version: "2.3.15"}, {Name: "jaq", Path: "/usr/bin/jaq"}}}
	cur.Env = suites.Environment{Tools: []suites.Tool{{Name: "biome", Path: "/usr/bin/biome", Version: "2.4.0"}, {Name: "jaq"}}}
	return prev, cur
}

func TestComparison(t *testing.T) {
	t.Parallel()
	golden(t, "COMPARISON.md", Comparison(verdict.Compare(runs())))
	prev, _ := runs()
	same := string(Comparison(verdict.Compare(prev, prev)))
	for _, want := range []string{"No tool changed.", "No case differs.", "None: the runs agree.", "| unchanged | 7 |"} {
		if !strings.Contains(same, want) {
			t.Errorf("no %q in\n%s", want, same)
		}
	}
}

// countByQuery counts the same kinds with jq, only from the records and the names of the
// changed tools.
const countByQuery = `def status: if .pass then (if .note | startswith("absent: ") then "skip" else "pass" end) else "fail" end;
  (map(select(.run_id == "a") | {key: .id, value: .}) | from_entries) as $prev |
  (map(select(.run_id == "b") | {key: .id, value: .}) | from_entries) as $cur |
  ($prev + $cur | keys) |
  map(. as $k | $prev[$k] as $p | $cur[$k] as $c |
    if $p == null then "added" elif $c == null then "removed"
    elif $p.digests.case != $c.digests.case then "edited"
    elif ($p | status) != ($c | status) then
      if $p.digests.tools != $c.digests.tools then "explained" elif $c.pass then "resolved" else "regression" end
    elif $p.note != $c.note then "changed" else "unchanged" end) |
  . as $kinds | reduce $kinds[] as $k ({"total": ($kinds | length)}; .[$k] += 1)`

func TestSumsAgreeWithQuery(t *testing.T) {
	t.Parallel()
	prev, cur := runs()
	var both []suites.Record
	for i := range prev.Records {
		prev.Records[i].RunID = "a"
	}
	for i := range cur.Records {
		cur.Records[i].RunID = "b"
	}
	both = append(append(both, prev.Records...), cur.Records...)
	q, err := verdict.CompileQuery(countByQuery)
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]any{}
	_, text, _ := strings.Cut(string(Comparison(verdict.Compare(prev, cur))), "## Sums")
	text, _, _ = strings.Cut(text, "## Actionable")
	for _, m := range regexp.MustCompile(`\| \**(\w+)\** \| (\d+) \|`).FindAllStringSubmatch(text, -1) {
		if n, _ := strconv.Atoi(m[2]); n > 0 {
			sums[m[1]] = n
		}
	}
	err = q.Run(context.Background(), both, func(want any) error {
		if d := cmp.Diff(want, any(sums)); d != "" {
			t.Error(d)
		}
		return nil
	})
	if err != nil || len(sums) != len(verdict.Kinds)+1 {
		t.Errorf("error %v, sums %v", err, sums)
	}
}

// rendered returns the HTML that readers of Markdown see.
func rendered(t *testing.T, md []byte) string {
	t.Helper()
	var out bytes.Buffer
	m := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(renderer.WithUnsafe()))
	if err := m.Convert(md, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

var tag = regexp.MustCompile(`</?(?:code|strong|p|td|li|span)[^>]*>`)

// shown returns the text of a piece of HTML.
func shown(piece string) string {
	piece = strings.ReplaceAll(piece, "<br>", "\n")
	return html.UnescapeString(tag.ReplaceAllString(piece, ""))
}

var cell = regexp.MustCompile(`(?s)<td>(.*?)</td>`)

func TestTextSurvivesInATable(t *testing.T) {
	t.Parallel()
	for _, text := range []string{nasty, "|", `\`, "`", "``|``", "a\\`b", "http://x/y?a=b&c=d", "~~gone~~", "![i](u)", "&lt;", "- [ ] x", "P02 -> P03", "$HOME", "héllo ␛", "snake_case_name _a_ __init__", "1. x", "> q", "# h",
		"http://evil.example/x", "HTTPS://evil.example", "www.evil.example", "a@evil.example", "ftp://x.y", "mailto:a@b.cd", "@octocat", "x #", "1) x", "+ x", "- x", "---", "===", "<img src=http://evil.example/x>", "[x]: http://evil.example"} {
		var d document
		d.table([]string{"a", "b"}, [][]string{{plain(text), "1"}, {code(text), "2"}})
		var got []string
		for _, m := range cell.FindAllStringSubmatch(rendered(t, d.Bytes()), -1) {
			got = append(got, shown(m[1]))
		}
		if d := cmp.Diff([]string{text, "1", text, "2"}, got); d != "" {
			t.Errorf("%q:\n%s", text, d)
		}
	}
}

// TestItemHoldsAnyText checks that text at the beginning of a list item starts no other
// block, link or mention.
func TestItemHoldsAnyText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"# h", "### h", "- x", "+ x", "* x", "1. x", "12) x", "> q", "---", "===", "```", "~~~", "<script>", "    code", "[a]: http://evil.example",
		"@octocat", "see https://evil.example/?q=@you", "www.evil.example", "you@evil.example", "![x](http://evil.example/x.png)", "<img src=x>", "| a | b |", "x #"} {
		var d document
		d.line("- %s", plain(text))
		page := rendered(t, d.Bytes())
		for _, bad := range []string{"<a", "<img", "<h", "<pre", "<blockquote", "<script", "<ol", "<table", "@octocat", "@you", "@evil"} {
			if strings.Contains(page, bad) {
				t.Errorf("%q is shown as %s, with %s", text, page, bad)
			}
		}
		if got := strings.TrimSpace(shown(strings.NewReplacer("<ul>", "", "</ul>", "").Replace(page))); got != strings.TrimSpace(text) {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
}

// TestResultsNameClients checks that the client's versions are taken from its records.
func TestResultsNameClients(t *testing.T) {
	t.Parallel()
	direct, live := record("P01", true, ""), record("P28", true, "")
	live.Client = "2.1.330"
	for want, records := range map[string][]suites.Record{
		"| Client | none took part |": {direct},
		"| Client | 2.1.330 |":        {direct, live, live},
	} {
		if page := string(Results(ResultsInput{Agents: []Agent{{Name: "pm", Records: records}}})); !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page[:min(len(page), 800)])
		}
	}
}

// TestReportsOfHostileRecords checks that the reports have no control characters that a
// terminal would interpret, and suggest no command that a shell would split or expand.
func TestReportsOfHostileRecords(t *testing.T) {
	t.Parallel()
	const evil = "\x1b]52;c;eA==\a\u202e\u009b2J\xff\r\u3164\U000e0041"
	bad := record("$(touch x)", false, evil+"\n# PASS 500")
	bad.TestName, bad.Hook, bad.Suite, bad.InputSummary = evil+strings.Repeat("n", 10_000), evil, "pm"+evil, evil
	bad.Client = evil
	bad.ActualOutput, bad.ActualStderr, bad.ActualDecision = evil+strings.Repeat("o", 1<<20), evil+"\n```\n# PASS 500", evil
	in := ResultsInput{RunID: evil, Project: evil, Aborted: evil, StandIns: []string{evil}, Hookwatch: "0",
		Agents: []Agent{{Name: evil, File: evil, Hook: evil, Expected: 3, Records: []suites.Record{bad}}},
		Env:    suites.Environment{OS: evil, Isolation: evil, Tools: []suites.Tool{{Name: evil, Path: "/" + evil, Version: evil}}}}
	c := verdict.Compare(verdict.Run{ID: evil, Env: in.Env}, verdict.Run{ID: "b" + evil, Records: []suites.Record{bad}})
	c.Warnings = append(c.Warnings, "# "+evil)
	for name, page := range map[string][]byte{"RESULTS.md": Results(in), "COMPARISON.md": Comparison(c)} {
		for i, r := range string(page) {
			if r != '\n' && (!unicode.IsPrint(r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)) {
				t.Fatalf("%s has %U in %q", name, r, page[max(0, i-40):i+10])
			}
		}
		if !utf8.Valid(page) || strings.Contains(string(page), "hookwatch run $") || len(page) > 40_000 {
			t.Errorf("%s: %d bytes\n%.2000s", name, len(page), page)
		}
		if n := strings.Count(rendered(t, page), "<h1"); n != 1 {
			t.Errorf("%s has %d titles", name, n)
		}
	}
}

func TestBlockHoldsAnyText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"```\nx\n````\ny", "# heading\n| a |", "plain"} {
		var d document
		d.block(text, 10)
		d.line("\nafter")
		page := rendered(t, d.Bytes())
		_, inside, _ := strings.Cut(page, `<pre><code class="language-text">`)
		inside, after, ok := strings.Cut(inside, "</code></pre>")
		if !ok || html.UnescapeString(inside) != text+"\n" || strings.TrimSpace(after) != "<p>after</p>" {
			t.Errorf("%q is shown as %s", text, page)
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add(nasty)
	f.Add("a\r\n\x00\x1b[31m|`")
	f.Fuzz(func(t *testing.T, text string) {
		var d document
		d.table([]string{"a", "b"}, [][]string{{plain(text), code(text)}, {"x", "y"}})
		if n := len(cell.FindAllString(rendered(t, d.Bytes()), -1)); n != 4 {
			t.Errorf("%q makes %d cells:\n%s", text, n, d.String())
		}
		var item document
		item.line("- %s", plain(text))
		page := strings.NewReplacer("<br>", "", "<span>@</span>", "", "<ul>", "", "</ul>", "", "<li>", "", "</li>", "").Replace(rendered(t, item.Bytes()))
		if strings.Contains(page, "<") {
			t.Errorf("%q makes %s", text, page)
		}
	})
}

func ExampleComparison() {
	record := func(pass bool) []suites.Record {
		return []suites.Record{{Suite: "pm", ID: "P01", TestName: "pip_blocked", Pass: pass}}
	}
	c := verdict.Compare(verdict.Run{ID: "a", Records: record(true)}, verdict.Run{ID: "b", Records: record(false)})
	_, items, _ := strings.Cut(string(Comparison(c)), "## Actionable items\n\n")
	fmt.Print(items)
	// Output: 1. **Investigate the regression**: `pm/P01` pip_blocked, pass -> fail
}
