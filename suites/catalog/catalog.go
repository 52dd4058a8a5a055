// Package catalog reads suite files: the built-in ones, which it brings along,
// and a project's own, which have the same format. Every problem of a file is
// reported at once, where it stands.
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

// prefix begins the name by which positions have a built-in suite: it is no file
// of anybody's.
const prefix = "builtin:"

// IsBuiltin reports whether a position is in a built-in suite.
func IsBuiltin(at string) bool { return strings.HasPrefix(at, prefix) }

// BuiltinNames lists the built-in suites, sorted, without reading them.
func BuiltinNames() []string {
	files, _ := fs.Glob(builtin, "builtin/*.yaml") // fails for a bad pattern only
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = strings.TrimSuffix(path.Base(f), ".yaml")
	}
	slices.Sort(names)
	return names
}

// Builtin gives the built-in suites, sorted by name. They are read once.
func Builtin() ([]suites.Suite, error) { return readBuiltin(BuiltinNames()) }

// BuiltinFor gives those of these names, and all that may hold controls of theirs: a
// family's are in the family.
func BuiltinFor(names []string) ([]suites.Suite, error) {
	families := map[string]bool{}
	for _, name := range names {
		if family, ok := suites.InFamily(name); ok {
			families[family] = true
		}
	}
	return readBuiltin(slices.DeleteFunc(BuiltinNames(), func(name string) bool {
		family, ok := suites.InFamily(name)
		return ok && !families[family]
	}))
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

// builtins reads each of them when it is first asked for.
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

// tables sets the tables of the form when they are first needed.
var tables = sync.OnceFunc(setTables)

func join(problems []suites.Problem) error {
	errs := make([]error, len(problems))
	for i, p := range problems {
		errs[i] = p
	}
	return errors.Join(errs...)
}

// Load reads a suite file; path is how positions name it. A suite with problems
// holds what could be read, so that Check can look at the rest: it must not be
// run. What concerns several cases is Check's.
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
