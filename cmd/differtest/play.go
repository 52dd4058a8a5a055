package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/live"
	"hookwatch/suites/process"
	"hookwatch/suites/run"
)

// A sessionOnDisk is a project on disk, and how the client played it.
type sessionOnDisk struct {
	draws    draws
	project  project
	dir      string
	root     string
	home     string
	plugin   string // its root, "" without a plugin
	played   run.Session
	recorded bool     // played before, elsewhere, and replayed by the tests
	took     []string // where each turn was recorded
	firings  int
	calls    []suites.Effect // what the client made of each call whose effect showed
}

// recorder is the script of every hook. It writes what it was given to the directory that the file
// "where" names, so that firings of the client and of hookwatch land in different places, and does what
// the files of its number say. The environment of a client has a token, which is not written. A hook
// that blocked a stop lets the next one pass.
const recorder = `#!/bin/sh
d=$(cat '@DIR/where'); n=$1; i=0
until mkdir "$d/$n-$i" 2>/dev/null; do i=$((i+1)); done
at=$d/$n-$i
for a; do printf '%s\0' "$a"; done >"$at/argv"
pwd >"$at/cwd"
env | grep -v TOKEN >"$at/env"
cat >"$at/stdin"
touch "$at/done"
o='@DIR'/out/$n
test -d "$o" || exit 0
if grep -iq '"stop_*hook_*active": *true' "$at/stdin"; then exit 0; fi
sleep "$(cat "$o/sleep")"
cat "$o/stdout"
cat "$o/stderr" >&2
exit "$(cat "$o/exit")"
`

// server is an MCP server with one tool, which returns the input of a hook (INP).
const server = `while IFS= read -r l; do id=${l##*\"id\":}; id=${id%%[,\}]*}
say() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$1" "$2"; }
case $l in
*'"method":"initialize"'*) say "$id" '"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"demo","version":"1"}}';;
*'"method":"tools/list"'*) say "$id" '"result":{"tools":[{"name":"say","description":"says","inputSchema":{"type":"object"}}]}';;
*'"method":"tools/call"'*) said=${l#*INP-}; test "$said" != "$l" || said=; say "$id" '"result":{"content":[{"type":"text","text":"said INP-'"${said%%\"*}"'"}]}';;
*'"id":'*) say "$id" '"result":{}';;
esac; done`

// witness is the number of the entry that records every event; no entry of a project has it.
const witness = "0"

func play(ctx context.Context, o options, p project) (*sessionOnDisk, error) {
	s := &sessionOnDisk{draws: o.draws, project: p}
	if err := s.write(); err != nil {
		return s, err
	}
	c := run.Client{
		Program: o.program, Dir: s.root, Home: s.home, UserHome: os.TempDir(), Timeout: 3 * time.Minute,
		Env: s.environment(),
	}
	for _, event := range s.draws.Events {
		c.Hooks = append(c.Hooks, client.Entry{Event: event.Name, Type: "command", Command: s.witness(event.Name)})
	}
	if s.plugin != "" {
		c.Plugins = []string{s.plugin}
	}
	place := run.Place{
		Run: func(ctx context.Context, all ...process.Command) (results []process.Result, err error) {
			for _, one := range all {
				r, err := process.Run(ctx, one)
				if err != nil {
					return nil, err
				}
				results = append(results, r)
			}
			return results, nil
		},
		Listen: func() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") },
		Read:   os.ReadFile,
		Write: func(path, content string) error {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			return os.WriteFile(path, []byte(content), 0o600)
		},
	}
	var parts []run.Part
	for i := range p.Calls {
		parts = append(parts, run.Part{
			Make:      func() (live.Turn, error) { return s.turn(i) },
			Done:      func() {},
			Joins:     true,
			Questions: func(string) bool { return s.hasWitness() },
		})
	}
	var err error
	driver := run.Live{}
	if of := s.draws.of; of.Name != clients.Claude {
		driver.Of = of
		if driver.Of.Live.Home, err = s.addWitness(of.Live.Home); err != nil {
			return s, err
		}
	}
	if s.played, err = driver.Driver().Play(ctx, c, place, parts); err != nil {
		return s, err
	}
	if f := s.played.Fault; f != nil && !s.blamesHook(f.Kind) {
		return s, f
	}
	if strayed := s.played.Elsewhere; len(strayed) > 0 {
		return s, fmt.Errorf("the client asked for %s", strings.Join(strayed, ", "))
	}
	return s, nil
}

// mostRuns is the number of runs of hooks in a turn that no client reaches unless it goes on again and again.
const mostRuns = 120

// blamesHook reports whether a fault of the client can be due to a hook: one that ends the session and with it
// the client, or has it go on again and again. Gemini CLI does so without asking the model.
func (s *sessionOnDisk) blamesHook(kind run.FaultKind) bool {
	last := s.took[len(s.took)-1]
	runs, err := os.ReadDir(last)
	return kind == run.Crashed || kind == run.Looping || kind == run.TimedOut && err == nil && len(runs) > mostRuns
}

