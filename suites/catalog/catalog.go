// Package catalog reads suite files: the embedded built-in ones and a project's own, which have
// the same format. It reports all problems of a file at once, with their positions.
package catalog

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

//go:embed builtin/*.yaml
var builtin embed.FS

// prefix begins the file name in positions of built-in suites, because they are no files of the
// user.
const prefix = "builtin:"

// IsBuiltin reports whether a position is in a built-in suite.
func IsBuiltin(at string) bool { return strings.HasPrefix(at, prefix) }

// builtinNames returns the names of the built-in suites, sorted, without reading them.
func builtinNames() []string {
	files, _ := fs.Glob(builtin, "builtin/*.yaml") // fails only for an invalid pattern
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = strings.TrimSuffix(path.Base(f), ".yaml")
	}
	slices.Sort(names)
	return names
}

// Builtin returns the built-in suites, sorted by name. They are read once.
func Builtin() ([]suites.Suite, error) { return readBuiltin(builtinNames()) }

// BuiltinFor returns the built-in suites with these names and those that contain their controls,
// sorted by name.
func BuiltinFor(names []string) ([]suites.Suite, error) {
	var all []suites.Suite
	known := builtinNames()
	wanted := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(known, name) })
	for from := 0; from < len(wanted); {
		more, err := readBuiltin(wanted[from:])
		if err != nil {
			return nil, err
		}
		all, from = append(all, more...), len(wanted)
		for _, s := range more {
			for i := range s.Cases {
				if in := s.Cases[i].ControlKey().Suite; !slices.Contains(wanted, in) {
					wanted = append(wanted, in)
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b suites.Suite) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// HooksOf returns the hooks of a built-in suite, and words that are none, without reading the
// suite. It returns nil if the suite may have cases without a hook.
func HooksOf(name string) []string {
	data, err := builtin.ReadFile("builtin/" + name + ".yaml")
	text := string(data)
	if err != nil || !strings.Contains(text, "\nhook: ") {
		return nil
	}
	var hooks []string
	for {
		_, rest, found := strings.Cut(text, "hook: ")
		if !found {
			return hooks
		}
		text = rest
		end := strings.IndexAny(rest, " ,}\n")
		hooks = append(hooks, rest[:max(end, 0)])
	}
}

func readBuiltin(names []string) ([]suites.Suite, error) {
	all := make([]suites.Suite, len(names))
	errs := make([]error, len(names))
	var wg sync.WaitGroup
	for i, name := range names {
		wg.Go(func() { all[i], errs[i] = builtins()[name]() })
	}
	wg.Wait()
	return all, errors.Join(errs...)
}

// builtins returns a function for each of them that reads it on first use.
var builtins = sync.OnceValue(func() map[string]func() (suites.Suite, error) {
	read := map[string]func() (suites.Suite, error){}
	for _, name := range builtinNames() {
		read[name] = sync.OnceValues(func() (suites.Suite, error) {
			data, err := builtin.ReadFile("builtin/" + name + ".yaml")
			if err != nil {
				return suites.Suite{}, err
			}
			s, problems := Load(prefix+name, data)
			s.Builtin = true
			var errs []error
			for _, p := range problems {
				errs = append(errs, p)
			}
			return s, errors.Join(errs...)
		})
	}
	return read
})

// tables sets the tables of the form on first use.
var tables = sync.OnceFunc(setTables)

// Load reads a suite file; path is its name in positions. A suite with problems contains the
// readable parts so that Check can examine the rest, but it must not be run. Check reports
// problems between several cases.
func Load(path string, data []byte) (suites.Suite, []suites.Problem) {
	tables()
	r := newReader(path)
	s := suites.Suite{At: suites.Position{File: path}}
	if root := r.parse(data); root != nil {
		s = r.suite(root)
	}
	r.Sort()
	return s, r.Problems
}

// Check reports problems between cases and between suites: duplicate names, IDs and agents, and
// controls that do not exist or prove nothing.
func Check(all []suites.Suite) []suites.Problem {
	problems := checkSuites(all)
	cases := map[suites.Key]*suites.Case{}
	var order []*suites.Case
	names := map[string]bool{}
	for i := range all {
		if names[all[i].Name] {
			continue // its cases are part of that problem
		}
		names[all[i].Name] = true
		for j := range all[i].Cases {
			c := &all[i].Cases[j]
			if first := cases[c.Key()]; first != nil {
				problems = append(problems, suites.Problem{At: c.At,
					What: fmt.Sprintf("id %s is taken in suite %s", c.ID, c.Suite), Hint: "by the case at " + first.At.String()})
				continue
			}
			cases[c.Key()] = c
			order = append(order, c)
		}
	}
	done := map[*suites.Case]bool{}
	for _, c := range order {
		if c.Control != "" {
			problems = append(problems, checkControl(c, cases)...)
			problems = append(problems, checkCircle(c, cases, done)...)
		}
	}
	return problems
}

// checkSuites reports names and agents that two suites share.
func checkSuites(all []suites.Suite) (problems []suites.Problem) {
	names, agents := map[string]suites.Position{}, map[string]*suites.Suite{}
	for i := range all {
		s := &all[i]
		if first, taken := names[s.Name]; taken && s.Name != "" {
			problems = append(problems, suites.Problem{At: s.At, What: "suite " + s.Name + " exists already", Hint: "at " + first.String()})
			continue
		}
		names[s.Name] = s.At
		if first := agents[s.Agent]; first != nil && s.Agent != "" {
			problems = append(problems, suites.Problem{At: s.At, What: "agent " + s.Agent + " is that of suite " + first.Name,
				Hint: "at " + first.At.String() + "; records are kept by agent"})
			continue
		}
		agents[s.Agent] = s
	}
	return problems
}

// checkControl reports a control that is not another case, or that proves nothing because it
// does not expect the hook's reaction to a violation.
func checkControl(c *suites.Case, cases map[suites.Key]*suites.Case) []suites.Problem {
	key := c.ControlKey()
	if key == c.Key() {
		return []suites.Problem{{At: c.At, What: "control " + c.Control + " is the case itself", Hint: "name a case that must fail or block"}}
	}
	if control := cases[key]; control != nil {
		if provesNothing(c, control) {
			return []suites.Problem{{At: c.At, What: fmt.Sprintf("control %s of %s expects the same as the case itself, so it proves nothing", c.Control, c.ID),
				Hint: "name a case whose input the hook has to act on, with the exit, effect or output that shows it"}}
		}
		return nil
	}
	return []suites.Problem{{At: c.At, What: fmt.Sprintf("control %s of %s does not exist", c.Control, c.ID), Hint: nearestCase(key, cases)}}
}

// provesNothing reports whether a control would pass on a hook that does nothing, like its case.
func provesNothing(c, control *suites.Case) bool {
	if control.Check != nil || c.Check != nil {
		return false
	}
	expects := func(c *suites.Case) suites.Expectation { return c.Steps[len(c.Steps)-1].Expect }
	return reflect.DeepEqual(expects(c), expects(control))
}

// checkCircle follows a case's controls to a case that was visited before, and reports a circle
// if that case is part of the current path.
func checkCircle(c *suites.Case, cases map[suites.Key]*suites.Case, done map[*suites.Case]bool) []suites.Problem {
	var way []*suites.Case
	for c != nil && !done[c] {
		done[c] = true
		way = append(way, c)
		if c.Control == "" {
			return nil
		}
		c = cases[c.ControlKey()]
	}
	start := slices.Index(way, c)
	if start < 0 || start == len(way)-1 { // the last is its own control
		return nil
	}
	var ids []string
	for _, w := range append(way[start:], c) {
		ids = append(ids, w.Key().String())
	}
	return []suites.Problem{{At: c.At, What: "controls run in a circle: " + strings.Join(ids, " -> ")}}
}

// nearestCase returns a hint with the most similar ID in the suite.
func nearestCase(key suites.Key, cases map[suites.Key]*suites.Case) string {
	var ids []string
	for k := range cases {
		if k.Suite == key.Suite {
			ids = append(ids, k.ID)
		}
	}
	slices.Sort(ids)
	return pattern.NearestHint(key.ID, ids)
}
