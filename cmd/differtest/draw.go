package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v4"

	"hookwatch/suites/client/clients"
)

//go:embed *.yaml
var drawsFiles embed.FS

// draws are the choices of the generator for a client.
type draws struct {
	of         clients.Client
	Layers     []layer             `yaml:"layers"`
	Events     []drawnEvent        `yaml:"events"`
	Short      int                 `yaml:"short"`  // a timeout of one second
	Values     []string            `yaml:"values"` // fields of stdin whose values are compared
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
	In      []string `yaml:"in" json:",omitzero"`
	Command string   `yaml:"command" json:",omitzero"`
	Args    []string `yaml:"args" json:",omitzero"`
	Blocks  bool     `yaml:"blocks" json:",omitzero"` // always
}

// An output is what a hook does.
type output struct {
	Weight int     `yaml:"weight" json:",omitzero"`
	Only   string  `yaml:"only" json:",omitzero"` // an event
	Ends   bool    `yaml:"ends" json:",omitzero"` // the session may end, which hides what follows
	Exit   int     `yaml:"exit" json:",omitzero"`
	Stdout string  `yaml:"stdout" json:",omitzero"`
	Stderr string  `yaml:"stderr" json:",omitzero"`
	Sleep  float64 `yaml:"sleep" json:",omitzero"`
}

// A call is one that the model makes.
type call struct {
	Weight int            `yaml:"weight" json:",omitzero"`
	Tool   string         `yaml:"tool" json:",omitzero"`
	Input  map[string]any `yaml:"input" json:",omitzero"`
	Before *call          `yaml:"before" json:",omitzero"`
}

type mistake struct {
	Old string `yaml:"old" json:",omitzero"`
	New string `yaml:"new" json:",omitzero"`
}

// A layer is a place of settings.
type layer struct {
	Name   string         `yaml:"name" json:",omitzero"`
	File   string         `yaml:"file" json:",omitzero"`   // from HOME for the user's, from its root for the plugin's, else from the project
	Weight int            `yaml:"weight" json:",omitzero"` // of being drawn for an entry
	Other  bool           `yaml:"other" json:",omitzero"`  // it has other settings next to the hooks
	Flat   bool           `yaml:"flat" json:",omitzero"`   // entries are not below matchers
	Own    bool           `yaml:"own" json:",omitzero"`    // events have the client's own names, where it also has Claude Code's
	Top    map[string]any `yaml:"top" json:",omitzero"`    // keys next to the hooks
}

// A drawnEvent is one that a session fires, by Claude Code's name.
type drawnEvent struct {
	Name  string `yaml:"name" json:",omitzero"`
	Least int    `yaml:"least" json:",omitzero"` // number of entries
	Most  int    `yaml:"most" json:",omitzero"`
}

// playable are the clients that have choices of their own.
var playable = []string{clients.Claude, "codex", "gemini", "copilot"}

// readDraws returns the choices for a client: those for every client, and then its own.
func readDraws(name string) (own draws, err error) {
	var common draws
	for file, into := range map[string]*draws{"common": &common, name: &own} {
		text, err := drawsFiles.ReadFile(file + ".yaml")
		if err != nil {
			return own, fmt.Errorf("no random projects for %q: %w", name, err)
		}
		if err := yaml.Load(text, into, yaml.WithKnownFields()); err != nil {
			return own, fmt.Errorf("%s.yaml: %w", file, err)
		}
	}
	own.of, _ = clients.ByName(name)
	own.Forms, own.Outputs, own.Calls = slices.Concat(common.Forms, own.Forms), slices.Concat(common.Outputs, own.Outputs), slices.Concat(common.Calls, own.Calls)
	return own, nil
}

// The layers of settings that are not a client's own.
const (
	user   = "user"
	shared = "project"
	plugin = "plugin"
)

// toolEvents have matchers for tools and conditions.
var toolEvents = []string{"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest"}

// A drawing draws with a seed.
type drawing struct {
	*rand.Rand
	d draws
	n int // number of the last hook
}

func (r *drawing) chance(percent int) bool { return r.IntN(100) < percent }

func pick[T any](r *drawing, of []T) T { return of[r.IntN(len(of))] }

// pickWeighted picks with weights, of which 0 counts as 1.
func pickWeighted[T any](r *drawing, of []T, weight func(T) int) T {
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

func (d draws) project(seed uint64) project {
	r := &drawing{rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)), d, 0}
	p := project{Client: d.of.Name, Seed: seed, Space: r.chance(15), Plugin: pick(r, []string{"", "", "root", "below"})}
	if !slices.ContainsFunc(d.Layers, func(l layer) bool { return l.Name == plugin }) {
		p.Plugin = ""
	}
	for _, layer := range d.Layers {
		if layer.Name == plugin && p.Plugin == "" {
			continue
		}
		f := settings{Layer: layer.Name}
		if layer.Other {
			r.rest(&f)
		}
		if r.chance(8) {
			f.Mistake = new(pick(r, d.Mistakes))
		}
		p.Files = append(p.Files, f)
	}
	for _, event := range d.Events {
		for range event.Least + r.IntN(event.Most+1) {
			at := pickWeighted(r, p.Files, func(f settings) int { return d.layer(f.Layer).Weight })
			r.entry(&p, at.Layer, event.Name)
		}
	}
	for range 2 + r.IntN(3) {
		p.Calls = append(p.Calls, pickWeighted(r, d.Calls, func(c call) int { return c.Weight }))
	}
	return p
}

