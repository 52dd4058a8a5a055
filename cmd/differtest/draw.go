package main

import (
	_ "embed" // the choices
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

//go:embed draws.yaml
var drawsFile []byte

// draws are the choices of the generator.
type draws struct {
	Forms      []form              `yaml:"forms"`
	Matchers   map[string][]string `yaml:"matchers"`
	Conditions []string            `yaml:"conditions"`
	Keys       map[string][]any    `yaml:"keys"`
	Outputs    []output            `yaml:"outputs"`
	Calls      []call              `yaml:"calls"`
	Env        map[string][]any    `yaml:"env"`
	Rules      []string            `yaml:"rules"`
	Modes      []string            `yaml:"modes"`
	Mistakes   []mistake           `yaml:"mistakes"`
	Battery    battery             `yaml:"battery"`
}

type form struct {
	In      []string `yaml:"in"`
	Command string   `yaml:"command"`
	Args    []string `yaml:"args"`
	Blocks  bool     `yaml:"blocks"` // always
}

// An output is what a hook does.
type output struct {
	Weight int     `yaml:"weight"`
	Only   string  `yaml:"only"` // an event
	Ends   bool    `yaml:"ends"` // the session may end, which hides what follows
	Exit   int     `yaml:"exit"`
	Stdout string  `yaml:"stdout"`
	Stderr string  `yaml:"stderr"`
	Sleep  float64 `yaml:"sleep"`
}

// A call is one that the model makes.
type call struct {
	Weight int            `yaml:"weight"`
	Tool   string         `yaml:"tool"`
	Input  map[string]any `yaml:"input"`
	Before *call          `yaml:"before"`
}

type mistake struct {
	Old string `yaml:"old"`
	New string `yaml:"new"`
}

func readDraws() (d draws, err error) {
	if err = yaml.Unmarshal(drawsFile, &d); err != nil {
		err = fmt.Errorf("draws.yaml: %w", err)
	}
	return d, err
}

// The layers of settings.
const (
	user   = "user"
	shared = "project"
	local  = "local"
	plugin = "plugin"
)

// toolEvents have matchers for tools and conditions.
var toolEvents = []string{"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest"}

// events are those that a session fires, with the number of entries that are drawn at most.
var events = []struct {
	name string
	most int
}{
	{"PreToolUse", 3}, {"PostToolUse", 3}, {"UserPromptSubmit", 2}, {"Stop", 2}, {"SessionStart", 2}, {"PermissionRequest", 2},
	{"PostToolUseFailure", 1}, {"PostToolBatch", 1}, {"SubagentStart", 1}, {"SubagentStop", 1}, {"SessionEnd", 1}, {"MessageDisplay", 1}, {"TaskCreated", 1},
}

// A drawing draws with a seed.
type drawing struct {
	*rand.Rand
	d draws
	n int // number of the last hook
}

func (r *drawing) chance(percent int) bool { return r.IntN(100) < percent }

func pick[T any](r *drawing, of []T) T { return of[r.IntN(len(of))] }

// weighted picks with weights, of which 0 counts as 1.
func weighted[T any](r *drawing, of []T, weight func(T) int) T {
	total := 0
	for _, one := range of {
		total += max(1, weight(one))
	}
	at := r.IntN(total)
	for _, one := range of {
		if at -= max(1, weight(one)); at < 0 {
			return one
		}
	}
	return of[len(of)-1]
}

// project draws a project.
func (d draws) project(seed uint64) project {
	r := &drawing{rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)), d, 0}
	p := project{Seed: seed, Space: r.chance(15), Plugin: pick(r, []string{"", "", "root", "below"})}
	layers := []string{user, shared, local}
	if p.Plugin != "" {
		layers = append(layers, plugin)
	}
	for _, layer := range layers {
		f := settings{Layer: layer}
		if layer != plugin {
			r.rest(&f)
		}
		if r.chance(8) {
			f.Mistake = new(pick(r, d.Mistakes))
		}
		p.Files = append(p.Files, f)
	}
	for _, event := range events {
		least := 0
		if event.name == "PreToolUse" {
			least = 2
		}
		for range least + r.IntN(event.most+1) {
			at := weighted(r, p.Files, func(f settings) int { return map[string]int{shared: 5, plugin: 4, local: 2}[f.Layer] })
			r.entry(&p, at.Layer, event.name)
		}
	}
	for range 2 + r.IntN(3) {
		p.Calls = append(p.Calls, weighted(r, d.Calls, func(c call) int { return c.Weight }))
	}
	return p
}

