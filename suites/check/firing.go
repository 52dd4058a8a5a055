package check

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/explore"
	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// patience is the time limit of a probe. Healthy hooks need a fraction of it, even on a busy
// machine.
const patience = 30 * time.Second

// A firing is one event sent to a hook.
type firing struct {
	event       string
	tool        string
	command     string
	given       json.RawMessage // tool_input, in place of the one that is made for the tool
	file        string          // tool_input.file_path, from the session's directory
	prompt      string
	value       string // the value compared with the matcher, if it is not a tool
	stopActive  bool
	text        string                   // the text that the tool writes, searches for or asks
	description string                   // a description of the input, shown instead of the input
	written     bool                     // the file exists, and contains the text
	agent       string                   // the subagent that makes the call
	without     []string                 // programs that are absent
	over        map[explore.Field]string // other texts of the payload
	state       map[explore.Field]string // variables of the environment, files of the project, and its branch
	commit      string                   // of the project, for another branch
	stdin       *string                  // in place of the payload
	session     string                   // "" is the usual one
	earlier     []earlier                // in the same environment
	note        string                   // what is special about it
}

// about returns the event of the firing.
func (f firing) about() client.Event {
	event, _ := client.EventByName(f.event)
	return event
}

// input describes the input, short enough for a line.
func (f firing) input() string {
	text := cmp.Or(f.tool, f.value, f.event)
	switch {
	case f.description != "":
		text = strings.TrimSpace(f.tool + " of " + f.description)
	case f.command != "":
		text = f.command
	case f.file != "" && takesFile(f.tool):
		text = f.tool + " " + f.file
	case f.prompt != "" && f.about().Guards == client.Prompts:
		text = f.prompt
	}
	if line, _, more := strings.Cut(text, "\n"); more {
		text = line + " ..."
	}
	const most = 60
	if len([]rune(text)) > most {
		text = string([]rune(text)[:most]) + "..."
	}
	return text + f.stateText() + f.arrangement()
}

// shells are the tools that take a command.
var shells = client.ToolNames(client.RunsCommand)

// takesFile reports whether the input of a tool names a file.
func takesFile(tool string) bool { return client.ToolByName(tool).Path != "" }

// transcript is the start of a session's transcript.
const transcript = `{"type":"user","message":{"role":"user","content":"say hello"},"uuid":"u1","timestamp":"2026-01-01T00:00:00Z"}
{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"done"}]},"uuid":"u2","timestamp":"2026-01-01T00:00:01Z"}
`

// example is the project in which a plugin's hooks run.
var example = map[string]string{
	"README.md":      "# Example\n",
	"src/example.py": "def one():\n    return 1\n",
	"package.json":   "{\"name\": \"example\", \"version\": \"1.0.0\"}\n",
}

// exampleFile is the file that tools read and write unless a probe names another.
const exampleFile = "src/example.py"

func (f firing) asCase(h discover.Hook) *suites.Case {
	session := cmp.Or(h.Session, "{override}")
	file := f.file
	if f.about().BaseName {
		file = f.value // because matchers are compared with the file's name
	}
	file = cmp.Or(file, exampleFile)
	if !strings.HasPrefix(file, "/") {
		file = session + "/" + file
	}
	in := client.PayloadInput{
		Event: f.event, Tool: f.tool, Command: f.command, FilePath: file, Prompt: f.prompt, Value: f.value, StopHookActive: f.stopActive, Text: f.text,
		ToolInput: f.given, LastMessage: f.text, SessionID: cmp.Or(f.session, "hookwatch-{session}"), TranscriptPath: "{tmp}/transcript.jsonl", Cwd: session,
	}
	if f.agent != "" {
		in.AgentID, in.AgentType = "a0000000000000001", f.agent
	}
	sent, err := client.Payload(in)
	step := suites.Step{Event: f.event, Tool: f.tool, PayloadRaw: json.RawMessage(sent),
		Fixtures: []suites.Fixture{{Path: "{tmp}/transcript.jsonl", Content: transcript}}}
	if err != nil {
		step.PayloadRaw = nil // an event that the client does not have
	}
	step.PayloadRaw, step.Stdin = override(step.PayloadRaw, f.over), f.stdin
	f.apply(&step)
	if f.written {
		step.Fixtures = append(step.Fixtures, suites.Fixture{Path: file, Content: cmp.Or(f.text, textOf(f.tool, step.PayloadRaw))})
	}
	if f.description != "" && f.tool == "" {
		line, _ := json.Marshal(map[string]any{"type": "assistant", "message": map[string]any{"role": "assistant", "content": []any{map[string]string{"type": "text", "text": f.text}}}}) // text always encodes
		step.Fixtures[0].Content += string(line) + "\n"
	}
	c := &suites.Case{
		Suite: "check", ID: h.ID, Layer: suites.Direct, Registered: h.ID, Timeout: patience, Patient: true,
		CaseEnv: suites.CaseEnv{AbsentTools: f.without, Programs: f.programs()}.OrNil(),
		Steps:   append(f.calls(h), step),
	}
	if h.Scope.IsForeign() {
		c.Repo = &suites.Repo{Branch: cmp.Or(f.state[branchField], "main"), Commit: example}
		if f.event == "WorktreeRemove" {
			c.Repo.Worktree = "example" // which its payload names
		}
	}
	return c
}

// textOf returns the text that a tool writes in a payload; "" without one.
func textOf(tool string, payload json.RawMessage) (text string) {
	var sent struct {
		Input map[string]any `json:"tool_input"`
	}
	_ = json.Unmarshal(payload, &sent) // one of another shape has none
	text, _ = sent.Input[client.ToolByName(tool).Text].(string)
	return text
}

