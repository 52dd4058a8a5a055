package live

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"hookwatch/suites/client"
	"hookwatch/suites/pattern"
)

// hookOutput is the combined output of hooks.
type hookOutput struct {
	words    []word
	reported []word // further texts that a report on the hook may contain
	anything bool
	allows   bool
	rewrites bool
	echoes   string // output of the command that a hook gives as a tool's input
	output   string // replaces the tool's result
	message  string // precedes the user's message
	halts    bool
}

// A word is a text of a hook that may reach the model.
type word struct {
	text    string // its first line, or the part to search for
	whole   string
	context bool // additionalContext
}

// visible returns the words that the model may be sent at an event.
func (s hookOutput) visible(event string) []word {
	if about, _ := client.EventByName(event); about.Reports != "" {
		return slices.Concat(s.words, s.reported)
	}
	return s.words
}

// in returns the offset of the word in a text, not as a part of a longer one; -1 if there is none.
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
		if !(isAlphanumeric(before) && isAlphanumeric(first)) && !(isAlphanumeric(last) && isAlphanumeric(after)) {
			return at
		}
		from = at + 1
	}
}

func isAlphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func readOutputs(hooks []HookLine) (all hookOutput) {
	for _, h := range hooks {
		// At other exit codes the client uses only JSON, so that text and silence are not an
		// output.
		blocks := h.Exit != nil && *h.Exit == 2
		all.anything = all.anything || blocks || strings.TrimSpace(h.Stdout) != "" && (h.Exit == nil || *h.Exit == 0)
		all.add(h.Stderr, false)
		var out struct {
			Decision string `json:"decision"`
			Reason   string `json:"reason"`
			Continue *bool  `json:"continue"`
			Message  string `json:"systemMessage"`
			Specific struct {
				Decision json.RawMessage `json:"permissionDecision"`
				Reason   string          `json:"permissionDecisionReason"`
				Context  string          `json:"additionalContext"`
				Updated  json.RawMessage `json:"updatedInput"`
				Answer   struct {
					Updated struct {
						Command string `json:"command"`
					} `json:"updatedInput"`
				} `json:"decision"`
				Message string          `json:"initialUserMessage"`
				Output  json.RawMessage `json:"updatedToolOutput"`
			} `json:"hookSpecificOutput"`
		}
		if json.Unmarshal([]byte(strings.TrimPrefix(h.Stdout, "\ufeff")), &out) != nil {
			all.add(h.Stdout, true)
			continue
		}
		all.report(h.Stdout, out.Message)
		all.add(out.Reason, false)
		all.add(out.Specific.Reason, false)
		all.add(out.Specific.Context, true)
		all.message, all.output = cmp.Or(all.message, out.Specific.Message), cmp.Or(all.output, resultText(out.Specific.Output))
		all.halts = all.halts || out.Continue != nil && !*out.Continue
		all.allows = all.allows || out.Decision == "approve" || string(out.Specific.Decision) == `"allow"`
		all.rewrites = all.rewrites || bytes.HasPrefix(out.Specific.Updated, []byte("{"))
		if echo, isEcho := strings.CutPrefix(out.Specific.Answer.Updated.Command, "echo "); isEcho {
			all.echoes = echo
		}
	}
	return all
}

// resultText returns a text that the model is sent of a result of Bash, Read, Write or Edit; observed on
// client 2.1.332.
func resultText(result json.RawMessage) string {
	var tool struct {
		Stdout string `json:"stdout"`
		File   struct {
			Content string `json:"content"`
		} `json:"file"`
		Path string `json:"filePath"`
	}
	if json.Unmarshal(result, &tool) != nil {
		return ""
	}
	return firstLine(strings.TrimSpace(cmp.Or(tool.Stdout, tool.File.Content, tool.Path)))
}

// longestWord is the maximum length searched for, because the client cuts long texts.
const longestWord = 200

// add adds the first line of a text that is not blank.
func (s *hookOutput) add(text string, context bool) {
	line := strings.TrimSpace(firstLine(text))
	for len(line) > longestWord {
		line = strings.ToValidUTF8(line[:longestWord], "")
	}
	if line != "" {
		s.words = append(s.words, word{line, strings.TrimSpace(text), context})
	}
}

