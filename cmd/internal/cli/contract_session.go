package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/live"
)

// A clientSession is one client with one hook, which plays one cell per turn.
type clientSession struct {
	event  string
	entry  client.Entry
	cells  []client.Cell
	starts bool // the cells need a session that starts, not one that is cleared
}

func (s clientSession) ids() (ids []string) {
	for _, c := range s.cells {
		ids = append(ids, c.ID())
	}
	return ids
}

func (s clientSession) hooksAnswer() bool { return s.event == client.PermissionEvent().Name }

// most is the maximum number of cells per client, because its requests to the model grow with
// each.
const most = 24

// distribute distributes the cells over sessions. A cell that ends the client's session, or from
// which the client may not recover, is the last of its session.
func distribute(all []client.Cell) []clientSession {
	type group struct {
		event, entry string
		starts       bool
	}
	var order []group
	of := make(map[group]*clientSession)
	for _, c := range all {
		entry := cellEntry(c)
		g := group{c.Event, string(encode(entry)), bytes.Contains(c.Output.Stdout, []byte("initialUserMessage"))}
		if of[g] == nil {
			of[g] = &clientSession{event: c.Event, entry: entry, starts: g.starts}
			order = append(order, g)
		}
		of[g].cells = append(of[g].cells, c)
	}
	var out []clientSession
	for _, g := range order {
		out = append(out, of[g].split()...)
	}
	return out
}

// split returns sessions that are short enough, each with at most one cell that ends it, as the
// last.
func (s clientSession) split() []clientSession {
	var last, rest []client.Cell
	for _, c := range s.cells {
		if ends(c) {
			last = append(last, c)
		} else {
			rest = append(rest, c)
		}
	}
	share := most
	if live.WayTo(s.event).Single || s.entry.Type == "http" || s.starts {
		share = 1
	}
	if share == 1 {
		rest, last = append(rest, last...), nil
	}
	n := max(len(last), (len(rest)+share-1)/share)
	out := make([]clientSession, n)
	for i := range out {
		out[i] = clientSession{event: s.event, entry: s.entry, starts: s.starts}
		from, to := i*len(rest)/n, (i+1)*len(rest)/n
		out[i].cells = slices.Clone(rest[from:to])
		if i < len(last) {
			out[i].cells = append(out[i].cells, last[i])
		}
	}
	return out
}

// ends reports whether the client may be unable to continue after a cell.
func ends(c client.Cell) bool {
	return live.WayTo(c.Event).Ends || slices.ContainsFunc(client.Versions(), func(v client.Version) bool {
		return client.Interpret(v, c.Event, c.Output).Effect == suites.SessionEnds
	})
}

// answers is the script of a session's hook: it prints the output of the next cell once.
const answers = `cat >/dev/null
cd "${CLAUDE_PROJECT_DIR:-.}" && test -d next || exit 0
rm -rf taken
mv next taken 2>/dev/null || exit 0
cat taken/stdout
cat taken/stderr >&2
if test -e taken/hang; then exec sleep 60; fi
if test -e taken/killed; then kill -KILL $$; fi
exit "$(cat taken/exit)"
`

// cellEntry returns the hook entry with which a cell is played.
func cellEntry(c client.Cell) client.Entry {
	e := c.Output.Entry
	e.Event, e.Type = c.Event, cmp.Or(e.Type, "command")
	e.Matcher = cmp.Or(e.Matcher, live.WayTo(c.Event).Matcher)
	e.Command = `sh "$CLAUDE_PROJECT_DIR"/answer.sh`
	switch {
	case e.Type == "http":
		e.Command, e.URL = "", "{server}/hook"
	case c.Output.NotStarted != "" && e.Shell == "":
		e.Command = `"${CLAUDE_PLUGIN_ROOT}/answer.sh"`
	case c.Output.TimedOut:
		e.Timeout = time.Second / 2
	}
	return e
}

// asCase converts the session into a case with one step per cell.
func (s clientSession) asCase(number int) *suites.Case {
	entries := append([]client.Entry{s.entry}, live.WayTo(s.event).Needs...)
	c := &suites.Case{
		Suite: "contract", ID: fmt.Sprintf("%s-%d", s.event, number), Name: s.event, Layer: suites.Live, Chain: true,
		Project: &suites.ProjectOverride{Files: map[string]string{
			".claude/settings.json":     string(live.Settings(entries, nil)),
			".claude/commands/greet.md": "Greet $ARGUMENTS",
			"answer.sh":                 answers,
		}},
	}
	if s.entry.Type == "http" {
		out := s.cells[0].Output
		c.CaseEnv = &suites.CaseEnv{Server: []suites.Route{{Status: out.Exit, Reply: string(out.Stdout)}}}
	}
	for i, cell := range s.cells {
		st := fires(s.event, s.entry)
		if s.starts {
			st.Payload = nil
		}
		if st.Event = s.event; !isKnownEvent(s.event) {
			st.Event = client.GuardEvent(client.Calls).Name // the hook is not named after an unknown event
		}
		st.Fixtures = append(next(i, cell.Output), st.Fixtures...)
		if about, _ := client.EventByName(s.event); about.PrintsPath {
			st.Fixtures[0] = suites.Fixture{Path: st.Fixtures[0].Path, Content: strings.ReplaceAll(string(cell.Output.Stdout), "/tmp/w", "{override}/w"), Fill: true}
		}
		if s.entry.Type == "http" {
			st.Fixtures = []suites.Fixture{{Path: "{override}/.claude/settings.json", Content: c.Project.Files[".claude/settings.json"], Fill: true}}
		}
		st.Expect.Files = []suites.FileExpectation{{Path: taken}}
		c.Steps = append(c.Steps, st)
	}
	return c
}

