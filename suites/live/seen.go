package live

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hookwatch/suites"
)

// Seen is what the client did in one turn.
type Seen struct {
	Turn   Turn
	Lines  []Line
	Heard  []Heard
	Tested string // ID of the call that the step is about; "" when it was not made
	Log    []Logged
	Nth    int     // which firing of the event in this turn the step is about, from 0
	Saw    []Fired // by witnesses, of an event of whose hooks the client prints nothing
}

// Fired are the hooks of the firing that the step is about.
func (s *Seen) Fired() []HookLine {
	if len(s.Saw) > 0 {
		lines := make([]HookLine, len(s.Saw))
		for i, f := range s.Saw {
			lines[i] = f.HookLine
		}
		return lines
	}
	firings := s.firings()
	if s.Nth >= len(firings) {
		return nil
	}
	return firings[s.Nth]
}

// firings are the hooks of the step's event, those that ran side by side together.
func (s *Seen) firings() [][]HookLine {
	var all [][]HookLine
	running := 0
	place := make(map[string]int) // in the last firing, by ID
	for _, l := range s.Lines {
		h := l.Hook
		if h.Event != s.Turn.Event || s.Turn.Value != "" && h.Name != h.Event && h.Name != h.Event+":"+s.Turn.Value {
			continue
		}
		switch l.Kind {
		case HookStarted:
			if running == 0 {
				all = append(all, nil)
				place = make(map[string]int)
			}
			running++
			last := len(all) - 1
			place[h.ID] = len(all[last])
			all[last] = append(all[last], h)
		case HookEnded:
			at, started := place[h.ID]
			if !started { // not announced, as at a start
				all = append(all, []HookLine{h})
				place = make(map[string]int)
				continue
			}
			running--
			all[len(all)-1][at] = h
		}
	}
	return all
}

// Texts are what the model was told since the moment that the step is about.
func (s *Seen) Texts() []string {
	var out []string
	for _, h := range s.heard() {
		out = append(out, h.Texts...)
	}
	return out
}

// heard are the requests that can tell of the step's hooks.
func (s *Seen) heard() []Heard {
	toolEvent := s.Tested != "" && (strings.HasPrefix(s.Turn.Event, "PreTool") || strings.HasPrefix(s.Turn.Event, "PostTool") || s.Turn.Event == "PermissionRequest")
	return slices.DeleteFunc(slices.Clone(s.Heard), func(h Heard) bool { return h.Origin == Nested || h.Origin == Check || toolEvent && !h.After })
}

// first is what the client first sent the model for itself.
func (s *Seen) first() string {
	for _, h := range s.Heard {
		if h.Origin == Main {
			return strings.Join(h.Texts, "\n")
		}
	}
	return ""
}

// refused reports whether the result of a call, though none that failed, says that a
// hook kept it from what it was to do.
func (s *Seen) refused(text string) bool {
	return strings.HasPrefix(text, s.Turn.Event+" hook feedback:") || s.Turn.Event == "WorktreeRemove" && strings.Contains(text, "could not remove it")
}

// models are those that the client asked first and last.
func (s *Seen) models() (first, last string) {
	for _, h := range s.Heard {
		if h.Origin == Main {
			first, last = cmp.Or(first, h.Model), h.Model
		}
	}
	return first, last
}

func (s *Seen) from(o Origin) (n int) {
	for _, h := range s.Heard {
		if h.Origin == o {
			n++
		}
	}
	return n
}

// Failed is the result of the call that the step is about, when it was an error, or why
// the client refused what it was asked to do.
func (s *Seen) Failed() string {
	if answered, ok := s.find(Answered); ok && answered.Failed {
		return answered.Text
	}
	for _, l := range s.Lines {
		if l.Kind == Heeded && l.Failed {
			return l.Text
		}
	}
	return ""
}

// Carrying are those of texts that hold words of a hook, from the line on in which they
// begin.
func Carrying(texts []string, hook HookLine) (out []string) {
	for _, t := range texts {
		first := -1
		for _, w := range readSaid([]HookLine{hook}).words {
			if at := w.in(t); at >= 0 && (first < 0 || at < first) {
				first = at
			}
		}
		if first >= 0 {
			out = append(out, t[strings.LastIndexByte(t[:first], '\n')+1:])
		}
	}
	return out
}

// Halts reports whether a hook of the step wants the session to end: the client lets
// the call run before it ends.
func (s *Seen) Halts() bool { return readSaid(s.Fired()).halts }

