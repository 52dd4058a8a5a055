package config

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"hookwatch/suites"
)

// LoadOptions say where to look. The zero value reads the configuration of the
// working directory and the process's own environment.
type LoadOptions struct {
	Dir   string                      // where the search starts; "" is the working directory
	Path  string                      // an explicit file, relative to Dir
	Flags *pflag.FlagSet              // only those that were set count
	Env   func(string) (string, bool) // nil is os.LookupEnv
	State string                      // the user's state folder; "" is that of the system's rules
	// FirstCommit returns the first commit of the repository that a directory is in, ""
	// without one. It is called only where something was agreed to. Nil: no
	// repository can be read.
	FirstCommit func(dir string) string
}

// Load gives the configuration in force. Its error is of type *Error when what
// a person wrote is at fault.
func Load(o LoadOptions) (*Config, error) {
	if o.Env == nil {
		o.Env = os.LookupEnv
	}
	o.State = cmp.Or(o.State, StateFolder())
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	path, data, err := readFile(dir, o.Path)
	if err != nil {
		return nil, err
	}
	file := parseFile(displayPath(dir, path), data)
	env, flags := readEnv(o.Env), readFlags(o.Flags)
	for _, s := range []*source{file, env, flags} {
		s.expandHome()
	}
	if path != "" {
		file.checkRoot(file.root(dir, path))
	}
	if problems := slices.Concat(file.Problems, env.Problems, flags.Problems); len(problems) > 0 {
		return nil, &Error{problems}
	}
	set := func(key string) bool { return env.has(key) || flags.has(key) }
	c := &Config{Path: path, Digest: fmt.Sprintf("%x", sha256.Sum256(data))}
	c.consent(file, dir, o, set)
	if err := c.merge(file, env, flags); err != nil {
		return nil, err
	}
	c.placeResults(o.State, set("results.dir"), path != "")
	if err := c.checkResults(); err != nil {
		return nil, &Error{[]suites.Problem{{At: suites.Position{File: cmp.Or(displayPath(dir, path), "results.dir")}, What: "results.dir: " + err.Error(),
			Hint: "choose a directory of its own: everything in it is ignored by git and by the watcher"}}}
	}
	return c, nil
}

// merge lays the sources over the defaults, later ones over earlier ones.
func (c *Config) merge(file, env, flags *source) error {
	v := viper.New()
	for _, k := range keys {
		v.SetDefault(k.path, k.def)
	}
	for _, s := range []*source{file, env} {
		if err := v.MergeConfigMap(s.nested()); err != nil {
			return err
		}
	}
	for path, value := range flags.values {
		v.Set(path, value)
	}
	c.Gates = map[string]GatePolicy{}
	for _, gates := range []map[string]GatePolicy{defaultGates, file.gates} {
		for tool, policy := range gates {
			c.Gates[tool] = policy
		}
	}
	c.Denies = file.denies
	return v.Unmarshal(c)
}

// nested is the source's values as maps within maps, as viper merges them.
func (s *source) nested() map[string]any {
	top := map[string]any{}
	for path, value := range s.values {
		m := top
		group, name, ok := strings.Cut(path, ".")
		if ok {
			if m[group] == nil {
				m[group] = map[string]any{}
			}
			m = m[group].(map[string]any)
		} else {
			name = group
		}
		m[name] = value
	}
	return top
}
