package run

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/live"
	"hookwatch/suites/pattern"
	"hookwatch/suites/process"
	"hookwatch/suites/shell"
)

// oneTurn drives a client of which each session ends after one turn, as its data describes. What its
// hooks return is recorded by witnesses in the hook files, and whether a call ran by a hook of
// hookwatch's own after it, because the client's output reports neither.
type oneTurn struct{ of clients.Client }

func (d oneTurn) Program() string { return d.of.Live.Program }
func (d oneTurn) Install() string { return d.of.Live.Install }

// Turn returns the turn of a step. Its calls have Claude Code's form until they are sent.
func (d oneTurn) Turn(s live.Step) (live.Turn, error) {
	no := func(format string, args ...any) (live.Turn, error) {
		return live.Turn{}, &live.NotLiveError{Why: fmt.Sprintf(format, args...)}
	}
	if !slices.Contains(d.of.Live.Events, s.Event) {
		return no("no way is known to have %s fire %s", d.of.Title, s.Event)
	}
	s.First = true // it has a session of its own, or is a further call in one
	t, err := live.NewTurn(s)
	if err != nil {
		return t, err
	}
	if len(t.Prompts) != 1 || t.Nested != nil {
		return no("a session of %s that ends after one turn does not come to it", d.of.Title)
	}
	t.Main = slices.DeleteFunc(t.Main, func(r live.Reply) bool { // only Claude Code requires it
		return len(r.Calls) == 1 && r.Calls[0].Tool == "Read" && !r.Calls[0].Tested
	})
	if _, err := d.calls(t.Main); err != nil {
		return live.Turn{}, err
	}
	return t, nil
}

// calls returns replies with calls of the client's own tools.
func (d oneTurn) calls(replies []live.Reply) ([]live.Reply, error) {
	replies = slices.Clone(replies)
	for i := range replies {
		replies[i].Calls = slices.Clone(replies[i].Calls)
		for j, call := range replies[i].Calls {
			name, input, ok := d.of.Live.Call(call.Tool, call.Input)
			if !ok {
				return nil, &live.NotLiveError{Why: "hookwatch knows no tool of " + d.of.Title + " for " + call.Tool}
			}
			replies[i].Calls[j].Tool, replies[i].Calls[j].Input = name, input
		}
	}
	return replies, nil
}

// turns are the parts of one case while they are played.
type turns struct {
	oneTurn
	c      Client
	at     Place
	parts  []Part
	server *server
	turn   live.Turn // of the part len(seen)
	seen   []live.Seen
	err    error
}

// Play plays each part in a session of its own. Calls that follow each other share a session.
func (d oneTurn) Play(ctx context.Context, c Client, at Place, parts []Part) (Session, error) {
	wire, err := live.WireNamed(d.of.Live.Wire)
	if err != nil {
		return Session{}, err
	}
	s, err := serve(at.Listen, "")
	if err != nil {
		return Session{}, fmt.Errorf("listen for the client: %w", err)
	}
	defer s.close()
	s.model.Wire = wire
	t := &turns{oneTurn: d, c: c, at: at, parts: parts, server: s}
	out := Session{Version: t.version(ctx)}
	for len(t.seen) < len(parts) && out.Fault == nil {
		var r process.Result
		if r, out.Fault, err = t.session(ctx); err != nil {
			return out, err
		}
		out.Duration += r.Duration
	}
	out.Seen, out.Requests, out.Bodies, out.Elsewhere = t.seen, s.requestCount(), s.bodies(), s.strayRequests()
	return out, nil
}

// versions are the versions of programs, by their paths.
var versions sync.Map

var version = pattern.Lazy(`\d+\.\d+\.\d+[\w-]*`)

// version asks the program for its version; "" if it has no answer.
func (t *turns) version(ctx context.Context) string {
	if known, ok := versions.Load(t.c.Program); ok {
		return known.(string)
	}
	results, err := t.at.Run(ctx, process.Command{
		Argv: []string{t.c.Program, "--version"}, Dir: t.c.Home, Env: t.environment(), Timeout: t.c.Timeout,
	})
	if err != nil || len(results) == 0 {
		return ""
	}
	found := version().FindString(string(results[0].Stdout.Bytes))
	if found != "" {
		versions.Store(t.c.Program, found)
	}
	return found
}

