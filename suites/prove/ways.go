package prove

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
	"hookwatch/suites/shell"
)

// A Step is a call of a tool. {project} in its input is the directory of the session.
type Step struct {
	Tool  string         `json:"tool"`
	Input map[string]any `json:"input"`
}

// command returns the command of Bash; "" for other tools.
func (s Step) command() string {
	if s.Tool != "Bash" {
		return ""
	}
	command, _ := s.Input["command"].(string) // of Bash it always is one
	return command
}

// String returns the command, or the tool with its input in JSON.
func (s Step) String() string { return cmp.Or(s.command(), s.Tool+" "+inJSON(s.Input)) }

// ShowSteps describes the calls of a way in the order in which they are made.
func ShowSteps(all []Step) string {
	var texts []string
	for _, s := range all {
		texts = append(texts, s.String())
	}
	return strings.Join(texts, ", then ")
}

// A wayForm is the form of a way in the file of ways, with placeholders.
type wayForm []Step

// UnmarshalYAML reads a command, a call of another tool as its name and input, or a list of both.
func (w *wayForm) UnmarshalYAML(n *yaml.Node) error {
	var of any
	err := n.Decode(&of)
	*w = formOf(of)
	return err
}

func formOf(value any) (form wayForm) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			form = append(form, formOf(item)...)
		}
	case map[string]any:
		for tool, input := range v {
			form = append(form, Step{tool, input.(map[string]any)})
		}
	default:
		form = wayForm{bash(fmt.Sprint(v))}
	}
	return form
}

// bash returns the call of Bash with a command.
func bash(command string) Step { return Step{"Bash", map[string]any{"command": command}} }

// An aimData is what the file of ways has of an aim.
type aimData struct {
	Title, Object, Twin, Scene, Observe string
	Controls                            []string
	Kinds                               []struct {
		Kind string
		Of   []string // programs; none for all
		Ways []wayForm
	}
}

// wayData is the file of ways.
var wayData = sync.OnceValue(func() (all struct {
	Tools map[string]string
	Usual []string
	Aims  map[Aim]aimData
}) {
	if err := yaml.Unmarshal(waysFile, &all); err != nil {
		panic(err) // the file is a part of the program
	}
	return all
})

//go:embed ways.yaml
var waysFile []byte

func aims() map[Aim]aimData { return wayData().Aims }

func (g Goal) about() aimData { return aims()[g.Aim] }

// IsKind reports whether a text names a kind of ways, as AIM/KIND.
func IsKind(text string) bool {
	aim, kind, _ := strings.Cut(text, "/")
	for _, k := range aims()[Aim(aim)].Kinds {
		if k.Kind == kind {
			return true
		}
	}
	return false
}

// A way is a sequence of calls that may reach a goal.
type way struct {
	kind  string
	rank  int    // in its kind; the most usual is 0
	steps []Step // as they are sent
	texts []string
	twin  []Step // the same calls with an object that guards let through; nil if they are the same calls
}

// ways returns the ways to the goal: first one of each kind, then the second of each, and so on.
func (g Goal) ways() (all []way) {
	about, twin := g.about(), g.twin()
	for n, more := 0, true; more; n++ {
		more = false
		for _, k := range about.Kinds {
			if n >= len(k.Ways) || k.Of != nil && !slices.Contains(k.Of, strings.Fields(g.Object)[0]) {
				continue
			}
			w := way{kind: k.Kind, rank: n, steps: fill(k.Ways[n], g.sent()), twin: fill(k.Ways[n], twin.sent())}
			if about.Twin == "" || ShowSteps(w.steps) == ShowSteps(w.twin) {
				w.twin = nil
			}
			for _, step := range fill(k.Ways[n], g.executed()) {
				w.texts = append(w.texts, step.asCommand())
			}
			all, more = append(all, w), true
		}
	}
	return all
}

// commandWays returns the ways of some kinds to an aim with a file, all of which are single commands.
func commandWays(aim Aim, file string, kinds ...string) (all []string) {
	for _, k := range aims()[aim].Kinds {
		for _, form := range k.Ways {
			if slices.Contains(kinds, k.Kind) {
				all = append(all, ShowSteps(fill(form, []string{"{f}", file})))
			}
		}
	}
	return all
}

