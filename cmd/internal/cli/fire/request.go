package fire

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"hookwatch/cmd/internal/cli/event"
	"hookwatch/suites"
)

// A Request is what flags say of the event to be fired.
type Request struct{ Hook, Command, File, Stdin string }

// Case makes a case of one step that expects nothing.
func (r Request) Case(args []string, dir string) (*suites.Case, error) {
	if _, err := event.Named(args[0]); err != nil {
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

// Payload reads what --payload names.
func Payload(text string, in io.Reader) (b json.RawMessage, err error) {
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
