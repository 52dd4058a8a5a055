// Package catalog reads suite files: the embedded built-in ones and a project's own, which have
// the same format. It reports all problems of a file at once, with their positions.
package catalog

import (
	"embed"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"hookwatch/suites"
)

//go:embed builtin/*.yaml
var builtin embed.FS

// prefix begins the file name in positions of built-in suites, because they are no files of the
// user.
const prefix = "builtin:"

// IsBuiltin reports whether a position is in a built-in suite.
func IsBuiltin(at string) bool { return strings.HasPrefix(at, prefix) }

// BuiltinNames returns the names of the built-in suites, sorted, without reading them.
func BuiltinNames() []string {
	files, _ := fs.Glob(builtin, "builtin/*.yaml") // fails only for an invalid pattern
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = strings.TrimSuffix(path.Base(f), ".yaml")
	}
	slices.Sort(names)
	return names
}

// Builtin returns the built-in suites, sorted by name. They are read once.
func Builtin() ([]suites.Suite, error) { return readBuiltin(BuiltinNames()) }

// BuiltinFor returns the built-in suites with these names and those that contain their controls,
// sorted by name.
func BuiltinFor(names []string) ([]suites.Suite, error) {
	var all []suites.Suite
	known := BuiltinNames()
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
	for _, name := range BuiltinNames() {
		read[name] = sync.OnceValues(func() (suites.Suite, error) {
			data, err := builtin.ReadFile("builtin/" + name + ".yaml")
			if err != nil {
				return suites.Suite{}, err
			}
			s, problems := Load(prefix+name, data)
			s.Builtin = true
			return s, join(problems)
		})
	}
	return read
})

// tables sets the tables of the form on first use.
var tables = sync.OnceFunc(setTables)

func join(problems []suites.Problem) error {
	errs := make([]error, len(problems))
	for i, p := range problems {
		errs[i] = p
	}
	return errors.Join(errs...)
}

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
