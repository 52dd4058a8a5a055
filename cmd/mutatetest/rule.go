package main

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"

	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/depend"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
)

// A rule selects as a session does: by the inputs of the cases before and after
// an edit, and what their traces say of the difference.
type rule struct {
	root   string
	graph  *depend.Graph // without documents and markers, which only add cases
	marked *depend.Graph // with them
	plain  []*suites.Case
	cases  []*suites.Case
	known  map[string][]byte // contents of edited files, by the digest of an input
	others map[string][]byte // contents of depend.Elsewhere
	config *config.Config
	traces []*trace.Trace // of the unedited hooks, by case; nil before they are known
}

// newRule reads the project's configuration, as a session would.
func newRule(root string, cases []*suites.Case) (*rule, error) {
	cfg, err := config.Load(config.LoadOptions{Dir: root, Env: func(string) (string, bool) { return "", false }})
	if err != nil {
		return nil, err
	}
	r := &rule{root: root, config: cfg, cases: cases, known: map[string][]byte{}, others: map[string][]byte{}}
	for _, c := range cases {
		bare := *c
		bare.Verify = nil
		r.plain = append(r.plain, &bare)
	}
	return r, r.read()
}

// read makes the graphs of the project with what it registers now.
func (r *rule) read() error {
	registered, err := discover.Hooks(disk.Reader{Root: r.root}, r.root, r.config.Settings, nil)
	if err != nil {
		return err
	}
	ids := make([]string, len(r.cases))
	for i, c := range r.cases {
		ids[i] = c.ID
	}
	p := depend.Project{
		Root: r.root, HookDirs: r.config.Hooks, Settings: r.config.Settings, Registered: registered, Other: r.other,
		IDs: func() []string { return ids },
	}
	r.graph = depend.New(p)
	p.Specs = r.config.Specs
	r.marked = depend.New(p)
	r.observe(r.traces)
	return nil
}

// observe makes the paths that cases were seen to use their inputs, as a session does.
func (r *rule) observe(traces []*trace.Trace) {
	r.traces = traces
	for i, t := range traces {
		if t == nil || t.Observed == nil {
			continue
		}
		for _, g := range []*depend.Graph{r.graph, r.marked} {
			g.Observe(r.cases[i].Key(), t.Observed.Paths, false)
		}
	}
}

// other reports whether hooks that are not fully understood may read a path; see
// depend.Project. Documents and suites are never edited here.
func (r *rule) other(file string, isDir bool) bool {
	if isDir {
		return !disk.IgnoredDir(path.Base(file)) && file != ".claude/tests" && file != "docs"
	}
	hook := func(c *suites.Case) bool { return c.Hook == file }
	return !slices.Contains(r.config.Settings, file) && path.Ext(file) != ".next" && !slices.ContainsFunc(r.cases, hook)
}

// data are the files that no analysis places, and that any hook may read that is not
// fully understood.
func (r *rule) data() []string {
	for _, content := range r.others {
		return depend.Others(nil, content)
	}
	return nil
}

// A standing is what the cases depended on before an edit.
type standing struct{ plain, marked [][]suites.Input }

// now is the standing on the files as they are.
func (r *rule) now(changed ...string) standing {
	if slices.ContainsFunc(changed, func(f string) bool { return slices.Contains(r.config.Settings, f) }) {
		if err := r.read(); err != nil {
			panic(err) // settings that were just written
		}
	}
	r.graph.Refresh(changed)
	r.marked.Refresh(changed)
	var s standing
	for i := range r.cases {
		s.plain = append(s.plain, r.graph.Inputs(r.plain[i]))
		s.marked = append(s.marked, r.marked.Inputs(r.cases[i]))
		for _, in := range s.plain[i] {
			if in.Path == depend.Elsewhere {
				r.others[in.Digest] = r.graph.OtherFiles(in.Digest)
			}
		}
	}
	return s
}

// know keeps the contents of both sides of an edit, as a session keeps them.
func (r *rule) know(contents ...[]byte) {
	clear(r.known)
	for _, c := range contents {
		for _, bit := range []byte("-x") {
			b := append([]byte{bit}, c...)
			r.known[suites.Digest(b)] = b
		}
	}
}

// content gives the contents of files, as narrow wants them.
func (r *rule) content(file, digest string) []byte {
	if file == depend.Elsewhere {
		return r.others[digest]
	}
	if b := r.known[digest]; b != nil {
		return b
	}
	name := filepath.FromSlash(file)
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.root, name)
	}
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	bit := byte('-')
	if info.Mode()&0o111 != 0 {
		bit = 'x'
	}
	b := append([]byte{bit}, text...)
	if digest != "" && suites.Digest(b) != digest {
		return nil
	}
	return b
}

// A choice is what the rule says of one case.
type choice struct {
	selected bool
	marked   bool // with markers it is
	because  string
	trace    *trace.Trace // of the content after the edit, when it is not affected
}

// choose asks for every case, with the edited file in place.
func (r *rule) choose(before standing, traces []*trace.Trace, changed string) []choice {
	after := r.now(changed)
	reader := depend.NewDecider(r.content)
	out := make([]choice, len(r.cases))
	for i, c := range r.plain {
		a := ask(reader, r.graph, c, before.plain[i], after.plain[i], traces[i])
		m := ask(reader, r.marked, r.cases[i], before.marked[i], after.marked[i], traces[i])
		out[i] = choice{!a.Unaffected, !m.Unaffected, a.Because, a.Trace}
	}
	return out
}

func ask(by *depend.Decider, g *depend.Graph, c *suites.Case, before, after []suites.Input, t *trace.Trace) depend.Answer {
	differences := depend.Changed(before, after)
	if len(differences) == 0 {
		return depend.Answer{Unaffected: true, Because: "none of its inputs changed", Trace: t}
	}
	a := by.Decide(depend.Question{Changed: differences, Inputs: after, Scripts: g.Scripts(c), Trace: t})
	a.Because = cmp.Or(a.Because, "not_affected")
	return a
}

// documents are the JSON files that any case depends on.
func (s standing) documents() []string {
	var list []string
	for _, inputs := range s.plain {
		for _, in := range inputs {
			if in.Digest != "" && in.Section == "" && filepath.Ext(in.Path) == ".json" && !filepath.IsAbs(in.Path) && !slices.Contains(list, in.Path) {
				list = append(list, in.Path)
			}
		}
	}
	slices.Sort(list)
	return list
}
