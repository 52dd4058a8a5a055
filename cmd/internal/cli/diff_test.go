package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"hookwatch/cmd/internal/compare"
	"hookwatch/suites"
	"hookwatch/suites/report"
)

// newDiff is a comparison in which a guard lets two calls through that it stopped, and stops a third
// with another message.
func newDiff() diffDocument {
	denied := compare.Answer{Effect: suites.Denied, Because: "exit code 2"}
	change := func(what, input string, head compare.Answer) compare.Change {
		return compare.Change{
			Hook: "PreToolUse-guard.sh-1", What: what, Input: input, Base: denied, Head: head, Call: new(compare.Call),
			Place: suites.Position{File: ".claude/hooks/guard.sh", Line: 1},
		}
	}
	message := change(compare.Message, "rm -rf /", denied)
	for i, text := range []string{"never do this", "never do this", "do not do this", "do not do this"} {
		message.Runs[i].Sees = text
	}
	return diffDocument{Version: 1, Project: "p", Millis: 1500, Result: compare.Result{
		Base: "HEAD", Head: "the work tree", Hooks: 1, Unaffected: 2, Calls: 3, Firings: 12,
		Changes: []compare.Change{
			change(compare.NewlyAllowed, "unusual --word", compare.Answer{Effect: suites.Proceeds, Because: "exit code 0"}), message,
			change(compare.NewlyAllowed, "git push --force", compare.Answer{Effect: suites.Proceeds, Because: "exit code 0"}),
		},
		Lacking: map[string]suites.Position{"PreToolUse-guard.sh-1 calls no-such-linter, which this machine lacks": {File: ".claude/hooks/guard.sh"}},
	}}
}

// TestDiffText checks the text of a comparison: what is newly allowed comes first, in capitals.
func TestDiffText(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	printDiff(&out, newDiff(), false)
	const want = `NEWLY ALLOWED  PreToolUse-guard.sh-1
  on: unusual --word, git push --force
  denied -> proceeds
  before: exit code 2
  after: exit code 0
another message  PreToolUse-guard.sh-1
  on: rm -rf /
  before: never do this
  after: do not do this
`
	if !strings.HasPrefix(out.String(), want) {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	const summary = "HEAD -> the work tree: 2 calls newly allowed, 0 newly blocked, 1 with another message; 1 hook affected, 2 not; 3 calls, 12 firings in 1.5 s\n"
	if !strings.HasSuffix(out.String(), summary) {
		t.Errorf("got\n%s\nwant at the end\n%s", out.String(), summary)
	}
}

// TestDiffFormats checks the document and its annotations, of which pull requests get a table.
func TestDiffFormats(t *testing.T) {
	t.Parallel()
	doc := newDiff()
	text, err := json.Marshal(doc)
	if err != nil || !strings.Contains(string(text), `"what":"newly_allowed"`) {
		t.Errorf("%v: %s", err, text)
	}
	p := load(t, newProject(t, map[string]string{".claude/hooks/guard.sh": "#!/bin/bash\n"}))
	out := string(report.Summary("hookwatch: "+doc.headline(), summarized(doc.annotations(p, false))))
	for _, want := range []string{
		"### hookwatch: HEAD -> the work tree: 2 calls newly allowed",
		"| warning | .claude/hooks/guard.sh:1 | newly allowed: unusual --word, git push --force",
		"not compared in full | PreToolUse-guard.sh-1 calls no-such-linter, which this machine lacks",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}
