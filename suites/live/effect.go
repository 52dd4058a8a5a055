package live

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"hookwatch/suites"
)

// Effect returns the observed effect of the step's hooks, and the evidence for it.
//
// For a tool call the evidence is as follows: nothing is allowed beforehand, and the client asks
// hookwatch for permission whenever it would ask the user. A question caused by a hook means asked.
// A question for another reason means that the hooks let the call pass. An error without a
// question, by a hook according to the client or with a hook's words in it, means denied. A call
// that ran without a question means allowed if a hook's output allows it, because some calls run
// anyway.
func (s *Seen) Effect() (effect suites.Effect, because string) {
	output := readOutputs(s.FiredLines())
	if effectOf := ways[s.Turn.Event].effect; effectOf != nil {
		if effect, because = effectOf(s, output); effect != "" {
			return effect, because
		}
	}
	return s.judgeShown(output)
}

func (s *Seen) before(output hookOutput) (suites.Effect, string) {
	answered, hasAnswer := s.find(Answered)
	asks, asked := s.find(Asks)
	switch {
	case asked && asks.ReasonType == "hook":
		return suites.Asked, "the client asks the user because a hook requested it"
	case !hasAnswer && !asked:
		return suites.SessionEnds, "the call has no result and the session ended"
	case answered.Failed && !asked && (answered.By == "hook" || answered.By == "" && !answered.Ran && output.denies(answered.Text)):
		if len(s.requests()) == 0 {
			return suites.SessionEnds, "the call was denied, and the client sent the model nothing more"
		}
		return suites.Denied, "the call's result is an error: " + short(answered.Text)
	case len(s.requests()) == 0:
		return suites.SessionEnds, "the client sent the model nothing more"
	case asked && !holds(asks.Input, s.Turn.testedCall().Input), !asked && output.rewrites:
		return suites.Rewritten, "the client would call the tool with another input"
	case !asked && (answered.Ran || !answered.Failed) && output.allows:
		return suites.Allowed, "the call ran without a permission prompt"
	}
	return "", ""
}

func (s *Seen) permission(output hookOutput) (suites.Effect, string) {
	asks, asked := s.find(Asks)
	withdrawn := slices.ContainsFunc(s.Lines, func(l Line) bool { return l.Kind == Withdrawn && l.Request == asks.Request })
	answered, _ := s.find(Answered)
	switch {
	case asked && !withdrawn:
		return "", ""
	case answered.Failed:
		return suites.Denied, "the hook answered before the user could: " + short(answered.Text)
	case output.echoes != "" && strings.Contains(answered.Text, output.echoes):
		return suites.Rewritten, "the hook answered before the user could, and the call ran with its input"
	default:
		return suites.Allowed, "the hook answered before the user could, and the call ran"
	}
}

func (s *Seen) judgeStop(output hookOutput) (suites.Effect, string) {
	origin := Main
	if about(s.Turn.Event).MatchedOn == "agent_type" {
		origin = Subagent
	}
	if s.from(origin) > s.Nth+1 {
		return suites.AnotherTurn, "the model was asked once more"
	}
	if slices.ContainsFunc(s.Lines, func(l Line) bool { return l.Kind == Over && l.Reason == "stop_hook_prevented" }) {
		return suites.SessionEnds, "the client ends the session for the hook"
	}
	return "", ""
}

func (s *Seen) prompt(hookOutput) (suites.Effect, string) {
	if s.from(Main) == 0 {
		return suites.PromptBlocked, "the client sent the model nothing"
	}
	return "", ""
}

func (s *Seen) lineRan(hookOutput) (suites.Effect, string) {
	switch {
	case s.from(Main) == 0:
		return suites.SessionEnds, "the client sent the model nothing"
	case !strings.Contains(strings.Join(s.Texts(), "\n"), lineOutput):
		return suites.Denied, "the model was sent no output of the line"
	}
	return "", ""
}

func (s *Seen) after(output hookOutput) (suites.Effect, string) {
	switch {
	case len(s.requests()) == 0:
		return suites.SessionEnds, "the client sent the model nothing more"
	case output.output != "" && strings.Contains(strings.Join(s.Texts(), "\n"), output.output):
		return suites.Rewritten, "the model was sent the hook's result for the tool's"
	}
	return "", ""
}