// next returns the files with the output of the i-th cell, of which the first is its stdout.
func next(i int, out client.Output) (files []suites.Fixture) {
	place := func(name, content string) {
		files = append(files, suites.Fixture{Path: "{override}/next/" + name, Content: content})
	}
	place("stdout", string(out.Stdout))
	place("cell", strconv.Itoa(i))
	place("stderr", string(out.Stderr))
	place("exit", strconv.Itoa(out.Exit))
	if out.TimedOut {
		place("hang", "")
	}
	if out.Signal != "" {
		place("killed", "")
	}
	return files
}

// matcherValue returns the value with which a matcher would be compared.
func (s clientSession) matcherValue() string {
	if s.starts {
		return "startup"
	}
	return live.WayTo(s.event).Value
}

// taken is the file with the number of the cell that the hook played last.
const taken = "{override}/taken/cell"

// fires returns a step that triggers an event.
func fires(event string, entry client.Entry) suites.Step {
	step := live.WayTo(event).Step
	if entry.If != "" && step.Tool != "" {
		step.Command = "git commit -m probe"
	}
	return step
}

func isKnownEvent(event string) bool {
	_, ok := client.EventByName(event)
	return ok
}

func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil { // never: our own values can be encoded
		return nil
	}
	return b
}

func (s clientSession) judge(i int, r suites.Result, named func(string) string) []contractRow {
	c := s.cells[i]
	j := c.Judge(client.Version(r.Client), client.Observation{
		Command: s.entry.Command, URL: s.entry.URL, Matched: s.matcherValue(), Answered: s.hasAnswered(i, r), Effect: r.Effect, Texts: namedTexts(r, named),
	})
	return judgementRows(c.ID(), j)
}

// judgementRows returns the row of a cell.
func judgementRows(id string, j client.Judgement) []contractRow {
	row := contractRow{id, confirmed, string(j.Predicted), string(j.Seen), j.Changed}
	if j.Changed != "" {
		row.Verdict = changed
	}
	return []contractRow{row}
}

// namedTexts returns the texts that the model was sent, with names for what differs in each run.
func namedTexts(r suites.Result, named func(string) string) (texts []string) {
	for _, text := range r.ModelSees {
		texts = append(texts, named(text))
	}
	return texts
}

// hasAnswered reports whether the hook played the cell. For a hook that runs asynchronously or on a
// server it is enough that the client fired it.
func (s clientSession) hasAnswered(i int, r suites.Result) bool {
	if s.entry.Async || s.entry.Type == "http" {
		return r.Fired
	}
	return string(r.Files[taken]) == strconv.Itoa(i)
}

// ran is the file with the names of the hooks that ran in a step.
const ran = "{override}/" + client.Ran

// together returns the sessions of matchers: one settings file with all matchers, except that
// matchers of MCP tools have a session of their own, because an MCP server is available from the
// start of a session or never.
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

// registering returns a case in a project with a settings file.
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

// matching is a session with one hook per matcher, which records that it runs. Each step triggers
// one or more of the values.
type matching []client.InForceMatcher

func (s matching) ids() (ids []string) {
	for _, m := range s {
		ids = append(ids, m.ID())
	}
	return ids
}

func (s matching) hooksAnswer() bool { return false }

// comes returns the step in which the client produces a value; session starts and turn ends are
// part of any step.
func comes(value string) suites.Step {
	tool := func(name, input string) suites.Step {
		return suites.Step{Event: client.GuardEvent(client.Calls).Name, Tool: name, Payload: []byte(`{"tool_input":` + input + `}`)}
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
		return suites.Step{Event: client.GuardEvent(client.Calls).Name, Tool: "Bash", Command: "touch probe"}
	}
}

// steps returns the steps of the session without duplicates.
func (s matching) steps() (steps []suites.Step) {
	for _, m := range s {
		if step := comes(m.Value); !slices.ContainsFunc(steps, func(o suites.Step) bool { return same(o, step) }) {
			steps = append(steps, step)
		}
	}
	return steps
}

