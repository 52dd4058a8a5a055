package live

import (
	"cmp"
	"encoding/json"
	"path"
	"strings"

	"hookwatch/suites/client"
)

// asks makes a turn in which the model makes calls, one after the other, all of which may run; the
// last is the tested call.
func (t *Turn) asks(calls ...Call) {
	t.Prompts, t.Allow = []string{goOn}, true
	for i, c := range calls {
		c.Tested = i == len(calls)-1
		t.Main = append(t.Main, Reply{Calls: []Call{c}})
	}
}

func call(tool string, input map[string]any) Call { return Call{Tool: tool, Input: encode(input)} }

func newTask(p payload) Call {
	return call("TaskCreate", map[string]any{"subject": cmp.Or(p.Subject, "a task"), "description": cmp.Or(p.Description, "to be done")})
}

func taskCreated(t *Turn, _ Step, p payload) error {
	t.asks(newTask(p))
	return nil
}

// taskCompleted needs a task, which must be the first of a session because of its ID.
func taskCompleted(t *Turn, s Step, p payload) error {
	if !s.First {
		return notLive("the task that is completed is the first of its session: make a case of one step")
	}
	t.asks(newTask(p), call("TaskUpdate", map[string]any{"taskId": "1", "status": "completed"}))
	return nil
}

func worktreeCreate(t *Turn, _ Step, _ payload) error {
	t.asks(call("EnterWorktree", map[string]any{"name": "example"}))
	return nil
}

func worktreeRemove(t *Turn, _ Step, _ payload) error {
	t.asks(call("EnterWorktree", map[string]any{"name": "example"}), call("ExitWorktree", map[string]any{"action": "remove", "discard_changes": true}))
	return nil
}

// instructions needs an existing file of instructions.
func instructions(t *Turn, s Step, p payload) error {
	if _, exists := s.File(p.File); !s.First || !exists {
		return notLive("%s fires once, at the start, for a file that is there, and %s is not", t.Event, p.File)
	}
	t.Prompts = []string{goOn}
	return nil
}

// noticed waits for the maximum time that the client needs to notice a changed file.
const noticed = "sleep 3"

// configuration makes the model change a settings file, as any program could, and keeps the client
// running until it has noticed.
func configuration(t *Turn, _ Step, p payload) error {
	files := map[string]string{
		"": ".claude/settings.local.json", "local_settings": ".claude/settings.local.json",
		"project_settings": ".claude/settings.json", "user_settings": "$HOME/.claude/settings.json",
	}
	file := files[p.Source]
	if file == "" {
		return notLive("hookwatch changes local, project and user settings while the client runs, not %s", p.Source)
	}
	t.asks(
		call("Bash", map[string]any{"command": `f="` + file + `"; mkdir -p "${f%/*}"; echo '{"permissions":{"deny":["Bash(touch hookwatch-changed)"]}}' >"$f"; ` + noticed}),
		call("Bash", map[string]any{"command": "touch hookwatch-changed"}), // which the new settings forbid
	)
	return nil
}

// fileChanged changes a file that hooks ask the client to watch.
func fileChanged(t *Turn, _ Step, p payload) error {
	file := cmp.Or(p.File, "watched")
	t.asks(call("Bash", map[string]any{"command": "mkdir -p " + quote(path.Dir(file)) + " && echo >>" + quote(file) + "; " + noticed}))
	return nil
}

// directoryAdded makes the program that started the client add a directory, which must be below the
// client's working directory.
func directoryAdded(t *Turn, s Step, p payload) error {
	dir := "hookwatch-added"
	if _, own := ownFields(s.Whole)["directory"]; own {
		dir = p.Directory
	}
	if p.Source != "" && p.Source != "register_repo_root" {
		return notLive("%s is seen to fire with source register_repo_root only, not %s", t.Event, p.Source)
	}
	t.asks(call("Bash", map[string]any{"command": "mkdir -p " + quote(dir)}))
	t.Prompts, t.Adds = []string{goOn, goOn}, dir
	return nil
}

func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// server is an MCP server that asks the user a question, and returns the answer.
const (
	wasAnswered = "the answer is: "

	server = `while IFS= read -r l; do id=${l##*\"id\":}; id=${id%%[,\}]*}
say() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$1" "$2"; }
case $l in
*'"id":"question"'*) a=${l#*\"action\":\"}; say "$call" '"result":{"content":[{"type":"text","text":"` + wasAnswered + `'"${a%%\"*}"'"}]}';;
*'"method":"initialize"'*) say "$id" '"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"demo","version":"1"}}';;
*'"method":"tools/list"'*) say "$id" '"result":{"tools":[{"name":"ask","description":"asks","inputSchema":{"type":"object"}}]}';;
*'"method":"tools/call"'*) call=$id; say '"question"' '"method":"elicitation/create","params":{"message":"name?","requestedSchema":{"type":"object","properties":{"n":{"type":"string"}},"required":["n"]}}';;
*'"id":'*) say "$id" '"result":{}';;
esac; done`
)

