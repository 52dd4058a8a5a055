package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"hookwatch/suites/client"
)

func (a *app) explainCommand() *cobra.Command {
	var o flags
	var list bool
	version := string(client.Default)
	cmd := &cobra.Command{
		Use:   "explain [RULE | -]",
		Short: "Explain what the client does with a hook's output",
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
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.explain(cmd, client.Version(version), list, o, args)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&list, "list", false, "list all rules")
	f.StringVar(&version, "client", version, "the `VERSION` of the client")
	f.StringVar(&o.Event, "event", "", "the `EVENT`, such as PreToolUse")
	f.IntVar(&o.Exit, "exit", 0, "exit code `N`; of an http hook the status")
	f.StringVar(&o.Signal, "signal", "", "the signal `N` that ended it, or its name")
	f.BoolVar(&o.TimedOut, "timed-out", false, "it ran into its time-out")
	f.StringVar(&o.Stdout, "stdout", "", "`TEXT` on stdout")
	f.StringVar(&o.Stderr, "stderr", "", "`TEXT` on stderr")
	f.StringVar(&o.Command, "command", "hook", "the `COMMAND`, as the client repeats it to the model")
	f.StringVar(&o.Entry, "entry", "", "the entry's keys as `JSON`, such as {\"async\":true}")
	f.StringVar(&o.Payload, "payload", "", "what it got on stdin: a `FILE`, or JSON")
	return cmd
}

func (a *app) explain(cmd *cobra.Command, version client.Version, list bool, o flags, args []string) error {
	described := false
	for _, name := range []string{"event", "exit", "signal", "timed-out", "stdout", "stderr", "command", "entry", "payload"} {
		described = described || cmd.Flags().Changed(name)
	}
	switch {
	case !version.Valid():
		return fmt.Errorf("--client %s is no version such as %s", version, client.Default)
	case len(args) > 1:
		return fmt.Errorf("explain takes one rule or -, not %q as well (quote a TEXT that has spaces)", args[1])
	case len(args) == 1 && described:
		return fmt.Errorf("explain takes either %q or the flags of one output", args[0])
	case list && (described || len(args) > 0):
		return errors.New("--list takes nothing beside it")
	case list:
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
func (a *app) explainOne(version client.Version, o flags) error {
	fired, err := o.Firing()
	if err != nil {
		return err
	}
	line, reading := explainLine(version, fired)
	return a.print(explainDocument{Version: 1, Client: string(version), Outputs: []explainedLine{line}}, 1, func(int) any { return line },
		func(w io.Writer) { printReading(w, reading) })
}
