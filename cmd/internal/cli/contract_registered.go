package cli

import (
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/live"
)

// ran holds the names of the hooks that ran in a step.
const ran = "{override}/" + client.Ran

// together are the sessions of matchers, all of each in one settings file. The tool of an
// MCP server is there from the start of a session or never, so that its matchers have one
// of their own.
func together(matchers []client.InForceMatcher) (sessions []matching) {
	var ofServer, others matching
	for _, m := range matchers {
		if strings.HasPrefix(m.Value, "mcp__") {
			ofServer = append(ofServer, m)
		} else {
			others = append(others, m)
		}
	}
	return slices.DeleteFunc([]matching{others, ofServer}, func(s matching) bool { return len(s) == 0 })
}

// registering is a case in a project with a settings file.
func registering(name string, settings []byte, steps ...suites.Step) *suites.Case {
	for i := range steps {
		steps[i].Fixtures = []suites.Fixture{{Path: ran}}
		steps[i].Expect.Files = []suites.FileExpectation{{Path: ran}}
	}
	return &suites.Case{
		Suite: "contract", ID: name, Name: name, Layer: suites.Live, Chain: true, Steps: steps,
		Project: &suites.ProjectOverride{Files: map[string]string{".claude/settings.json": string(settings)}},
	}
}

// matching is a session in which every matcher has a hook of its own, which notes that it
// runs. A step has the client come to the values that one way leads to.
type matching []client.InForceMatcher

func (s matching) ids() (ids []string) {
	for _, m := range s {
		ids = append(ids, m.ID())
	}
	return ids
}

func (s matching) hooksAnswer() bool { return false }

// comes is the step that has the client come to a value; a session that starts and a turn
// that ends are part of any.
func comes(value string) suites.Step {
	tool := func(name, input string) suites.Step {
		return suites.Step{Event: "PreToolUse", Tool: name, Payload: []byte(`{"tool_input":` + input + `}`)}
	}
	switch {
	case value == "Agent", value == "general-purpose":
		return suites.Step{Event: "SubagentStart"}
	case strings.HasPrefix(value, "mcp__"):
		return suites.Step{Event: "Elicitation"}
	case value == "Read":
		return tool("Read", `{"file_path":"`+ran+`"}`)
	case value == "TaskStop":
		return tool("TaskStop", `{"task_id":"none"}`)
	case value == "ListAgents":
		return tool("ListAgents", `{}`)
	default:
		return suites.Step{Event: "PreToolUse", Tool: "Bash", Command: "touch probe"}
	}
}

// steps are those of the session, each once.
func (s matching) steps() (steps []suites.Step) {
	for _, m := range s {
		if step := comes(m.Value); !slices.ContainsFunc(steps, func(o suites.Step) bool { return same(o, step) }) {
			steps = append(steps, step)
		}
	}
	return steps
}

func same(a, b suites.Step) bool { return a.Event == b.Event && a.Tool == b.Tool }

// any is the name of the hook of an event that has no matcher: it tells whether the
// client came to the event at all.
func (s matching) any(event string) string {
	if !known(event) {
		event = "PreToolUse" // under whose name the hook does not stand
	}
	return "any-" + event
}

func (s matching) asCase(number int) *suites.Case {
	var entries []client.Entry
	var events []string
	for i, m := range s {
		entries = append(entries, client.Entry{Event: m.Event, Matcher: m.Matcher, Command: client.InForceCommand(strconv.Itoa(i))})
		events = append(events, strings.TrimPrefix(s.any(m.Event), "any-"))
	}
	slices.Sort(events)
	for _, event := range slices.Compact(events) {
		entries = append(entries, client.Entry{Event: event, Command: client.InForceCommand(s.any(event))})
	}
	return registering("matchers-"+strconv.Itoa(number), live.Settings(entries, nil), s.steps()...)
}

func (s matching) judge(i int, r suites.Result, _ func(string) string) (rows []contractRow) {
	names := strings.Fields(string(r.Files[ran]))
	step := s.steps()[i]
	for at, m := range s {
		if !same(comes(m.Value), step) {
			continue
		}
		row := contractRow{ID: m.ID(), Verdict: confirmed, Predicted: runs(m.Predicted()), Seen: runs(slices.Contains(names, strconv.Itoa(at)))}
		switch {
		case !slices.Contains(names, s.any(m.Event)):
			row = contractRow{ID: m.ID(), Verdict: notReachable, Because: strings.TrimSpace("the client did not come to " + m.Event + " " + m.Value)}
		case row.Seen != row.Predicted:
			row.Verdict, row.Because = changed, "the matcher is compared otherwise"
		}
		rows = append(rows, row)
	}
	return rows
}

func runs(yes bool) string {
	if yes {
		return "runs"
	}
	return "does not run"
}

// settingsFile is a session with a settings file, whose hooks note that they run.
type settingsFile client.InForceFile

func (f settingsFile) ids() []string { return []string{client.InForceFile(f).ID()} }

func (f settingsFile) hooksAnswer() bool { return false }

func (f settingsFile) asCase(number int) *suites.Case {
	return registering("settings-"+strconv.Itoa(number), []byte(f.Content), suites.Step{Event: "PostToolUse", Tool: "Bash", Command: "touch probe"})
}

func (f settingsFile) judge(_ int, r suites.Result, _ func(string) string) []contractRow {
	names := strings.Fields(string(r.Files[ran]))
	slices.Sort(names)
	row := contractRow{ID: client.InForceFile(f).ID(), Verdict: confirmed, Predicted: listed(client.InForceFile(f).Predicted(client.Version(r.Client))), Seen: listed(slices.Compact(names))}
	if row.Seen != row.Predicted {
		row.Verdict, row.Because = changed, "other hooks of the file run"
	}
	return []contractRow{row}
}

// listed names the hooks that run.
func listed(names []string) string {
	if len(names) == 0 {
		return "no hook runs"
	}
	return strings.Join(names, " and ") + " run"
}