func (d draws) layer(name string) layer {
	return d.Layers[slices.IndexFunc(d.Layers, func(l layer) bool { return l.Name == name })]
}

// event returns the name of an event in a file of a layer.
func (d draws) event(name string, at layer) (string, bool) {
	if at.Own {
		at.File = ""
	}
	return d.of.EventFor(name, at.File)
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
	e.Output = pickWeighted(r, outputs, func(o output) int { return o.Weight })
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
		e.Keys["timeout"] = max(1, r.d.Short)
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
	Client  string     `json:",omitzero"`
	Seed    uint64     `json:",omitzero"`
	Space   bool       `json:",omitzero"` // in the path
	Plugin  string     `json:",omitzero"` // "" for none, root, or below a marketplace
	Files   []settings `json:",omitzero"`
	Entries []entry    `json:",omitzero"`
	Calls   []call     `json:",omitzero"`
}

// settings is a settings file, or the hooks of the plugin, without its entries.
type settings struct {
	Layer            string         `json:",omitzero"`
	Env              map[string]any `json:",omitzero"`
	Allow, Ask, Deny []string       `json:",omitzero"`
	DisableAll       *bool          `json:",omitzero"`
	Mode             string         `json:",omitzero"`
	Mistake          *mistake       `json:",omitzero"`
}

// An entry is a hook entry. Two entries with one number have the same command.
type entry struct {
	N       int            `json:",omitzero"`
	Layer   string         `json:",omitzero"`
	Event   string         `json:",omitzero"`
	Matcher string         `json:",omitzero"`
	Form    form           `json:",omitzero"`
	Keys    map[string]any `json:",omitzero"`
	Output  output         `json:",omitzero"`
	Delay   int            `json:",omitzero"` // before the output, so that hooks end in a known order
}

func (p project) of(event string) []entry {
	return slices.DeleteFunc(slices.Clone(p.Entries), func(e entry) bool { return e.Event != event })
}

// inPlugin reports whether a hook with a number is one of the plugin.
func (p project) inPlugin(n string) bool {
	return slices.ContainsFunc(p.Entries, func(e entry) bool { return strconv.Itoa(e.N) == n && e.Layer == plugin })
}

func (p project) sets(name string) bool {
	return slices.ContainsFunc(p.Files, func(f settings) bool { _, has := f.Env[name]; return has })
}

func (p project) hasMode() bool {
	return slices.ContainsFunc(p.Files, func(f settings) bool { return f.Mode != "" })
}

// rewrites reports whether a hook before a call prints one of some texts.
func (p project) rewrites(texts ...string) bool {
	return slices.ContainsFunc(p.of("PreToolUse"), func(e entry) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(e.Output.Stdout, text) })
	})
}

func (p project) hook(n string) entry {
	if i := slices.IndexFunc(p.Entries, func(e entry) bool { return strconv.Itoa(e.N) == n }); i >= 0 {
		return p.Entries[i]
	}
	return entry{}
}

func (d draws) content(p project, f settings, fill *strings.Replacer) []byte {
	hooks, layer := map[string][]any{}, d.layer(f.Layer)
	for _, e := range p.Entries {
		if name, ok := d.event(e.Event, layer); ok && e.Layer == f.Layer {
			hooks[name] = append(hooks[name], d.group(e, name, layer, fill))
		}
	}
	doc := map[string]any{"hooks": hooks}
	maps.Copy(doc, layer.Top)
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
	text := encode(doc)
	if path.Ext(layer.File) == ".toml" {
		text, _ = toml.Marshal(doc) // values of our own
	}
	if f.Mistake != nil {
		text = []byte(strings.Replace(string(text), f.Mistake.Old, f.Mistake.New, 1))
	}
	return text
}

// group returns an entry as its file has it, with its matcher.
func (d draws) group(e entry, event string, at layer, fill *strings.Replacer) map[string]any {
	h := map[string]any{"type": "command", "command": e.fill(e.Form.Command, event, fill)}
	if e.Form.Args != nil {
		args := []string{}
		for _, arg := range e.Form.Args {
			args = append(args, e.fill(arg, event, fill))
		}
		h["args"] = args
	}
	maps.Copy(h, e.Keys)
	if rule, ok := h["if"].(string); ok {
		h["if"] = fill.Replace(rule)
	}
	group := map[string]any{"hooks": []any{h}}
	if at.Flat {
		group = h
	}
	if e.Matcher != "" {
		group["matcher"] = e.Matcher
	}
	return group
}

func (e entry) fill(text, event string, fill *strings.Replacer) string {
	return fill.Replace(strings.NewReplacer("{n}", strconv.Itoa(e.N), "{event}", event).Replace(text))
}

// encode returns readable JSON of a value, with the characters of shells as they are.
func encode(v any) []byte {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		panic(err) // never: values of our own
	}
	return []byte(b.String())
}