// rest draws the settings that are no hooks.
func (r *drawing) rest(f *settings) {
	if r.chance(35) {
		f.Env = map[string]any{}
		for range 1 + r.IntN(3) {
			name := pick(r, slices.Sorted(maps.Keys(r.d.Env)))
			f.Env[name] = pick(r, r.d.Env[name])
		}
	}
	if r.chance(25) {
		f.Allow = append(f.Allow, pick(r, r.d.Rules))
	}
	if r.chance(10) {
		f.Ask = append(f.Ask, pick(r, r.d.Rules))
	}
	if r.chance(8) {
		f.Deny = append(f.Deny, pick(r, r.d.Rules))
	}
	if r.chance(8) {
		f.DisableAll = new(r.chance(50))
	}
	if r.chance(10) {
		f.Mode = pick(r, r.d.Modes)
	}
}

// entry adds an entry of an event to a layer, sometimes an earlier one again.
func (r *drawing) entry(p *project, layer, event string) {
	e := entry{Layer: layer, Event: event, Matcher: r.matcher(event), Delay: len(p.Entries) % 5}
	if same := p.of(event); len(same) > 0 && r.chance(15) {
		again := pick(r, same)
		if fits := again.Form.In; len(fits) == 0 || slices.Contains(fits, layer) {
			e.N, e.Form, e.Output, e.Delay, e.Keys = again.N, again.Form, again.Output, again.Delay, maps.Clone(again.Keys)
			if r.chance(50) {
				e.Keys["timeout"] = pick(r, r.d.Keys["timeout"])
			}
			if r.chance(60) {
				e.Matcher = again.Matcher
			}
			p.Entries = append(p.Entries, e)
			return
		}
	}
	r.n++
	e.N = r.n
	forms := slices.DeleteFunc(slices.Clone(r.d.Forms), func(f form) bool {
		return len(f.In) > 0 && !slices.Contains(f.In, layer) || f.Blocks && strings.HasSuffix(event, "Stop")
	})
	if layer == plugin {
		forms = append(forms, slices.DeleteFunc(slices.Clone(forms), func(f form) bool { return len(f.In) == 0 })...)
	}
	e.Form = pick(r, forms)
	outputs := slices.DeleteFunc(slices.Clone(r.d.Outputs), func(o output) bool {
		return o.Only != "" && o.Only != event || o.Ends && !r.chance(25)
	})
	e.Output = weighted(r, outputs, func(o output) int { return o.Weight })
	e.Keys = map[string]any{}
	if slices.Contains(toolEvents, event) && r.chance(25) || r.chance(2) {
		e.Keys["if"] = pick(r, r.d.Conditions)
	}
	for _, name := range slices.Sorted(maps.Keys(r.d.Keys)) {
		drawn := r.chance(6) || name == "timeout" && r.chance(15)
		// It would wake a session that has no call up again and again.
		if drawn && (name != "asyncRewake" || slices.Contains(toolEvents, event)) {
			e.Keys[name] = pick(r, r.d.Keys[name])
		}
	}
	if e.Output.Sleep > 0 && r.chance(80) {
		e.Keys["timeout"] = 1
	}
	p.Entries = append(p.Entries, e)
}

// matcher draws a matcher; "" is none.
func (r *drawing) matcher(event string) string {
	kind := event
	if slices.Contains(toolEvents, event) {
		kind = "tool"
	} else if r.d.Matchers[kind] == nil {
		kind = "any"
	}
	if r.chance(30) {
		return ""
	}
	return pick(r, r.d.Matchers[kind])
}

