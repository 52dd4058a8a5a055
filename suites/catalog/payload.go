package catalog

import (
	"bytes"
	"encoding/json"
	"math"

	"go.yaml.in/yaml/v4"
)

// json turns a YAML value into what encoding/json makes of its JSON, and
// reports what JSON cannot say.
func (r *reader) json(n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		object := make(map[string]any, len(n.Content)/2)
		r.Each(n, func(k, v *yaml.Node) { object[k.Value] = r.json(v) })
		return object
	case yaml.SequenceNode:
		array := make([]any, len(n.Content))
		for i, c := range n.Content {
			array[i] = r.json(c)
		}
		return array
	default:
		return r.jsonScalar(n)
	}
}

func (r *reader) jsonScalar(n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!str", "!!timestamp":
		return n.Value // a date is text in JSON
	case "!!null":
		return nil
	case "!!bool", "!!int", "!!float":
		var v any
		err := n.Load(&v)
		if f, ok := v.(float64); err != nil || ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			break
		}
		return v
	}
	r.Wrong(n, "payload", "a value that JSON has", "")
	return nil
}

// encode writes JSON as the client does: & and < stay as they are.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("catalog: a value of YAML is not JSON: " + err.Error()) // json has seen to it
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// payload takes a JSON object; keys come out sorted, so that equal payloads are
// equal texts.
func (r *reader) payload(name string, n *yaml.Node) (map[string]any, json.RawMessage) {
	if !r.mapping(name, n) {
		return nil, nil
	}
	object, ok := r.json(n).(map[string]any)
	if !ok {
		return nil, nil
	}
	return object, encode(object)
}
