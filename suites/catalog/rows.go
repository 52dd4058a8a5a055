package catalog

import (
	"slices"

	"go.yaml.in/yaml/v4"
)

// rows gives a case that has a table (each) once for each row of it, and any other as
// it stands. A row says what it says differently, in the keys of a case; its id and name
// come after those of the case, so that neither order nor number of rows matters.
func (r *reader) rows(n *yaml.Node) []*yaml.Node {
	table := lookup(n, "each")
	if n.Kind != yaml.MappingNode || table == nil {
		return []*yaml.Node{n}
	}
	var out []*yaml.Node
	seen := map[string]bool{}
	r.List("each", table, func(row *yaml.Node) {
		if !r.mapping("a row of each", row) {
			return
		}
		r.required(row, "a row of each", "id")
		if at := lookup(row, "each"); at != nil {
			r.Add(at, "each within each", "write one table")
			return
		}
		id := lookup(row, "id")
		switch {
		case id == nil:
			return
		case seen[id.Value]:
			r.Add(id, "id "+id.Value+" stands twice in each", "a row's id is part of the case's")
			return
		}
		seen[id.Value] = true
		out = append(out, laidOver(n, row))
	})
	if table.Kind == yaml.SequenceNode && len(table.Content) == 0 {
		r.Add(table, "each: must not be empty", "")
	}
	return out
}

// laidOver is a case with what a row says in place of its own.
func laidOver(n, row *yaml.Node) *yaml.Node {
	out := *row
	out.Content = slices.Clone(row.Content)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		own := lookup(&out, key.Value)
		switch {
		case key.Value == "each":
		case own == nil && key.Value == "name":
			out.Content = append(out.Content, key, joined(value, "_", lookup(row, "id")))
		case own == nil:
			out.Content = append(out.Content, key, value)
		case key.Value == "id":
			set(&out, "id", joined(value, "-", own))
		}
	}
	return &out
}

// joined is text made of two, which stands where the second does.
func joined(a *yaml.Node, by string, b *yaml.Node) *yaml.Node {
	out := *b
	out.Value = a.Value + by + b.Value
	return &out
}

// set gives a key of a mapping another value.
func set(n *yaml.Node, key string, value *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			n.Content[i+1] = value
		}
	}
}
