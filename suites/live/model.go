package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// MostRequests bounds how often a client may ask in one case.
const MostRequests = 80

// A Model is the scripted stand-in of the model in one case. Where its script is at
// an end it says that it is done, which ends a turn. It is to be used by one at a
// time.
type Model struct {
	Session string // of the client that hookwatch started

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

// A Heard is what a client told the model that it had not told before.
type Heard struct {
	Origin Origin
	Model  string
	Texts  []string
	After  bool // the call that the case is about had been made
}

// Script has the model answer so from now on, whoever asks it.
func (m *Model) Script(main, subagent, nested []Reply) {
	m.waiting = map[Origin][]Reply{Main: main, Subagent: subagent, Nested: nested}
	m.tested, m.heard = "", nil
}

// Tested is the ID of the call that the case is about, once the model has made it.
func (m *Model) Tested() string { return m.tested }

// Heard lists what the model was told since it was given its script.
func (m *Model) Heard() []Heard { return m.heard }

// Exceeded reports that the client asked more often than it may.
func (m *Model) Exceeded() bool { return m.asked > MostRequests }

// Asked is how often clients asked.
func (m *Model) Asked() int { return m.asked }

// An Answer is what goes back to a client.
type Answer struct {
	Status int
	Type   string // of the content
	Body   []byte
	Delay  time.Duration // before it goes
}

// Answer gives the answer to a request.
func (m *Model) Answer(r Request) Answer {
	m.asked++
	if m.Exceeded() {
		return failure(refused, "the script of this case has no more answers")
	}
	if m.last == nil {
		m.last = make(map[Origin][]string)
	}
	m.heard = append(m.heard, Heard{r.Origin, r.Model, added(m.last[r.Origin], r.Texts), m.tested != ""})
	m.last[r.Origin] = r.Texts
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
	said := m.say(reply, r.Model)
	if r.Stream {
		return Answer{fine, "text/event-stream", said.events(), reply.Delay}
	}
	return Answer{fine, "application/json", encoded(said), reply.Delay}
}

// checked is how each check of a call ends.
const checked = "<block>yes</block><reason>[hookwatch] no call is let run unasked</reason>"

// Broken is the answer to what is no request of the client's.
func Broken(err error) Answer { return failure(refused, err.Error()) }

func failure(status int, text string) Answer {
	type fault struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	}
	kind := "invalid_request_error"
	if status >= broken {
		kind = "api_error"
	}
	body := encoded(struct {
		Type  string `json:"type"`
		Error fault  `json:"error"`
	}{"error", fault{kind, text}})
	return Answer{Status: status, Type: "application/json", Body: body}
}

// An answered is a message as the client reads it.
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

// say makes the message of a reply. The client takes two messages of one ID for one.
func (m *Model) say(r Reply, model string) answered {
	stop := "end_turn"
	a := answered{Type: "message", Role: "assistant", Model: model, Usage: usage{10, 5}, StopReason: &stop}
	m.serial++
	a.ID = "msg_hookwatch_" + strconv.Itoa(m.serial)
	if r.Text != "" || len(r.Calls) == 0 {
		a.Content = append(a.Content, block{Type: "text", Text: &r.Text})
	}
	for i, c := range r.Calls {
		id := "toolu_hookwatch_" + strconv.Itoa(m.serial) + "_" + strconv.Itoa(i)
		if c.Tested {
			m.tested = id
		}
		stop = "tool_use"
		a.Content = append(a.Content, block{Type: "tool_use", ID: id, Name: c.Tool, Input: c.Input})
	}
	return a
}

// events is the message as a stream of server-sent events.
func (a answered) events() []byte {
	var b bytes.Buffer
	send := func(kind string, data map[string]any) {
		data["type"] = kind
		b.WriteString("event: " + kind + "\ndata: ")
		b.Write(encoded(data))
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

// encoded is a value of ours as JSON, which always encodes.
func encoded(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte("{}")
	}
	return b
}

// An Origin is who asks the model.
type Origin string

// The origins, as the client's headers tell them apart.
const (
	Main     Origin = "main"
	Subagent Origin = "subagent"
	Nested   Origin = "nested" // another client, which a hook started
	Check    Origin = "check"  // the client, whether it may let a call run that nobody is asked about
)

// A Request is what a client sends to the model.
type Request struct {
	Origin Origin
	Model  string
	Stream bool
	Texts  []string // all that the model is shown, but for what it said itself
}

// The headers by which requests are told apart.
const (
	sessionHeader = "X-Claude-Code-Session-Id"
	agentHeader   = "X-Claude-Code-Agent-Id"
)

// ReadRequest reads a request of a client; session is the one that hookwatch
// started.
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

// transcript begins what the client has judged in its mode auto (2.1.197); 2.1.330 has
// that done elsewhere, and takes no for the answer where nobody does it.
const transcript = "<transcript>"

type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// deepest is how deep contents lie within each other: text in a tool's result.
const deepest = 4

// textsOf lists the texts of a content: a string, or blocks of text and of results.
func textsOf(content json.RawMessage) []string { return textsWithin(content, deepest) }

func textsWithin(content json.RawMessage, depth int) []string {
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
	var out []string
	for _, b := range blocks {
		if b.Type == "text" && strings.TrimSpace(b.Text) != "" {
			out = append(out, b.Text)
		}
		out = append(out, textsWithin(b.Content, depth-1)...)
	}
	return out
}

// added lists the texts of now that were not there before, each as often.
func added(before, now []string) []string {
	had := make(map[string]int, len(before))
	for _, t := range before {
		had[t]++
	}
	var out []string
	for _, t := range now {
		if had[t] > 0 {
			had[t]--
			continue
		}
		out = append(out, t)
	}
	return out
}
