package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/live"
)

// A difference is one between the client and hookwatch.
type difference struct {
	kind   string // of equal kinds the first is printed
	turn   int
	hooks  []string // numbers of the hooks that it is about
	detail string
	known  string // why it is kept, "" if it is not
}

// An observed is what the client did in a turn.
type observed struct {
	Firings []firing `json:"firings"`
	Heard   []string `json:"heard,omitempty"` // texts with those of hooks that the model was sent
	Reached bool     `json:"reached"`         // the turn was played
}

// observe reads what the client did in every turn.
func (s *sessionOnDisk) observe() (all []observed, err error) {
	for i, dir := range s.took {
		records, err := readRecords(dir)
		if err != nil {
			return nil, err
		}
		o := observed{Firings: s.firingsIn(i, records), Reached: i < len(s.played.Seen)}
		if len(o.Firings) == 0 && !s.hasWitness() {
			o.Firings = []firing{s.silent(i)}
		}
		if o.Reached && len(o.Firings) > 0 && s.refusesFirst(i, o) {
			f := s.silent(i)
			f.Refused = true
			o.Firings = append(o.Firings, f)
		}
		if o.Reached {
			for at, f := range o.Firings {
				o.Firings[at].Effect, o.Firings[at].Because = s.effect(i, o.Firings, f)
				o.Firings[at].Asked = slices.ContainsFunc(s.played.Seen[i].Lines, func(l live.Line) bool { return l.Kind == live.Asks && l.ToolUse == s.played.Seen[i].Tested })
			}
			for _, h := range s.played.Seen[i].Heard {
				for _, text := range h.Texts {
					if h.Origin != live.Nested && mark.MatchString(text) {
						o.Heard = append(o.Heard, text)
					}
				}
			}
		}
		all = append(all, o)
	}
	return all, nil
}

func (s *sessionOnDisk) compare(ctx context.Context, seen []observed) (all []difference, err error) {
	o, err := newOracle(s)
	if err != nil {
		return nil, err
	}
	defer o.close()
	ended := false // the turn before, so that its texts come in this one
	for i, in := range seen {
		t := turn{s: s, i: i, observed: in}
		for _, f := range t.Firings {
			p, err := o.ask(ctx, f)
			if err != nil {
				return nil, err
			}
			t.predicted = append(t.predicted, p)
		}
		s.firings += len(t.Firings)
		t.late = ended
		all = append(all, t.compare()...)
		ended = t.ended
	}
	for i := range all {
		all[i].known = explain(s.project, all[i])
	}
	return all, nil
}

// refusesFirst reports whether the client refused the call of a turn because of a permission rule before it fired
// a hook.
func (s *sessionOnDisk) refusesFirst(i int, o observed) bool {
	if slices.ContainsFunc(o.Firings, func(f firing) bool { return f.Event == "PreToolUse" && f.Tool == s.project.Calls[i].Tool }) {
		return false
	}
	return slices.ContainsFunc(s.played.Seen[i].Lines, func(l live.Line) bool {
		answers := l.Kind == live.Answered && l.ToolUse == s.played.Seen[i].Tested
		return answers && l.Failed && refused.MatchString(l.Text)
	})
}

// refused matches the results of calls that the client refuses before it fires a hook.
var refused = regexp.MustCompile(`is disabled for this session|No such tool available: mcp__|denied by your permission|deny rule`)

// silent is the firing of a call of which no hook ran.
func (s *sessionOnDisk) silent(i int) firing {
	c := s.project.Calls[i]
	stdin, err := json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "cwd": s.root, "tool_name": c.Tool, "tool_input": s.input(c)})
	if err != nil {
		panic(err) // never: values of our own
	}
	return firing{Event: "PreToolUse", Tool: c.Tool, Stdin: string(stdin), Turn: i}
}

