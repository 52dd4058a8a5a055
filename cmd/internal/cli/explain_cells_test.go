package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites/client"
)

// TestExplainCells checks that explain returns the measured result of every cell, for every
// client version on which it was measured.
func TestExplainCells(t *testing.T) {
	t.Parallel()
	for _, version := range client.Versions() {
		t.Run(string(version), func(t *testing.T) {
			t.Parallel()
			var asked []client.Cell
			var lines strings.Builder
			left := 0
			for _, c := range client.Cells() {
				if _, _, ok := c.Want.On(version); !ok {
					continue
				}
				line := written(t, c)
				if line == nil {
					left++
					continue
				}
				asked = append(asked, c)
				lines.Write(append(line, '\n'))
			}
			code, out, stderr := call(t, t.TempDir(), lines.String(), "explain", "-", "--format", "jsonl", "--client", string(version))
			if code != Passed {
				t.Fatalf("exit %d: %.400s", code, stderr)
			}
			var answers []explainedLine
			for text := range strings.Lines(out) {
				var a explainedLine
				if err := json.Unmarshal([]byte(text), &a); err != nil {
					t.Fatal(err)
				}
				answers = append(answers, a)
			}
			if len(answers) != len(asked) || len(asked) < 150 || left > 10 {
				t.Fatalf("%d answers to %d cells, %d not asked", len(answers), len(asked), left)
			}
			for i, c := range asked {
				agrees(t, c, version, answers[i])
			}
		})
	}
}

// agrees compares an answer with the measured result.
func agrees(t *testing.T, c client.Cell, version client.Version, a explainedLine) {
	t.Helper()
	effect, sees, _ := c.Want.On(version)
	if a.Effect != effect || a.Because == "" || a.Rule == "" {
		t.Errorf("%s: %s (%s), want %s", c.ID(), a.Effect, a.Because, effect)
	}
	sent := slices.ContainsFunc(a.ModelSees, func(text string) bool { return strings.Contains(text, sees) })
	if sees == "" && len(a.ModelSees) > 0 || sees != "" && !sent {
		t.Errorf("%s: the model sees %q, want %q", c.ID(), a.ModelSees, sees)
	}
}

// written returns a cell as a line of JSON input, or nil if it has no such form: a hook that was
// not started, a plugin's hook or an unknown event.
func written(t *testing.T, c client.Cell) []byte {
	t.Helper()
	o := c.Output
	about, known := client.EventByName(c.Event)
	if !known || o.NotStarted != "" || o.Entry.Plugin {
		return nil
	}
	entry := map[string]any{}
	for key, value := range map[string]string{"type": o.Entry.Type, "if": o.Entry.If, "shell": o.Entry.Shell, "onFailure": o.Entry.OnFailure, "url": o.Entry.URL} {
		if value != "" {
			entry[key] = value
		}
	}
	for key, value := range map[string]bool{"async": o.Entry.Async, "asyncRewake": o.Entry.AsyncRewake, "continueOnBlock": o.Entry.ContinueOnBlock} {
		if value {
			entry[key] = true
		}
	}
	switch o.Entry.Type {
	case "http":
		if o.Entry.URL == "" {
			entry["url"] = "http://127.0.0.1/"
		}
	case "mcp_tool":
		entry["server"], entry["tool"] = "a", "b"
	case "prompt", "agent":
		entry["prompt"] = "is it so?"
	}
	line := map[string]any{"event": c.Event, "stdout": string(o.Stdout), "stderr": string(o.Stderr), "timed_out": o.TimedOut, "command": client.CellCommand, "entry": entry}
	switch {
	case o.Signal != "":
		line["signal"] = o.Signal
	case !o.TimedOut:
		line["exit"] = o.Exit
	}
	if o.Matched != "" && about.MatchedOn != "" {
		line["payload"] = map[string]any{about.MatchedOn: o.Matched}
	}
	text, err := json.Marshal(line)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