// report adds the texts of a JSON output that a client's report on its hooks may contain: the
// output unchanged or, if the client drops it, reformatted; and the message to the user.
func (s *hookOutput) report(stdout, message string) {
	var written bytes.Buffer
	_ = json.Indent(&written, []byte(strings.TrimSpace(strings.TrimPrefix(stdout, "\ufeff"))), "", "  ")
	for _, text := range []string{stdout, written.String()} {
		longest := ""
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); len(line) > len(longest) {
				longest = line
			}
		}
		if len(longest) > len("{}") {
			s.reported = append(s.reported, word{longest, longest, text == stdout})
		}
	}
	if message != "" {
		s.reported = append(s.reported, word{firstLine(message), message, false})
	}
}

// denies reports whether the error of a call was caused by a hook.
func (s hookOutput) denies(text string) bool {
	for _, own := range []string{" hook error: ", "denied this tool", "Blocked by hook", "No stderr output", " returned updatedInput that "} {
		if strings.Contains(text, own) {
			return true
		}
	}
	return slices.ContainsFunc(s.words, func(w word) bool { return strings.Contains(text, w.text) })
}

// Carrying returns the parts of texts that contain words of a hook: from the line in which they
// begin to the end of the hook's output. Each part is returned once.
func Carrying(texts []string, hook HookLine) (out []string) {
	said := readOutputs([]HookLine{hook})
	for _, t := range texts {
		if part := said.part(t, hook.Event); part != "" && !slices.Contains(out, part) {
			out = append(out, part)
		}
	}
	return out
}

// part returns the part of a text that contains the words; "" if there is none.
func (s hookOutput) part(text, event string) string {
	from, to := -1, 0
	for _, w := range s.visible(event) {
		at := w.in(text)
		if at < 0 {
			continue
		}
		end := at + len(w.text)
		if strings.HasPrefix(text[at:], w.whole) {
			end = at + len(w.whole)
		}
		if from < 0 || at < from {
			from = at
		}
		to = max(to, end)
	}
	if from < 0 {
		return ""
	}
	if line := strings.IndexByte(text[to:], '\n'); line >= 0 {
		text = text[:to+line]
	}
	return text[strings.LastIndexByte(text[:from], '\n')+1:]
}

// A Line is one line that the client prints with --output-format stream-json. The fields in use
// depend on its kind.
type Line struct {
	Kind    Kind
	Version string // of Began
	Session string

	Hook HookLine // of HookStarted and HookEnded

	Request    string          // ID of Asks and Withdrawn
	ToolUse    string          // of Asks and Answered
	Tool       string          // of Asks
	Input      json.RawMessage // of Asks: the input of the tool
	ReasonType string          // of Asks: the reason of the question: "hook", "rule", ...

	Failed bool   // of Answered: is_error; of Over: it ended in an error; of RequestAnswered: refused
	Text   string // of Answered: the result; of Over: the last message; of RequestAnswered: the reason of the refusal
	By     string // of Answered: the origin of the rejection, if the client reports it: "hook", ...
	Ran    bool   // of Answered: the client reports that the call was allowed
	Reason string // of Over: the reason of the end
}

// A HookLine is the client's output about a hook.
type HookLine struct {
	ID      string
	Event   string
	Name    string // the event, followed by a colon and the value compared with the matcher
	Stdout  string
	Stderr  string
	Exit    *int
	Outcome string // success, error, cancelled
}

// A Fired is a hook that the client ran for the step.
type Fired struct {
	HookLine
	Command    string // "" if unknown
	Registered int    // index in the registered hooks, -1 if unknown
}

// A Kind is the kind of a line.
type Kind int

// The kinds that hookwatch uses.
const (
	Other Kind = iota
	Began
	HookStarted
	HookEnded
	Asks            // the client asks for permission of a tool call
	Withdrawn       // a question was answered elsewhere
	Elicits         // an MCP server needs an answer of the user
	Answered        // a tool call has its result
	RequestAnswered // a request of hookwatch was fulfilled, or refused
	Over            // a turn ended
)

// decided is the decision about a call; client 2.1.330 prints it, 2.1.197 does not.
type decided struct {
	ID       string `json:"id"`
	Decision struct {
		Decision string `json:"decision"` // accept, reject
		Source   string `json:"source"`
	} `json:"permission_decision"`
}