// environment is that of the client and of hookwatch.
func (s *sessionOnDisk) environment() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "SHELL=/bin/bash", "HOME=" + s.home}
}

// witness returns the command that records an event.
func (s *sessionOnDisk) witness(event string) string {
	return s.dir + "/rec.sh " + witness + " " + event
}

// addWitness adds an entry that records each event to the hook files of a client's HOME.
func (s *sessionOnDisk) addWitness(home map[string]string) (map[string]string, error) {
	all := maps.Clone(home)
	for name, text := range home {
		var doc map[string]any
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			return nil, fmt.Errorf("%s of %s: %w", name, s.draws.of.Name, err)
		}
		hooks, has := doc["hooks"].(map[string]any)
		if !has {
			continue
		}
		for _, event := range s.draws.Events {
			own, _ := s.draws.of.EventFor(event.Name, name)
			at := layer{Flat: !s.draws.of.Entry.Nested}
			list, _ := hooks[own].([]any)
			hooks[own] = append(list, s.draws.group(entry{Form: form{Command: s.witness(event.Name)}}, own, at, s.fill()))
		}
		all[name] = string(encode(doc))
	}
	return all, nil
}

// hasWitness reports whether hooks run at all.
func (s *sessionOnDisk) hasWitness() bool {
	found, err := filepath.Glob(filepath.Join(s.dir, "client", "*", witness+"-*"))
	return err == nil && len(found) > 0
}

func (s *sessionOnDisk) turn(i int) (live.Turn, error) {
	at := filepath.Join(s.dir, "client", strconv.Itoa(i))
	if err := s.recordIn(at); err != nil {
		return live.Turn{}, err
	}
	s.took = append(s.took, at)
	c := s.project.Calls[i]
	t := live.Turn{Event: "PreToolUse", Value: c.Tool, Prompts: []string{"go on " + strconv.Itoa(i)}, Allow: true}
	if c.Before != nil {
		t.Main = append(t.Main, live.Reply{Calls: []live.Call{{Tool: c.Before.Tool, Input: s.input(*c.Before)}}})
	}
	// A hook that answers a permission question needs time, because the answer of the user ends it.
	t.Main = append(t.Main, live.Reply{Calls: []live.Call{{Tool: c.Tool, Input: s.input(c), Tested: true}}})
	if i == 0 {
		t.Flags = []string{"--mcp-config", string(encode(map[string]any{"mcpServers": map[string]any{"demo": map[string]any{"command": "/bin/sh", "args": []string{"-c", server}}}}))}
	}
	return t, nil
}

func (s *sessionOnDisk) input(c call) json.RawMessage {
	input := map[string]any{}
	for key, value := range c.Input {
		if text, ok := value.(string); ok {
			value = s.fill().Replace(text)
		}
		input[key] = value
	}
	b, err := json.Marshal(input)
	if err != nil {
		panic(err) // never: values of our own
	}
	return b
}

func (s *sessionOnDisk) fill() *strings.Replacer {
	return strings.NewReplacer("{root}", s.root, "{home}", s.home, "{rec}", s.dir+"/rec.sh", "{n}", "number")
}

// recordIn sets where hooks record.
func (s *sessionOnDisk) recordIn(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, "where"), []byte(dir), 0o600)
}

func (s *sessionOnDisk) write() (err error) {
	if s.dir, err = os.MkdirTemp("", "differ-"); err != nil {
		return err
	}
	if s.dir, err = filepath.EvalSymlinks(s.dir); err != nil {
		return err
	}
	s.root, s.home = filepath.Join(s.dir, "project"), filepath.Join(s.dir, "home")
	if s.project.Space {
		s.root = filepath.Join(s.dir, "my project")
	}
	files := map[string]string{
		s.root + "/README.md": "some text\n", s.root + "/src/old.txt": "old\n", s.home + "/outside.txt": "outside\n", s.home + "/tmp/keep": "",
	}
	script := strings.ReplaceAll(recorder, "@DIR", s.dir)
	scripts := []string{s.dir + "/rec.sh", s.home + "/rec.sh", s.root + "/.claude/hooks/rec.sh"}
	switch s.project.Plugin {
	case "root":
		s.plugin = s.root
	case "below":
		s.plugin = s.root + "/plugins/own"
		files[s.root+"/.claude-plugin/marketplace.json"] = `{"name": "market", "owner": {"name": "o"}, "plugins": [{"name": "own", "source": "./plugins/own"}]}`
	}
	if s.plugin != "" {
		files[s.plugin+"/.claude-plugin/plugin.json"] = `{"name": "own", "version": "1.0.0", "description": "an example"}`
		scripts = append(scripts, s.plugin+"/rec.sh")
	}
	for _, at := range scripts {
		files[at] = script
	}
	for _, f := range s.project.Files {
		base := map[string]string{user: s.home, plugin: s.plugin}[f.Layer]
		at := filepath.Join(cmp.Or(base, s.root), s.draws.layer(f.Layer).File)
		files[at] = string(s.draws.content(s.project, f, s.fill()))
	}
	for _, e := range s.project.Entries {
		at := s.dir + "/out/" + strconv.Itoa(e.N)
		event, _ := s.draws.event(e.Event, s.draws.layer(e.Layer))
		files[at+"/stdout"] = e.fill(e.Output.Stdout, event, s.fill())
		files[at+"/stderr"] = e.fill(e.Output.Stderr, event, s.fill())
		files[at+"/exit"] = strconv.Itoa(e.Output.Exit)
		files[at+"/sleep"] = strconv.FormatFloat(e.Output.Sleep+float64(e.Delay)*s.pace(), 'f', 1, 64)
	}
	for name, content := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if strings.HasSuffix(name, ".sh") {
			mode = 0o755
		}
		if err := os.WriteFile(name, []byte(content), mode); err != nil {
			return err
		}
	}
	return nil
}

