package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// responses is the format of OpenAI's Responses API, which is always read as a stream.
type responses struct{}

func init() { wires["responses"] = responses{} }

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
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", kind, encode(data))
	}
	send("response.created", map[string]any{"response": map[string]any{"id": id}})
	for i, item := range items {
		send("response.output_item.done", map[string]any{"output_index": i, "item": item})
	}
	used := map[string]any{"input_tokens": 1, "input_tokens_details": nil, "output_tokens": 1, "output_tokens_details": nil, "total_tokens": 2}
	send("response.completed", map[string]any{"response": map[string]any{"id": id, "usage": used}})
	return b.Bytes()
}
