// Package schema finds the JSON Schema that a person asks for.
package schema

import (
	"errors"
	"fmt"

	"hookwatch/cmd/internal/cli/event"
	"hookwatch/config"
	"hookwatch/suites/catalog"
	"hookwatch/suites/client"
	"hookwatch/suites/client/outputschema"
)

// Of is the schema that arguments name.
func Of(args []string) ([]byte, error) {
	switch {
	case len(args) == 2 && args[0] == "output":
		of, err := event.Named(args[1])
		return outputschema.Of(client.Default, of), err
	case len(args) == 1 && args[0] == "output":
		return nil, errors.New("schema output needs an event, as in hookwatch schema output PreToolUse")
	case len(args) != 1:
		return nil, errors.New("schema needs a name: suite or config, or output and an event")
	case args[0] == "suite":
		return catalog.Schema(), nil
	case args[0] == "config":
		return config.Schema(), nil
	default:
		return nil, fmt.Errorf("no schema %q: want suite or config, or output and an event", args[0])
	}
}
