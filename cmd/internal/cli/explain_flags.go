package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"hookwatch/suites/client"
)

// flags describe one output.
type flags struct {
	Event, Stdout, Stderr           string
	Signal, Command, Entry, Payload string
	Exit                            int
	TimedOut                        bool
}

// Firing reads the flags as a line of JSON is read.
func (o flags) Firing() (client.Firing, error) {
	fields := map[string]any{
		"event": o.Event, "exit": o.Exit, "signal": o.Signal, "timed_out": o.TimedOut,
		"stdout": o.Stdout, "stderr": o.Stderr, "command": o.Command,
	}
	if o.Entry != "" {
		if !json.Valid([]byte(o.Entry)) {
			return client.Firing{}, errors.New(`--entry is not valid JSON, such as '{"onFailure":"block"}'`)
		}
		fields["entry"] = json.RawMessage(o.Entry)
	}
	payload, err := o.payload()
	if err != nil {
		return client.Firing{}, err
	}
	if payload != "" {
		fields["payload"] = payload
	}
	line, err := json.Marshal(fields)
	if err != nil {
		return client.Firing{}, err
	}
	fired, err := client.ParseFiring(line)
	var field *client.FieldError
	if errors.As(err, &field) {
		err = fmt.Errorf("--%s %s", strings.ReplaceAll(field.Field, "_", "-"), field.Why)
	}
	// JSON cannot hold every byte: what was given goes there as it is.
	fired.Output.Stdout, fired.Output.Stderr = []byte(o.Stdout), []byte(o.Stderr)
	return fired, err
}

// payload reads what --payload names.
func (o flags) payload() (string, error) {
	if o.Payload == "" || strings.HasPrefix(strings.TrimSpace(o.Payload), "{") {
		return o.Payload, nil
	}
	text, err := os.ReadFile(strings.TrimPrefix(o.Payload, "@"))
	if err == nil && len(text) == 0 {
		err = fmt.Errorf("--payload %s is empty", o.Payload)
	}
	return string(text), err
}