// payload returns what the client sends; nil if it does not have the event.
func (f firing) payload(h discover.Hook) json.RawMessage {
	steps := f.asCase(h).Steps
	return steps[len(steps)-1].PayloadRaw
}

// typical returns the firings that a hook's matcher accepts: for a tool's event a command, an edit
// and a new file, if it accepts them.
func typical(h discover.Hook, t Tree) []firing {
	event, known := client.EventByName(h.Event)
	switch {
	case !known:
		return nil
	case event.Tool:
		return typicalTools(h, t)
	case event.MatchedOn != "" && event.Values != nil && matching(h) == "":
		return nil // the matcher is dead
	case event.MatchedOn != "":
		return []firing{{event: h.Event, value: matching(h), prompt: "say hello"}}
	default:
		return []firing{{event: h.Event, prompt: "say hello"}}
	}
}

// typicalTools returns the firings of a tool's event; for an entry with an `if` those that it
// accepts, if any are known.
func typicalTools(h discover.Hook, t Tree) []firing {
	all := matchedTools(h, t)
	if h.If == "" || len(all) == 0 {
		return all
	}
	all = append(all, conditional(h, all[0]))
	return slices.DeleteFunc(all, func(f firing) bool { return !f.passes(h) })
}

// passes reports whether the `if` of a hook accepts the firing. It rejects commands that do not
// parse, because for them the answer is unknown.
func (f firing) passes(h discover.Hook) bool {
	if h.If == "" {
		return true
	}
	_, err := shell.Parse(f.command)
	return err == nil && h.Takes("", f.payload(h))
}

func matchedTools(h discover.Hook, t Tree) (out []firing) {
	for _, kind := range [][]string{shells, client.ToolNames(client.EditsFile), client.ToolNames(client.CreatesFile)} {
		if i := slices.IndexFunc(kind, h.Matches); i >= 0 {
			out = append(out, t.afterCall(firing{event: h.Event, tool: kind[i], command: command(kind[i], "echo hello"), file: t.exampleFile(h)}))
		}
	}
	if len(out) > 0 {
		return out
	}
	own := []string{"mcp__example__example"}
	for _, server := range h.Servers {
		own = append(own, h.ServerTool("mcp__"+server+"__example"))
	}
	for _, tool := range slices.Concat(tools, named(h.Matcher), own) {
		if h.Matches(tool) {
			return []firing{{event: h.Event, tool: tool, file: t.exampleFile(h)}}
		}
	}
	return nil // the matcher is dead
}

// afterCall returns a firing with the file that the call before it made, if that can be in the project.
func (t Tree) afterCall(f firing) firing {
	makes, file := client.ToolByName(f.tool), cmp.Or(f.file, exampleFile)
	made := f.event == "PostToolUse" && makes.Path != "" && makes.Text != "" && !exists(t.path(file))
	f.written = (f.written || made) && filepath.IsLocal(file) && t.creatable(file)
	return f
}

// command returns the text if a tool takes a command, or "".
func command(tool, text string) string {
	if slices.Contains(shells, tool) {
		return text
	}
	return ""
}

// exampleFile returns a file of the project that exists.
func (t Tree) exampleFile(h discover.Hook) string {
	if h.Scope.IsForeign() {
		return exampleFile
	}
	for _, name := range []string{"src/main.py", "main.py", "README.md", "package.json", "CLAUDE.md"} {
		if exists(t.path(name)) {
			return name
		}
	}
	return exampleFile
}

// wildcards match the parts of a pattern over names of tools that match any text.
var wildcards = pattern.Lazy(`\.[*+]|\[[^\]]*\][*+]?|[\^$()?]`)

// named returns the names of tools that a matcher contains.
func named(matcher string) (names []string) {
	for _, part := range strings.FieldsFunc(matcher, func(r rune) bool { return r == '|' || r == ',' }) {
		name := strings.TrimRight(wildcards().ReplaceAllString(strings.ReplaceAll(strings.TrimSpace(part), `\.`, "."), "example"), "_")
		if strings.HasPrefix(name, "mcp__") && strings.Count(name, "__") == 1 {
			names = append(names, name+"__example") // a server's tools have two parts
		}
		names = append(names, name)
	}
	return names
}

// matching returns a value that a matcher of an event without tools accepts; "" if none is known.
func matching(h discover.Hook) string {
	about, _ := client.EventByName(h.Event)
	candidates := about.Values
	if candidates == nil {
		candidates = slices.Concat([]string{about.Usual}, about.Others, named(h.Matcher))
	}
	for _, v := range candidates {
		if v != "" && h.Matches(v) {
			return v
		}
	}
	return ""
}

// Passing returns a value that the matcher of a hook accepts: a tool, or another matched value; ""
// if the event ignores matchers or no accepted value is known.
func Passing(h discover.Hook) string {
	event, _ := client.EventByName(h.Event)
	switch {
	case event.MatchedOn == "":
		return ""
	case !event.Tool:
		return matching(h)
	}
	if found := typicalTools(h, Tree{}); len(found) > 0 {
		return found[0].tool
	}
	return ""
}

// Typical returns a case of the call for which the client would most likely fire a hook; nil if its
// matcher accepts no known value.
func Typical(t Tree, h discover.Hook) *suites.Case {
	all := typical(h, t)
	if len(all) == 0 {
		event, _ := client.EventByName(h.Event)
		if !event.Tool || h.If != "" {
			return nil
		}
		all = []firing{{event: h.Event, tool: "Bash"}} // a dead matcher, which has a finding of its own
	}
	c := all[0].asCase(h)
	c.Timeout, c.Patient = 0, false
	return c
}
