package run

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/disk"
	"hookwatch/suites/pattern"
	"hookwatch/suites/process"
)

// busyRetries bounds how often a hook is restarted because another process still has its script
// open for writing.
const busyRetries = 20

// stdin returns the client's payload, unless the step overrides it.
func (s *caseRun) stdin(st *suites.Step) ([]byte, error) {
	if st.Stdin != nil {
		return []byte(s.expand.Replace(*st.Stdin)), nil
	}
	in := client.PayloadInput{
		Event:          st.Event,
		Tool:           st.Tool,
		Command:        s.expand.Replace(st.Command),
		SessionID:      "hookwatch-" + s.number,
		TranscriptPath: s.tmp + "/transcript.jsonl",
		Cwd:            s.cwd,
		Over:           s.payload(st.Payload),
		Override:       s.payload(st.PayloadRaw),
	}
	if st.FilePath != "" {
		in.FilePath = s.path(st.FilePath)
	}
	return client.Payload(in)
}

// payload expands the templates inside the strings of a JSON document.
func (s *caseRun) payload(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	text := string(raw)
	for _, name := range templates {
		if !strings.Contains(text, name) {
			continue
		}
		quoted, err := json.Marshal(s.expand.Replace(name))
		if err == nil {
			text = strings.ReplaceAll(text, name, string(quoted[1:len(quoted)-1]))
		}
	}
	return json.RawMessage(text)
}

// hook runs the script that the step names.
func (s *caseRun) hook(ctx context.Context, st *suites.Step, stdin []byte) (suites.Result, error) {
	name := cmp.Or(st.Hook, s.c.Hook)
	l := s.o.launch(s.root, name)
	if l.Fault != "" {
		out, _ := s.interpret(st, client.Entry{Command: l.Command}, stdin, process.Result{Exit: -1}, l.Fault)
		return out, nil
	}
	of, event := s.client(st.Event, name)
	argv := l.Argv
	for _, arg := range st.Args {
		argv = append(argv, s.expand.Replace(arg))
	}
	sent := stdin
	if of.Name != "" {
		sent = of.Payload(event, stdin)
	}
	command := s.command(st, argv, sent)
	command.Sockets = givesSockets(of.Name)
	if own := variables(command.Env); of.Name != "" {
		delete(own, "CLAUDE_PROJECT_DIR") // unless that client sets it
		command.Env = process.Unset(process.With(of.Env(s.project(), ""), own), s.c.WantedEnv().Unset)
	}
	results, err := s.runRetrying(ctx, command)
	if err != nil {
		return suites.Result{}, err
	}
	out, _ := s.interpret(st, client.Entry{Command: l.Command}, stdin, results[0], startFault(results[0]))
	if of.Name != "" {
		out = read(out, of.Interpret(event, clients.OutputOf(out, client.Entry{})).Reading())
	}
	if out.TimedOut {
		out.Timeout = command.Timeout
	}
	return out, nil
}

// client returns the client whose behaviour counts for the case, and its name of an event for a
// script; the zero value for Claude Code.
func (s *caseRun) client(event, script string) (of clients.Client, own string) {
	if s.c.Client == "" {
		return of, event
	}
	of, _ = clients.ByName(s.c.Client) // the suite was checked
	if s.o.InForce != nil {
		for _, h := range s.o.InForce() {
			if h.Event == event && h.ClientEvent != "" && slices.Contains(h.Scripts, script) {
				return of, h.ClientEvent
			}
		}
	}
	own, _ = of.EventFor(event, "")
	return of, cmp.Or(own, event)
}

func (s *caseRun) command(st *suites.Step, argv []string, stdin []byte) process.Command {
	return process.Command{
		Argv:    argv,
		Dir:     s.cwd,
		Env:     process.Unset(process.With(s.env, s.expandAll(st.Env)), s.c.WantedEnv().Unset),
		Stdin:   stdin,
		Timeout: s.o.limit(cmp.Or(s.c.Timeout, s.o.Timeout)),
	}
}

// givesSockets reports whether a client, Claude Code if it has no name, gives hooks sockets for their streams.
func givesSockets(name string) bool {
	of, _ := clients.ByName(cmp.Or(name, clients.Claude))
	return of.Launch.Sockets
}

