package live

import (
	"cmp"
	"path"
	"strings"
)

// asks is a turn in which the model makes calls, one after the other, all of which are
// let run; the last is what the step is about.
func (t *Turn) asks(calls ...Call) {
	t.Prompts, t.Allow = []string{goOn}, true
	for i, c := range calls {
		c.Tested = i == len(calls)-1
		t.Main = append(t.Main, Reply{Calls: []Call{c}})
	}
}

func call(tool string, input map[string]any) Call { return Call{Tool: tool, Input: encoded(input)} }

func newTask(p payload) Call {
	return call("TaskCreate", map[string]any{"subject": cmp.Or(p.Subject, "a task"), "description": cmp.Or(p.Description, "to be done")})
}

func taskCreated(t *Turn, _ Step, p payload) error {
	t.asks(newTask(p))
	return nil
}

// taskCompleted needs a task, which is the first of a session.
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

// instructions are loaded where there are some.
func instructions(t *Turn, s Step, p payload) error {
	if _, exists := s.File(p.File); !s.First || !exists {
		return notLive("InstructionsLoaded fires once, at the start, for a file that is there, and %s is not", p.File)
	}
	t.Prompts = []string{goOn}
	return nil
}

// noticed is how long the client takes at most to see that a file has changed.
const noticed = "sleep 3"

// configuration is changed by the model, as anybody could, and the client goes on until
// it has seen it.
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
		call("Bash", map[string]any{"command": "touch hookwatch-changed"}), // which they forbid
	)
	return nil
}

// fileChanged changes a file that hooks have the client watch.
func fileChanged(t *Turn, _ Step, p payload) error {
	file := cmp.Or(p.File, "watched")
	t.asks(call("Bash", map[string]any{"command": "mkdir -p " + quoted(path.Dir(file)) + " && echo >>" + quoted(file) + "; " + noticed}))
	return nil
}

// directoryAdded has the program that the client is started by name a directory, which
// must lie below the one in which the client works.
func directoryAdded(t *Turn, s Step, p payload) error {
	dir := "hookwatch-added"
	if _, said := saidFields(s.Whole)["directory"]; said {
		dir = p.Directory
	}
	if p.Source != "" && p.Source != "register_repo_root" {
		return notLive("DirectoryAdded is seen to fire with source register_repo_root only, not %s", p.Source)
	}
	t.asks(call("Bash", map[string]any{"command": "mkdir -p " + quoted(dir)}))
	t.Prompts, t.Adds = []string{goOn, goOn}, dir
	return nil
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// server is an MCP server that asks the person a question, and returns the answer.
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

// question has an MCP server ask.
func question(t *Turn, s Step, p payload) error {
	name := cmp.Or(p.Server, "demo")
	const notice = "elicitation_response"
	if _, said := saidFields(s.Whole)["notification_type"]; said && p.Notice != notice {
		return notLive("without a person the client gives notice of %s only, not of %s", notice, p.Notice)
	}
	if !s.First {
		return notLive("the MCP server that asks is started with the client: make a case of one step")
	}
	t.asks(call("mcp__"+name+"__ask", map[string]any{}))
	t.Flags = []string{"--mcp-config", string(encoded(map[string]any{"mcpServers": map[string]any{
		name: map[string]any{"command": "/bin/sh", "args": []string{"-c", server}},
	}}))}
	return nil
}
