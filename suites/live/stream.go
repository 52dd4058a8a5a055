package live

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// A Line is one line of what the client prints with --output-format stream-json.
// Which of its fields are filled in depends on its kind.
type Line struct {
	Kind    Kind
	Version string // of Began
	Session string

	Hook HookLine // of HookStarted and HookEnded

	Request    string          // ID of Asks and Withdrawn
	ToolUse    string          // of Asks and Answered
	Tool       string          // of Asks
	Input      json.RawMessage // of Asks: what the tool would be given
	ReasonType string          // of Asks: why the client asks: "hook", "rule", ...

	Failed bool   // of Answered: is_error; of Over: it ended in an error; of Heeded: refused
	Text   string // of Answered: the result; of Over: the last word; of Heeded: why it is refused
	By     string // of Answered: who rejected the call, where the client says so: "hook", ...
	Ran    bool   // of Answered: the call was let run, as the client says
	Reason string // of Over: why it ended
}

// A HookLine is what the client prints of a hook.
type HookLine struct {
	ID      string
	Event   string
	Name    string // the event, and after a colon what the matcher was compared with
	Stdout  string
	Stderr  string
	Exit    *int
	Outcome string // success, error, cancelled
}

// A Fired is a hook that the client ran for the step.
type Fired struct {
	HookLine
	Command    string // "" when it is not known
	Registered int    // its place among the registered ones, -1 when that is not known
}

// A Kind is what a line is about.
type Kind int

// The kinds that hookwatch looks at.
const (
	Other Kind = iota
	Began
	HookStarted
	HookEnded
	Asks      // for permission of a tool call
	Withdrawn // a question that somebody else answered
	Elicits   // an answer of the person, for an MCP server
	Answered  // a tool call has its result
	Heeded    // what hookwatch asked of the client is done, or refused
	Over      // a turn ended
)

// decided says who decided about a call; client 2.1.330 tells it, 2.1.197 does not.
type decided struct {
	ID       string `json:"id"`
	Decision struct {
		Decision string `json:"decision"` // accept, reject
		Source   string `json:"source"`
	} `json:"permission_decision"`
}

var errNoLine = errors.New("no line of the client's stream")

// A streamLine is a line as the client writes it.
type streamLine struct {
	Type      string `json:"type"`
	Subtype   string `json:"subtype"`
	Session   string `json:"session_id"`
	Version   string `json:"claude_code_version"`
	HookID    string `json:"hook_id"`
	HookName  string `json:"hook_name"`
	HookEvent string `json:"hook_event"`
	Stdout    string `json:"stdout"`
	Stderr    string `json:"stderr"`
	Exit      *int   `json:"exit_code"`
	Outcome   string `json:"outcome"`
	RequestID string `json:"request_id"`
	Request   struct {
		Subtype    string          `json:"subtype"`
		Tool       string          `json:"tool_name"`
		ToolUse    string          `json:"tool_use_id"`
		Input      json.RawMessage `json:"input"`
		ReasonType string          `json:"decision_reason_type"`
	} `json:"request"`
	Response struct {
		Subtype string `json:"subtype"`
		Error   string `json:"error"`
	} `json:"response"`
	Message  json.RawMessage `json:"message"` // in lines of other kinds a text
	Meta     []decided       `json:"tool_result_meta"`
	IsError  bool            `json:"is_error"`
	Result   json.RawMessage `json:"result"`
	Terminal string          `json:"terminal_reason"`
}

// ReadLine reads one line.
func ReadLine(b []byte) (Line, error) {
	var l streamLine
	if err := json.Unmarshal(b, &l); err != nil {
		return Line{}, fmt.Errorf("%w: %w", errNoLine, err)
	}
	out := Line{Session: l.Session}
	switch l.Type {
	case "":
		return Line{}, errNoLine
	case "system":
		l.system(&out)
	case "control_request":
		l.asks(&out)
	case "control_cancel_request":
		out.Kind, out.Request = Withdrawn, l.RequestID
	case "control_response":
		out.Kind, out.Failed, out.Text = Heeded, l.Response.Subtype == "error", l.Response.Error
	case "result":
		l.over(&out)
	case "user":
		l.answered(&out)
	}
	return out, nil
}