// question makes an MCP server ask the user.
func question(t *Turn, s Step, p payload) error {
	name := cmp.Or(p.Server, "demo")
	const notice = "elicitation_response"
	if _, own := ownFields(s.Whole)["notification_type"]; own && p.Notice != notice {
		return notLive("without a user the client sends notifications of %s only, not of %s", notice, p.Notice)
	}
	if !s.First {
		return notLive("the MCP server that asks is started with the client: make a case of one step")
	}
	t.asks(call("mcp__"+name+"__ask", map[string]any{}))
	t.Flags = []string{"--mcp-config", string(encode(map[string]any{"mcpServers": map[string]any{
		name: map[string]any{"command": "/bin/sh", "args": []string{"-c", server}},
	}}))}
	return nil
}

func prompt(t *Turn, _ Step, p payload) error {
	t.Prompts = []string{cmp.Or(p.Prompt, goOn)}
	return nil
}

// A command of the project with a line that the client runs before it asks the model. The line prints
// what its text does not contain.
const (
	lineCommand = "hookwatch-line"
	lineEcho    = `hook"watch"-ran`
	lineOutput  = "hookwatch-ran"
)

// skillLine has the client run the line of a command, which must exist when the client starts.
func skillLine(t *Turn, s Step, _ payload) error {
	if !s.First {
		return notLive("the client reads the command with the line at its start: make a case of one step")
	}
	t.Prompts = []string{"/" + lineCommand}
	return nil
}

// expansion needs a command of that name in the project, because the client does.
func expansion(t *Turn, _ Step, p payload) error {
	if p.Name == "" {
		return notLive("its payload names no command")
	}
	t.Prompts = []string{strings.TrimSpace("/" + p.Name + " " + p.Arguments)}
	return nil
}

func changeDirectory(t *Turn, _ Step, _ payload) error {
	t.Prompts, t.Allow = []string{goOn}, true
	t.Main = []Reply{{Calls: []Call{{Tool: "Bash", Tested: true, Input: encode(map[string]any{"command": "mkdir -p hookwatch-moved && cd hookwatch-moved"})}}}}
	return nil
}

// stop makes the model send only its last message. A stop with stop_hook_active is the next one in
// the same turn.
func stop(t *Turn, s Step, p payload) error {
	if p.StopHookActive && about(s.Event).Stop {
		if s.First {
			return notLive("stop_hook_active is true from the second stop of a turn on: put a step before it that is stopped")
		}
		t.Again = true
		return nil
	}
	t.Prompts = []string{goOn}
	t.Main = []Reply{{Text: cmp.Or(p.LastMessage, "done")}}
	return nil
}

func subagent(t *Turn, s Step, p payload) error {
	if p.StopHookActive {
		if s.First {
			return notLive("stop_hook_active is true from the second stop of a subagent on: put a step before it that is stopped")
		}
		t.Again = true
		return nil
	}
	t.Prompts = []string{goOn}
	t.Main = []Reply{{Calls: []Call{{Tool: "Agent", Tested: true, Input: encode(map[string]any{
		"description": "a task", "prompt": "do the task", "subagent_type": cmp.Or(p.AgentType, "general-purpose"), "run_in_background": false,
	})}}}}
	t.Subagent = []Reply{{Text: cmp.Or(p.LastMessage, "done")}}
	t.Allow = true
	return nil
}

func sessionStart(t *Turn, s Step, p payload) error {
	switch source := cmp.Or(p.Source, "startup"); {
	case source == "startup" && s.First:
		t.Prompts = []string{goOn}
	case source == "startup":
		return notLive("a session starts once, before the first step")
	case source == "clear":
		t.Prompts, t.From = []string{goOn, "/clear", goOn}, 1
	case source == "compact":
		t.Prompts, t.From = []string{goOn, goOn, "/compact", goOn}, 2
	default:
		return notLive("hookwatch does not start a session by %s", source)
	}
	return nil
}

func sessionEnd(t *Turn, _ Step, p payload) error {
	switch reason := cmp.Or(p.Reason, "other"); reason {
	case "clear":
		t.Prompts = []string{goOn, "/clear"}
	case "other":
		t.Prompts = []string{goOn}
	default:
		return notLive("the client that hookwatch starts ends with reason other or clear, not %s", reason)
	}
	return nil
}

func setup(t *Turn, s Step, p payload) error {
	flag := map[string]string{"": "--init", "init": "--init", "maintenance": "--maintenance"}[p.Trigger]
	if flag == "" || !s.First {
		return notLive("Setup fires once, at the start, with trigger init or maintenance")
	}
	t.Flags, t.Prompts = []string{flag}, []string{goOn}
	return nil
}

// compact needs two turns before it because the client refuses to compact after only one.
func compact(t *Turn, _ Step, p payload) error {
	if p.Trigger != "" && p.Trigger != "manual" {
		return notLive("hookwatch has the client compact by /compact, which is trigger manual, not %s", p.Trigger)
	}
	t.Prompts, t.From = []string{goOn, goOn, strings.TrimSpace("/compact " + p.Instructions), goOn}, 2
	return nil
}