// A turn is compared as a whole, because the texts in a request come from several events.
type turn struct {
	observed
	s         *sessionOnDisk
	i         int
	predicted []prediction
	oneSided  map[string]bool // numbers of hooks that ran differently often
	late      bool            // texts of the turn before may come in this one
	ended     bool            // the session, or the prompt was blocked
	all       []difference
}

func (t *turn) add(kind string, hooks []string, format string, args ...any) {
	t.all = append(t.all, difference{kind: kind, turn: t.i, hooks: hooks, detail: fmt.Sprintf(format, args...)})
}

func (t *turn) compare() []difference {
	t.oneSided = map[string]bool{}
	for i, f := range t.Firings {
		t.launches(f, t.predicted[i])
		if f.Seen && len(t.predicted[i].own) > 0 {
			t.stdin(f, nil, f.Stdin, string(t.predicted[i].own))
		}
	}
	if t.Reached {
		t.texts(t.effects())
	}
	return t.all
}

// launches compares which hooks ran, and what they were given.
func (t *turn) launches(f firing, p prediction) {
	of := func(runs []record) map[string][]record {
		all := map[string][]record{}
		for _, r := range runs {
			all[r.N] = append(all[r.N], r)
		}
		for _, same := range all { // those of two layers run in any order
			slices.SortFunc(same, func(a, b record) int {
				return cmp.Or(cmp.Compare(a.Env["CLAUDE_PLUGIN_ROOT"], b.Env["CLAUDE_PLUGIN_ROOT"]), slices.Compare(a.Argv, b.Argv), cmp.Compare(a.Cwd, b.Cwd))
			})
		}
		return all
	}
	client, own := of(f.Runs), of(p.runs)
	mistake := func(layer string) string {
		for _, file := range t.s.project.Files {
			if file.Layer == layer && file.Mistake != nil {
				return fmt.Sprintf(", mistake %q", file.Mistake.New)
			}
		}
		return ""
	}
	numbers := slices.Collect(maps.Keys(client))
	for n := range own {
		if client[n] == nil {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		if len(client[n]) != len(own[n]) {
			t.oneSided[n] = true
			e := t.s.project.hook(n)
			t.add(fmt.Sprintf("runs: %d times in the client, %d in hookwatch, %s %s%s", len(client[n]), len(own[n]), f.Event, e.features(f), mistake(e.Layer)), []string{n},
				"hook %s of %s %s: matcher %q, if %v, command %s %q, stdin %s", n, f.Event, f.Tool, e.Matcher, e.Keys["if"], e.Form.Command, e.Form.Args, f.Stdin)
			continue
		}
		for i, c := range client[n] {
			t.launch(f, n, c, own[n][i])
		}
	}
}

// features are what may decide whether an entry runs for a firing.
func (e entry) features(f firing) string {
	var all []string
	if e.Layer == plugin {
		all = append(all, plugin)
	}
	if e.Keys["if"] != nil {
		var p struct {
			Input map[string]any `json:"tool_input"`
		}
		_ = json.Unmarshal([]byte(f.Stdin), &p) // an event without a tool has none
		about := cmp.Or(p.Input["command"], p.Input["file_path"])
		all = append(all, fmt.Sprintf("if %v on %q", e.Keys["if"], fmt.Sprint(about)))
	}
	if e.Matcher != "" {
		all = append(all, fmt.Sprintf("matcher %q", e.Matcher))
	}
	for _, name := range slices.Sorted(maps.Keys(e.Keys)) {
		if name != "if" && name != "timeout" {
			all = append(all, name)
		}
	}
	return strings.Join(all, ", ")
}

func (t *turn) launch(f firing, n string, client, own record) {
	client.Argv, own.Argv = client.plainArguments(), own.plainArguments()
	if !slices.Equal(client.Argv, own.Argv) {
		t.add("argv: "+t.s.project.hook(n).Form.Command, []string{n}, "%s: %q in the client, %q in hookwatch", f.Event, client.Argv, own.Argv)
	}
	if t.s.draws.of.Name != clients.Claude {
		t.stdin(f, []string{n}, client.Stdin, own.Stdin)
	}
	if client.Cwd != own.Cwd {
		t.add("cwd", []string{n}, "%s: %s in the client, %s in hookwatch", f.Event, client.Cwd, own.Cwd)
	}
	if t.s.recorded {
		maps.DeleteFunc(own.Env, func(name, _ string) bool { return slices.Contains(machines, name) })
	}
	for _, name := range slices.Sorted(maps.Keys(client.Env)) {
		value, has := own.Env[name]
		switch {
		case !has:
			t.add("env: only the client sets "+name+" at "+f.Event, []string{n}, "%s: %s", f.Event, client.Env[name])
		case value != client.Env[name]:
			t.add("env: value of "+name+" at "+f.Event, []string{n}, "%s: %q in the client, %q in hookwatch", f.Event, client.Env[name], value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(own.Env)) {
		if _, has := client.Env[name]; !has {
			t.add("env: only hookwatch sets "+name+" at "+f.Event, []string{n}, "%s: %s", f.Event, own.Env[name])
		}
	}
}

// plainArguments returns the arguments with a name for the directory of a plugin's data, which is the case's own
// in hookwatch.
func (r record) plainArguments() (argv []string) {
	data := r.Env["CLAUDE_PLUGIN_DATA"]
	for _, arg := range r.Argv {
		if data != "" {
			arg = strings.ReplaceAll(arg, data, "{data}")
		}
		argv = append(argv, arg)
	}
	return argv
}

// stdin compares the keys that hookwatch makes up for an event, and the types of their values, of
// hooks of other clients also some values.
func (t *turn) stdin(f firing, hooks []string, sent, made string) {
	var client, own map[string]any
	if json.Unmarshal([]byte(sent), &client) != nil || json.Unmarshal([]byte(made), &own) != nil {
		t.add("stdin: no object", hooks, "%s: %s and %s", f.Event, sent, made)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(client)) {
		switch value, has := own[name]; {
		case !has:
			t.add("stdin: only the client has "+f.Event+"."+name, hooks, "%s %s: %v", f.Event, f.Tool, client[name])
		case shape(value) != shape(client[name]):
			t.add("stdin: type of "+f.Event+"."+name, hooks, "%s %s: %v in the client, %v in hookwatch", f.Event, f.Tool, client[name], value)
		case slices.Contains(t.s.draws.Values, name) && f.Event != "PostToolUse" && !reflect.DeepEqual(value, client[name]):
			t.add("stdin: value of "+f.Event+"."+name, hooks, "%s %s: %v in the client, %v in hookwatch", f.Event, f.Tool, client[name], value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if _, has := client[name]; !has {
			t.add("stdin: only hookwatch has "+f.Event+"."+name, hooks, "%s %s: %v", f.Event, f.Tool, own[name])
		}
	}
}

// shape is the type of a value, with the keys of an object.
func shape(v any) string {
	switch v := v.(type) {
	case map[string]any:
		return fmt.Sprint(slices.Sorted(maps.Keys(v)))
	case nil:
		return "null"
	default:
		return fmt.Sprintf("%T", v)
	}
}

// class returns what effects have in common that only texts tell apart.
func class(e suites.Effect) suites.Effect {
	switch e {
	case suites.Ignored, suites.ContextAdded, suites.ShownToModel, "":
		return suites.Proceeds
	default:
		return e
	}
}

// effects compares the effects of a turn's events, and returns all of them.
func (t *turn) effects() (all []suites.Effect) {
	over := func(e suites.Effect) bool { return e == suites.SessionEnds || e == suites.PromptBlocked }
	for i, f := range t.Firings {
		p := t.predicted[i]
		seen, predicted := class(f.Effect), class(p.effect)
		all = append(all, predicted)
		if f.Effect == "" {
			continue
		}
		if f.Asked && predicted == suites.Asked { // without a mode in which it would not ask, the client names no rule
			seen = predicted
		}
		all = append(all, seen)
		if f.Event == "PreToolUse" {
			t.s.calls = append(t.s.calls, seen)
		}
		others := false // another event ends the session or the prompt
		for at, o := range t.Firings {
			others = others || o.Event != f.Event && over(class(t.predicted[at].effect))
		}
		if seen != predicted && !(over(seen) && others) && !t.consequence(f, p) {
			t.add(fmt.Sprintf("effect: %s of %s in the client, %s in hookwatch", seen, f.Event, predicted), t.numbers(f, p),
				"%s %s: %s (hookwatch: %s)", f.Event, f.Tool, f.Because, p.because)
		}
	}
	return all
}

// consequence reports whether a hook of a firing ran differently often.
func (t *turn) consequence(f firing, p prediction) bool {
	return slices.ContainsFunc(t.numbers(f, p), func(n string) bool { return t.oneSided[n] })
}

func (t *turn) numbers(f firing, p prediction) (all []string) {
	for _, r := range slices.Concat(f.Runs, p.runs) {
		if !slices.Contains(all, r.N) {
			all = append(all, r.N)
		}
	}
	slices.Sort(all)
	return all
}

// effect returns the effect of an event in the client, "" if it does not show.
func (s *sessionOnDisk) effect(i int, all []firing, f firing) (effect suites.Effect, because string) {
	seen := s.played.Seen[i]
	if !slices.Contains([]string{"PreToolUse", "PermissionRequest", "PostToolUse", "UserPromptSubmit", "Stop", "TaskCreated"}, f.Event) || f.repeats(all) {
		return "", ""
	}
	tested := s.project.Calls[i].Tool
	if tested == "Agent" && f.Event == "Stop" {
		return "", "" // the end of the agent begins another turn
	}
	if f.Tool != "" && f.Tool != tested || seen.Tested == "" && f.Event != "UserPromptSubmit" {
		return "", ""
	}
	seen.Turn.Event, seen.Turn.Value = f.Event, client.MatchedValue(f.Event, f.Tool, []byte(f.Stdin))
	if f.Refused {
		return suites.Denied, "the client refuses the call before it fires a hook"
	}
	if f.Event == "PreToolUse" {
		if effect, because, shows := readPermission(seen); effect != "" || !shows {
			return effect, because
		}
	}
	if f.Event != "Stop" {
		return seen.Effect()
	}
	asked := 0 // since the last call
	for _, h := range seen.Heard {
		if h.Origin == live.Main && h.After {
			asked++
		}
	}
	prevented := slices.ContainsFunc(seen.Lines, func(l live.Line) bool { return l.Kind == live.Over && l.Reason == "stop_hook_prevented" })
	switch {
	case prevented:
		return suites.SessionEnds, "the client ends the session for the hook"
	case asked > 1:
		return suites.AnotherTurn, "the model was asked once more"
	}
	return suites.Proceeds, "the client went on"
}

// readPermission returns what the client's permission rules made of a call, "" if none applied. shows is false if
// something else decided that hookwatch does not model: a check of the client itself, or its mode.
func readPermission(seen live.Seen) (effect suites.Effect, because string, shows bool) {
	for _, l := range seen.Lines {
		if l.ToolUse != seen.Tested || seen.Tested == "" {
			continue
		}
		switch {
		case l.Kind == live.Asks && l.ReasonType == "rule":
			return suites.Asked, "the client asks the user because of a permission rule", true
		case l.Kind == live.Asks && slices.Contains([]string{"safetyCheck", "other", "subcommandResults"}, l.ReasonType):
			return "", "", false
		case l.Kind == live.Answered && l.By == "config" && denied.MatchString(l.Text):
			return suites.Denied, "the client denies the call: " + l.Text, true
		case l.Kind == live.Answered && l.By == "config":
			return "", "", false
		}
	}
	return "", "", true
}

// denied matches the results of calls that a permission rule denies.
var denied = regexp.MustCompile(`has been denied\.$|denied by your permission|deny rule`)

// repeats reports whether the event of a firing happened before in the turn.
func (f firing) repeats(all []firing) bool {
	if f.Event == "Stop" {
		return activeStop.MatchString(f.Stdin)
	}
	return slices.ContainsFunc(all, func(o firing) bool { return o.Event == f.Event && o.Tool == f.Tool && o.Key != f.Key })
}

// mark is the beginning of a text of a hook that may be sent to the model.
var mark = regexp.MustCompile(`(RSN|CTX|ERRT|OUTT|SYS|STOPR)-h(\d+)-`)

// texts compares the texts of hooks that the model was sent with those that hookwatch predicts.
func (t *turn) texts(effects []suites.Effect) {
	t.ended = slices.Contains(effects, suites.SessionEnds) || slices.Contains(effects, suites.PromptBlocked)
	if t.ended || t.late {
		return
	}
	whole := strings.Join(t.Heard, "\n")
	sent := marks(whole)
	predicted := map[string][]string{} // the kinds of texts of each hook
	ran := map[string]firing{}
	for i, f := range t.Firings {
		p := t.predicted[i]
		if p.effect == suites.Asked {
			continue // the reason reaches the user, who is asked in this session, and not the model
		}
		for _, n := range t.numbers(f, p) {
			ran[n] = f
		}
		for _, text := range p.texts {
			found := marks(text)
			for n, kinds := range found {
				for _, kind := range kinds {
					if !slices.Contains(predicted[n], kind) {
						predicted[n] = append(predicted[n], kind)
					}
				}
			}
			about := slices.Sorted(maps.Keys(found))
			unsure := func(n string) bool { return t.oneSided[n] || sent[n] == nil }
			if len(about) > 0 && !slices.ContainsFunc(about, unsure) && !strings.Contains(whole, text) {
				t.add("wording: "+f.Event+" "+t.summary(about[0]), about, "hookwatch: %q; the client: %q", text, around(t.Heard, about[0]))
			}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(ran)) {
		slices.Sort(predicted[n])
		slices.Sort(sent[n])
		f := ran[n]
		if t.oneSided[n] || slices.Equal(predicted[n], sent[n]) || f.Event == "SessionEnd" {
			continue
		}
		t.add(fmt.Sprintf("texts: %s %v in the client, %v in hookwatch: %s", f.Event, sent[n], predicted[n], t.summary(n)), []string{n},
			"the client: %q", around(t.Heard, n))
	}
}

// summary is what decides how an output is read.
func (t *turn) summary(n string) string {
	e := t.s.project.hook(n)
	var keys []string
	for _, name := range []string{"async", "asyncRewake", "onFailure"} {
		if e.Keys[name] != nil {
			keys = append(keys, fmt.Sprintf("%s %v", name, e.Keys[name]))
		}
	}
	return strings.TrimSpace(fmt.Sprintf("exit %d, stdout %q %s", e.Output.Exit, cut(e.Output.Stdout), strings.Join(keys, ", ")))
}

func cut(text string) string { return text[:min(len(text), 60)] }

// marks returns the kinds of texts in a text, by the hooks that they are of.
func marks(text string) map[string][]string {
	all := map[string][]string{}
	for _, m := range mark.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(all[m[2]], m[1]) {
			all[m[2]] = append(all[m[2]], m[1])
		}
	}
	return all
}

// around returns the lines with texts of a hook.
func around(heard []string, n string) (lines []string) {
	for _, text := range heard {
		for line := range strings.Lines(text) {
			if strings.Contains(line, "-h"+n+"-") {
				lines = append(lines, line)
			}
		}
	}
	slices.SortFunc(lines, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	return lines[:min(len(lines), 4)]
}
