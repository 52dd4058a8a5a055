package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// MostRequests is the maximum number of requests of clients in one case.
const MostRequests = 80

// A Model is the scripted stand-in of the model in one case. When its script ends it answers
// "done", which ends a turn. It must not be used concurrently.
type Model struct {
	Session string // of the client that hookwatch started
	Wire    Wire   // nil for Claude Code's

	waiting map[Origin][]Reply
	last    map[Origin][]string // texts of the latest request
	asked   int
	serial  int
	tested  string
	heard   []Heard
}

// HTTP statuses.
const (
	fine    = 200
	refused = 400
	broken  = 500
)

// A Heard contains the new texts of one request to the model.
type Heard struct {
	Origin Origin
	Model  string
	Texts  []string
	// Results are the results of calls in the request, by ID, if the format is another than Claude
	// Code's: its client prints them.
	Results map[string]string
	After   bool // the tested call had been made
}

// Script sets the model's answers to further requests, by their origins.
func (m *Model) Script(main, subagent, nested []Reply) {
	m.waiting = map[Origin][]Reply{Main: main, Subagent: subagent, Nested: nested}
	m.tested, m.heard = "", nil
}

// TestedID returns the ID of the tested call; "" until the model has made it.
func (m *Model) TestedID() string { return m.tested }

// Requests returns the requests since Script.
func (m *Model) Requests() []Heard { return m.heard }

// IsExceeded reports whether the client sent more requests than allowed.
func (m *Model) IsExceeded() bool { return m.asked > MostRequests }

// RequestCount returns the number of requests.
func (m *Model) RequestCount() int { return m.asked }

// An Answer is the HTTP response to a client.
type Answer struct {
	Status int
	Type   string // of the content
	Body   []byte
	Delay  time.Duration // before the response
}

// IsSpent reports whether the script has no more answers to the client itself.
func (m *Model) IsSpent() bool { return len(m.waiting[Main]) == 0 }

// Record records a request.
func (m *Model) Record(r Request) {
	m.asked++
	if m.last == nil {
		m.last = make(map[Origin][]string)
	}
	m.heard = append(m.heard, Heard{r.Origin, r.Model, addedTexts(m.last[r.Origin], r.Texts), r.Results, m.tested != ""})
	m.last[r.Origin] = r.Texts
}

// Reply returns the answer to a request that Record recorded.
func (m *Model) Reply(r Request) Answer {
	if m.IsExceeded() {
		return failure(refused, "the script of this case has no more answers")
	}
	reply := Reply{Text: "done"}
	if r.Origin == Check {
		reply.Text = checked
	}
	if waiting := m.waiting[r.Origin]; len(waiting) > 0 {
		reply, m.waiting[r.Origin] = waiting[0], waiting[1:]
	}
	if reply.Status != 0 {
		return failure(reply.Status, reply.Text)
	}
	a := Answer{fine, "application/json", nil, reply.Delay}
	if r.Stream {
		a.Type = "text/event-stream"
	}
	a.Body = m.wire().write(m.say(reply, r.Model), r.Stream)
	return a
}

// Path returns the path of requests to the model.
func (m *Model) Path() string { return m.wire().Path() }

// Read parses a request to the model.
func (m *Model) Read(header func(name string) string, body []byte) (Request, error) {
	return m.wire().Read(header, body, m.Session)
}

func (m *Model) wire() Wire {
	if m.Wire == nil {
		return messages{}
	}
	return m.Wire
}

// checked is the answer to each check of a call.
const checked = "<block>yes</block><reason>[hookwatch] no call is let run unasked</reason>"

// BrokenRequest returns the answer to a request that is not the client's.
func BrokenRequest(err error) Answer { return failure(refused, err.Error()) }

func failure(status int, text string) Answer {
	type fault struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	}
	kind := "invalid_request_error"
	if status >= broken {
		kind = "api_error"
	}
	body := encode(struct {
		Type  string `json:"type"`
		Error fault  `json:"error"`
	}{"error", fault{kind, text}})
	return Answer{Status: status, Type: "application/json", Body: body}
}

