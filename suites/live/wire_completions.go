package live

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// completions is the format of OpenAI's chat completions.
type completions struct{}

func init() { wires["completions"] = completions{} }

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
		return encode(map[string]any{
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