// Effect is what the client was seen to do, and by what that is told.
//
// Of a tool that was to be called it is told so: nothing is allowed beforehand, and
// the client asks hookwatch for permission where it would ask a person. A question
// that a hook is the reason of means asked. A question for another reason means that
// the hooks let the call pass. An error without a question, by a hook as the client
// says or with a hook's words in it, means denied. A call that ran without a question
// means allowed where a hook says so; some calls run anyway.
func (s *Seen) Effect() (effect suites.Effect, because string) {
	said := readSaid(s.Fired())
	switch s.Turn.Event {
	case "PreToolUse":
		return s.before(said)
	case "PermissionRequest":
		return s.permission(said)
	case "UserPromptSubmit", "UserPromptExpansion":
		if s.from(Main) == 0 {
			return suites.PromptBlocked, "the client sent the model nothing"
		}
	case "Stop", "SubagentStop":
		return s.stopped(said)
	case "PostToolUse", "PostToolUseFailure", "PostToolBatch":
		if len(s.heard()) == 0 {
			return suites.SessionEnds, "the client sent the model nothing more"
		}
		if said.output != "" && strings.Contains(strings.Join(s.Texts(), "\n"), said.output) {
			return suites.Rewritten, "the model was sent the hook's result for the tool's"
		}
	case "SessionStart":
		if first := s.first(); said.message != "" && first != "" && !strings.Contains(first, goOn) {
			return suites.AnotherTurn, "the model was sent the hook's message before the person's"
		}
	case "TaskCreated", "TaskCompleted", "WorktreeCreate", "WorktreeRemove":
		switch answered, ok := s.find(Answered); {
		case ok && (answered.Failed || s.refused(answered.Text)):
			return suites.Denied, "the call's result is a no: " + short(answered.Text)
		case ok && s.Turn.Event == "WorktreeCreate": // the path that the model is told is no word to it
			return suites.Proceeds, "the client works in the directory that the hook named"
		}
	case "Elicitation", "ElicitationResult":
		switch answered, _ := s.find(Answered); {
		case strings.Contains(answered.Text, wasAnswered+"decline"):
			return suites.Denied, "the server was told that its question is declined"
		case strings.Contains(answered.Text, wasAnswered+"accept"):
			return suites.Rewritten, "the server was given an answer"
		}
	case "ConfigChange":
		if answered, ok := s.find(Answered); ok && !answered.Failed {
			return suites.Denied, "the client went on by the settings that it had"
		}
	case "PreModelSwitch":
		if first, last := s.models(); first == last {
			return suites.Denied, "the client asks the same model as before"
		}
	case "PreCompact":
		if s.from(Main) < len(s.Turn.Prompts) { // a summary is a request, too
			return suites.Denied, "the client asked for no summary"
		}
	}
	return s.told(said)
}

func (s *Seen) before(said said) (suites.Effect, string) {
	answered, hasAnswer := s.find(Answered)
	asks, asked := s.find(Asks)
	switch {
	case asked && asks.ReasonType == "hook":
		return suites.Asked, "the client asks a person, for a hook wants it"
	case !hasAnswer && !asked:
		return suites.SessionEnds, "the call has no result and the session ended"
	case answered.Failed && !asked && (answered.By == "hook" || answered.By == "" && !answered.Ran && said.denies(answered.Text)):
		if len(s.heard()) == 0 {
			return suites.SessionEnds, "the call was denied, and the client sent the model nothing more"
		}
		return suites.Denied, "the call's result is an error: " + short(answered.Text)
	case len(s.heard()) == 0:
		return suites.SessionEnds, "the client sent the model nothing more"
	case asked && !holds(asks.Input, s.Turn.tested().Input), !asked && said.rewrites:
		return suites.Rewritten, "the client would call the tool with another input"
	case !asked && (answered.Ran || !answered.Failed) && said.allows:
		return suites.Allowed, "the call ran and nobody was asked"
	}
	return s.told(said)
}

func (s *Seen) permission(said said) (suites.Effect, string) {
	asks, asked := s.find(Asks)
	withdrawn := slices.ContainsFunc(s.Lines, func(l Line) bool { return l.Kind == Withdrawn && l.Request == asks.Request })
	answered, _ := s.find(Answered)
	switch {
	case asked && !withdrawn:
		return s.told(said)
	case answered.Failed:
		return suites.Denied, "the hook answered before a person could: " + short(answered.Text)
	default:
		return suites.Allowed, "the hook answered before a person could, and the call ran"
	}
}

func (s *Seen) stopped(said said) (suites.Effect, string) {
	origin := Main
	if s.Turn.Event == "SubagentStop" {
		origin = Subagent
	}
	if s.from(origin) > s.Nth+1 {
		return suites.AnotherTurn, "the model was asked once more"
	}
	if slices.ContainsFunc(s.Lines, func(l Line) bool { return l.Kind == Over && l.Reason == "stop_hook_prevented" }) {
		return suites.SessionEnds, "the client ends the session for the hook"
	}
	return s.told(said)
}

// told is the effect of hooks that kept nothing from happening.
func (s *Seen) told(said said) (suites.Effect, string) {
	texts := strings.Join(s.Texts(), "\n")
	if s.Turn.Event == "PreCompact" {
		texts = withoutReport(s.Texts())
	}
	for _, w := range said.words {
		switch {
		case w.in(texts) < 0:
		case w.context || s.Turn.Event == "PreToolUse" || !strings.HasPrefix(s.Turn.Event, "PostTool"):
			return suites.ContextAdded, "the model was sent what the hook says"
		default:
			return suites.ShownToModel, "the model was sent what the hook says"
		}
	}
	if said.anything {
		return suites.Ignored, "the client went on, and sent the model nothing of what the hook says"
	}
	return suites.Proceeds, "the client went on"
}