// An answered is a message in the form that the client reads.
type answered struct {
	ID           string  `json:"id"`
	Type         string  `json:"type"`
	Role         string  `json:"role"`
	Model        string  `json:"model"`
	Content      []block `json:"content"`
	StopReason   *string `json:"stop_reason"`
	StopSequence *string `json:"stop_sequence"`
	Usage        usage   `json:"usage"`
}

type usage struct {
	Input  int `json:"input_tokens"`
	Output int `json:"output_tokens"`
}

type block struct {
	Type  string          `json:"type"`
	Text  *string         `json:"text,omitempty"`
	ID    string          `json:"id,omitempty"`
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
}

// A completion is an answer of the model before it has a format. Its ID is unique because Claude
// Code merges messages with equal IDs.
type completion struct {
	Serial      int
	Model, Text string
	Calls       []made
}

// made is a call with its ID.
type made struct {
	Call
	ID string
}

// say returns the completion of a reply.
func (m *Model) say(r Reply, model string) completion {
	m.serial++
	c := completion{Serial: m.serial, Model: model, Text: r.Text}
	for i, call := range r.Calls {
		id := "toolu_hookwatch_" + strconv.Itoa(m.serial) + "_" + strconv.Itoa(i)
		if call.Tested {
			m.tested = id
		}
		c.Calls = append(c.Calls, made{call, id})
	}
	return c
}

// messages is the format of Claude Code.
type messages struct{}

// Path returns the path of requests.
func (messages) Path() string { return "/v1/messages" }

// Read parses a request.
func (messages) Read(header func(name string) string, body []byte, session string) (Request, error) {
	return ReadRequest(header, body, session)
}

func (messages) write(c completion, stream bool) []byte {
	stop := "end_turn"
	a := answered{
		ID: "msg_hookwatch_" + strconv.Itoa(c.Serial), Type: "message", Role: "assistant", Model: c.Model, Usage: usage{10, 5}, StopReason: &stop,
	}
	if c.Text != "" || len(c.Calls) == 0 {
		a.Content = append(a.Content, block{Type: "text", Text: &c.Text})
	}
	for _, call := range c.Calls {
		stop = "tool_use"
		a.Content = append(a.Content, block{Type: "tool_use", ID: call.ID, Name: call.Tool, Input: call.Input})
	}
	if stream {
		return a.events()
	}
	return encode(a)
}

// events returns the message as a stream of server-sent events.
func (a answered) events() []byte {
	var b bytes.Buffer
	send := func(kind string, data map[string]any) {
		data["type"] = kind
		b.WriteString("event: " + kind + "\ndata: ")
		b.Write(encode(data))
		b.WriteString("\n\n")
	}
	begun := a
	begun.Content, begun.StopReason, begun.Usage.Output = []block{}, nil, 1
	send("message_start", map[string]any{"message": begun})
	for i, c := range a.Content {
		at := func(more map[string]any) map[string]any { more["index"] = i; return more }
		opened, delta := c, map[string]any{}
		if c.Type == "text" {
			opened.Text = new(string)
			delta["type"], delta["text"] = "text_delta", *c.Text
		} else {
			opened.Input = json.RawMessage("{}")
			delta["type"], delta["partial_json"] = "input_json_delta", string(c.Input)
		}
		send("content_block_start", at(map[string]any{"content_block": opened}))
		send("content_block_delta", at(map[string]any{"delta": delta}))
		send("content_block_stop", at(map[string]any{}))
	}
	send("message_delta", map[string]any{"delta": map[string]any{"stop_reason": *a.StopReason, "stop_sequence": nil}, "usage": a.Usage})
	send("message_stop", map[string]any{})
	return b.Bytes()
}

// encode returns a value of hookwatch's own as JSON, which always encodes.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte("{}")
	}
	return b
}

// An Origin is the sender of a request to the model.
type Origin string

// The origins, as distinguished by the client's headers, and Check by the first text.
const (
	Main     Origin = "main"
	Subagent Origin = "subagent"
	Nested   Origin = "nested" // another client, which a hook started
	Check    Origin = "check"  // the client checks whether it may let a call run without asking the user
)

