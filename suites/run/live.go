package run

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/live"
	"hookwatch/suites/pattern"
	"hookwatch/suites/process"
	"hookwatch/suites/shell"
)

// liveGate skips a case that the real client cannot fire here.
func (o *Options) liveGate(c *suites.Case) *suites.NotRun {
	if c.Layer != suites.Live {
		return nil
	}
	skip := func(r suites.Reason, detail string) *suites.NotRun {
		return &suites.NotRun{Status: suites.Skip, Reason: r, Detail: detail}
	}
	if c.Client != "" && c.Client != o.Live.Of.Name {
		return skip(suites.NotLive, "hookwatch does not know how to run "+c.Client)
	}
	if why := o.Outside(); why != "" && o.InForce != nil {
		return skip(suites.NotLive, why)
	}
	if _, err := o.clientProgram(); err != nil {
		return skip(suites.ToolAbsent, o.Live.Program()+" ("+o.Live.Driver().Install()+")")
	}
	if why := unplayable(c); why != "" {
		return skip(suites.NotLive, why)
	}
	if why := o.whyUnregistered(c); why != "" && c.AskedLive {
		return skip(suites.NotLive, why)
	}
	fixtures := make(map[string]string)
	for i := range c.Steps {
		s := o.plan(c, o.Temp)
		for _, f := range c.Steps[i].Fixtures {
			fixtures[s.path(f.Path)] = f.Content
		}
		turn, err := s.turn(i, func(path string) (string, bool) {
			if content, ok := fixtures[path]; ok {
				return content, true
			}
			b, err := os.ReadFile(path)
			return string(b), err == nil
		})
		var why *live.NotLiveError
		if errors.As(err, &why) {
			return skip(suites.NotLive, why.Why)
		}
		if err == nil && turn.Again && len(c.Steps[i].Fixtures) > 0 {
			return skip(suites.NotLive, "files for a second stop cannot be placed while the turn goes on")
		}
	}
	return nil
}

// Outside returns why the real client is not started in the user's project, "" if it is. Outside
// namespaces hookwatch cannot contain the programs that the client starts by itself: the project's
// apiKeyHelper, status line and MCP servers, and, through git, core.fsmonitor and filters. Which
// settings start programs changes with every version of the client.
func (o *Options) Outside() string {
	d := o.Isolation.Describe()
	if d.Private {
		return ""
	}
	return "the real client is started in namespaces only, and run.isolation is " + d.Name
}

// whyUnregistered returns why the client would not fire a hook of the case: it is not registered.
func (o *Options) whyUnregistered(c *suites.Case) string {
	for i := range c.Steps {
		st := &c.Steps[i]
		sent, err := o.plan(c, o.Temp).stdin(st)
		if err != nil || o.Hooks == nil {
			continue
		}
		hooks := o.Hooks(st.Event, client.MatchedValue(st.Event, st.Tool, sent))
		about := About{Case: c, Step: st, Named: o.Registered}
		if !about.Among(hooks) {
			return about.Hook() + " is not registered for " + strings.TrimSpace(st.Event+" "+st.Tool)
		}
	}
	return ""
}