// A project is what is compared. Everything in it can be left out.
type project struct {
	Seed    uint64
	Space   bool   // in the path
	Plugin  string // "" for none, root, or below a marketplace
	Files   []settings
	Entries []entry
	Calls   []call
}

// settings is a settings file, or the hooks of the plugin, without its entries.
type settings struct {
	Layer            string
	Env              map[string]any
	Allow, Ask, Deny []string
	DisableAll       *bool
	Mode             string
	Mistake          *mistake
}

// An entry is a hook entry. Two entries with one number have the same command.
type entry struct {
	N       int
	Layer   string
	Event   string
	Matcher string
	Form    form
	Keys    map[string]any
	Output  output
	Delay   int // before the output, so that hooks end in a known order
}

func (p project) of(event string) (all []entry) {
	for _, e := range p.Entries {
		if e.Event == event {
			all = append(all, e)
		}
	}
	return all
}

// inPlugin reports whether a hook with a number is one of the plugin.
func (p project) inPlugin(n string) bool {
	return slices.ContainsFunc(p.Entries, func(e entry) bool { return strconv.Itoa(e.N) == n && e.Layer == plugin })
}

// sets reports whether settings set a variable.
func (p project) sets(name string) bool {
	return slices.ContainsFunc(p.Files, func(f settings) bool { _, has := f.Env[name]; return has })
}

// permits reports whether settings decide about calls themselves.
func (p project) permits() bool {
	return slices.ContainsFunc(p.Files, func(f settings) bool { return len(f.Ask)+len(f.Deny) > 0 || f.Mode != "" })
}

// hook returns an entry with a number.
func (p project) hook(n string) entry {
	for _, e := range p.Entries {
		if strconv.Itoa(e.N) == n {
			return e
		}
	}
	return entry{}
}

// content returns the text of a file of a layer.
func (p project) content(f settings, fill *strings.Replacer) []byte {
	hooks := map[string][]map[string]any{}
	for _, e := range p.Entries {
		if e.Layer != f.Layer {
			continue
		}
		h := map[string]any{"type": "command", "command": e.filled(e.Form.Command, fill)}
		if e.Form.Args != nil {
			args := []string{}
			for _, arg := range e.Form.Args {
				args = append(args, e.filled(arg, fill))
			}
			h["args"] = args
		}
		maps.Copy(h, e.Keys)
		if rule, ok := h["if"].(string); ok {
			h["if"] = fill.Replace(rule)
		}
		group := map[string]any{"hooks": []any{h}}
		if e.Matcher != "" {
			group["matcher"] = e.Matcher
		}
		hooks[e.Event] = append(hooks[e.Event], group)
	}
	doc := map[string]any{"hooks": hooks}
	if len(f.Env) > 0 {
		env := map[string]any{}
		for name, value := range f.Env {
			if text, ok := value.(string); ok {
				value = fill.Replace(text)
			}
			env[name] = value
		}
		doc["env"] = env
	}
	permissions := map[string]any{}
	for name, rules := range map[string][]string{"allow": f.Allow, "ask": f.Ask, "deny": f.Deny} {
		if len(rules) > 0 {
			permissions[name] = rules
		}
	}
	if f.Mode != "" {
		permissions["defaultMode"] = f.Mode
	}
	if len(permissions) > 0 {
		doc["permissions"] = permissions
	}
	if f.DisableAll != nil {
		doc["disableAllHooks"] = *f.DisableAll
	}
	text := encoded(doc)
	if f.Mistake != nil {
		text = []byte(strings.Replace(string(text), f.Mistake.Old, f.Mistake.New, 1))
	}
	return text
}

func (e entry) filled(text string, fill *strings.Replacer) string {
	return fill.Replace(strings.NewReplacer("{n}", strconv.Itoa(e.N), "{event}", e.Event).Replace(text))
}

// encoded returns readable JSON of a value, with the characters of shells as they are.
func encoded(v any) []byte {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		panic(err) // never: values of our own
	}
	return []byte(b.String())
}
