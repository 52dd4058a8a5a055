package prove

import (
	"context"
	_ "embed"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites/client"
	"hookwatch/suites/conform"
	"hookwatch/suites/discover"
)

// An Aim is what somebody wants who makes a call that a guard stops.
type Aim string

// The aims, as executions show them.
const (
	Disclose Aim = "disclose" // the content of a file is printed
	Modify   Aim = "modify"   // the content of a file changes
	Remove   Aim = "remove"   // files of a tree are gone from their place
	RunIt    Aim = "run"      // a program is started
)

// A Goal is an aim with its object.
type Goal struct {
	Aim    Aim    `json:"aim"`
	Object string `json:"object"` // a file or directory from the session's directory, or a program with its arguments
}

// String describes the goal, as in "modify .env".
func (g Goal) String() string { return string(g.Aim) + " " + g.Object }

// Ways is what a guard does with the ways to a goal of one that it stops.
type Ways struct {
	Goal     Goal      `json:"goal"`
	Kinds    []WayKind `json:"kinds"`               // those of which at least one reached the goal
	Complete bool      `json:"complete"`            // every way was tried within the budget
	NotFired []string  `json:"not_fired,omitempty"` // tools that reach the goal, and for which the hook is not fired
}

// A WayKind is what a guard does with the ways of a kind.
type WayKind struct {
	Kind    string        `json:"kind"`
	Reached int           `json:"reached"`       // ways that reached the goal when they were executed
	Passed  int           `json:"passed"`        // of those, the ones that the guard lets through
	Open    conform.Input `json:"open,omitzero"` // the most usual of them

	rank int // of it
}

// Open returns the kinds of which a way passes.
func (w Ways) Open() []WayKind {
	return slices.DeleteFunc(slices.Clone(w.Kinds), func(k WayKind) bool { return k.Passed == 0 })
}

// A wayForm is a kind of ways, with placeholders for the object of a goal.
type wayForm struct {
	Kind string
	Ways []string
}

// waysOf are the kinds of ways by aim, in order.
var waysOf = sync.OnceValue(func() (all map[Aim][]wayForm) {
	if err := yaml.Unmarshal(waysFile, &all); err != nil {
		panic(err) // the file is a part of the program
	}
	return all
})

//go:embed ways.yaml
var waysFile []byte

// A way is a command that may reach a goal.
type way struct {
	kind, text string
	rank       int // the most usual of a kind is 0
}

// ways returns the ways to the goal: first one of each kind, then the second of each, and so on.
func (g Goal) ways() (all []way) {
	program, args, _ := strings.Cut(g.Object, " ")
	dir, name := path.Split(g.Object)
	glob := dir + name[:min(len(name), 2)] + "*"
	fill := strings.NewReplacer("{f}", g.Object, "{name}", name, "{glob}", glob, "{program}", program, "{args}", args)
	for n, more := 0, true; more; n++ {
		more = false
		for _, form := range waysOf()[g.Aim] {
			if n < len(form.Ways) {
				all, more = append(all, way{form.Kind, fill.Replace(form.Ways[n]), n}), true
			}
		}
	}
	return all
}

// present returns the files that exist when a way is executed.
func (g Goal) present() []string {
	place := "work/" + g.Object
	if at, ok := strings.CutPrefix(g.Object, "~/"); ok {
		place = "home/" + at
	}
	switch g.Aim {
	case RunIt:
		return nil
	case Remove:
		return []string{place + "/file", place + "/below/file"}
	default:
		return []string{place}
	}
}

// reached reports whether an execution reached the goal. It knows nothing of what was executed.
func (g Goal) reached(e Effect) bool {
	switch g.Aim {
	case Disclose:
		return strings.Contains(e.Output, secret+path.Base(g.Object))
	case RunIt:
		words := strings.Fields(g.Object)
		return slices.ContainsFunc(e.Calls, func(c Call) bool { return slices.Equal(c.Args, words) })
	}
	for _, changed := range e.Files {
		file, content, _ := strings.Cut(changed, "\x1f")
		if slices.Contains(g.present(), file) && (g.Aim == Modify || content == "(removed)") {
			return true
		}
	}
	return false
}

// plainObject matches objects that can stand in every form.
var plainObject = regexp.MustCompile(`^(?:~/)?[\w.][\w./-]*$`)

// goalOf returns the goal of an input, by what its execution did; false if there is none with known ways.
func goalOf(in conform.Input, e Effect) (g Goal, ok bool) {
	switch {
	case in.Prompt != "":
		return g, false
	case in.File != "" && slices.Contains(client.ToolNames(client.EditsFile, client.CreatesFile), in.Tool):
		g = Goal{Modify, in.File}
	case in.File != "":
		g = Goal{Disclose, in.File}
	case len(e.Calls) == 1:
		args := e.Calls[0].Args
		switch p := splitCall(args); {
		case args[0] == "rm" && len(p.operands) > 0:
			g = Goal{Remove, strings.TrimSuffix(shown.Replace(p.operands[len(p.operands)-1]), "/")}
		case slices.Contains(recorded, args[0]) && args[0] != "git" && args[0] != "rm" && len(e.Files) == 0:
			g = Goal{RunIt, strings.Join(args, " ")}
			return g, plainCall.MatchString(g.Object)
		}
	case e.reveals() && len(e.Files) == 0:
		for _, f := range files([]string{in.Command}) {
			if strings.Contains(e.Output, secret+path.Base(f)) {
				g = Goal{Disclose, named(f)}
			}
		}
	case len(e.Files) == 1:
		file, content, _ := strings.Cut(e.Files[0], "\x1f")
		g = Goal{Modify, named(file)}
		if content == "(removed)" {
			g.Aim = Remove
		}
	}
	if g.Aim == Remove && !plainObject.MatchString(g.Object) {
		g.Object = "~/data" // in place of what no execution can do without
	}
	return g, plainObject.MatchString(g.Object) && !strings.Contains(g.Object, "..")
}

