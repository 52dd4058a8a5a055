package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/spelling"
)

// eventNamed finds an event; the error tells which was most likely meant.
func eventNamed(name string) (client.Event, error) {
	event, known := client.EventByName(name)
	if known {
		return event, nil
	}
	var names []string
	for _, e := range client.Events() {
		names = append(names, e.Name)
	}
	hint := "names are case-sensitive, as in PreToolUse"
	if near := spelling.Nearest(name, names); near != "" {
		hint = "did you mean " + near + "? names are case-sensitive"
	}
	return client.Event{}, fmt.Errorf("the client has no event %q (%s)", name, hint)
}

// A request is what flags say of the event to be fired.
type request struct{ Hook, Command, File, Stdin string }

// Case makes a case of one step that expects nothing.
func (r request) Case(args []string, dir string) (*suites.Case, error) {
	if _, err := eventNamed(args[0]); err != nil {
		return nil, err
	}
	st := suites.Step{Event: args[0], Command: r.Command}
	if len(args) == 2 {
		st.Tool = args[1]
	}
	if r.File != "" {
		st.FilePath = r.File
		if !filepath.IsAbs(r.File) && !strings.HasPrefix(r.File, "{") {
			st.FilePath = filepath.ToSlash(filepath.Join(dir, r.File))
		}
	}
	if r.Stdin != "" {
		st.Stdin = &r.Stdin
	}
	return &suites.Case{Suite: "fire", ID: args[0], Layer: suites.Direct, Hook: r.Hook, Chain: r.Hook == "", Steps: []suites.Step{st}}, nil
}

// firedPayload reads what --payload names.
func firedPayload(text string, in io.Reader) (b json.RawMessage, err error) {
	if text == "" {
		return nil, nil
	}
	b = []byte(text)
	switch {
	case text == "-":
		b, err = io.ReadAll(in)
	case strings.HasPrefix(text, "@"):
		b, err = os.ReadFile(text[1:])
	}
	if err == nil && !json.Valid(b) {
		err = errors.New("--payload is not valid JSON (--stdin sends what is not)")
	}
	return b, err
}
