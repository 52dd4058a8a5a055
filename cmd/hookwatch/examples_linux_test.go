package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites/process/testdata/processtest"
	"hookwatch/suites/reference"
)

// exampleFiles are those that examples name, next to the starter project.
var exampleFiles = map[string]string{
	".claude/settings.json": `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh"}, {"type": "command", "command": "sh .claude/hooks/limit.sh"}]}], "Stop": [{"hooks": [{"type": "command", "command": "exit 0"}]}]}}`,
	".claude/hooks/limit.sh":                    "n=$(cat n 2>/dev/null || echo 0)\necho $((n + 1)) >n\n[ $n -lt 3 ] || exit 2\n",
	".claude/hooks/lint.sh":                     "exit 0\n",
	".claude/hooks/enforce_package_managers.sh": "exit 0\n",
	".claude/tests/hooks/equivalent.yaml":       "",
	"outputs.jsonl":                             `{"event": "PreToolUse", "exit": 2}` + "\n",
}

// exampleSetup makes the project a repository with a remote, and records a session and verdicts.
const exampleSetup = `git init -q -b main . && git add -A && git -c user.name=a -c user.email=a@example.com commit -qm first
git clone -q --bare . "$HOME/origin.git" && git remote add origin "$HOME/origin.git" && git fetch -q origin
dir=$HOME/.claude/projects/$(pwd -P | sed 's/[^a-zA-Z0-9]/-/g'); mkdir -p "$dir"
echo '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"git push --force"}}]},"uuid":"u","sessionId":"s","cwd":"'"$(pwd -P)"'","timestamp":"2026-11-26T10:11:30Z"}' >"$dir/s.jsonl"
hookwatch record --transcripts --yes && hookwatch --once`

// exampleChanges adapt examples to the project: values that it does not have, consent, and time.
var exampleChanges = []struct{ of, to string }{
	{`\b3fa92b\b`, `$$(basename "$$(ls "$$XDG_STATE_HOME"/hookwatch/*/corpus/PreToolUse/*.json | head -1)" .json)`},
	{`~/\.claude/projects/\S+`, `"$$HOME/.claude/projects"`},
	{`^(hookwatch (record --transcripts|sessions))$`, `$1 --yes`},
	{` --budget \S+`, ``},
	{`^(hookwatch --once --shard)`, `rm -rf "$$XDG_STATE_HOME" .claude/tests/hooks/results; $1`}, // as on a machine of its own
	{`^(hookwatch (prove|score)\b[^>]*)`, `$1 --budget 500ms `},
}

// clientNeeded matches examples that start a real client; the tests of clients do.
var clientNeeded = regexp.MustCompile(`--live\b|^hookwatch contract\b`)

// examples returns the commands of a text that need no client.
func examples(text string) (lines []string) {
	for _, line := range regexp.MustCompile(`(?m)^ *(hookwatch [a-z-].*)$`).FindAllStringSubmatch(text, -1) {
		if !clientNeeded.MatchString(line[1]) {
			lines = append(lines, line[1])
		}
	}
	return lines
}

// TestExamples runs the commands of the topics' other blocks and the examples of each command's help, those
// of one text in order, in a project with what they name. A finding is no failure, a usage error is.
func TestExamples(t *testing.T) {
	t.Parallel()
	of := map[string][]string{}
	topics, _ := filepath.Glob("../internal/cli/topics/*.md")
	for _, file := range topics {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range regexp.MustCompile("(?ms)^```(.*?)\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
			if block[1] == "" || block[1] == "text" { // TestTopicCommands runs those of sh
				topic := "topic " + filepath.Base(file)
				of[topic] = append(of[topic], examples(block[2])...)
			}
		}
	}
	names, err := program(t, t.TempDir(), "__complete", "").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range regexp.MustCompile(`(?m)^[a-z]+`).FindAllString(string(names), -1) {
		help, err := program(t, t.TempDir(), name, "--help").Output()
		if err != nil {
			t.Fatal(name, err)
		}
		if _, after, has := strings.Cut(string(help), "\nExamples:\n"); has {
			after, _, _ = strings.Cut(after, "\n\n")
			of["help "+name] = examples(after)
		}
	}
	maps.DeleteFunc(of, func(_ string, lines []string) bool { return len(lines) == 0 })
	for _, name := range processtest.Sample(slices.Sorted(maps.Keys(of)), 6) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := filepath.Join(t.TempDir(), "my project")
			if _, err := reference.First.Extract(root); err != nil {
				t.Fatal(err)
			}
			writeFiles(t, root, exampleFiles)
			sh := newShell(t, root)
			sh.run(exampleSetup)
			for _, line := range of[name] {
				for _, change := range exampleChanges {
					line = regexp.MustCompile(change.of).ReplaceAllString(line, change.to)
				}
				sh.run("{ " + line + "; } || [ $? = 1 ] # " + name)
			}
		})
	}
}