func model(t *Turn, _ Step, p payload) error {
	t.Prompts, t.From = []string{goOn, "/model " + cmp.Or(p.To, "haiku"), goOn}, 1
	return nil
}

// marker is a line that a file has only before the client has edited it.
const marker = "hookwatch puts this line here for the client to take away"

// tool makes the model call the tool. after reports that the hooks run after the tool, so that the
// call may run; otherwise no call that the client asks about may run.
func tool(after bool) func(t *Turn, s Step, p payload) error {
	return func(t *Turn, s Step, p payload) error {
		switch {
		case p.Tool == "":
			return notLive("its payload names no tool")
		case strings.HasPrefix(p.Tool, "mcp__"):
			return notLive("%s is a tool of an MCP server, which hookwatch does not start", p.Tool)
		}
		t.Prompts, t.Allow = []string{goOn}, after
		input, err := t.prepare(s, p, after)
		if err != nil {
			return err
		}
		t.Main = append(t.Main, Reply{Calls: []Call{{Tool: p.Tool, Input: input, Tested: true}}})
		return nil
	}
}

// askModel makes the client itself judge the call, because in its mode auto it does not ask the
// user. The judge's answer is no. The client lets reads, and changes of the project's files, run
// without it.
func askModel(t *Turn, s Step, p payload) error {
	if err := tool(false)(t, s, p); err != nil {
		return err
	}
	var input struct {
		File string `json:"file_path"`
	}
	if err := json.Unmarshal(p.Input, &input); err != nil {
		return notLive("its tool_input is no object")
	}
	changes := p.Tool == "Edit" || p.Tool == "Write"
	if p.Tool == "Read" || changes && (!path.IsAbs(input.File) || strings.HasPrefix(input.File, p.Cwd+"/")) {
		return notLive("in its mode auto the client lets %s of %s run", p.Tool, input.File)
	}
	t.Flags = []string{"--permission-mode", "auto"}
	return nil
}

// batch makes the model send the calls in parallel; the last is the tested call.
func batch(t *Turn, s Step, p payload) error {
	if len(p.Calls) == 0 {
		return notLive("its payload names no call")
	}
	var all []Call
	for i, c := range p.Calls {
		one := Turn{}
		if err := tool(true)(&one, s, payload{Tool: c.Tool, Input: c.Input}); err != nil {
			return err
		}
		last := len(one.Main) - 1
		t.Main, t.Place = append(t.Main, one.Main[:last]...), append(t.Place, one.Place...)
		made := one.Main[last].Calls[0]
		made.Tested = i == len(p.Calls)-1
		all = append(all, made)
	}
	t.Prompts, t.Allow = []string{goOn}, true
	t.Main = append(t.Main, Reply{Calls: all})
	return nil
}

// prepare satisfies the client's own conditions: a file is read before it is changed, and contains
// the text to be replaced. If hooks run after the tool, they find the file as the case defines it.
func (t *Turn) prepare(s Step, p payload, after bool) (json.RawMessage, error) {
	var input map[string]any
	if err := json.Unmarshal(p.Input, &input); err != nil || input == nil {
		return nil, notLive("its tool_input is no object")
	}
	own := ownInput(s.Whole)
	about := client.ToolByName(p.Tool)
	path, _ := input[about.Path].(string)
	switch p.Tool {
	case "Edit":
		content, exists := s.File(path)
		if exists {
			t.read(path)
		}
		switch _, own := own["old_string"]; {
		case own:
		case !exists && after:
			return nil, notLive("%s is not there, so that the client can have edited nothing", path)
		case !exists:
			input["old_string"], input["new_string"] = "", marker+"\n"
		case after:
			t.Place = append(t.Place, File{path, marker + "\n" + content})
			input["old_string"], input["new_string"] = marker+"\n", ""
		default:
			line := firstLine(content)
			input["old_string"], input["new_string"], input["replace_all"] = line, marker+line, true
		}
	case "Write":
		content, exists := s.File(path)
		if exists {
			t.read(path)
		}
		if _, own := own["content"]; !own && exists {
			input["content"] = content
			if after {
				t.Place = append(t.Place, File{path, marker + "\n" + content})
			} else {
				input["content"] = marker + "\n" + content
			}
		}
	default:
		if path != "" && about.Kind == client.EditsFile {
			t.read(path)
		}
		if _, has := input["command"]; !has && about.Kind == client.RunsCommand {
			return nil, notLive("its tool_input has no command")
		}
	}
	return encode(input), nil
}

func (t *Turn) read(path string) {
	t.Main = append(t.Main, Reply{Calls: []Call{{Tool: "Read", Input: encode(map[string]any{"file_path": path})}}})
}

// firstLine returns the first line that is not blank, or everything.
func firstLine(content string) string {
	for line := range strings.Lines(content) {
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" {
			return line
		}
	}
	return content
}

// ownInput returns the part of the tool's input that the case itself sets.
func ownInput(whole json.RawMessage) map[string]any {
	var own struct {
		Input map[string]any `json:"tool_input"`
	}
	if json.Unmarshal(whole, &own) != nil {
		return nil
	}
	return own.Input
}