func same(a, b suites.Step) bool { return a.Event == b.Event && a.Tool == b.Tool }

// any returns the name of the hook without a matcher for an event: if it runs, the client reached
// the event.
func (s matching) any(event string) string {
	if !isKnownEvent(event) {
		event = client.GuardEvent(client.Calls).Name // the hook is not named after an unknown event
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
		row := contractRow{ID: m.ID(), Verdict: confirmed, Predicted: runs(m.Predict()), Seen: runs(slices.Contains(names, strconv.Itoa(at)))}
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

// A conditional is a session with one hook per condition, which records that it runs. Each step is
// one call.
type conditional struct {
	rules []string
	calls [][]client.InForceCondition
}

// conditionsOf distributes conditions over sessions of one tool each, because a session's hooks see
// all of its calls.
func conditionsOf(all []client.InForceCondition) (sessions []conditional) {
	for i, c := range all {
		sameTool := i > 0 && all[i-1].Tool == c.Tool
		sameCall := sameTool && bytes.Equal(all[i-1].Payload(), c.Payload())
		if !sameTool || !sameCall && len(sessions[len(sessions)-1].calls) == most {
			sessions = append(sessions, conditional{})
			sameCall = false
		}
		s := &sessions[len(sessions)-1]
		if !sameCall {
			s.calls = append(s.calls, nil)
		}
		last := len(s.calls) - 1
		s.calls[last] = append(s.calls[last], c)
		if !slices.Contains(s.rules, c.If) {
			s.rules = append(s.rules, c.If)
		}
	}
	return sessions
}

func (s conditional) ids() (ids []string) {
	for _, c := range slices.Concat(s.calls...) {
		ids = append(ids, c.ID())
	}
	return ids
}

func (s conditional) hooksAnswer() bool { return false }

func (s conditional) asCase(number int) *suites.Case {
	event := client.GuardEvent(client.Calls).Name
	entries := []client.Entry{{Event: event, Command: client.InForceCommand("any")}}
	for i, rule := range s.rules {
		entries = append(entries, client.Entry{Event: event, If: rule, Command: client.InForceCommand(strconv.Itoa(i))})
	}
	var steps []suites.Step
	for _, call := range s.calls {
		step := comes(call[0].Tool)
		if step.Event == event {
			step = suites.Step{Event: event, Tool: call[0].Tool, Payload: call[0].Payload()}
		}
		steps = append(steps, step)
	}
	return registering("conditions-"+strconv.Itoa(number), live.Settings(entries, nil), steps...)
}

func (s conditional) judge(i int, r suites.Result, _ func(string) string) (rows []contractRow) {
	names := strings.Fields(string(r.Files[ran]))
	for _, c := range s.calls[i] {
		row := contractRow{ID: c.ID(), Verdict: confirmed, Predicted: runs(takes(c)), Seen: runs(slices.Contains(names, strconv.Itoa(slices.Index(s.rules, c.If))))}
		switch {
		case !slices.Contains(names, "any"):
			row = contractRow{ID: c.ID(), Verdict: notReachable, Because: "the client made no such call of " + c.Tool}
		case row.Seen != row.Predicted:
			row.Verdict, row.Because = changed, "the condition is compared otherwise"
		}
		rows = append(rows, row)
	}
	return rows
}

// takes reports whether hookwatch predicts that a hook with a condition runs.
func takes(c client.InForceCondition) bool {
	return discover.Hook{If: c.If}.Takes(c.Tool, c.Example())
}

func runs(yes bool) string {
	if yes {
		return "runs"
	}
	return "does not run"
}

// settingsFile is a session with a settings file whose hooks record that they run.
type settingsFile client.InForceFile

func (f settingsFile) ids() []string { return []string{client.InForceFile(f).ID()} }

func (f settingsFile) hooksAnswer() bool { return false }

func (f settingsFile) asCase(number int) *suites.Case {
	return registering("settings-"+strconv.Itoa(number), []byte(f.Content), suites.Step{Event: "PostToolUse", Tool: "Bash", Command: "touch probe"})
}

func (f settingsFile) judge(_ int, r suites.Result, _ func(string) string) []contractRow {
	names := strings.Fields(string(r.Files[ran]))
	slices.Sort(names)
	row := contractRow{ID: client.InForceFile(f).ID(), Verdict: confirmed, Predicted: describeNames(client.InForceFile(f).Predict(client.Version(r.Client))), Seen: describeNames(slices.Compact(names))}
	if row.Seen != row.Predicted {
		row.Verdict, row.Because = changed, "other hooks of the file run"
	}
	return []contractRow{row}
}

// describeNames describes the hooks that run.
func describeNames(names []string) string {
	if len(names) == 0 {
		return "no hook runs"
	}
	return strings.Join(names, " and ") + " run"
}
