package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/pattern"
)

// explainOptions are the flags of explain, of which most describe one output.
type explainOptions struct {
	Event, Stdout, Stderr           string
	Signal, Command, Entry, Payload string
	Exit                            int
	TimedOut                        bool

	list, described bool
	client          string
}

func newExplainCmd(a *app) *cobra.Command {
	var o explainOptions
	cmd := &cobra.Command{
		Use:   "explain [RULE | -]",
		Short: "Explain what the client does with a hook's output",
		Long: `Tell what the client does with an output that a hook could have: the effect, why,
and what the model sees. Nothing is run, and no project is needed.

The output is described by flags, or, with -, by JSON objects on standard input, one
a line, with the fields id, event, exit, signal, timed_out, stdout, stderr, command,
entry and payload. With a RULE, explain prints what it means.

--client takes a version of Claude Code, or names of clients, which are compared.`,
		Example: `  hookwatch explain --event PreToolUse --exit 2 --stderr 'no'
  hookwatch explain --event Stop --stdout '{"decision":"block","reason":"tests fail"}'
  hookwatch explain --event PreToolUse --exit 1 --entry '{"onFailure":"block"}'
  hookwatch explain --event PreToolUse --exit 2 --client claude,codex,copilot
  hookwatch explain --format jsonl - < outputs.jsonl
  hookwatch explain exit-code-not-2`,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, name := range []string{"event", "exit", "signal", "timed-out", "stdout", "stderr", "command", "entry", "payload"} {
				o.described = o.described || cmd.Flags().Changed(name)
			}
			return runExplain(a, o, args)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.list, "list", false, "list all rules")
	f.StringVar(&o.client, "client", string(client.Default), "a version of Claude Code, or `NAME[,NAME]` of clients (see hookwatch help clients)")
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

// readers interpret outputs as clients do: one version of Claude Code, or several clients.
type readers struct {
	version client.Version
	others  []clients.Client // none for the version alone
}

// readersOf returns the readers for the value of --client.
func readersOf(of string) (r readers, err error) {
	if r.version = client.Version(of); r.version.Valid() {
		return r, nil
	}
	r.version = client.Default
	if of == "" || of[0] >= '0' && of[0] <= '9' {
		return r, fmt.Errorf("--client %s is no version such as %s", of, client.Default)
	}
	if r.others, err = clients.Parse(of); err != nil {
		err = fmt.Errorf("--client %s is no version such as %s, and %w", of, client.Default, err)
	}
	return r, err
}

// events returns the clients' own names of events.
func (r readers) events() (names []string) {
	for _, c := range r.others {
		names = append(names, slices.Sorted(maps.Keys(c.Events))...)
	}
	return names
}

// name returns the clients as they are named in a document.
func (r readers) name() string {
	if r.others == nil {
		return string(r.version)
	}
	var names []string
	for _, c := range r.others {
		names = append(names, c.Name)
	}
	return strings.Join(names, ",")
}

// lines returns what each client does with an output, and how to print it.
func (r readers) lines(fired client.Firing) (lines []explainedLine, print func(io.Writer)) {
	if r.others == nil {
		line, reading := explainLine(r.version, fired)
		return []explainedLine{line}, func(w io.Writer) {
			rule := reading.Cause.Rule()
			writef(w, "effect  %s\n", reading.Effect)
			writef(w, "why     %s\n", reading.Because())
			writef(w, "rule    %s (%s)\n", rule.ID, observedOn(rule))
			if remedy := reading.Cause.Remedy(); remedy != "" {
				writef(w, "remedy  %s\n", remedy)
			}
			printSeen(w, reading.ModelSees)
		}
	}
	var readings []clients.Reading
	for _, c := range r.others {
		reading := c.Interpret(fired.Event, fired.Output)
		line := explainedLine{
			ID: fired.ID, Client: c.Name, Known: reading.Known, Effect: reading.Effect, Decision: reading.Reading().Decision, Because: reading.Because,
			Rule: string(client.OtherClient), ModelSees: append([]string{}, reading.ModelSees...),
		}
		if c.Name == clients.Claude {
			line, _ = explainLine(r.version, fired)
			line.Client, line.Known = c.Name, c.Known()
		}
		lines, readings = append(lines, line), append(readings, reading)
	}
	return lines, func(w io.Writer) {
		for i, c := range r.others {
			writef(w, "client  %s (%s)\n", c.Title, readings[i].Known)
			writef(w, "effect  %s\n", cmp.Or(string(readings[i].Effect), "not known"))
			writef(w, "why     %s\n", readings[i].Because)
			printSeen(w, readings[i].ModelSees)
		}
	}
}

func runExplain(a *app, o explainOptions, args []string) error {
	read, err := readersOf(o.client)
	switch {
	case err != nil:
		return err
	case len(args) > 1:
		return fmt.Errorf("explain takes one rule or -, not %q as well (quote a TEXT that has spaces)", args[1])
	case len(args) == 1 && o.described:
		return fmt.Errorf("explain takes either %q or the flags of one output", args[0])
	case o.list && (o.described || len(args) > 0):
		return errors.New("--list takes no other arguments")
	case o.list:
		all := client.Rules()
		return showRules(a, all, func(w io.Writer) {
			for _, r := range all {
				rowf(w, "%s  %s  %s\n", output(fmt.Sprintf("%-28s", r.ID)), output(fmt.Sprintf("%-7s", r.Severity)), r.What)
			}
		})
	case len(args) == 1 && args[0] == "-":
		return explainLines(a, read)
	case len(args) == 1:
		rule, err := ruleNamed(args[0])
		if err != nil {
			return err
		}
		return showRules(a, []suites.Rule{rule}, func(w io.Writer) {
			writef(w, "%s  (%s; %s)\n", rule.ID, rule.Severity, observedOn(rule))
			writef(w, "%s.\n", strings.ToUpper(rule.What[:1])+rule.What[1:])
			writef(w, "The client: %s\n", rule.Client)
			if rule.Remedy != "" {
				writef(w, "Remedy: %s\n", rule.Remedy)
			}
		})
	case !o.described:
		return errors.New("explain needs an output (--event EVENT --exit N --stdout TEXT), - for JSON lines, or a rule (--list names them)")
	}
	fired, err := o.Firing(read.events())
	if err != nil {
		return err
	}
	lines, print := read.lines(fired)
	return a.print(explainDocument{Version: 1, Client: read.name(), Outputs: lines}, jsonLines(lines, ranIn{}), print)
}

// Firing parses the flags like a line of JSON.
func (o explainOptions) Firing(others []string) (client.Firing, error) {
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
	fired, err := client.ParseFiring(line, others...)
	var field *client.FieldError
	if errors.As(err, &field) {
		err = fmt.Errorf("--%s %s", strings.ReplaceAll(field.Field, "_", "-"), field.Why)
	}
	// Use the original bytes because JSON cannot represent all of them.
	fired.Output.Stdout, fired.Output.Stderr = []byte(o.Stdout), []byte(o.Stderr)
	return fired, err
}

// payload returns the payload given to --payload as JSON or as a file.
func (o explainOptions) payload() (string, error) {
	if o.Payload == "" || strings.HasPrefix(strings.TrimSpace(o.Payload), "{") {
		return o.Payload, nil
	}
	text, err := os.ReadFile(strings.TrimPrefix(o.Payload, "@"))
	if err == nil && len(text) == 0 {
		err = fmt.Errorf("--payload %s is empty", o.Payload)
	}
	return string(text), err
}

// longestLine is the maximum length of a line of standard input, in bytes.
const longestLine = 16 << 20

// read parses the next line; for an empty line it returns the zero Firing.
func read(lines *bufio.Reader, others []string) (client.Firing, error) {
	text, err := readLine(lines)
	if err != nil || len(bytes.TrimSpace(text)) == 0 {
		return client.Firing{}, err
	}
	return client.ParseFiring(bytes.TrimPrefix(text, []byte("\ufeff")), others...)
}

// readLine reads a line of limited length; a longer line is read to its end and returns an error.
func readLine(lines *bufio.Reader) ([]byte, error) {
	var text []byte
	tooLong := false
	for {
		part, err := lines.ReadSlice('\n')
		tooLong = tooLong || len(text)+len(part) > longestLine
		if !tooLong {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil && len(text) == 0 && !tooLong:
			return nil, err
		case tooLong:
			return nil, fmt.Errorf("longer than %d MiB", longestLine>>20)
		default:
			return text, nil
		}
	}
}

// explainLines answers each line of standard input. An invalid line is reported as a problem with
// its number, and the other lines are still answered.
func explainLines(a *app, of readers) error {
	doc := explainDocument{Version: 1, Client: of.name(), Outputs: []explainedLine{}}
	var problems []suites.Problem
	events := of.events()
	lines := bufio.NewReader(a.In)
	for number := 1; ; number++ {
		fired, err := read(lines, events)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			problems = append(problems, suites.Problem{What: fmt.Sprintf("line %d: %v", number, err)})
			continue
		}
		if fired.Event == "" {
			continue // an empty line
		}
		read, print := of.lines(fired)
		if a.format.layout == asDocument {
			doc.Outputs = append(doc.Outputs, read...)
			continue
		}
		err = a.print(nil, jsonLines(read, ranIn{}), func(w io.Writer) { lineText(w, read[0], print, number) })
		if err != nil {
			return err
		}
	}
	if a.format.layout == asDocument {
		if err := a.print(doc, nil, nil); err != nil {
			return err
		}
	}
	if len(problems) > 0 {
		return &config.Error{Problems: problems}
	}
	return nil
}

