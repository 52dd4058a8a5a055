package prove

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/check"
	"hookwatch/suites/discover"
	"hookwatch/suites/shell"
)

// fileCandidates returns other names of the file, and commands that change it, as far as the client
// fires the hook for them.
func fileCandidates(in check.Input, h discover.Hook) (out []candidate) {
	add := func(kind Kind, rule string, change func(*check.Input)) {
		c := in
		change(&c)
		if h.Matches(c.Tool) && c != in {
			out = append(out, candidate{Rewrite: Rewrite{kind, rule, c.Text()}, input: c})
		}
	}
	dir, base := path.Split(in.File)
	var names []string
	if path.IsAbs(in.File) {
		names = []string{"/" + in.File, "/." + in.File, "/tmp/.." + in.File, dir + "./" + base, dir + "/" + base}
	} else {
		names = []string{"./" + in.File, dir + "./" + base, dir + "/" + base, "x/../" + in.File, dir + "x/../" + base, strings.ToUpper(in.File)}
	}
	for i, name := range names {
		if name != "/" && !(dir == "" && strings.HasPrefix(name, "/")) {
			add(Habit, fmt.Sprintf("file-name/%d", i), func(c *check.Input) { c.File = name })
		}
	}
	for i, command := range commandWays(Modify, in.File, "redirect", "tee") {
		add(Habit, fmt.Sprintf("redirection/%d", i), func(c *check.Input) { *c = check.Input{Tool: "Bash", Command: command} })
	}
	return out
}

// promptCandidates returns other spellings around the same text. The text itself stays, so that it
// reaches the model whatever is around it.
func promptCandidates(in check.Input) (out []candidate) {
	for i, text := range filled("prompt", in.Prompt) {
		out = append(out, candidate{Rewrite{Habit, fmt.Sprintf("prompt/%d", i), text}, check.Input{Prompt: text}, "sends the same text to the model"})
	}
	return out
}

// mentions looks for contexts that the hook stops only because they mention a stopped command.
func (s *search) mentions(ctx context.Context, sd *seed, contexts []string) {
	fill := func(form, text string) string {
		name := strings.Map(func(r rune) rune {
			if strings.ContainsRune("/ ~|;&<>$(){}*?\"`\\=#!", r) {
				return '-'
			}
			return r
		}, text)
		plain := strings.NewReplacer(`"`, "", "$", "", "`", "", "!", "").Replace(text)
		return strings.NewReplacer("{quoted}", shell.Quote(text), "{text}", text, "{name}", name, "{plain}", plain).Replace(form)
	}
	command := func(text string) check.Input { return check.Input{Tool: sd.Tool, Command: text} }
	const harmlessText = "an ordinary text"
	var texts []string
	for _, form := range contexts {
		texts = append(texts, fill(form, sd.Command), fill(form, harmlessText))
	}
	effects := s.execute(ctx, []string{sd.Command}, texts)
	var inputs []check.Input
	var does, ordinary []string
	for i := 0; i < len(texts); i += 2 {
		e, ok := effects[texts[i]]
		if usual, also := effects[texts[i+1]]; ok && also && harmless(e, usual, sd.does) {
			inputs, ordinary = append(inputs, command(texts[i])), append(ordinary, texts[i+1])
			does = append(does, cmp.Or(e.String(), "only prints text or keeps it"))
		}
	}
	for i, r := range s.fire(ctx, inputs) {
		if check.Stopped(r.Effect) && s.letsThrough(ctx, command(ordinary[i])) {
			s.block(Finding{What: FalseBlock, Rule: "mention", Input: inputs[i], From: sd.Input, Does: does[i], Effect: r.Effect, Because: r.EffectReason, Of: sd.effect})
		}
	}
}

// letsThrough reports whether the hook lets an ordinary input through, which it is asked only once.
func (s *search) letsThrough(ctx context.Context, in check.Input) bool {
	lets, known := s.ordinary.Load(in.Command)
	if !known {
		lets = passes(s.fire(ctx, []check.Input{in})[0])
		s.ordinary.Store(in.Command, lets)
	}
	return lets.(bool)
}

// harmless reports whether a mention does nothing that the mentioned command does, and nothing that
// the same context with an ordinary text does not.
func harmless(e, ordinary, of Effect) bool {
	if len(e.Calls) != len(ordinary.Calls) || len(e.Files) != len(ordinary.Files) || e.reveals() {
		return false
	}
	for i, c := range e.Calls {
		if splitCall(c.Args).program != splitCall(ordinary.Calls[i].Args).program {
			return false
		}
		for _, o := range of.Calls {
			if o.canonical() == c.canonical() {
				return false
			}
		}
	}
	return !slices.ContainsFunc(e.Files, func(f string) bool { return slices.Contains(of.Files, f) })
}