// pace is the time between the ends of two hooks, in seconds.
func (s *sessionOnDisk) pace() float64 {
	if s.recorded {
		return 0.1
	}
	return 0.2
}

func (s *sessionOnDisk) remove() { _ = os.RemoveAll(s.dir) }

// A record is one run of a hook.
type record struct {
	N     string            `json:"n"`
	Argv  []string          `json:"argv"`
	Cwd   string            `json:"cwd"`
	Env   map[string]string `json:"env,omitempty"`
	Stdin string            `json:"stdin,omitempty"`
}

// A firing is an event with the runs of hooks for it: those with the same key.
type firing struct {
	Turn    int           `json:"-"`
	Event   string        `json:"event"`
	Tool    string        `json:"tool,omitempty"`
	Stdin   string        `json:"stdin"`
	Key     string        `json:"-"`
	Runs    []record      `json:"runs,omitempty"`    // without the witness
	Seen    bool          `json:"seen,omitempty"`    // by the witness
	Refused bool          `json:"refused,omitempty"` // no hook was fired, because a permission rule denies the call
	Effect  suites.Effect `json:"effect,omitempty"`  // "" if it does not show
	Because string        `json:"because,omitempty"`
	Asked   bool          `json:"asked,omitempty"` // the user was asked about the call, for whatever reason
}

func readRecords(dir string) ([]record, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*-*"))
	if err != nil {
		return nil, err
	}
	var all []record
	for _, at := range names {
		if _, err := os.Stat(filepath.Join(at, "done")); errors.Is(err, fs.ErrNotExist) {
			continue // the hook was ended before it had read its stdin
		}
		text := func(name string) string {
			b, err := os.ReadFile(filepath.Join(at, name))
			if err != nil {
				return ""
			}
			return string(b)
		}
		r := record{Cwd: strings.TrimSuffix(text("cwd"), "\n"), Stdin: text("stdin"), Env: map[string]string{}}
		r.N, _, _ = strings.Cut(filepath.Base(at), "-")
		r.Argv = strings.Split(strings.TrimSuffix(text("argv"), "\x00"), "\x00")
		for line := range strings.Lines(text("env")) {
			if name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "="); ok {
				r.Env[name] = value
			}
		}
		all = append(all, r)
	}
	return all, nil
}

// activeStop matches the stdin of an event at a stop that a hook has caused to happen again.
var activeStop = regexp.MustCompile(`(?i)"stop_?hook_?active": ?true`)

// firingsIn groups records by their stdin, or of a client that gives the hooks of one event different
// ones, by the event and what tells its firings in a turn apart.
func (s *sessionOnDisk) firingsIn(turn int, records []record) (all []firing) {
	for _, r := range records {
		var p struct {
			Event string `json:"hook_event_name"`
			Tool  string `json:"tool_name"`
		}
		if json.NewDecoder(bytes.NewReader([]byte(r.Stdin))).Decode(&p) != nil {
			p.Event = "" // a hook without stdin
		}
		f := firing{Turn: turn, Event: p.Event, Tool: p.Tool, Stdin: r.Stdin, Key: r.Stdin}
		if s.draws.of.Name != clients.Claude {
			if f.Event = s.project.hook(r.N).Event; r.N == witness {
				f.Event = r.Argv[1]
			}
			if about, _ := client.EventByName(f.Event); about.Tool {
				f.Tool = s.project.Calls[turn].Tool
			}
			f.Key = fmt.Sprint(f.Event, activeStop.MatchString(r.Stdin))
		}
		i := slices.IndexFunc(all, func(o firing) bool { return o.Key == f.Key })
		if i < 0 {
			all = append(all, f)
			i = len(all) - 1
		}
		again := len(records) > mostRuns && slices.ContainsFunc(all[i].Runs, func(o record) bool { return o.N == r.N })
		if r.N == witness {
			all[i].Seen = true
		} else if !again {
			all[i].Runs = append(all[i].Runs, r)
		}
	}
	return all
}
