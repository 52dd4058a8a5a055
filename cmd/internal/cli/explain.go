package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/cli/explain"
	"hookwatch/suites/client"
	"hookwatch/suites/client/firing"
)

type explainOptions struct {
	list                          bool
	client, event, stdout, stderr string
	signal, command, entry, stdin string
	exit                          int
	timedOut                      bool
}

func (a *app) explainCommand() *cobra.Command {
	var o explainOptions
	cmd := &cobra.Command{
		Use:   "explain [RULE | -]",
		Short: "What the client makes of a hook's output, and why; or what a rule means",
		Long: `Tell what the client does with an output that a hook could have: the effect, why,
and what the model sees. Nothing is run, and no project is needed.

The output is described by flags, or, with -, by JSON objects on standard input, one
a line, with the fields id, event, exit, signal, timed_out, stdout, stderr, command,
entry and payload. With a RULE, explain tells what it means.`,
		Example: `  hookwatch explain --event PreToolUse --exit 2 --stderr 'no'
  hookwatch explain --event Stop --stdout '{"decision":"block","reason":"tests fail"}'
  hookwatch explain --event PreToolUse --exit 1 --entry '{"onFailure":"block"}'
  hookwatch explain --format jsonl - < outputs.jsonl
  hookwatch explain exit-code-not-2`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.explain(cmd, o, args) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.list, "list", false, "list all rules")
	f.StringVar(&o.client, "client", string(client.Default), "the `VERSION` of the client")
	f.StringVar(&o.event, "event", "", "the `EVENT`, such as PreToolUse")
	f.IntVar(&o.exit, "exit", 0, "exit code `N`; of an http hook the status")
	f.StringVar(&o.signal, "signal", "", "the signal `N` that ended it, or its name")
	f.BoolVar(&o.timedOut, "timed-out", false, "it ran into its time-out")
	f.StringVar(&o.stdout, "stdout", "", "`TEXT` on stdout")
	f.StringVar(&o.stderr, "stderr", "", "`TEXT` on stderr")
	f.StringVar(&o.command, "command", "hook", "the `COMMAND`, as the client repeats it to the model")
	f.StringVar(&o.entry, "entry", "", "the entry's keys as `JSON`, such as {\"async\":true}")
	f.StringVar(&o.stdin, "payload", "", "what it got on stdin: a `FILE`, or JSON")
	return cmd
}

func (a *app) explain(cmd *cobra.Command, o explainOptions, args []string) error {
	described := false
	for _, name := range []string{"event", "exit", "signal", "timed-out", "stdout", "stderr", "command", "entry", "payload"} {
		described = described || cmd.Flags().Changed(name)
	}
	version := client.Version(o.client)
	switch {
	case !version.Valid():
		return fmt.Errorf("--client %s is no version such as %s", o.client, client.Default)
	case len(args) > 1:
		return fmt.Errorf("explain takes one rule or -, not %q as well (quote a TEXT that has spaces)", args[1])
	case len(args) == 1 && described:
		return fmt.Errorf("explain takes either %q or the flags of one output", args[0])
	case o.list && (described || len(args) > 0):
		return errors.New("--list takes nothing beside it")
	case o.list:
		return a.listRules()
	case len(args) == 1 && args[0] == "-":
		return a.explainLines(version)
	case len(args) == 1:
		return a.explainRule(args[0])
	case !described:
		return errors.New("explain needs an output (--event EVENT --exit N --stdout TEXT), - for JSON lines, or a rule (--list names them)")
	}
	return a.explainOne(version, o)
}

// explainOne explains the output that flags describe.
func (a *app) explainOne(version client.Version, o explainOptions) error {
	fired, err := o.firing()
	if err != nil {
		return err
	}
	line, reading := explain.Of(version, fired)
	return a.print(explain.Document{Version: 1, Client: string(version), Outputs: []explain.Line{line}}, 1, func(int) any { return line },
		func(w io.Writer) { explain.Text(w, reading) })
}

// firing reads the flags as a line of JSON is read.
func (o explainOptions) firing() (firing.Firing, error) {
	fields := map[string]any{
		"event": o.event, "exit": o.exit, "signal": o.signal, "timed_out": o.timedOut,
		"stdout": o.stdout, "stderr": o.stderr, "command": o.command,
	}
	if o.entry != "" {
		if !json.Valid([]byte(o.entry)) {
			return firing.Firing{}, errors.New(`--entry is not valid JSON, such as '{"onFailure":"block"}'`)
		}
		fields["entry"] = json.RawMessage(o.entry)
	}
	payload, err := o.payload()
	if err != nil {
		return firing.Firing{}, err
	}
	if payload != "" {
		fields["payload"] = payload
	}
	line, err := json.Marshal(fields)
	if err != nil {
		return firing.Firing{}, err
	}
	fired, err := firing.Parse(line)
	var field *firing.FieldError
	if errors.As(err, &field) {
		err = fmt.Errorf("--%s %s", strings.ReplaceAll(field.Field, "_", "-"), field.Why)
	}
	// JSON cannot hold every byte: what was given goes there as it is.
	fired.Output.Stdout, fired.Output.Stderr = []byte(o.stdout), []byte(o.stderr)
	return fired, err
}

// payload reads what --payload names.
func (o explainOptions) payload() (string, error) {
	if o.stdin == "" || strings.HasPrefix(strings.TrimSpace(o.stdin), "{") {
		return o.stdin, nil
	}
	text, err := os.ReadFile(strings.TrimPrefix(o.stdin, "@"))
	if err == nil && len(text) == 0 {
		err = fmt.Errorf("--payload %s is empty", o.stdin)
	}
	return string(text), err
}