// explainDocument is the JSON document of explain.
type explainDocument struct {
	Version int             `json:"version"`
	Client  string          `json:"client"`
	Outputs []explainedLine `json:"outputs"`
}

// explainedLine is the client's interpretation of one output.
type explainedLine struct {
	ID        json.RawMessage `json:"id,omitempty"`     // unchanged
	Client    string          `json:"client,omitempty"` // if --client names clients
	Known     string          `json:"known,omitempty"`  // likewise: the source of the effect
	Effect    suites.Effect   `json:"effect"`
	Decision  string          `json:"decision"`
	Because   string          `json:"because"`
	Rule      string          `json:"rule"`
	ModelSees []string        `json:"model_sees"`
}

// explainLine interprets an output like a client of a version.
func explainLine(version client.Version, fired client.Firing) (explainedLine, client.Reading) {
	reading := client.Interpret(version, fired.Event, fired.Output)
	return explainedLine{
		ID: fired.ID, Effect: reading.Effect, Decision: reading.Decision, Because: reading.Because(),
		Rule: string(reading.Cause.Kind), ModelSees: append([]string{}, reading.ModelSees...),
	}, reading
}

// lineText prints the answer for a line of standard input, labelled with its ID or line number.
func lineText(w io.Writer, line explainedLine, print func(io.Writer), number int) {
	name := fmt.Sprintf("line %d", number)
	if line.ID != nil {
		name = string(line.ID)
		var text string
		if json.Unmarshal(line.ID, &text) == nil {
			name = text
		}
	}
	writef(w, "%s\n", name)
	print(w)
}