// runRetrying runs commands concurrently. It restarts a command whose shell exits with 126 because
// its script was open for writing, because that is not the hook's fault.
func (s *caseRun) runRetrying(ctx context.Context, commands ...process.Command) ([]process.Result, error) {
	results, err := s.Run(ctx, commands...)
	if err != nil {
		return nil, err
	}
	for i := range results {
		for try := 0; busy(results[i]) && try < busyRetries; try++ {
			select {
			case <-ctx.Done():
				return results, nil
			case <-time.After(10 * time.Millisecond):
			}
			again, err := s.Run(ctx, commands[i])
			if err != nil {
				return nil, err
			}
			results[i] = again[0]
		}
		s.ended.Processes = max(s.ended.Processes, results[i].Most)
		s.ended.Refused = append(s.ended.Refused, results[i].Refused...)
		s.ended.TooLarge = s.ended.TooLarge || tooLarge(results[i])
	}
	return results, nil
}

// tooLarge reports whether a hook, or the last program of its shell, was ended because it exceeded
// the file size limit.
func tooLarge(r process.Result) bool {
	const signal = 25 // SIGXFSZ, on every system that has it
	return r.Signal == "SIGXFSZ" || r.Exit == 128+signal
}

func busy(r process.Result) bool {
	return r.Exit == 126 && bytes.Contains(r.Stderr.Bytes, []byte("Text file busy"))
}

func startFault(r process.Result) string {
	if r.StartError == nil {
		return ""
	}
	return r.StartError.Error()
}

// interpret converts the result of a process and adds the client's reaction to it. fault is the
// reason why the hook could not be started.
func (s *caseRun) interpret(st *suites.Step, entry client.Entry, stdin []byte, res process.Result, fault string) (suites.Result, client.Reading) {
	out := suites.Result{
		Exit:        res.Exit,
		Signal:      res.Signal,
		TimedOut:    res.TimedOut,
		Memory:      res.Memory,
		NotStarted:  fault,
		Stdout:      res.Stdout.Bytes,
		Stderr:      res.Stderr.Bytes,
		StdoutBytes: res.Stdout.Total,
		StderrBytes: res.Stderr.Total,
		StdinUnread: res.StdinUnread,
		LeftBehind:  countNames(res.LeftBehind, res.Left),
		HoldsOutput: res.HoldsOutput,
		Duration:    res.Duration,
	}
	reading := client.Interpret(s.o.Client, st.Event, client.Output{
		Exit: out.Exit, Signal: out.Signal, TimedOut: out.TimedOut, NotStarted: fault, Stdout: out.Stdout, Stderr: out.Stderr,
		Entry: entry, Matched: client.MatchedValue(st.Event, st.Tool, stdin),
	})
	return read(out, reading), reading
}

// read returns a result with the client's reaction to it.
func read(out suites.Result, reading client.Reading) suites.Result {
	out.Decision, out.Effect = reading.Decision, reading.Effect
	out.ModelSees, out.EffectReason, out.EffectRule = reading.ModelSees, reading.Because(), string(reading.Cause.Kind)
	return out
}

// countNames returns the names of processes without duplicates, with their numbers. There may be more
// processes than names.
func countNames(names []string, count int) []string {
	times := make(map[string]int)
	for _, n := range names {
		times[n]++
	}
	var out []string
	for _, n := range slices.Sorted(maps.Keys(times)) {
		if t := times[n]; t > 1 {
			n += " x" + strconv.Itoa(t)
		}
		out = append(out, n)
	}
	if more := count - len(names); more > 0 {
		out = append(out, strconv.Itoa(more)+" more")
	}
	return out
}

// expectedFiles returns the content of the files that the expectation names. Missing files have no
// entry.
func (s *caseRun) expectedFiles(expected []suites.FileExpectation) map[string][]byte {
	if len(expected) == 0 {
		return nil
	}
	files := make(map[string][]byte, len(expected))
	for _, f := range expected {
		if f.Change != "" {
			continue // its path may be a pattern
		}
		if b, err := s.Read(s.path(f.Path)); err == nil {
			files[f.Path] = b
		}
	}
	return files
}