var errNoLine = errors.New("no line of the client's stream")

// A streamLine is a line in the client's format.
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
	Message  json.RawMessage `json:"message"` // text in lines of other kinds
	Meta     []decided       `json:"tool_result_meta"`
	IsError  bool            `json:"is_error"`
	Result   json.RawMessage `json:"result"`
	Terminal string          `json:"terminal_reason"`
}

// ReadLine parses one line.
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
		out.Kind, out.Failed, out.Text = RequestAnswered, l.Response.Subtype == "error", l.Response.Error
	case "result":
		l.readResult(&out)
	case "user":
		l.readAnswer(&out)
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

func (l *streamLine) readResult(out *Line) {
	out.Kind, out.Failed, out.Reason = Over, l.IsError, cmp.Or(l.Terminal, l.Subtype)
	_ = json.Unmarshal(l.Result, &out.Text) // an error may have none
}

func (l *streamLine) readAnswer(out *Line) {
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

// resultOf returns the result of a tool call in a message's content.
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

// The lines sent to the client with --input-format stream-json.

// Prompt returns a message of the user.
func Prompt(text string) []byte {
	return append(encode(map[string]any{
		"type": "user", "parent_tool_use_id": nil, "session_id": "",
		"message": map[string]any{"role": "user", "content": text},
	}), '\n')
}

// Add returns a request to add a working directory.
func Add(dir string) []byte {
	return append(encode(map[string]any{
		"type": "control_request", "request_id": "hookwatch",
		"request": map[string]any{"subtype": "register_repo_root", "directory": dir},
	}), '\n')
}

// Permit returns a permission of the call that the client asks about, with its input unchanged.
func Permit(l Line) []byte {
	return response(l.Request, map[string]any{"behavior": "allow", "updatedInput": l.Input})
}

// Refusal is the message to the model about a call that hookwatch does not let run.
const Refusal = "hookwatch does not let this call run: it only asks whether it would"

// Refuse returns a refusal of the call that the client asks about.
func Refuse(l Line) []byte {
	return response(l.Request, map[string]any{"behavior": "deny", "message": Refusal})
}

// Cancel returns a cancellation of an MCP server's question.
func Cancel(l Line) []byte { return response(l.Request, map[string]any{"action": "cancel"}) }

func response(request string, answer map[string]any) []byte {
	return append(encode(map[string]any{
		"type":     "control_response",
		"response": map[string]any{"subtype": "success", "request_id": request, "response": answer},
	}), '\n')
}

// A Logged is a hook whose end is recorded in the client's debug log. Clients 2.1.197 and 2.1.330
// write an entry for each hook of an event for whose hooks they print nothing, with the registered
// command; 2.1.330 also writes one for each other hook, with the plugin's directory filled in.
type Logged struct {
	Event   string
	Value   string // the value compared with the matcher
	Command string
	Exit    *int // nil if the client ended it
}

var ended = pattern.Lazy(`^\S+ \[\w+\] (?:Hooks: )?([A-Za-z]+)(?::([^\n\[]*?))? \[(?s:(.*))\](?: \(plugin [^)]*\))? ` +
	`(?:(?:finished|completed) with status (-?\d+)|cancelled|timed out after \d+ms)(?: \(|$)`)

// entry matches the start of an entry of the log; an entry may have several lines.
var entry = pattern.Lazy(`(?m)^\d{4}-\d\d-\d\dT[\d:.]+Z \[[A-Z]+\] `)

// ReadDebugLog returns the hooks that a debug log names, in order.
func ReadDebugLog(b []byte) (out []Logged) {
	text := string(b)
	starts := entry().FindAllStringIndex(text, -1)
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		m := ended().FindStringSubmatch(strings.TrimSuffix(text[at[0]:end], "\n"))
		if m == nil {
			continue
		}
		if _, known := client.EventByName(m[1]); !known {
			continue
		}
		l := Logged{Event: m[1], Value: m[2], Command: m[3]}
		if exit, err := strconv.Atoi(m[4]); err == nil {
			l.Exit = &exit
		}
		out = append(out, l)
	}
	return out
}