// session plays the next part, and those after it that join its session.
func (t *turns) session(ctx context.Context) (process.Result, *Fault, error) {
	before := t.server.requestCount()
	t.begin()
	if t.err != nil {
		return process.Result{}, nil, t.err
	}
	expand := t.expander()
	for _, name := range slices.Sorted(maps.Keys(t.of.Live.Home)) {
		if err := t.at.Write(filepath.Join(t.c.Home, name), expand.Replace(t.of.Live.Home[name])); err != nil {
			return process.Result{}, nil, fmt.Errorf("write the client's settings: %w", err)
		}
	}
	if err := t.at.Write(filepath.Join(t.c.Home, started), ""); err != nil {
		return process.Result{}, nil, err
	}
	argv := []string{t.c.Program}
	for _, arg := range t.of.Live.Arguments {
		argv = append(argv, expand.Replace(arg))
	}
	t.server.then(t.more)
	running, cancel := t.server.limit(ctx)
	defer cancel()
	results, err := t.at.Run(running, process.Command{Argv: argv, Dir: t.c.Dir, Env: t.environment(), Timeout: t.c.Timeout})
	t.server.then(nil)
	if err == nil {
		err = t.err
	}
	if err != nil {
		return process.Result{}, nil, err
	}
	t.finish()
	r := results[0]
	began, _ := t.at.Read(filepath.Join(t.c.Home, started)) // it was written above
	complete := r.Exit == 0 || t.server.requestCount() > before || len(began) > 0
	return r, t.c.fault(ctx, r, t.server.isExceeded(), complete && r.Signal == ""), nil
}

// begin prepares the next part.
func (t *turns) begin() {
	if t.turn, t.err = t.parts[len(t.seen)].Make(); t.err != nil {
		return
	}
	sent := t.turn
	if sent.Main, t.err = t.calls(sent.Main); t.err == nil {
		t.server.model.Script(sent.Main, nil, nil)
	}
}

// more begins the next part in the same session when the model is asked for more than the current
// one has. The client waits for its answer meanwhile.
func (t *turns) more() {
	if next := len(t.seen) + 1; t.err != nil || next >= len(t.parts) || !t.parts[next-1].Joins || !t.parts[next].Joins {
		return
	}
	t.finish()
	t.begin()
}

// Files in HOME: with the payloads of calls that ran, and with text if the session has started.
const ran, started = "hookwatch-ran", "hookwatch-started"

// finish records what is known of the current part.
func (t *turns) finish() {
	m := &t.server.model
	seen := live.Seen{Turn: t.turn, Before: []int{0}, Heard: m.Requests(), Tested: m.TestedID()}
	for _, w := range t.c.Witnesses {
		if fired, ok := w.Saw(func(name string) (string, bool) {
			b, err := t.at.Read(filepath.Join(w.Dir, name))
			return string(b), err == nil
		}); ok {
			if w.Event == t.turn.Event {
				seen.Saw = append(seen.Saw, fired)
			}
			t.note(t.at.Write(filepath.Join(w.Dir, live.Entered), ""))
			t.note(t.at.Write(filepath.Join(w.Dir, "exit"), ""))
		}
	}
	if seen.Tested != "" {
		seen.Lines = t.lines(seen)
		t.note(t.at.Write(filepath.Join(t.c.Home, ran), ""))
	}
	t.seen = append(t.seen, seen)
	t.parts[len(t.seen)-1].Done()
}

func (t *turns) note(err error) {
	if t.err == nil {
		t.err = err
	}
}

// lines returns what Claude Code would have printed about the tested call: that it may run with its
// input, and its result.
func (t *turns) lines(seen live.Seen) (lines []live.Line) {
	answered := live.Line{Kind: live.Answered, ToolUse: seen.Tested, Failed: true}
	records, _ := t.at.Read(filepath.Join(t.c.Home, ran)) // missing if no call ran
	var payload map[string]json.RawMessage
	if json.NewDecoder(bytes.NewReader(records)).Decode(&payload) == nil {
		answered.Ran, answered.Failed = true, false
		lines = append(lines, live.Line{Kind: live.Asks, ToolUse: seen.Tested, Input: t.input(payload)})
	}
	for _, h := range seen.Heard {
		if text, ok := h.Results[seen.Tested]; ok {
			if answered.Text = text; answered.Failed && strings.Contains(text, t.of.Live.Denied) {
				answered.By = "hook"
			}
			lines = append(lines, answered)
		}
	}
	return lines
}

