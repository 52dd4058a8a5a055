package live

import (
	"encoding/json"
	"fmt"
	"strings"
)

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
