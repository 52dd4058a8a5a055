package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Wire is the format of a client's requests to its model and of the answers.
type Wire interface {
	Path() string // of requests
	Read(header func(name string) string, body []byte, session string) (Request, error)
	write(c completion, stream bool) []byte
}

var wires = map[string]Wire{"messages": messages{}, "responses": responses{}, "completions": completions{}}

// WireNamed returns the format with a name: messages (of Claude Code), responses or completions.
func WireNamed(name string) (Wire, error) {
	if w, ok := wires[name]; ok {
		return w, nil
	}
	return nil, fmt.Errorf("no format %q of requests to a model (known are %s)", name, strings.Join(slices.Sorted(maps.Keys(wires)), ", "))
}

// responses is the format of OpenAI's Responses API, which is always read as a stream.
type responses struct{}

func (responses) Path() string { return "/v1/responses" }

func (responses) Read(_ func(string) string, body []byte, _ string) (Request, error) {
	var sent struct {
		Model string `json:"model"`
		Input []struct {
			message
			Call   string          `json:"call_id"`
			Output json.RawMessage `json:"output"`
		} `json:"input"`
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		return Request{}, fmt.Errorf("a request to the model is no JSON: %w", err)
	}
	r := Request{Origin: Main, Model: sent.Model, Stream: true}
	for _, item := range sent.Input {
		if item.Role != "assistant" {
			r.Texts = append(r.Texts, textsOf(item.Content)...)
		}
		r.result(item.Call, item.Output)
	}
	return r, nil
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

func (responses) write(c completion, _ bool) []byte {
	id := "resp_hookwatch_" + strconv.Itoa(c.Serial)
	var items []map[string]any
	if c.Text != "" || len(c.Calls) == 0 {
		items = append(items, map[string]any{
			"type": "message", "id": "msg_" + id, "role": "assistant",
			"content": []any{map[string]any{"type": "output_text", "text": c.Text, "annotations": []any{}}},
		})
	}
	for _, call := range c.Calls {
		item := map[string]any{"type": "function_call", "id": "fc_" + call.ID, "call_id": call.ID, "name": call.Tool, "arguments": string(call.Input)}
		var text string
		if json.Unmarshal(call.Input, &text) == nil { // a tool whose input is text
			item["type"], item["input"] = "custom_tool_call", text
			delete(item, "arguments")
		}
		items = append(items, item)
	}
	var b bytes.Buffer
	send := func(kind string, data map[string]any) {
		data["type"] = kind
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", kind, encoded(data))
	}
	send("response.created", map[string]any{"response": map[string]any{"id": id}})
	for i, item := range items {
		send("response.output_item.done", map[string]any{"output_index": i, "item": item})
	}
	used := map[string]any{"input_tokens": 1, "input_tokens_details": nil, "output_tokens": 1, "output_tokens_details": nil, "total_tokens": 2}
	send("response.completed", map[string]any{"response": map[string]any{"id": id, "usage": used}})
	return b.Bytes()
}

// completions is the format of OpenAI's chat completions.
type completions struct{}

func (completions) Path() string { return "/v1/chat/completions" }

func (completions) Read(_ func(string) string, body []byte, _ string) (Request, error) {
	var sent struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			message
			Call string `json:"tool_call_id"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		return Request{}, fmt.Errorf("a request to the model is no JSON: %w", err)
	}
	r := Request{Origin: Main, Model: sent.Model, Stream: sent.Stream}
	for _, m := range sent.Messages {
		switch m.Role {
		case "assistant":
		case "tool":
			r.result(m.Call, m.Content)
		default:
			r.Texts = append(r.Texts, textsOf(m.Content)...)
		}
	}
	return r, nil
}

func (completions) write(c completion, stream bool) []byte {
	answer, reason := map[string]any{"role": "assistant", "content": c.Text}, "stop"
	var calls []map[string]any
	for i, call := range c.Calls {
		reason = "tool_calls"
		calls = append(calls, map[string]any{
			"index": i, "id": call.ID, "type": "function", "function": map[string]any{"name": call.Tool, "arguments": string(call.Input)},
		})
	}
	if calls != nil {
		answer["tool_calls"] = calls
	}
	used := map[string]any{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
	chunk := func(kind, part string, value, finish, usage any) []byte {
		return encoded(map[string]any{
			"id": "chatcmpl_hookwatch_" + strconv.Itoa(c.Serial), "object": kind, "created": 1, "model": c.Model, "usage": usage,
			"choices": []any{map[string]any{"index": 0, part: value, "finish_reason": finish}},
		})
	}
	if !stream {
		return chunk("chat.completion", "message", answer, reason, used)
	}
	const kind = "chat.completion.chunk"
	return fmt.Appendf(nil, "data: %s\n\ndata: %s\n\ndata: [DONE]\n\n",
		chunk(kind, "delta", answer, nil, nil), chunk(kind, "delta", map[string]any{}, reason, used))
}