// printSeen prints the texts that the model is sent.
func printSeen(w io.Writer, texts []string) {
	if len(texts) == 0 {
		writef(w, "model   (nothing)\n")
	}
	for _, text := range texts {
		name := "model "
		for line := range strings.Lines(text) {
			writef(w, "%s  %s\n", output(name), output(strings.TrimRight(line, "\r\n")))
			name = "      "
		}
	}
}

// rulesDocument is the JSON document of explain RULE and explain --list.
type rulesDocument struct {
	Version int           `json:"version"`
	Rules   []suites.Rule `json:"rules"`
}

// ruleNamed finds a rule by its ID.
func ruleNamed(id string) (suites.Rule, error) {
	all := client.Rules()
	at := slices.IndexFunc(all, func(r suites.Rule) bool { return r.ID == id })
	if at >= 0 {
		return all[at], nil
	}
	var ids []string
	for _, r := range all {
		ids = append(ids, r.ID)
	}
	hint := "hookwatch explain --list names all"
	if _, isEvent := client.EventByName(id); isEvent {
		hint = "an output is explained by hookwatch explain --event " + id + " --exit 2"
	} else if near := pattern.Nearest(strings.ToLower(id), ids); near != "" {
		hint = "did you mean " + near + "?"
	}
	return suites.Rule{}, fmt.Errorf("no rule %q (%s)", id, hint)
}

// observedOn describes the client versions on which a rule was observed.
func observedOn(r suites.Rule) string {
	if len(r.Observed) == 0 {
		return "documented, not observed"
	}
	return "observed on client " + strings.Join(r.Observed, ", ")
}

// showRules shows rules: one row each, or one in full.
func showRules(a *app, all []suites.Rule, text func(io.Writer)) error {
	doc := rulesDocument{Version: 1, Rules: slices.Clone(all)}
	for i, r := range doc.Rules {
		doc.Rules[i].Observed = append([]string{}, r.Observed...) // [] rather than null
	}
	return a.print(doc, jsonLines(doc.Rules, ranIn{}), text)
}
