package catalog

import "go.yaml.in/yaml/v4"

// What cannot be said together, and why.
var exclusive = []struct{ a, b, hint string }{
	{"steps", "command", "put it into a step"},
	{"steps", "file_path", "put it into a step"},
	{"steps", "payload", "put it into a step"},
	{"steps", "payload_raw", "put it into a step"},
	{"steps", "stdin", "put it into a step"},
	{"steps", "args", "put them into a step"},
	{"steps", "delegate", "put it into a step"},
	{"steps", "fixtures", "put them into a step"},
	{"steps", "expect", "put it into a step"},
	{"payload_raw", "command", "it is all that the hook gets: put it into tool_input"},
	{"payload_raw", "file_path", "it is all that the hook gets: put it into tool_input"},
	{"payload_raw", "payload", "it is all that the hook gets; payload is laid over what the client would send"},
	{"stdin", "command", "stdin is all the hook gets"},
	{"stdin", "file_path", "stdin is all the hook gets"},
	{"stdin", "payload", "stdin is all the hook gets"},
	{"stdin", "payload_raw", "stdin is all the hook gets"},
	{"repo", "project", "put the files into the repo's commit"},
	{"chain", "hook", "a chain fires every hook registered for the event"},
	{"chain", "registered", "a chain fires every hook registered for the event"},
	{"registered", "hook", "the registered command says which script runs"},
}

// contradictions reports keys of a case or step that exclude each other, where
// the later of the two stands.
func (r *reader) contradictions(n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		return
	}
	for _, x := range exclusive {
		a, b := lookup(n, x.a), lookup(n, x.b)
		if a == nil || b == nil || x.a == "chain" && a.Value != "true" {
			continue
		}
		if b.Line < a.Line || b.Line == a.Line && b.Column < a.Column {
			b = a
		}
		r.Add(b, x.b+" cannot stand beside "+x.a, x.hint)
	}
}
