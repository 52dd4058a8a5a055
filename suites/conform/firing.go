package conform

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// patience is how long a probe may take: healthy hooks need a fraction of it, on a busy
// machine as well.
const patience = 30 * time.Second

// A firing is one event sent to a hook.
type firing struct {
	event      string
	tool       string
	command    string
	file       string // tool_input.file_path, from the session's directory
	prompt     string
	value      string // what the matcher is compared with, where it is no tool
	stopActive bool
	text       string   // what the tool writes, looks for or asks
	saying     string   // what the input is called instead of being quoted
	written    bool     // the file is there, with the text in it
	agent      string   // the subagent in which the call is made
	without    []string // programs that are absent
}

// about is the event of the firing.
func (f firing) about() client.Event {
	event, _ := client.EventByName(f.event)
	return event
}

// input names what was sent, short enough for a line.
func (f firing) input() string {
	text := cmp.Or(f.tool, f.value, f.event)
	switch {
	case f.saying != "":
		text = strings.TrimSpace(f.tool + " of " + f.saying)
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
	return text
}

// shells are the tools that take a command.
var shells = client.ToolNames(client.Runs)

// takesFile reports whether the input of a tool names a file.
func takesFile(tool string) bool { return client.ToolNamed(tool).Path != "" }

// transcript is what a session's transcript begins with.
const transcript = `{"type":"user","message":{"role":"user","content":"say hello"},"uuid":"u1","timestamp":"2026-01-01T00:00:00Z"}
{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"done"}]},"uuid":"u2","timestamp":"2026-01-01T00:00:01Z"}
`

// example is the project in which a plugin's hooks run.
var example = map[string]string{
	"README.md":      "# Example\n",
	"src/example.py": "def one():\n    return 1\n",
	"package.json":   "{\"name\": \"example\", \"version\": \"1.0.0\"}\n",
}

// exampleFile is the one that tools read and write unless a probe says otherwise.
const exampleFile = "src/example.py"

func (f firing) asCase(h discover.Hook) *suites.Case {
	session := "{override}"
	if h.Session != "" {
		session = h.Session
	}
	file := f.file
	if f.about().BaseName {
		file = f.value // matchers are compared with the file's name
	}
	if file == "" {
		file = exampleFile
	}
	if !strings.HasPrefix(file, "/") {
		file = session + "/" + file
	}
	in := client.PayloadInput{
		Event: f.event, Tool: f.tool, Command: f.command, FilePath: file, Prompt: f.prompt, Value: f.value, StopHookActive: f.stopActive, Text: f.text,
		LastMessage: f.text, SessionID: "hookwatch-{session}", TranscriptPath: "{tmp}/transcript.jsonl", Cwd: session,
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
	if f.written {
		step.Fixtures = append(step.Fixtures, suites.Fixture{Path: file, Content: f.text})
	}
	if f.saying != "" && f.tool == "" {
		line, _ := json.Marshal(map[string]any{"type": "assistant", "message": map[string]any{"role": "assistant", "content": []any{map[string]string{"type": "text", "text": f.text}}}}) // text always encodes
		step.Fixtures[0].Content += string(line) + "\n"
	}
	c := &suites.Case{
		Suite: "check", ID: h.ID, Layer: suites.Direct, Registered: h.ID, Timeout: patience, Patient: true,
		CaseEnv: suites.CaseEnv{AbsentTools: f.without}.OrNil(),
		Steps:   []suites.Step{step},
	}
	if h.Scope.Foreign() {
		c.Repo = &suites.Repo{Branch: "main", Commit: example}
	}
	return c
}

// typical are the firings that a hook's matcher lets through: of a tool's event a
// command, an edit and a new file, where it takes them.
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

// typicalTools are the firings of a tool's event; of an entry with an `if` the one that it lets
// through, if one is known.
func typicalTools(h discover.Hook, t Tree) []firing {
	all := matchedTools(h, t)
	if h.If == "" || len(all) == 0 {
		return all
	}
	all = append(all, conditional(h, all[0]))
	return slices.DeleteFunc(all, func(f firing) bool { return !f.passes(h) })
}

// passes reports whether the `if` of a hook lets the firing through. Of a command that does not
// parse that is not known, so it is none to try.
func (f firing) passes(h discover.Hook) bool {
	if h.If == "" {
		return true
	}
	_, err := shell.Parse(f.command)
	return err == nil && h.Takes("", f.asCase(h).Steps[0].PayloadRaw)
}

func matchedTools(h discover.Hook, t Tree) (out []firing) {
	for _, kind := range [][]string{shells, client.ToolNames(client.Edits), client.ToolNames(client.Creates)} {
		if i := slices.IndexFunc(kind, func(tool string) bool { return client.Match(h.Event, h.Matcher, tool) }); i >= 0 {
			out = append(out, firing{event: h.Event, tool: kind[i], command: command(kind[i], "echo hello"), file: t.exampleFile(h)})
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, tool := range slices.Concat(tools, named(h.Matcher), []string{"mcp__example__example"}) {
		if client.Match(h.Event, h.Matcher, tool) {
			return []firing{{event: h.Event, tool: tool, file: t.exampleFile(h)}}
		}
	}
	return nil // the matcher is dead
}

// command is a tool's command, if it has one.
func command(tool, text string) string {
	if slices.Contains(shells, tool) {
		return text
	}
	return ""
}

// exampleFile is a file that is there.
func (t Tree) exampleFile(h discover.Hook) string {
	if h.Scope.Foreign() {
		return exampleFile
	}
	for _, name := range []string{"src/main.py", "main.py", "README.md", "package.json", "CLAUDE.md"} {
		if exists(t.path(name)) {
			return name
		}
	}
	return exampleFile
}

// wildcards are what stands for anything in a pattern over the names of tools.
var wildcards = pattern.Lazy(`\.[*+]|\[[^\]]*\][*+]?|[\^$()?]`)

// named are names of tools that a matcher itself tells.
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

// matching is a value that a matcher of another event lets through.
func matching(h discover.Hook) string {
	about, _ := client.EventByName(h.Event)
	candidates := about.Values
	if candidates == nil {
		candidates = slices.Concat([]string{about.Usual}, about.Others, named(h.Matcher))
	}
	for _, v := range candidates {
		if v != "" && client.Match(h.Event, h.Matcher, v) {
			return v
		}
	}
	return ""
}

// Passing is a value that the matcher of a hook lets through: a tool, or what the event's
// matchers are compared with; "" when nothing is compared or it lets none through.
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

// Typical makes a case of the call that the client would most likely fire a hook for;
// nil when its matcher lets none through that is known.
func Typical(t Tree, h discover.Hook) *suites.Case {
	all := typical(h, t)
	if len(all) == 0 {
		event, _ := client.EventByName(h.Event)
		if !event.Tool || h.If != "" {
			return nil
		}
		all = []firing{{event: h.Event, tool: "Bash"}} // a dead matcher: its finding says so
	}
	c := all[0].asCase(h)
	c.Timeout, c.Patient = 0, false
	return c
}
