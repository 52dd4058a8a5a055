package live

import (
	"cmp"
	"strings"
)

func prompt(t *Turn, _ Step, p payload) error {
	t.Prompts = []string{cmp.Or(p.Prompt, goOn)}
	return nil
}

// expansion needs a command of that name in the project, as the client itself does.
func expansion(t *Turn, _ Step, p payload) error {
	if p.Name == "" {
		return notLive("its payload names no command")
	}
	t.Prompts = []string{strings.TrimSpace("/" + p.Name + " " + p.Arguments)}
	return nil
}

func changeDirectory(t *Turn, _ Step, _ payload) error {
	t.Prompts, t.Allow = []string{goOn}, true
	t.Main = []Reply{{Calls: []Call{{Tool: "Bash", Tested: true, Input: encoded(map[string]any{"command": "mkdir -p hookwatch-moved && cd hookwatch-moved"})}}}}
	return nil
}

// stop says nothing but the last message. A stop that is under way already is the
// next one in the same turn.
func stop(t *Turn, s Step, p payload) error {
	if p.StopHookActive && s.Event == "Stop" {
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
	t.Main = []Reply{{Calls: []Call{{Tool: "Agent", Tested: true, Input: encoded(map[string]any{
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
		t.Prompts, t.AtEnd = []string{goOn}, true
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

// compact needs two turns before it: after one the client says that there is not
// enough to compact.
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
