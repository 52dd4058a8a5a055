package run

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/discover"
	"hookwatch/suites/live"
)

// About identifies the hook under test.
type About struct {
	Case  *suites.Case
	Step  *suites.Step
	Named func(event, name, value string) (discover.Hook, bool) // the registered hook of this name; nil: none
}

// concerns reports whether a hook that fired is under test: its script, the registered hook that
// the case names, or every hook of a chain. at is its index in registered, -1 if unknown.
func (a About) concerns(registered []discover.Hook, at int) bool {
	switch {
	case a.Case.Chain:
		return true
	case at < 0:
		return false
	case a.registration() != "":
		if a.Named == nil {
			return false
		}
		h, found := a.Named(a.Step.Event, a.registration(), a.Step.Matched())
		return found && h.ID == registered[at].ID
	default:
		return slices.Contains(registered[at].Scripts, cmp.Or(a.Step.Hook, a.Case.Hook))
	}
}

// registration returns the name of the step's registered hook. A script of the step overrides the
// case's registered hook.
func (a About) registration() string {
	if a.Step.Registered == "" && a.Step.Hook != "" {
		return ""
	}
	return cmp.Or(a.Step.Registered, a.Case.Registered)
}

// Among reports whether one of the hooks is under test.
func (a About) Among(hooks []discover.Hook) bool {
	for at := range hooks {
		if a.concerns(hooks, at) {
			return true
		}
	}
	return false
}

// Hook returns the name of the hook under test.
func (a About) Hook() string {
	return cmp.Or(a.registration(), a.Step.Hook, a.Case.Hook, "any hook")
}

// result returns the result of the i-th step of a session. registered are the hooks that fire for
// it, and about determines which of them count.
func result(session Session, i int, registered []discover.Hook, about About) suites.Result {
	seen := session.Seen[i]
	r := suites.Result{Exit: -1, Client: session.Version, Duration: session.Duration, ModelSees: seen.Texts()}
	r.Effect, r.EffectReason = seen.Effect()
	r.Live = &suites.LiveResult{ModelSees: live.Cut(r.ModelSees, seen.FiredLines()), Requests: session.Requests, End: seen.End(), Bodies: session.Bodies, Failed: seen.FailureText(), Elsewhere: session.Elsewhere}
	registered = unconditional(registered, len(seen.FiredLines()))
	var readings []client.Reading
	predictable := true // enough is known of all hooks to predict the effect
	for _, h := range live.Match(&seen, namesOf(registered)) {
		r.Live.Hooks = append(r.Live.Hooks, suites.LiveHook{Event: seen.Turn.Event, Command: h.Command, Exit: h.Exit, Outcome: h.Outcome})
		r.Live.Returned = append(r.Live.Returned, hookOutput(h, registered, r.ModelSees))
		if !about.concerns(registered, h.Registered) {
			continue
		}
		exit := -1
		if h.Exit != nil {
			exit = *h.Exit
		}
		r.Exit = max(r.Exit, exit)
		r.Fired = true
		r.Stdout = append(r.Stdout, h.Stdout...)
		r.Stderr = append(r.Stderr, h.Stderr...)
		if h.ID == "" { // its output is unknown, so nothing can be predicted
			predictable = false
			if alike(r.Effect, suites.Proceeds) {
				r.EffectReason = "the client went on; of a hook that only its log names it is not known what it printed"
			}
			continue
		}
		entry := client.Entry{Command: h.Command}
		if predictable = predictable && h.Registered >= 0; h.Registered >= 0 {
			entry = registered[h.Registered].Entry
		}
		out := client.Output{
			Exit: exit, TimedOut: h.Outcome == "cancelled", Stdout: []byte(h.Stdout), Stderr: []byte(h.Stderr), Entry: entry, Matched: seen.Turn.Value,
		}
		if of, ok := otherClient(registered, h.Registered); ok {
			readings = append(readings, of.Interpret(registered[h.Registered].ClientEvent, out).Reading())
		} else {
			readings = append(readings, client.Interpret(client.Version(session.Version), seen.Turn.Event, out))
		}
	}
	r.StdoutBytes, r.StderrBytes = int64(len(r.Stdout)), int64(len(r.Stderr))
	if len(readings) > 0 {
		predicted := client.Combine(readings)
		r.Decision = predicted.Decision
		switch {
		case predictable && !alike(predicted.Effect, r.Effect):
			r.Live.Predicted = predicted.Effect
		case predictable && predicted.Effect != r.Effect: // only the output distinguishes these effects
			r.Effect = predicted.Effect
		}
	}
	return r
}

// otherClient returns the client of a hook that is another's than Claude Code.
func otherClient(hooks []discover.Hook, at int) (clients.Client, bool) {
	if at < 0 || hooks[at].Client == "" {
		return clients.Client{}, false
	}
	return clients.ByName(hooks[at].Client)
}

// unconditional returns the hooks without an if, if exactly as many fired, because those with an if
// were then probably skipped. Otherwise it returns all.
func unconditional(registered []discover.Hook, fired int) []discover.Hook {
	without := slices.DeleteFunc(slices.Clone(registered), func(h discover.Hook) bool { return h.If != "" })
	if len(without) == fired {
		return without
	}
	return registered
}

// alike reports whether two effects look the same from outside. Only the hook's output, not the
// client's behaviour, shows that the client ignored it.
func alike(a, b suites.Effect) bool {
	nothing := []suites.Effect{suites.Proceeds, suites.Ignored}
	return a == b || slices.Contains(nothing, a) && slices.Contains(nothing, b)
}