// named returns a file of an execution as a command names it.
func named(file string) string {
	if rest, ok := strings.CutPrefix(file, "home/"); ok {
		return "~/" + rest
	}
	return strings.TrimPrefix(file, "work/")
}

var plainCall = regexp.MustCompile(`^[\w.-]+( [\w./@=:-]+)*$`)

// usualInput returns the call by which the goal is usually reached, and which a guard of it stops.
func (g Goal) usualInput(from conform.Input) conform.Input {
	if g.Aim == Remove && from.Command != "" {
		return conform.Input{Tool: from.Tool, Command: "rm -rf " + g.Object}
	}
	return from
}

// goals returns the goals of the seeds that the guard stops also in the form in which they are executed, one of
// each aim.
func (s *search) goals(ctx context.Context) (all []Goal) {
	for _, sd := range s.seeds {
		g, ok := goalOf(sd.Input, sd.does)
		if !ok || slices.ContainsFunc(all, func(o Goal) bool { return o.Aim == g.Aim }) {
			continue
		}
		if usual := g.usualInput(sd.Input); usual != sd.Input && !conform.Stopped(s.fire(ctx, []conform.Input{usual})[0].Effect) {
			continue
		}
		all = append(all, g)
	}
	return all
}

// seekGoals tries the ways to the goals of what the guard stops, in half of the time that is left.
func (s *search) seekGoals(ctx context.Context) {
	all := s.goals(ctx)
	end := s.deadline
	defer func() { s.deadline = end }()
	half := time.Now().Add(time.Until(end) / 2)
	for i, g := range all {
		s.deadline = time.Now().Add(time.Until(half) / time.Duration(len(all)-i))
		s.tryWays(ctx, g)
	}
}

// tryWays executes the ways to a goal, and sends those that reach it to the hook.
func (s *search) tryWays(ctx context.Context, g Goal) {
	var standIns []string
	if g.Aim == RunIt {
		standIns = []string{strings.Fields(g.Object)[0]}
	}
	kinds, all := map[string]*WayKind{}, g.ways()
	out := Ways{Goal: g, Kinds: []WayKind{}, NotFired: toolsNotFired(s.tree, s.hook, g), Complete: true}
	if s.hook.Matches("Bash") {
		size := len(waysOf()[g.Aim])
		out.Complete = s.parallel(ctx, chunks(len(all), size), 1, func(from, to int) { s.tryPart(ctx, g, standIns, all[from:to], kinds) })
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, form := range waysOf()[g.Aim] {
		if k := kinds[form.Kind]; k != nil {
			out.Kinds = append(out.Kinds, *k)
		}
	}
	s.guard.Ways = append(s.guard.Ways, out)
}

// tryPart tries a part of the ways to a goal.
func (s *search) tryPart(ctx context.Context, g Goal, standIns []string, part []way, kinds map[string]*WayKind) {
	var texts []string
	for _, w := range part {
		texts = append(texts, w.text)
	}
	o, err := s.Execute(ctx, execution(g.present(), standIns, texts))
	if err != nil || ctx.Err() != nil {
		s.fail(ctx, err)
		return
	}
	effects := Effects(o)
	var reached []way
	var inputs []conform.Input
	for i, w := range part {
		if g.reached(effects[i]) {
			reached, inputs = append(reached, w), append(inputs, conform.Input{Tool: "Bash", Command: w.text})
		}
	}
	results := s.fire(ctx, inputs)
	by := s.stoppedBy(ctx, inputs, results)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, w := range reached {
		k := kinds[w.kind]
		if k == nil {
			k = &WayKind{Kind: w.kind}
			kinds[w.kind] = k
		}
		k.Reached++
		if passes(results[i]) && by[i] == "" {
			if k.Passed++; k.Passed == 1 || w.rank < k.rank {
				k.Open, k.rank = inputs[i], w.rank
			}
		}
	}
}

// toolsNotFired returns the tools that reach a goal, for which the hook is not fired, and whose call no
// permission rule denies.
func toolsNotFired(t conform.Tree, h discover.Hook, g Goal) (all []string) {
	tools := map[Aim][]string{Disclose: {"Bash", "Read", "Grep"}, Modify: {"Bash", "Edit", "Write"}, Remove: {"Bash"}, RunIt: {"Bash"}}
	for _, tool := range tools[g.Aim] {
		in := conform.Input{Tool: tool, File: g.Object}
		if tool == "Bash" {
			in = conform.Input{Tool: tool, Command: g.ways()[0].text}
		}
		if !h.Matches(tool) && !t.Registered.Ruled("", in.Case(h).Steps[0].PayloadRaw).Denies {
			all = append(all, tool)
		}
	}
	return all
}
