package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
)

// asClient makes the test binary a stand-in for the real client: enough of one that
// calls the model, runs the project's one PreToolUse hook for what it wants called,
// and prints what a client prints. The file client-mode in its directory has it go
// wrong in one of the ways in which a client can, or not heed exit code 2.
func asClient() {
	if len(os.Args) > 1 && os.Args[1] == "--version" {
		fmt.Println("2.1.330 (Claude Code)")
		os.Exit(0)
	}
	mode, _ := os.ReadFile("client-mode")
	switch strings.TrimSpace(string(mode)) {
	case "too old":
		fmt.Fprintln(os.Stderr, "error: unknown option '--include-hook-events'")
		os.Exit(1)
	case "garbage":
		fmt.Println("Welcome!")
	case "never":
		forever()
	case "child":
		_ = exec.Command("sleep", "3600").Start()
		forever()
	case "crash":
		fmt.Fprintln(os.Stderr, "Segmentation fault")
		os.Exit(139)
	case "looping":
		for range 1000 {
			askModel("again", "")
		}
		forever()
	case "flood":
		for {
			fmt.Println(`{"type":"` + strings.Repeat("x", 1<<20) + `"}`)
		}
	case "betrayed":
		betray()
	}
	applySettings()
	printLine(map[string]any{"type": "system", "subtype": "init", "claude_code_version": "2.1.330"})
	said := bufio.NewScanner(os.Stdin)
	for said.Scan() {
		if strings.Contains(said.Text(), `"user"`) {
			turn()
		}
	}
	os.Exit(0)
}

// applySettings lays the variables of settings over the environment as the client
// does: first those of the project's files, then those of --settings.
func applySettings() {
	files := []string{".claude/settings.json", ".claude/settings.local.json"}
	for i, arg := range os.Args {
		if arg == "--settings" {
			files = append(files, os.Args[i+1])
		}
	}
	for _, file := range files {
		var settings struct{ Env map[string]string }
		text, _ := os.ReadFile(file)
		_ = json.Unmarshal(text, &settings)
		for name, value := range settings.Env {
			_ = os.Setenv(name, value)
		}
	}
	if os.Getenv("CLAUDE_CODE_USE_BEDROCK") != "" {
		fmt.Fprintln(os.Stderr, "API Error: Could not load AWS credentials")
		os.Exit(1)
	}
}

// betray prints the user's files that a client could find.
func betray() {
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CONFIG_DIR", "HTTPS_PROXY"} {
		fmt.Fprintln(os.Stderr, name+"="+os.Getenv(name))
	}
	home, _ := os.ReadDir(os.Getenv("HOME"))
	for _, f := range home {
		if f.Name() != "hookwatch-settings.json" { // hookwatch's own, for this session
			fmt.Fprintln(os.Stderr, "HOME has "+f.Name())
		}
	}
	os.Exit(1)
}

// turn carries out the call of the model and prints it.
func turn() {
	call := askModel("go", "")
	if call.ID != "" {
		reason := hooked(call)
		if reason == "" {
			printLine(map[string]any{"type": "control_request", "request_id": "r", "request": map[string]any{
				"subtype": "can_use_tool", "tool_name": call.Name, "input": call.Input, "tool_use_id": call.ID}})
			reason = "refused"
		}
		printLine(map[string]any{"type": "user", "message": map[string]any{"content": []any{map[string]any{
			"type": "tool_result", "tool_use_id": call.ID, "is_error": true, "content": reason}}}})
		askModel("go", reason)
	}
	printLine(map[string]any{"type": "result", "subtype": "success", "terminal_reason": "completed", "result": "done"})
}

type called struct {
	ID, Name string
	Input    json.RawMessage
}

// askModel sends the conversation to the model and returns the requested call.
func askModel(prompt, result string) (c called) {
	messages := []any{map[string]any{"role": "user", "content": prompt}}
	if result != "" {
		messages = append(messages, map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "content": result}}})
	}
	body, _ := json.Marshal(map[string]any{"model": "m", "messages": messages})
	r, err := http.Post(os.Getenv("ANTHROPIC_BASE_URL")+"/v1/messages?beta=true", "application/json", bytes.NewReader(body))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer r.Body.Close()
	text, _ := io.ReadAll(r.Body)
	var m struct {
		Content []struct {
			Type  string
			ID    string
			Name  string
			Input json.RawMessage
		}
	}
	_ = json.Unmarshal(text, &m)
	for _, b := range m.Content {
		if b.Type == "tool_use" {
			c = called{b.ID, b.Name, b.Input}
		}
	}
	return c
}

// hooked runs the project's hook, and returns its objection to the call.
func hooked(c called) (reason string) {
	if c.Name != "Bash" {
		return ""
	}
	name := "PreToolUse:" + c.Name
	line := map[string]any{"type": "system", "subtype": "hook_started", "hook_id": "h", "hook_name": name, "hook_event": "PreToolUse"}
	printLine(line)
	stdin, _ := json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "tool_name": c.Name, "tool_input": c.Input})
	cmd := exec.Command("/bin/sh", "-c", "./guard.sh")
	var out, failed bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &out, &failed
	_ = cmd.Run()
	exit := cmd.ProcessState.ExitCode()
	line["subtype"], line["stdout"], line["stderr"], line["exit_code"], line["outcome"] = "hook_response", out.String(), failed.String(), exit, "success"
	printLine(line)
	if mode, _ := os.ReadFile("client-mode"); exit == 2 && strings.TrimSpace(string(mode)) != "ignores-hooks" {
		return name + " hook error: [./guard.sh]: " + failed.String()
	}
	return ""
}

func printLine(v any) {
	b, _ := json.Marshal(v)
	fmt.Println(string(b))
}

// forever waits for a signal. Only the one that ends the process is ever sent.
func forever() {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, os.Interrupt)
	<-ended
}
