package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
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

// compare asks hookwatch about every firing of the session.
func (s *sessionOnDisk) compare(ctx context.Context) (all []difference, err error) {
	o, err := newOracle(s)
	if err != nil {
		return nil, err
	}
	defer o.close()
	ended := false // the turn before, so that its texts come in this one
	for i, dir := range s.took {
		records, err := readRecords(dir)
		if err != nil {
			return nil, err
		}
		t := turn{s: s, i: i, firings: firingsIn(records)}
		if len(t.firings) == 0 && !s.witnessed() {
			t.firings = []firing{s.silent(i)}
		}
		for _, f := range t.firings {
			p, err := o.ask(ctx, f)
			if err != nil {
				return nil, err
			}
			t.predicted = append(t.predicted, p)
		}
		s.firings += len(t.firings)
		t.late = ended
		all = append(all, t.compare()...)
		ended = t.ended
	}
	for i := range all {
		all[i].known = known(s.project, all[i])
	}
	return all, nil
}

// silent is the firing of a call of which no hook ran.
func (s *sessionOnDisk) silent(i int) firing {
	c := s.project.Calls[i]
	stdin, err := json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "cwd": s.root, "tool_name": c.Tool, "tool_input": s.input(c)})
	if err != nil {
		panic(err) // never: values of our own
	}
	return firing{event: "PreToolUse", tool: c.Tool, stdin: string(stdin)}
}

// A turn is compared as a whole, because the texts in a request come from several events.
type turn struct {
	s         *sessionOnDisk
	i         int
	firings   []firing
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
	for i, f := range t.firings {
		t.launches(f, t.predicted[i])
		t.stdin(f, t.predicted[i])
	}
	if t.i < len(t.s.played.Seen) {
		effects := t.effects()
		t.texts(effects)
	}
	return t.all
}