// canary is the file that exists if a hook has executed a part of its input. Each field has its own.
const canary = "{tmp}/hookwatch-executed-"

// inject puts commands into each field of the payload, and unusual values next to a stopped input.
func (s *search) inject(ctx context.Context) {
	from := s.seeds[0]
	base := from.Case(s.hook)
	var sent map[string]any
	if json.Unmarshal(base.Steps[0].PayloadRaw, &sent) != nil {
		return
	}
	c := *base
	c.Steps = nil
	var inner, outer [][]string
	for _, field := range textFields(sent) {
		if field[0] == "tool_input" || field[0] == "prompt" {
			inner = append(inner, field)
		} else {
			outer = append(outer, field)
		}
	}
	type canaries struct {
		payload string
		fields  [][]string
	}
	var sets []canaries
	for _, p := range forms()["payload"] {
		for _, fields := range [][][]string{inner, outer} {
			step := base.Steps[0]
			for i, field := range fields {
				file := fmt.Sprintf("%s%d-%d", canary, len(sets), i)
				step.PayloadRaw = withField(step.PayloadRaw, field, fmt.Sprintf(p, file))
				step.Expect.Files = append(slices.Clip(step.Expect.Files), suites.FileExpectation{Path: file})
			}
			c.Steps = append(c.Steps, step)
			sets = append(sets, canaries{p, fields})
		}
	}
	o, err := s.Fire(ctx, suites.Request{Case: &c, Name: s.hook.ID})
	if err != nil {
		s.fail(ctx, err)
		return
	}
	s.fired.Add(int64(len(o.Results)))
	for n, r := range o.Results {
		for i, field := range sets[n].fields {
			if _, executed := r.Files[fmt.Sprintf("%s%d-%d", canary, n, i)]; executed {
				name := strings.Join(field, ".")
				s.block(Finding{
					What: Injection, Rule: name, Input: from.Input, From: from.Input, Does: fmt.Sprintf("executes %s: a file appears that %s names", name, fmt.Sprintf(sets[n].payload, "FILE")),
					Field: field, Value: sets[n].payload, Effect: r.Effect, Because: r.EffectReason, Of: from.effect,
				})
				return // one is enough
			}
		}
	}
	if !s.o.Brief {
		s.choke(ctx, from, base.Steps[0].PayloadRaw)
	}
}

func (s *search) block(f Finding) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blocks = append(s.blocks, f)
}

// choke sends the stopped input with unusual values that a session may have.
func (s *search) choke(ctx context.Context, from *seed, payload json.RawMessage) {
	if s.ofPrompts() {
		return
	}
	description := []string{"tool_input", "description"}
	for _, v := range []struct {
		name    string
		payload string
	}{
		{"quotes, newlines and other letters in description", string(withField(payload, description, "it's \"quoted\" \\n $x `y` é 漢 🎉\n\tsecond line"))},
		{"a description of 200 KB", string(withField(payload, description, strings.Repeat("x ", 100_000)))},
		{"a list in description", string(withField(payload, description, []any{"a", map[string]any{"b": nil}}))},
		{"null in description", string(withField(payload, description, nil))},
		{"a byte order mark in description", string(withField(payload, description, "\ufeffan example"))},
		{"a newline after it", string(payload) + "\n\n"},
	} {
		results := s.fire(ctx, []check.Input{from.Input}, func(step *suites.Step) { step.PayloadRaw, step.Stdin = nil, &v.payload })
		if r := results[0]; passes(r) {
			s.block(Finding{What: Choke, Rule: v.name, Input: from.Input, From: from.Input, Does: "passes with " + v.name, Effect: r.Effect, Because: r.EffectReason, Of: from.effect})
		}
	}
}

// textFields returns the paths of the strings in a payload.
func textFields(object map[string]any, outer ...string) (all [][]string) {
	for key, value := range object {
		at := append(slices.Clone(outer), key)
		switch v := value.(type) {
		case string:
			if key != "hook_event_name" && key != "tool_name" {
				all = append(all, at)
			}
		case map[string]any:
			all = append(all, textFields(v, at...)...)
		}
	}
	slices.SortFunc(all, func(a, b []string) int { return strings.Compare(strings.Join(a, "."), strings.Join(b, ".")) })
	return all
}

// withField returns the payload with another value of a field.
func withField(payload json.RawMessage, at []string, value any) json.RawMessage {
	var all map[string]any
	if json.Unmarshal(payload, &all) != nil {
		return payload
	}
	object := all
	for _, key := range at[:len(at)-1] {
		inner, ok := object[key].(map[string]any)
		if !ok {
			return payload
		}
		object = inner
	}
	object[at[len(at)-1]] = value
	text, err := json.Marshal(all)
	if err != nil {
		return payload
	}
	return text
}
