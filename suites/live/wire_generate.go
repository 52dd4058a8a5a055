package live

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// generate is the format of the Gemini API. The model is in the path: its client has to be started
// with generateModel, and a request to any other is not answered.
type generate struct{}

func init() { wires["generate"] = generate{} }

const generateModel = "gemini-2.5-pro"

func (generate) Path() string { return "/v1beta/models/" + generateModel + ":streamGenerateContent" }

func (generate) Read(_ func(string) string, body []byte, _ string) (Request, error) {
	var sent struct {
		Contents []struct {
			Role  string
			Parts []struct {
				Text     string
				Response *struct {
					ID       string
					Response map[string]any // output or error
				} `json:"functionResponse"`
			}
		}
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		return Request{}, fmt.Errorf("a request to the model is no JSON: %w", err)
	}
	r := Request{Origin: Main, Model: generateModel, Stream: true}
	for _, content := range sent.Contents {
		for _, part := range content.Parts {
			if content.Role != "model" {
				r.Texts = append(r.Texts, textsOf(encode(part.Text))...)
			}
			if part.Response == nil {
				continue
			}
			for _, key := range slices.Sorted(maps.Keys(part.Response.Response)) {
				r.result(part.Response.ID, encode(part.Response.Response[key]))
			}
		}
	}
	return r, nil
}

func (generate) write(c completion, _ bool) []byte {
	var parts []map[string]any
	if c.Text != "" || len(c.Calls) == 0 {
		parts = append(parts, map[string]any{"text": c.Text})
	}
	for _, call := range c.Calls {
		parts = append(parts, map[string]any{"functionCall": map[string]any{"id": call.ID, "name": call.Tool, "args": call.Input}})
	}
	used := map[string]any{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
	return fmt.Appendf(nil, "data: %s\n\n", encode(map[string]any{
		"responseId": "hookwatch_" + strconv.Itoa(c.Serial), "modelVersion": c.Model, "usageMetadata": used,
		"candidates": []any{map[string]any{"index": 0, "finishReason": "STOP", "content": map[string]any{"role": "model", "parts": parts}}},
	}))
}