func (s *Seen) judgeStart(output hookOutput) (suites.Effect, string) {
	if first := s.first(); output.message != "" && first != "" && !strings.Contains(first, goOn) {
		return suites.AnotherTurn, "the model was sent the hook's message before the user's"
	}
	if s.from(Main) == 0 {
		return suites.SessionEnds, "the client sent the model nothing"
	}
	return "", ""
}

// refuses returns an effect function that finds a call that failed, or whose result reports that a
// hook prevented its action: in the client's words for hooks of any event, or in the given words
// for this event.
func refuses(words string) func(*Seen, hookOutput) (suites.Effect, string) {
	return func(s *Seen, _ hookOutput) (suites.Effect, string) {
		answered, ok := s.find(Answered)
		no := strings.HasPrefix(answered.Text, s.Turn.Event+" hook feedback:") || words != "" && strings.Contains(answered.Text, words)
		switch {
		case ok && (answered.Failed || no):
			return suites.Denied, "the call's result is a no: " + short(answered.Text)
		case ok && about(s.Turn.Event).PrintsPath: // the path in the result is not text of the hook
			return suites.Proceeds, "the client works in the directory that the hook named"
		}
		return "", ""
	}
}

func (s *Seen) judgeElicitation(hookOutput) (suites.Effect, string) {
	switch answered, _ := s.find(Answered); {
	case strings.Contains(answered.Text, wasAnswered+"decline"):
		return suites.Denied, "the question of the server was declined"
	case strings.Contains(answered.Text, wasAnswered+"accept"):
		return suites.Rewritten, "the server was given an answer"
	}
	return "", ""
}

func (s *Seen) judgeConfiguration(hookOutput) (suites.Effect, string) {
	if answered, ok := s.find(Answered); ok && !answered.Failed {
		return suites.Denied, "the client went on by the settings that it had"
	}
	return "", ""
}

func (s *Seen) judgeSwitch(hookOutput) (suites.Effect, string) {
	if first, last := s.models(); first == last {
		return suites.Denied, "the client asks the same model as before"
	}
	return "", ""
}

func (s *Seen) judgeCompaction(hookOutput) (suites.Effect, string) {
	if s.from(Main) < len(s.Turn.Prompts) { // a summary is a request, too
		return suites.Denied, "the client asked for no summary"
	}
	return "", ""
}

// judgeShown returns the effect of hooks that prevented nothing.
func (s *Seen) judgeShown(output hookOutput) (suites.Effect, string) {
	texts := strings.Join(s.Texts(), "\n")
	for _, w := range output.visible(s.Turn.Event) {
		switch {
		case w.in(texts) < 0:
		case s.follows(w, texts):
			return suites.ContextAdded, "the model was sent what the hook says"
		default:
			return suites.ShownToModel, "the model was sent what the hook says"
		}
	}
	if output.anything {
		return suites.Ignored, "the client went on, and sent the model nothing of what the hook says"
	}
	return suites.Proceeds, "the client went on"
}

// rejected is the start of the client's report of an output that it drops (2.1.197, 2.1.330).
const rejected = "failed: Hook JSON output validation failed"

// follows reports whether a hook's text was sent to the model as context, not as a report on the
// hook.
func (s *Seen) follows(w word, texts string) bool {
	if about := about(s.Turn.Event); about.Reports != "" {
		return w.context && about.Plain != "" && !strings.Contains(texts, rejected)
	}
	return w.context || !ways[s.Turn.Event].afterTool
}

// Halts reports whether a hook of the step ends the session, because then the client lets the call
// run before it ends.
func (s *Seen) Halts() bool { return readOutputs(s.FiredLines()).halts }

func (t *Turn) testedCall() Call {
	for _, r := range t.Main {
		for _, c := range r.Calls {
			if c.Tested {
				return c
			}
		}
	}
	return Call{}
}

// holds reports whether an input has all values of the model's call unchanged. The client may add
// defaults.
func holds(input, output json.RawMessage) bool {
	var has, want map[string]any
	if json.Unmarshal(input, &has) != nil || json.Unmarshal(output, &want) != nil {
		return bytes.Equal(input, output)
	}
	for name, value := range want {
		if !bytes.Equal(encode(has[name]), encode(value)) {
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
