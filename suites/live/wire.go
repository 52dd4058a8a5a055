package live

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Wire is the format of a client's requests to its model and of the answers.
type Wire interface {
	Path() string // of requests
	Read(header func(name string) string, body []byte, session string) (Request, error)
	write(c completion, stream bool) []byte
}

// wires are the formats by their names. Each of them adds itself.
var wires = map[string]Wire{"messages": messages{}}

// WireNamed returns the format with a name.
func WireNamed(name string) (Wire, error) {
	if w, ok := wires[name]; ok {
		return w, nil
	}
	return nil, fmt.Errorf("no format %q of requests to a model (known are %s)", name, strings.Join(slices.Sorted(maps.Keys(wires)), ", "))
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