// rejected begins the client's report of an output that it drops (2.1.197, 2.1.330).
// After /compact the model is sent it, with the output in it.
const rejected = "failed: Hook JSON output validation failed"

// withoutReport are texts, one a line, without reports of dropped output.
func withoutReport(texts []string) string {
	var kept []string
	for _, t := range texts {
		before, _, _ := strings.Cut(t, rejected)
		kept = append(kept, before)
	}
	return strings.Join(kept, "\n")
}

// find is the last line of a kind about the step's call.
func (s *Seen) find(k Kind) (found Line, ok bool) {
	for _, l := range s.Lines {
		if l.Kind == k && s.Tested != "" && l.ToolUse == s.Tested {
			found, ok = l, true
		}
	}
	return found, ok
}

func (t *Turn) tested() Call {
	for _, r := range t.Main {
		for _, c := range r.Calls {
			if c.Tested {
				return c
			}
		}
	}
	return Call{}
}

// said is what hooks said.
type said struct {
	words    []word
	anything bool
	allows   bool
	rewrites bool
	output   string // that is to take the place of the tool's
	message  string // that is to go before the person's
	halts    bool
}

// A word is a text of a hook's that may reach the model.
type word struct {
	text    string
	context bool // additionalContext
}

// in is where a text holds the word, and no longer one; -1 where it does not.
func (w word) in(text string) int {
	for from := 0; ; {
		at := strings.Index(text[from:], w.text)
		if at < 0 {
			return -1
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(w.text):])
		first, _ := utf8.DecodeRuneInString(w.text)
		last, _ := utf8.DecodeLastRuneInString(w.text)
		if !(lettered(before) && lettered(first)) && !(lettered(last) && lettered(after)) {
			return at
		}
		from = at + 1
	}
}

func lettered(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func readSaid(hooks []HookLine) (all said) {
	for _, h := range hooks {
		// Of another exit code the client takes JSON at most: the hook did not say so.
		blocks := h.Exit != nil && *h.Exit == 2
		all.anything = all.anything || blocks || strings.TrimSpace(h.Stdout) != "" && (h.Exit == nil || *h.Exit == 0)
		all.add(h.Stderr, false)
		var out struct {
			Decision string `json:"decision"`
			Reason   string `json:"reason"`
			Continue *bool  `json:"continue"`
			Specific struct {
				Decision json.RawMessage `json:"permissionDecision"`
				Reason   string          `json:"permissionDecisionReason"`
				Context  string          `json:"additionalContext"`
				Updated  json.RawMessage `json:"updatedInput"`
				Message  string          `json:"initialUserMessage"`
				Output   json.RawMessage `json:"updatedToolOutput"`
			} `json:"hookSpecificOutput"`
		}
		if json.Unmarshal([]byte(strings.TrimPrefix(h.Stdout, "\ufeff")), &out) != nil {
			all.add(h.Stdout, true)
			continue
		}
		all.add(out.Reason, false)
		all.add(out.Specific.Reason, false)
		all.add(out.Specific.Context, true)
		all.message, all.output = cmp.Or(all.message, out.Specific.Message), cmp.Or(all.output, shown(out.Specific.Output))
		all.halts = all.halts || out.Continue != nil && !*out.Continue
		all.allows = all.allows || out.Decision == "approve" || string(out.Specific.Decision) == `"allow"`
		all.rewrites = all.rewrites || len(out.Specific.Updated) > 0
	}
	return all
}

// shown is what a model is sent of a result of Bash.
func shown(result json.RawMessage) string {
	var bash struct {
		Stdout string `json:"stdout"`
	}
	if json.Unmarshal(result, &bash) != nil {
		return ""
	}
	return strings.TrimSpace(bash.Stdout)
}

// longestWord is how much of a hook's text is looked for: the client cuts long ones.
const longestWord = 200

// add takes the first line of a text that says something.
func (s *said) add(text string, context bool) {
	line := strings.TrimSpace(firstLine(text))
	for len(line) > longestWord {
		line = strings.ToValidUTF8(line[:longestWord], "")
	}
	if line != "" {
		s.words = append(s.words, word{line, context})
	}
}

// denies reports whether the error of a call is a hook's.
func (s said) denies(text string) bool {
	for _, own := range []string{" hook error: ", "denied this tool", "Blocked by hook", "No stderr output", " returned updatedInput that "} {
		if strings.Contains(text, own) {
			return true
		}
	}
	return slices.ContainsFunc(s.words, func(w word) bool { return strings.Contains(text, w.text) })
}

// holds reports whether an input has all that the model said, as it said it; the
// client fills in defaults.
func holds(input, said json.RawMessage) bool {
	var has, want map[string]any
	if json.Unmarshal(input, &has) != nil || json.Unmarshal(said, &want) != nil {
		return bytes.Equal(input, said)
	}
	for name, value := range want {
		if !bytes.Equal(encoded(has[name]), encoded(value)) {
			return false
		}
	}
	return true
}

func short(text string) string {
	const most = 160
	text = firstLine(text)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}
