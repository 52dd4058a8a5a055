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
	"hookwatch/suites/discover"
	"hookwatch/suites/live"
)

// About says what a case is about.
type About struct {
	Case  *suites.Case
	Step  *suites.Step
	Named func(event, name string) (discover.Hook, bool) // the registered hook that a case names; nil: none are registered
}

// concerns reports whether a hook that fired is what the case is about: its script,
// the registered hook that it names, or, of a chain, every one. at is where it stands
// among those that are registered, -1 when that is not known.
func (a About) concerns(registered []discover.Hook, at int) bool {
	switch {
	case a.Case.Chain:
		return true
	case at < 0:
		return false
	case a.registered() != "":
		if a.Named == nil {
			return false
		}
		h, found := a.Named(a.Step.Event, a.registered())
		return found && h.ID == registered[at].ID
	default:
		return slices.Contains(registered[at].Scripts, cmp.Or(a.Step.Hook, a.Case.Hook))
	}
}

// registered is the name of the registered hook of the step; a script of the step's own
// goes before the case's.
func (a About) registered() string {
	if a.Step.Registered == "" && a.Step.Hook != "" {
		return ""
	}
	return cmp.Or(a.Step.Registered, a.Case.Registered)
}

// Among reports whether one of the hooks is what the case is about.
func (a About) Among(hooks []discover.Hook) bool {
	for at := range hooks {
		if a.concerns(hooks, at) {
			return true
		}
	}
	return false
}

// Hook names what the case is about.
func (a About) Hook() string {
	return cmp.Or(a.registered(), a.Step.Hook, a.Case.Hook, "any hook")
}

// Result is what the i-th step of a session came to. registered are the hooks that
// fire for it, and about tells which of them count.
func Result(session Session, i int, registered []discover.Hook, about About) suites.Result {
	seen := session.Seen[i]
	r := suites.Result{Exit: -1, Client: session.Version, Duration: session.Duration, ModelSees: seen.Texts()}
	r.Effect, r.EffectReason = seen.Effect()
	r.Live = &suites.LiveResult{ModelSees: live.Cut(r.ModelSees, seen.Fired()), Requests: session.Requests, End: seen.End(), Bodies: session.Bodies, Failed: seen.Failed()}
	registered = unconditional(registered, len(seen.Fired()))
	var readings []client.Reading
	foretold := true // what is known of all hooks is enough to foretell the effect
	for _, h := range live.Match(&seen, namesOf(registered)) {
		r.Live.Hooks = append(r.Live.Hooks, suites.LiveHook{Event: seen.Turn.Event, Command: h.Command, Exit: h.Exit, Outcome: h.Outcome})
		r.Live.Returned = append(r.Live.Returned, returned(h, registered, r.ModelSees))
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
		if h.ID == "" { // without its streams nothing can be foretold
			foretold = false
			if alike(r.Effect, suites.Proceeds) {
				r.EffectReason = "the client went on; of a hook that only its log names it is not known what it printed"
			}
			continue
		}
		entry := client.Entry{Command: h.Command}
		if foretold = foretold && h.Registered >= 0; h.Registered >= 0 {
			entry = registered[h.Registered].Entry
		}
		readings = append(readings, client.Interpret(client.Version(session.Version), seen.Turn.Event, client.Output{
			Exit: exit, TimedOut: h.Outcome == "cancelled", Stdout: []byte(h.Stdout), Stderr: []byte(h.Stderr), Entry: entry, Matched: seen.Turn.Value,
		}))
	}
	r.StdoutBytes, r.StderrBytes = int64(len(r.Stdout)), int64(len(r.Stderr))
	if len(readings) > 0 {
		predicted := client.Combine(readings)
		r.Decision = predicted.Decision
		switch {
		case foretold && !alike(predicted.Effect, r.Effect):
			r.Live.Predicted = predicted.Effect
		case foretold && predicted.Effect != r.Effect: // which only the output tells apart
			r.Effect = predicted.Effect
		}
	}
	return r
}

// unconditional are the hooks without an if, where no more than these fired: a hook with
// one may have been passed over.
func unconditional(registered []discover.Hook, fired int) []discover.Hook {
	without := slices.DeleteFunc(slices.Clone(registered), func(h discover.Hook) bool { return h.If != "" })
	if len(without) == fired {
		return without
	}
	return registered
}