// launches compares which hooks ran, and what they were given.
func (t *turn) launches(f firing, p prediction) {
	of := func(runs []record) map[string][]record {
		all := map[string][]record{}
		for _, r := range runs {
			all[r.n] = append(all[r.n], r)
		}
		for _, same := range all { // those of two layers run in any order
			slices.SortFunc(same, func(a, b record) int {
				return cmp.Or(cmp.Compare(a.env["CLAUDE_PLUGIN_ROOT"], b.env["CLAUDE_PLUGIN_ROOT"]), slices.Compare(a.argv, b.argv), cmp.Compare(a.cwd, b.cwd))
			})
		}
		return all
	}
	client, own := of(f.runs), of(p.runs)
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
			t.add(fmt.Sprintf("runs: %d times in the client, %d in hookwatch, %s %s%s", len(client[n]), len(own[n]), f.event, e.features(f), mistake(e.Layer)), []string{n},
				"hook %s of %s %s: matcher %q, if %v, command %s %q, stdin %s", n, f.event, f.tool, e.Matcher, e.Keys["if"], e.Form.Command, e.Form.Args, f.stdin)
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
		_ = json.Unmarshal([]byte(f.stdin), &p) // an event without a tool has none
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
	client.argv, own.argv = client.plain(), own.plain()
	if !slices.Equal(client.argv, own.argv) {
		t.add("argv: "+t.s.project.hook(n).Form.Command, []string{n}, "%s: %q in the client, %q in hookwatch", f.event, client.argv, own.argv)
	}
	if client.cwd != own.cwd {
		t.add("cwd", []string{n}, "%s: %s in the client, %s in hookwatch", f.event, client.cwd, own.cwd)
	}
	for _, name := range slices.Sorted(maps.Keys(client.env)) {
		value, has := own.env[name]
		switch {
		case !has:
			t.add("env: only the client sets "+name+" at "+f.event, []string{n}, "%s: %s", f.event, client.env[name])
		case value != client.env[name]:
			t.add("env: value of "+name+" at "+f.event, []string{n}, "%s: %q in the client, %q in hookwatch", f.event, client.env[name], value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(own.env)) {
		if _, has := client.env[name]; !has {
			t.add("env: only hookwatch sets "+name+" at "+f.event, []string{n}, "%s: %s", f.event, own.env[name])
		}
	}
}

// plain returns the arguments with a name for the directory of a plugin's data, which is the case's own
// in hookwatch.
func (r record) plain() (argv []string) {
	data := r.env["CLAUDE_PLUGIN_DATA"]
	for _, arg := range r.argv {
		if data != "" {
			arg = strings.ReplaceAll(arg, data, "{data}")
		}
		argv = append(argv, arg)
	}
	return argv
}

// stdin compares the keys that hookwatch makes up for an event, and the types of their values.
func (t *turn) stdin(f firing, p prediction) {
	if !f.seen {
		return
	}
	var client, own map[string]any
	if json.Unmarshal([]byte(f.stdin), &client) != nil || json.Unmarshal(p.own, &own) != nil {
		t.add("stdin: no object", nil, "%s: %s and %s", f.event, f.stdin, p.own)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(client)) {
		switch value, has := own[name]; {
		case !has:
			t.add("stdin: only the client has "+f.event+"."+name, nil, "%s %s: %v", f.event, f.tool, client[name])
		case shape(value) != shape(client[name]):
			t.add("stdin: type of "+f.event+"."+name, nil, "%s %s: %v in the client, %v in hookwatch", f.event, f.tool, client[name], value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if _, has := client[name]; !has {
			t.add("stdin: only hookwatch has "+f.event+"."+name, nil, "%s %s: %v", f.event, f.tool, own[name])
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
	type judged struct {
		f         firing
		p         prediction
		seen      suites.Effect
		because   string
		different bool
	}
	var each []judged
	for i, f := range t.firings {
		p := t.predicted[i]
		all = append(all, class(p.effect))
		if effect, because, ok := t.effect(f); ok {
			all = append(all, class(effect))
			each = append(each, judged{f, p, class(effect), because, class(effect) != class(p.effect)})
		}
	}
	over := func(e suites.Effect) bool { return e == suites.SessionEnds || e == suites.PromptBlocked }
	for _, j := range each {
		others := 0
		for i, f := range t.firings {
			if f.event != j.f.event && over(class(t.predicted[i].effect)) {
				others++
			}
		}
		if !j.different || over(j.seen) && others > 0 || t.consequence(j.f, j.p) {
			continue
		}
		t.add(fmt.Sprintf("effect: %s of %s in the client, %s in hookwatch", j.seen, j.f.event, class(j.p.effect)), t.numbers(j.f, j.p),
			"%s %s: %s (hookwatch: %s)", j.f.event, j.f.tool, j.because, j.p.because)
	}
	return all
}

// consequence reports whether a hook of a firing ran differently often.
func (t *turn) consequence(f firing, p prediction) bool {
	return slices.ContainsFunc(t.numbers(f, p), func(n string) bool { return t.oneSided[n] })
}

func (t *turn) numbers(f firing, p prediction) (all []string) {
	for _, r := range slices.Concat(f.runs, p.runs) {
		if !slices.Contains(all, r.n) {
			all = append(all, r.n)
		}
	}
	slices.Sort(all)
	return all
}

// effect returns the effect of an event in the client, false if it does not show.
func (t *turn) effect(f firing) (effect suites.Effect, because string, ok bool) {
	seen := t.s.played.Seen[t.i]
	if !slices.Contains([]string{"PreToolUse", "PermissionRequest", "PostToolUse", "UserPromptSubmit", "Stop", "TaskCreated"}, f.event) || t.repeats(f) {
		return "", "", false
	}
	tested := t.s.project.Calls[t.i].Tool
	if tested == "Agent" && f.event == "Stop" {
		return "", "", false // the end of the agent begins another turn
	}
	if f.tool != "" && f.tool != tested || seen.Tested == "" && f.event != "UserPromptSubmit" {
		return "", "", false
	}
	seen.Turn.Event, seen.Turn.Value = f.event, client.MatchedValue(f.event, f.tool, []byte(f.stdin))
	if f.event != "Stop" {
		effect, because = seen.Effect()
		return effect, because, true
	}
	asked := 0
	for _, h := range seen.Heard {
		if h.Origin == live.Main {
			asked++
		}
	}
	prevented := slices.ContainsFunc(seen.Lines, func(l live.Line) bool { return l.Kind == live.Over && l.Reason == "stop_hook_prevented" })
	switch {
	case prevented:
		return suites.SessionEnds, "the client ends the session for the hook", true
	case asked > len(seen.Turn.Main)+1:
		return suites.AnotherTurn, "the model was asked once more", true
	}
	return suites.Proceeds, "the client went on", true
}

// repeats reports whether the event of a firing happened before in the turn.
func (t *turn) repeats(f firing) bool {
	if f.event == "Stop" {
		return strings.Contains(f.stdin, `"stop_hook_active":true`)
	}
	return slices.ContainsFunc(t.firings, func(o firing) bool { return o.event == f.event && o.tool == f.tool && o.stdin != f.stdin })
}

// mark is the beginning of a text of a hook that may be sent to the model.
var mark = regexp.MustCompile(`(RSN|CTX|ERRT|OUTT|SYS|STOPR)-h(\d+)-`)

// texts compares the texts of hooks that the model was sent with those that hookwatch predicts.
func (t *turn) texts(effects []suites.Effect) {
	t.ended = slices.Contains(effects, suites.SessionEnds) || slices.Contains(effects, suites.PromptBlocked)
	if t.ended || t.late {
		return
	}
	var heard []string
	for _, h := range t.s.played.Seen[t.i].Heard {
		if h.Origin != live.Nested {
			heard = append(heard, h.Texts...)
		}
	}
	whole := strings.Join(heard, "\n")
	sent := marks(whole)
	predicted := map[string][]string{} // the kinds of texts of each hook
	ran := map[string]firing{}
	for i, f := range t.firings {
		p := t.predicted[i]
		if p.effect != suites.Asked {
			for _, n := range t.numbers(f, p) {
				ran[n] = f
			}
		}
		if p.effect == suites.Asked {
			continue // the reason reaches the user, who is asked in this session, and not the model
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
			if len(about) > 0 && !slices.ContainsFunc(about, func(n string) bool { return t.oneSided[n] || sent[n] == nil }) && !strings.Contains(whole, text) {
				t.add("wording: "+f.event+" "+t.summary(about[0]), about, "hookwatch: %q; the client: %q", text, around(heard, about[0]))
			}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(ran)) {
		slices.Sort(predicted[n])
		slices.Sort(sent[n])
		f := ran[n]
		if t.oneSided[n] || slices.Equal(predicted[n], sent[n]) || f.event == "SessionEnd" {
			continue
		}
		t.add(fmt.Sprintf("texts: %s %v in the client, %v in hookwatch: %s", f.event, sent[n], predicted[n], t.summary(n)), []string{n},
			"the client: %q", around(heard, n))
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