// input returns the input with which the tested call ran: that which the model sent, unless a hook
// has changed the command in it.
func (t *turns) input(payload map[string]json.RawMessage) json.RawMessage {
	name := cmp.Or(t.of.Fields["tool_input"], "tool_input")
	var has, sent struct{ Command string }
	input := t.turn.Main[len(t.turn.Main)-1].Calls[0].Input
	if json.Unmarshal(payload[name], &has) != nil || json.Unmarshal(input, &sent) != nil || sent.Command == "" || has == sent {
		return input
	}
	return payload[name]
}

// environment returns the case's environment without the variables that lead to an account or off
// this machine, and with the driver's own. A request to anywhere else arrives at the model's server,
// which refuses and records it.
func (t *turns) environment() (env []string) {
	without := append([]string{"CLAUDE", "AWS_"}, t.of.Live.Without...)
	for _, kv := range t.c.Env {
		name, _, _ := strings.Cut(kv, "=")
		if !leadsAway(name) && !slices.ContainsFunc(without, func(p string) bool { return strings.HasPrefix(strings.ToUpper(name), p) }) {
			env = append(env, kv)
		}
	}
	url := t.server.address()
	own := map[string]string{"HOME": t.c.Home, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		own[name], own[strings.ToLower(name)] = url, url
	}
	expand := t.expander()
	for name, value := range t.of.Live.Variables {
		own[name] = expand.Replace(value)
	}
	for name, dir := range t.of.Live.Caches {
		if t.c.UserHome != "" {
			own[name] = filepath.Join(t.c.UserHome, dir)
		}
	}
	return process.With(env, own)
}

// expander fills the templates of clients.Live. All but the prompt stand in quoted texts.
func (t *turns) expander() *strings.Replacer {
	quoted := func(text string) string {
		b, _ := json.Marshal(text) // text always encodes
		return string(b[1 : len(b)-1])
	}
	file := shell.Quote(filepath.Join(t.c.Home, ran))
	pairs := []string{
		"{url}", t.server.address(), "{dir}", quoted(t.c.Dir), "{home}", quoted(t.c.Home),
		"{record}", quoted("cat >>" + file + "; echo >>" + file),
		"{start}", quoted("echo >" + shell.Quote(filepath.Join(t.c.Home, started))),
	}
	if len(t.turn.Prompts) > 0 {
		pairs = append(pairs, "{prompt}", t.turn.Prompts[0])
	}
	return strings.NewReplacer(pairs...)
}

// hookFiles puts a witness around each command in the client's hook files, and has those of the
// project in a temporary one as well.
func (s *caseRun) hookFiles(c *Client) error {
	if s.o.InForce == nil {
		return nil
	}
	of, wrapped := s.o.Live.Of, map[string]bool{}
	for _, h := range s.o.InForce() {
		file := h.Source.File
		if wrapped[file] || filepath.IsAbs(file) || !of.Reads(file) {
			continue
		}
		wrapped[file] = true
		text, err := s.Read(filepath.Join(s.root, file))
		if err != nil {
			return fmt.Errorf("read %s: %w", file, err)
		}
		text = of.Wrap(file, text, func(event, command string) string {
			if s.override != "" {
				command = live.RootCommand(client.Entry{Command: command}, s.root)
			}
			w := live.NewWitness(of.Events[event].As, command, of.Command("")[0], filepath.Join(c.Home, "hookwatch", fmt.Sprint(len(c.Witnesses))))
			c.Witnesses = append(c.Witnesses, w)
			return w.Line()
		})
		if err := s.Write(filepath.Join(s.project(), file), string(text), 0o644); err != nil {
			return err
		}
	}
	for _, w := range c.Witnesses {
		if err := s.Write(filepath.Join(w.Dir, "command"), w.Command+"\n", 0o644); err != nil {
			return err
		}
	}
	return nil
}