// unseen returns the programs that hooks did not find in their views although they exist outside,
// because then isolation hides something the hooks need. Files of the project do not count: they
// exist in every view, so a hook that does not find one looks for another name.
func (s *caseRun) unseen(results []suites.Result) (paths []string) {
	if !s.Private() {
		return nil
	}
	for _, r := range results {
		name, kind := client.MissingIn(r)
		program := kind == client.MissingProgram || kind == client.MissingFile && filepath.IsAbs(name)
		if r.Exit == 0 || !program || slices.Contains(s.c.WantedEnv().AbsentTools, name) || filepath.IsAbs(name) && disk.Within(s.o.Root, name) {
			continue
		}
		if path, err := process.LookPath(name, s.o.Root, s.o.Env); err == nil && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// withheldAtMost bounds the files of HOME that are named to the user.
const withheldAtMost = 5

// withheld returns the existing files of HOME, from "~/", that hooks looked for and did not find
// because cases do not see them: those in messages of the hooks, and if its paths were recorded, all.
// Masked files are not among them, because they have a name in the sandbox.
func (s *caseRun) withheld(o *suites.Outcome) (names []string) {
	home := filepath.Clean(process.Getenv(s.o.Env, "HOME"))
	if !s.Private() || !filepath.IsAbs(home) {
		return nil
	}
	add := func(path string) {
		rel, inside := strings.CutPrefix(path, home+"/")
		if !inside || len(names) == withheldAtMost || s.o.Reader.Sees(path) {
			return
		}
		if _, err := s.Read(path); !errors.Is(err, fs.ErrNotExist) {
			return
		}
		if _, err := os.Stat(path); err == nil && !slices.Contains(names, "~/"+rel) {
			names = append(names, "~/"+rel)
		}
	}
	for _, r := range o.Results {
		for line := range bytes.Lines(slices.Concat(r.Stderr, []byte("\n"), r.Stdout)) {
			if _, path, named := bytes.Cut(line, []byte(home+"/")); named && missingFile().Match(line) {
				add(filepath.Join(home, string(pathStart().Find(path))))
			}
		}
	}
	for _, a := range o.Accesses {
		add(filepath.Clean(a.Path))
	}
	return names
}

// pathStart matches the rest of a path in a message, and missingFile messages about a missing file.
var (
	pathStart   = pattern.Lazy(`^[\w.@+/-]*[\w@+-]`)
	missingFile = pattern.Lazy(`(?i)no such file|not found|cannot (?:find|open|read)|can't (?:find|open)|does not exist|ENOENT`)
)

// withheldNotes describes such files.
func withheldNotes(names []string) (notes []string) {
	for _, name := range names {
		notes = append(notes, fmt.Sprintf("looked for %s, which cases do not see (sandbox.unmask: [%s])", name, strings.TrimPrefix(name, "~/")))
	}
	return notes
}

// script returns the script of a program. A program with a fixed output does not read its stdin,
// which may be the hook's.
func script(p suites.Program) string {
	switch {
	case strings.HasPrefix(p.Script, "#!"):
		return p.Script
	case p.Script != "":
		return "#!/bin/sh\n" + p.Script
	}
	quote := strings.NewReplacer("'", `'\''`)
	return fmt.Sprintf("#!/bin/sh\nprintf %%s '%s'\nprintf %%s '%s' >&2\nexit %d\n",
		quote.Replace(p.Stdout), quote.Replace(p.Stderr), p.Exit)
}

func (o *Options) standing(c *suites.Case) []string {
	if o.Standing == nil {
		return nil
	}
	var out []string
	for _, hook := range o.scripts(c) {
		for _, s := range o.Standing(hook) {
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// scripts returns the scripts that a case can run, including those of a chain.
func (o *Options) scripts(c *suites.Case) []string {
	out := hooksOf(c)
	if c.Chain && o.Hooks != nil {
		for i := range c.Steps {
			for _, h := range o.Hooks(c.Steps[i].Event, c.Steps[i].Tool) {
				out = append(out, h.Scripts...)
			}
		}
	}
	return out
}

// hooksOf returns the scripts that the case itself names.
func hooksOf(c *suites.Case) []string {
	hooks := []string{c.Hook}
	for i := range c.Steps {
		hooks = append(hooks, c.Steps[i].Hook)
	}
	return slices.DeleteFunc(hooks, func(h string) bool { return h == "" })
}

// launch returns how to start a script of the project, as it is at root.
func (o *Options) launch(root, hook string) Launch {
	read := cmp.Or(o.Instead.Source, root)
	l := From{Root: o.Root, Env: o.Env, Reader: o.Reader, Interpreted: o.Interpreted, Scripts: o.Scripts}.Of(read, hook)
	if last := len(l.Argv) - 1; last >= 0 {
		l.Argv[last] = root + strings.TrimPrefix(l.Argv[last], read)
	}
	return l
}

// Payload returns the stdin of a hook in a step of a case if the case's directories were in dir. It
// creates and runs nothing.
func (o Options) Payload(c *suites.Case, step int, dir string) ([]byte, error) {
	return o.plan(c, dir).stdin(&c.Steps[step])
}

// plan returns a case's run as it would be in dir, without creating a sandbox.
func (o Options) plan(c *suites.Case, dir string) *caseRun {
	s := &caseRun{
		o: &o, c: c, dir: dir, tmp: filepath.Join(dir, "tmp"), root: o.Root,
		number: "0", searched: process.Getenv(o.Env, "PATH"),
	}
	s.orient()
	return s
}