// A Request is a client's request to the model.
type Request struct {
	Origin Origin
	Model  string
	Stream bool
	Texts  []string // all texts shown to the model, except its own
	// Results are the results of calls by ID; see Heard.
	Results map[string]string
}

// The headers that distinguish requests.
const (
	sessionHeader = "X-Claude-Code-Session-Id"
	agentHeader   = "X-Claude-Code-Agent-Id"
)

// ReadRequest parses a request of a client; session is that of the client that hookwatch started.
func ReadRequest(header func(name string) string, body []byte, session string) (Request, error) {
	var sent struct {
		Model    string    `json:"model"`
		Stream   bool      `json:"stream"`
		Messages []message `json:"messages"`
		Tools    []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		return Request{}, fmt.Errorf("a request to the model is no JSON: %w", err)
	}
	r := Request{Origin: Main, Model: sent.Model, Stream: sent.Stream}
	switch id := header(sessionHeader); {
	case header(agentHeader) != "":
		r.Origin = Subagent
	case id != "" && id != session:
		r.Origin = Nested
	}
	for _, m := range sent.Messages {
		if m.Role != "assistant" {
			r.Texts = append(r.Texts, textsOf(m.Content)...)
		}
	}
	if len(sent.Tools) == 0 && len(r.Texts) > 0 && strings.TrimSpace(r.Texts[0]) == transcript {
		r.Origin = Check
	}
	return r, nil
}

// transcript is the first text of the client's check of a call in its mode auto (2.1.197). 2.1.330
// makes the check elsewhere, and takes a missing answer for a refusal.
const transcript = "<transcript>"

type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// deepest is the maximum nesting of contents: text in a tool's result.
const deepest = 4

// textsOf returns the texts of a content: a string, or blocks of text and of results.
func textsOf(content json.RawMessage) []string { return textsWithin(content, deepest) }

func textsWithin(content json.RawMessage, depth int) (out []string) {
	var text string
	if json.Unmarshal(content, &text) == nil {
		if strings.TrimSpace(text) == "" {
			return nil
		}
		return []string{text}
	}
	var blocks []struct {
		Type    string          `json:"type"`
		Text    string          `json:"text"`
		Content json.RawMessage `json:"content"`
	}
	if depth == 0 || json.Unmarshal(content, &blocks) != nil {
		return nil
	}
	for _, b := range blocks {
		if (b.Type == "text" || b.Type == "input_text") && strings.TrimSpace(b.Text) != "" {
			out = append(out, b.Text)
		}
		out = append(out, textsWithin(b.Content, depth-1)...)
	}
	return out
}

// addedTexts returns the texts of now that are not in before, counting repetitions.
func addedTexts(before, now []string) (out []string) {
	had := make(map[string]int, len(before))
	for _, t := range before {
		had[t]++
	}
	for _, t := range now {
		if had[t] > 0 {
			had[t]--
			continue
		}
		out = append(out, t)
	}
	return out
}

// A Wire is the format of a client's requests to its model and of the answers.
type Wire interface {
	Path() string // of requests
	Read(header func(name string) string, body []byte, session string) (Request, error)
	write(c completion, stream bool) []byte
}

// wires are the formats by their names. Each of them adds itself.
var wires = map[string]Wire{"messages": messages{}}

// WireNamed returns the format with a name.
func WireNamed(name string) (Wire, error) {
	if w, ok := wires[name]; ok {
		return w, nil
	}
	return nil, fmt.Errorf("no format %q of requests to a model (known are %s)", name, strings.Join(slices.Sorted(maps.Keys(wires)), ", "))
}

// result adds the result of a call.
func (r *Request) result(call string, content json.RawMessage) {
	if call == "" || content == nil {
		return
	}
	if r.Results == nil {
		r.Results = map[string]string{}
	}
	texts := textsOf(content)
	r.Results[call] = strings.Join(texts, "\n")
	r.Texts = append(r.Texts, texts...)
}