// hookOutput returns the output of a hook that fired.
func hookOutput(h live.Fired, registered []discover.Hook, texts []string) suites.Returned {
	out := suites.Returned{
		Command: h.Command, Exit: h.Exit, Outcome: h.Outcome, Stdout: h.Stdout, Stderr: h.Stderr, ModelSees: live.Carrying(texts, h.HookLine),
	}
	if h.Registered >= 0 {
		out.Hook, out.Command = registered[h.Registered].ID, registered[h.Registered].Command
	}
	return out
}

// namesOf returns the forms in which the client may name the hooks.
func namesOf(hooks []discover.Hook) []live.Registered {
	out := make([]live.Registered, len(hooks))
	for i, h := range hooks {
		out[i] = live.Registered{h.Command, h.Entry.Command}
	}
	return out
}

// blame makes a fault of the client the result of the step that the client had reached.
func blame(results []suites.Result, f *Fault, timeout time.Duration) []suites.Result {
	if f == nil {
		return results
	}
	if len(results) == 0 {
		results = []suites.Result{{Exit: -1}}
	}
	last := &results[len(results)-1]
	if f.Kind == TimedOut {
		last.TimedOut, last.Timeout = true, timeout
	} else {
		last.NotStarted = f.Error()
	}
	return results
}

// ofClient reports whether the client itself made the change.
func ofClient(c suites.Change) bool {
	own := []string{"~/", "/tmp/claude-", "{tmp}/claude-", "/tmp/cc-socks", "{tmp}/cc-socks", "/tmp/node-compile-cache", "{tmp}/node-compile-cache"}
	return c.Path == "~" || slices.ContainsFunc(own, func(prefix string) bool { return strings.HasPrefix(c.Path, prefix) })
}

// unplayable returns why no session of the client can play the case, "" if one can.
func unplayable(c *suites.Case) string {
	if c.WantedEnv().Cwd != "" {
		return "it has a cwd of its own, and the client's hooks are those of the directory in which it starts"
	}
	if len(c.Steps) > 1 {
		if at := slices.IndexFunc(c.Steps, func(st suites.Step) bool { return live.WayTo(st.Event).WholeSession }); at >= 0 {
			return "the mode in which the client fires " + c.Steps[at].Event + " is that of its whole session: make a case of one step"
		}
	}
	for _, st := range c.Steps[1:] {
		if slices.ContainsFunc(st.Fixtures, func(f suites.Fixture) bool { return f.Age > 0 }) {
			return "a file of an age cannot be placed while the client runs"
		}
		if !maps.Equal(st.Env, c.Steps[0].Env) && len(st.Env) > 0 {
			return "a later step has variables of its own, and the client's hooks have those with which it started"
		}
	}
	return ""
}

// delegatedReplies returns the scripted answers to a client that a hook starts; fill expands the templates
// in an input.
func delegatedReplies(answers []suites.Answer, fill func(json.RawMessage) json.RawMessage) (all []live.Reply) {
	for _, a := range answers {
		r := live.Reply{Text: a.Text, Delay: a.Delay}
		if a.Tool != "" {
			r.Calls = []live.Call{{Tool: a.Tool, Input: fill(a.Input)}}
		}
		all = append(all, r)
	}
	return all
}

// readAnyway are the settings files that the client finds by itself.
var readAnyway = []string{".claude/settings.json", ".claude/settings.local.json"}

// A Stand describes where the client starts, which may not be the real project.
type Stand struct {
	Elsewhere bool
	Root      string // of the real project
	Home      string
}

// command returns the command of a hook as the client has it there.
func (s Stand) command(h discover.Hook) string {
	switch {
	case h.Scope == discover.InHome && h.Args == nil:
		return discover.WrittenHome().ReplaceAllString(h.Command, s.Home+"/.claude/")
	case h.PluginRoot == "" && s.Elsewhere:
		return live.RootCommand(h.Entry, s.Root)
	case h.PluginRoot != "": // the client's reports name it so
		return h.NameIn(s.Root+strings.TrimPrefix(h.PluginRoot, h.Root), h.Command)
	default:
		return h.Command
	}
}

// NotByItself returns what the client does not find by itself: the entries of other settings files,
// or of all of them if the client starts elsewhere or again is set, and the directories of plugins.
func (s Stand) NotByItself(hooks []discover.Hook, again bool) (entries []client.Entry, plugins []string) {
	for _, h := range hooks {
		switch {
		case h.PluginRoot == "" && (again || s.Elsewhere || !slices.Contains(readAnyway, h.Source.File)):
			entry := h.Entry
			entry.Command = s.command(h)
			entries = append(entries, entry)
		case h.PluginRoot != "" && !slices.Contains(plugins, h.PluginRoot):
			plugins = append(plugins, h.PluginRoot)
		}
	}
	return entries, plugins
}

// StartedHooks returns the hooks with their commands as the client has them.
func (s Stand) StartedHooks(hooks []discover.Hook) []discover.Hook {
	hooks = slices.Clone(hooks)
	for i := range hooks {
		hooks[i].Command = s.command(hooks[i])
	}
	return hooks
}

// LinkHome is a sh script that makes a tree to be installed as ~/.claude, $2, visible in a HOME,
// $1. It omits the settings, whose hooks the client gets separately, the directories that the
// client writes, and commands, so that the client has its own, such as /compact.
const LinkHome = `mkdir -p "$1/.claude" && for f in "$2"/* "$2"/.[!.]*; do
	case ${f##*/} in settings.json | settings.local.json | commands | .git | projects | todos | statsig | shell-snapshots | session-env | backups | "*" | ".[!.]*") ;;
	*) ln -s "$f" "$1/.claude/" || exit ;; esac
done`
