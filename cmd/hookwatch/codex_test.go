package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
)

// asCodex is a stand-in of Codex for one turn: it runs the hooks of two files without looking at
// matchers, and carries out the commands of the model. The file client-mode changes what it does.
func asCodex() {
	args := strings.Join(os.Args[1:], " ")
	if args == "--version" {
		fmt.Println("codex-cli 0.171.0")
		os.Exit(0)
	}
	mode, _ := os.ReadFile("client-mode")
	if strings.Contains(string(mode), "elsewhere") {
		_, _ = http.Get("http://example.com/telemetry") // the proxy of the environment gets it
	}
	url := regexp.MustCompile(`base_url="([^"]*)"`).FindStringSubmatch(args)[1]
	input := []any{map[string]any{"type": "message", "role": "user", "content": []any{map[string]any{"type": "input_text", "text": os.Args[len(os.Args)-1]}}}}
	codexHooks("SessionStart", `{}`)
	if code, _ := codexHooks("UserPromptSubmit", `{}`); code == 2 {
		os.Exit(0)
	}
	for {
		item := askCodexModel(url, input)
		if item.Type != "function_call" {
			if code, why := codexHooks("Stop", `{}`); code == 2 && why != "" {
				input = append(input, map[string]any{"type": "message", "role": "user", "content": why})
				continue
			}
			os.Exit(0)
		}
		var call struct {
			Cmd string `json:"cmd"`
		}
		_ = json.Unmarshal([]byte(item.Arguments), &call)
		payload, _ := json.Marshal(map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": call.Cmd}})
		result := ""
		if code, why := codexHooks("PreToolUse", string(payload)); code == 2 && why != "" && !strings.Contains(string(mode), "ignores-hooks") {
			result = "Command blocked by PreToolUse hook: " + why + ". Command: " + call.Cmd
		} else {
			out, _ := exec.Command("bash", "-c", call.Cmd).CombinedOutput()
			result = "Output:\n" + string(out)
			codexHooks("PostToolUse", string(payload))
		}
		input = append(input, map[string]any{"type": "function_call_output", "call_id": item.CallID, "output": result})
	}
}

type codexItem struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Arguments string `json:"arguments"`
}

func askCodexModel(url string, input []any) (item codexItem) {
	body, _ := json.Marshal(map[string]any{"model": "gpt-5.5", "input": input})
	answer, err := http.Post(url+"/responses", "application/json", bytes.NewReader(body))
	if err != nil {
		os.Exit(1)
	}
	stream, _ := io.ReadAll(answer.Body)
	for line := range strings.Lines(string(stream)) {
		var event struct {
			Item *codexItem `json:"item"`
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok && json.Unmarshal([]byte(data), &event) == nil && event.Item != nil {
			item = *event.Item
		}
	}
	return item
}

// codexHooks runs the hooks of an event and returns the last exit code and stderr.
func codexHooks(event, payload string) (code int, stderr string) {
	for _, file := range []string{os.Getenv("HOME") + "/.codex/hooks.json", ".codex/hooks.json"} {
		text, _ := os.ReadFile(file)
		var all struct {
			Hooks map[string][]struct{ Hooks []struct{ Command string } }
		}
		_ = json.Unmarshal(text, &all)
		for _, group := range all.Hooks[event] {
			for _, h := range group.Hooks {
				var errs bytes.Buffer
				cmd := exec.Command("bash", "-c", h.Command)
				cmd.Stdin, cmd.Stderr = strings.NewReader(payload), &errs
				_ = cmd.Run()
				code, stderr = cmd.ProcessState.ExitCode(), strings.TrimSpace(errs.String())
			}
		}
	}
	return code, stderr
}
