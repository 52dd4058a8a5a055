package catalog

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// An object is a mapping in the making. What is empty is left out.
type object struct{ content []*yaml.Node }

func (o *object) node() *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: o.content}
}

func (o *object) add(key string, value *yaml.Node) { o.content = append(o.content, scalar(key), value) }

func (o *object) text(key, value string) {
	if value != "" {
		o.add(key, scalar(value))
	}
}

func (o *object) truth(key string, value bool) {
	if value {
		o.add(key, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"})
	}
}

func (o *object) duration(key string, value time.Duration) {
	if value != 0 {
		o.text(key, value.String())
	}
}

func (o *object) texts(key string, values []string) {
	addList(o, key, values, func(v *string) *yaml.Node { return scalar(*v) })
}

// named adds texts by their names.
func (o *object) named(key string, values map[string]string) {
	if len(values) == 0 {
		return
	}
	var entries object
	for _, name := range slices.Sorted(maps.Keys(values)) {
		entries.add(name, scalar(values[name]))
	}
	o.add(key, entries.node())
}

func addList[T any](o *object, key string, values []T, node func(*T) *yaml.Node) {
	if len(values) == 0 {
		return
	}
	nodes := make([]*yaml.Node, len(values))
	for i := range values {
		nodes[i] = node(&values[i])
	}
	o.add(key, list(nodes))
}

func list(nodes []*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: nodes}
}

// scalar is a text, of several lines as such where its lines can be read so.
func scalar(text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	if strings.Contains(strings.TrimSuffix(text, "\n"), "\n") {
		n.Style = yaml.LiteralStyle
	}
	return n
}

func number(text string) *yaml.Node {
	tag := "!!int"
	if strings.ContainsAny(text, ".eE") {
		tag = "!!float"
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: text}
}

// jsonNode is a JSON document in YAML, its keys in order. What is no JSON is null:
// a case that was read has none.
func jsonNode(raw json.RawMessage) *yaml.Node {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	}
	return valueNode(v)
}

func valueNode(v any) *yaml.Node {
	switch v := v.(type) {
	case map[string]any:
		var o object
		for _, key := range slices.Sorted(maps.Keys(v)) {
			o.add(key, valueNode(v[key]))
		}
		return o.node()
	case []any:
		nodes := make([]*yaml.Node, len(v))
		for i := range v {
			nodes[i] = valueNode(v[i])
		}
		return list(nodes)
	case string:
		return scalar(v)
	case json.Number:
		return number(v.String())
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(v)}
	default:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	}
}
