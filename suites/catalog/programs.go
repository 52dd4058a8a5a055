package catalog

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
)

var programFields = []field[suites.Program]{
	{"name", func(r *reader, k string, n *yaml.Node, p *suites.Program) {
		p.Name = r.matching(k, n, toolName, "a program's name")
	}},
	{"script", func(r *reader, k string, n *yaml.Node, p *suites.Program) { p.Script = r.text(k, n) }},
	{"stdout", func(r *reader, k string, n *yaml.Node, p *suites.Program) { p.Stdout = r.AnyText(k, n) }},
	{"stderr", func(r *reader, k string, n *yaml.Node, p *suites.Program) { p.Stderr = r.AnyText(k, n) }},
	{"exit", func(r *reader, k string, n *yaml.Node, p *suites.Program) { p.Exit = r.whole(k, n, 0, 255) }},
}

// answers are the keys that a program without a script has.
var answers = []string{"stdout", "stderr", "exit"}

// programs takes a case's own programs.
func (r *reader) programs(name string, n *yaml.Node) (programs []suites.Program) {
	r.List(name, n, func(item *yaml.Node) {
		var p suites.Program
		decode(r, name, programFields, item, &p)
		r.required(item, "a program", "name")
		for _, k := range answers {
			if at := lookup(item, k); at != nil && p.Script != "" {
				r.Add(at, k+" cannot stand beside script", "the script says it")
			}
		}
		at := lookup(item, "name")
		switch {
		case at == nil:
		case slices.Contains(shellOwn, p.Name):
			r.Add(at, name+": "+p.Name+" is the shell's own", "no hook in sh or bash starts a program of that name")
		case slices.ContainsFunc(programs, func(other suites.Program) bool { return other.Name == p.Name }):
			r.Add(at, name+": "+p.Name+" stands twice", "")
		}
		programs = append(programs, p)
	})
	return programs
}

// shellOwn are commands that sh and bash carry out themselves: they look for no
// program.
var shellOwn = strings.Fields(`alias bg bind break builtin caller cd command compgen complete compopt
	continue declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history
	jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift
	shopt source suspend test time times trap true type typeset ulimit umask unalias unset wait`)