func (l *streamLine) system(out *Line) {
	switch l.Subtype {
	case "init":
		out.Kind, out.Version = Began, l.Version
	case "hook_started":
		out.Kind = HookStarted
	case "hook_response":
		out.Kind = HookEnded
	}
	if out.Kind == HookStarted || out.Kind == HookEnded {
		out.Hook = HookLine{l.HookID, l.HookEvent, l.HookName, l.Stdout, l.Stderr, l.Exit, l.Outcome}
	}
}

func (l *streamLine) asks(out *Line) {
	switch l.Request.Subtype {
	case "can_use_tool":
		out.Kind = Asks
	case "elicitation":
		out.Kind = Elicits
	}
	out.Request, out.Tool, out.ToolUse = l.RequestID, l.Request.Tool, l.Request.ToolUse
	out.Input, out.ReasonType = l.Request.Input, l.Request.ReasonType
}

func (l *streamLine) over(out *Line) {
	out.Kind, out.Failed, out.Reason = Over, l.IsError, cmp.Or(l.Terminal, l.Subtype)
	_ = json.Unmarshal(l.Result, &out.Text) // an error may have none
}

func (l *streamLine) answered(out *Line) {
	var message struct {
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(l.Message, &message) != nil {
		return
	}
	id, text, failed, ok := resultOf(message.Content)
	if !ok {
		return
	}
	out.Kind, out.ToolUse, out.Text, out.Failed = Answered, id, text, failed
	if i := slices.IndexFunc(l.Meta, func(d decided) bool { return d.ID == id }); i >= 0 {
		switch d := l.Meta[i].Decision; d.Decision {
		case "accept":
			out.Ran = true
		case "reject":
			out.By = d.Source
		}
	}
}

// resultOf is the result of a tool call in a message's content.
func resultOf(content json.RawMessage) (id, text string, failed, ok bool) {
	var blocks []struct {
		Type    string          `json:"type"`
		ID      string          `json:"tool_use_id"`
		Content json.RawMessage `json:"content"`
		Failed  bool            `json:"is_error"`
	}
	if json.Unmarshal(content, &blocks) != nil {
		return "", "", false, false
	}
	for _, b := range blocks {
		if b.Type == "tool_result" {
			for _, t := range textsOf(b.Content) {
				text += t
			}
			return b.ID, text, b.Failed, true
		}
	}
	return "", "", false, false
}

// The lines that the client is sent with --input-format stream-json.

// Prompt is a message of the user's.
func Prompt(text string) []byte {
	return append(encoded(map[string]any{
		"type": "user", "parent_tool_use_id": nil, "session_id": "",
		"message": map[string]any{"role": "user", "content": text},
	}), '\n')
}

// Add has the client work in a directory, too.
func Add(dir string) []byte {
	return append(encoded(map[string]any{
		"type": "control_request", "request_id": "hookwatch",
		"request": map[string]any{"subtype": "register_repo_root", "directory": dir},
	}), '\n')
}

// Permit answers what the client asks, with the input that it would give the tool.
func Permit(l Line) []byte {
	return response(l.Request, map[string]any{"behavior": "allow", "updatedInput": l.Input})
}

// Refusal is what the model is told of a call that hookwatch keeps from running.
const Refusal = "hookwatch does not let this call run: it only asks whether it would"

// Refuse answers no.
func Refuse(l Line) []byte {
	return response(l.Request, map[string]any{"behavior": "deny", "message": Refusal})
}

// Cancel answers an MCP server's question by none.
func Cancel(l Line) []byte { return response(l.Request, map[string]any{"action": "cancel"}) }

func response(request string, answer map[string]any) []byte {
	return append(encoded(map[string]any{
		"type":     "control_response",
		"response": map[string]any{"subtype": "success", "request_id": request, "response": answer},
	}), '\n')
}