// controls returns harmless calls, but for those that name the object: a guard may stop these.
func (g Goal) controls() (all []Step) {
	for _, text := range slices.Concat(g.about().Controls, wayData().Usual) {
		step := fill([]Step{bash(text)}, g.sent())[0]
		if objects[g.Aim] == nil || !strings.Contains(step.String(), path.Base(g.Object)) {
			all = append(all, step)
		}
	}
	return all
}

// twin returns the same goal with an object of the project that guards let through.
func (g Goal) twin() Goal { return Goal{g.Aim, g.about().Twin, g.about().Twin} }

// sent returns the values of placeholders for a call that is sent to a guard.
func (g Goal) sent() []string {
	return g.values(g.Object, map[bool]string{true: "{project}/"}[g.inProject()]+g.Object)
}

// executed returns the values of placeholders for a call that is executed.
func (g Goal) executed() []string {
	const dir = "{tmp}/prove/w/"
	object, at := g.Object, dir+place(g.Object)
	switch {
	case path.IsAbs(g.Object):
		object = at
	case !g.inProject():
		at = g.Object
	}
	return append(g.values(object, at), "{project}", dir+"work", "/tmp/", dir+"tmp/")
}

func (g Goal) values(object, at string) []string {
	program, args, _ := strings.Cut(g.Object, " ")
	dir, name := path.Split(object)
	return []string{"{f}", object, "{path}", at, "{name}", name, "{dir}", dir, "{glob}", dir + name[:min(len(name), 2)] + "*", "{program}", program, "{args}", args, "{script}", object, "{settings}", g.settings}
}

// fill returns the steps of a form with the values of its placeholders, which need no quotes in JSON.
func fill(form []Step, values []string) (steps []Step) {
	text := strings.NewReplacer(values...).Replace(inJSON(form))
	if err := json.Unmarshal([]byte(text), &steps); err != nil {
		panic(err) // a value has quotes
	}
	return steps
}

// asCommand returns a command that does what a call of the tool does.
func (s Step) asCommand() string {
	if s.Tool == "Bash" {
		return s.command()
	}
	var b strings.Builder
	var assign func(name string, value any)
	assign = func(name string, value any) {
		switch v := value.(type) {
		case []any:
			for i, item := range v {
				assign(fmt.Sprintf("%s_%d", name, i), item)
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				assign(strings.TrimPrefix(name+"_"+key, "_"), v[key])
			}
		default:
			text := shell.Quote(fmt.Sprint(v))
			if rest, ofHome := strings.CutPrefix(fmt.Sprint(v), "~/"); ofHome {
				text = "~/" + shell.Quote(rest)
			}
			fmt.Fprintf(&b, "%s=%s\n", name, text)
		}
	}
	assign("", s.Input)
	return "(\n" + b.String() + wayData().Tools[s.Tool] + "\n)"
}

// execution returns the case that executes texts in the scene of the goal. Its result is read by Effects.
func (g Goal) execution(texts []string) *suites.Case {
	var standIns []string
	if g.Aim == RunIt {
		standIns = append(standIns, strings.Fields(g.Object)[0])
	}
	c := execution(g.present(), standIns, texts)
	step := &c.Steps[0]
	r := strings.NewReplacer(g.executed()...)
	for i, f := range step.Fixtures {
		step.Fixtures[i].Fill = strings.Contains(f.Path, "/texts/")
	}
	for name, script := range map[string]string{"scene": g.about().Scene, "observe": g.about().Observe} {
		step.Fixtures = append(step.Fixtures, suites.Fixture{Path: "{tmp}/prove/" + name, Content: r.Replace(script), Fill: true})
	}
	return c
}

// input returns the input of a step in JSON as it is sent to a hook, whose session starts in dir.
func (s Step) input(dir string) json.RawMessage {
	input := s.Input
	if s.Tool == "Bash" {
		input = maps.Clone(input)
		input["description"] = "an example"
	}
	return json.RawMessage(strings.ReplaceAll(inJSON(input), "{project}", dir))
}