// alike reports whether two effects look the same from outside: that a hook said
// something to no effect is told from what it said, not from what the client did.
func alike(a, b suites.Effect) bool {
	nothing := []suites.Effect{suites.Proceeds, suites.Ignored}
	return a == b || slices.Contains(nothing, a) && slices.Contains(nothing, b)
}

// returned is what a hook that fired gave the client.
func returned(h live.Fired, registered []discover.Hook, texts []string) suites.Returned {
	out := suites.Returned{
		Command: h.Command, Exit: h.Exit, Outcome: h.Outcome, Stdout: h.Stdout, Stderr: h.Stderr, Told: live.Carrying(texts, h.HookLine),
	}
	if h.Registered >= 0 {
		out.Hook, out.Command = registered[h.Registered].ID, registered[h.Registered].Command
	}
	return out
}

// namesOf are the forms in which the client may name the hooks.
func namesOf(hooks []discover.Hook) []live.Registered {
	out := make([]live.Registered, len(hooks))
	for i, h := range hooks {
		out[i] = live.Registered{h.Command, h.Entry.Command}
	}
	return out
}

// Blame makes what is wrong with the client, if anything, the result of the step that
// it came to.
func Blame(results []suites.Result, f *Fault, timeout time.Duration) []suites.Result {
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

// OfClient tells changes that the client makes for itself.
func OfClient(c suites.Change) bool {
	for _, own := range []string{"~/", "/tmp/claude-", "{tmp}/claude-", "/tmp/cc-socks", "{tmp}/cc-socks"} {
		if strings.HasPrefix(c.Path, own) {
			return true
		}
	}
	return c.Path == "~"
}

// Unplayable says what of a case no session of the client can have; "" when it can.
func Unplayable(c *suites.Case) string {
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

// Delegated are the scripted answers to a client that a hook starts; fill fills in the
// templates of an input.
func Delegated(answers []suites.Answer, fill func(json.RawMessage) json.RawMessage) (all []live.Reply) {
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

// A Stand says where the client starts, which need not be the real project.
type Stand struct {
	Elsewhere bool
	Root      string // of the real project
	Home      string
}

// command is that of a hook as the client has it there.
func (s Stand) command(h discover.Hook) string {
	switch {
	case h.Scope == discover.InHome && h.Args == nil:
		return discover.WrittenHome().ReplaceAllString(h.Command, s.Home+"/.claude/")
	case h.PluginRoot == "" && s.Elsewhere:
		return live.Rooted(h.Entry, s.Root)
	case h.PluginRoot != "": // the client names it so in what it tells
		return strings.ReplaceAll(h.Command, "${CLAUDE_PLUGIN_ROOT}", s.Root+strings.TrimPrefix(h.PluginRoot, h.Root))
	default:
		return h.Command
	}
}

// NotByItself lists what the client has to be told of: entries of other settings
// files, or of all of them where it starts elsewhere or is to have them anew, and the
// directories of plugins.
func (s Stand) NotByItself(hooks []discover.Hook, anew bool) (entries []client.Entry, plugins []string) {
	for _, h := range hooks {
		switch {
		case h.PluginRoot == "" && (anew || s.Elsewhere || !slices.Contains(readAnyway, h.Source.File)):
			entry := h.Entry
			entry.Command = s.command(h)
			entries = append(entries, entry)
		case h.PluginRoot != "" && !slices.Contains(plugins, h.PluginRoot):
			plugins = append(plugins, h.PluginRoot)
		}
	}
	return entries, plugins
}

// Started are the hooks as the client has them.
func (s Stand) Started(hooks []discover.Hook) []discover.Hook {
	hooks = slices.Clone(hooks)
	for i := range hooks {
		hooks[i].Command = s.command(hooks[i])
	}
	return hooks
}

// LinkHome is a script for sh that has a tree which is kept to be ~/.claude, $2, seen
// as the one of a HOME, $1. The client is given what its settings register anew, writes
// to directories of its own, and has its own commands, such as /compact.
const LinkHome = `mkdir -p "$1/.claude" && for f in "$2"/* "$2"/.[!.]*; do
	case ${f##*/} in settings.json | settings.local.json | commands | .git | projects | todos | statsig | shell-snapshots | session-env | backups | "*" | ".[!.]*") ;;
	*) ln -s "$f" "$1/.claude/" || exit ;; esac
done`