func (o *Options) clientProgram() (string, error) {
	path, err := process.LookPath(o.Live.Program(), o.Root, o.Env)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// turn returns the client's turn for a step.
func (s *caseRun) turn(i int, file func(string) (string, bool)) (live.Turn, error) {
	st := &s.c.Steps[i]
	sent, err := s.stdin(st)
	if err != nil {
		return live.Turn{}, err
	}
	return s.o.Live.Driver().Turn(live.Step{
		Event: st.Event, Value: client.MatchedValue(st.Event, st.Tool, sent), Sent: sent, Whole: s.payload(slices.Concat(st.PayloadRaw, st.Payload)),
		Raw: st.Stdin != nil, First: i == 0, File: file, Nested: delegatedReplies(st.Delegate, s.payload),
	})
}

// live lets the client fire the hooks of all steps in one session.
func (s *caseRun) live(ctx context.Context, o *suites.Outcome) error {
	program, err := s.o.clientProgram()
	if err != nil {
		return err
	}
	c := Client{
		Program: program, Env: s.env, Dir: s.project(), Home: filepath.Join(s.dir, "home"),
		Timeout: s.o.limit(cmp.Or(s.c.Timeout, s.o.Live.Timeout, 2*time.Minute)),
	}
	var witnesses []live.Witness
	if s.o.Live.Of.Live.Program != "" {
		c.UserHome = variables(s.o.Env)["HOME"]
		err = s.hookFiles(&c)
	} else {
		witnesses, err = s.liveSettings(ctx, &c)
	}
	if err != nil {
		return err
	}
	c.Env = process.Unset(process.With(c.Env, s.expandAll(s.c.Steps[0].Env)), s.c.WantedEnv().Unset)
	files := make([]map[string][]byte, len(s.c.Steps))
	var parts []Part
	for i := range s.c.Steps {
		st := &s.c.Steps[i]
		about, _ := client.EventByName(st.Event)
		parts = append(parts, Part{
			Joins: about.Tool,
			Make:  func() (live.Turn, error) { return s.makeTurn(ctx, i) },
			Done:  func() { files[i] = s.expectedFiles(st.Expect.Files) },
			Questions: func(tool string) bool {
				return s.o.Hooks != nil && len(s.o.Hooks(client.PermissionEvent().Name, tool)) > 0
			},
		})
	}
	for _, f := range s.c.Steps[0].Fixtures {
		if err := s.place(ctx, f); err != nil {
			return err
		}
	}
	s.Begin()
	session, err := s.o.Live.Driver().Play(ctx, c, Place{Run: s.Run, Listen: s.Listen, Read: s.Read, Write: s.writeText}, parts)
	if err != nil {
		return err
	}
	o.Changes, o.Stopped = s.changes()
	o.Changes = slices.DeleteFunc(o.Changes, func(ch suites.Change) bool { return ofClient(ch) || len(c.Witnesses) > 0 && s.o.Live.Of.Reads(ch.Path) })
	s.addWitnesses(session.Seen, witnesses)
	for i := range session.Seen {
		r := s.liveResult(session, i)
		if r.Files, r.Changes = files[i], o.Changes; i == len(session.Seen)-1 { // hooks may end after the last turn
			r.Files = s.expectedFiles(s.c.Steps[i].Expect.Files)
		}
		o.Results = append(o.Results, r)
	}
	o.Results = blame(o.Results, session.Fault, c.Timeout)
	return nil
}

// makeTurn places the files that a turn needs when its step begins, and returns the turn.
func (s *caseRun) makeTurn(ctx context.Context, i int) (live.Turn, error) {
	if i > 0 {
		for _, f := range s.c.Steps[i].Fixtures {
			if err := s.place(ctx, f); err != nil {
				return live.Turn{}, err
			}
		}
	}
	t, err := s.turn(i, func(path string) (string, bool) {
		b, err := s.Read(path)
		return string(b), err == nil
	})
	if err != nil {
		return t, err
	}
	for _, f := range t.Place {
		if err := s.Write(f.Path, f.Content, 0o644); err != nil {
			return t, err
		}
	}
	return t, nil
}

// liveResult returns the result of a step.
func (s *caseRun) liveResult(session Session, i int) suites.Result {
	st, turn := &s.c.Steps[i], session.Seen[i].Turn
	var registered []discover.Hook
	if s.o.Hooks != nil {
		registered = s.o.Hooks(turn.Event, turn.Value)
	}
	r := result(session, i, s.stand().StartedHooks(registered), About{Case: s.c, Step: st, Named: s.o.Registered})
	if s.o.Live.Of.Live.Program != "" {
		r.ClientName = s.o.Live.Of.Name
	}
	return r
}

// liveSettings adds the settings that the client does not find by itself: for a temporary project,
// which has no settings, the hooks of the real one, with its root; and all hooks, with witnesses,
// for events whose hooks the client does not report.
func (s *caseRun) liveSettings(ctx context.Context, c *Client) (seen []live.Witness, err error) {
	if s.o.InForce == nil {
		return nil, nil
	}
	c.Alone = s.o.Live.Alone || slices.ContainsFunc(s.c.Steps, func(st suites.Step) bool { return live.Replaces(st.Event) })
	if slices.ContainsFunc(s.o.InForce(), discover.Hook.AtHome) {
		if err := s.tool(ctx, nil, s.root, "/bin/sh", "-c", LinkHome, "sh", c.Home, s.root); err != nil {
			return nil, err
		}
	}
	entries, roots := s.stand().NotByItself(s.o.InForce(), c.Alone)
	for _, root := range roots {
		c.Plugins = append(c.Plugins, s.move(root))
	}
	if c.Alone && len(entries) > 0 {
		entries, seen = live.AddWitnesses(entries, filepath.Join(c.Home, "hookwatch"))
	}
	for _, w := range seen {
		if err := s.Write(filepath.Join(w.Dir, "command"), w.Command+"\n", 0o644); err != nil {
			return nil, err
		}
	}
	c.Hooks = entries
	return seen, nil
}

func (s *caseRun) writeText(path, content string) error { return s.Write(path, content, 0o644) }

// stand returns where the client starts.
func (s *caseRun) stand() Stand {
	return Stand{Elsewhere: s.override != "", Root: s.root, Home: filepath.Join(s.dir, "home")}
}

// addWitnesses adds the reports of an event's witnesses to the step with this event, if there is only
// one, and replaces the witnesses' commands in the model's texts by the commands that they wrap.
func (s *caseRun) addWitnesses(seen []live.Seen, witnesses []live.Witness) {
	for i := range seen {
		for h := range seen[i].Heard {
			for t, text := range seen[i].Heard[h].Texts {
				for _, w := range witnesses {
					text = w.Unmask(text)
				}
				seen[i].Heard[h].Texts[t] = text
			}
		}
		for l := range seen[i].Log {
			for _, w := range witnesses {
				seen[i].Log[l].Command = w.Unmask(seen[i].Log[l].Command)
			}
		}
		event := seen[i].Turn.Event
		of := slices.DeleteFunc(slices.Clone(s.c.Steps), func(st suites.Step) bool { return st.Event != event })
		for _, w := range witnesses {
			fired, ok := w.Saw(func(name string) (string, bool) {
				b, err := s.Read(filepath.Join(w.Dir, name))
				return string(b), err == nil
			})
			if ok && w.Event == event && len(of) == 1 {
				seen[i].Saw = append(seen[i].Saw, fired)
			}
		}
	}
}

// adaptHook returns a hook adapted to the sandbox: with the paths of the case's copy of the project,
// and with the temporary project as its session, if the case has them.
func (s *caseRun) adaptHook(h discover.Hook) discover.Hook {
	h.Root, h.PluginRoot, h.Session = s.move(h.Root), s.move(h.PluginRoot), s.move(h.Session)
	if s.override != "" {
		h.Session = s.override
		if h.Scope == discover.InProject {
			h.Command, h.Args = s.adapt(h, h.Command), slices.Clone(h.Args)
			for i, arg := range h.Args {
				h.Args[i] = s.adapt(h, arg)
			}
		}
	}
	if _, own := s.c.Env["HOME"]; own && h.Scope != discover.InHome {
		home := variables(s.o.Env)["HOME"]
		h.Command = homePath().ReplaceAllStringFunc(h.Command, func(old string) string {
			return homePath().FindStringSubmatch(old)[1] + shell.Quote(home) + "/.claude/"
		})
	}
	if h.Scope == discover.InHome {
		h.Command = discover.WrittenHome().ReplaceAllString(h.Command, s.home()+"/.claude/")
	}
	return h
}

// homePath matches a path in the user's ~/.claude at the start of a word. A case with a HOME of its
// own still runs the scripts of the real one.
var homePath = pattern.Lazy(`(^|[\s=;&|(])(?:~|"?\$HOME"?|"?\$\{HOME\}"?)/\.claude/`)

// adapt adapts a part of a hook's command to a case with a temporary project. That replaces the
// user's project everywhere except in the paths of the hook's scripts, which stay in the real one.
func (s *caseRun) adapt(h discover.Hook, text string) string {
	for _, script := range h.Scripts {
		named := regexp.MustCompile(`(^|[\s"'=;&|(])(?:\$CLAUDE_PROJECT_DIR|\$\{CLAUDE_PROJECT_DIR\})("?/)` + regexp.QuoteMeta(script))
		text = named.ReplaceAllStringFunc(text, func(old string) string {
			part := named.FindStringSubmatch(old)
			return part[1] + s.root + part[2] + script
		})
		relative := regexp.MustCompile(`(^|[\s"'=;&|(])(?:\./)?` + regexp.QuoteMeta(script))
		text = relative.ReplaceAllStringFunc(text, func(old string) string {
			return relative.FindStringSubmatch(old)[1] + s.root + "/" + script
		})
	}
	return text
}

// move returns the path in the sandbox of a path in the project.
func (s *caseRun) move(path string) string {
	rest, below := strings.CutPrefix(path, s.o.Root)
	if s.root == s.o.Root || !below || rest != "" && rest[0] != filepath.Separator {
		return path
	}
	return s.root + rest
}

// home returns the HOME of a case whose hooks are in a tree to be installed as ~/.claude.
func (s *caseRun) home() string { return filepath.Join(s.tmp, "home") }

// install makes such a tree visible as ~/.claude.
func (s *caseRun) install(hooks []discover.Hook) error {
	if !slices.ContainsFunc(hooks, func(h discover.Hook) bool { return h.Scope == discover.InHome }) {
		return nil
	}
	return s.LinkOwn("tmp/home/.claude", s.root)
}
