// Package config reads a project's .hookwatch.yaml and gives every setting its
// value: from a flag, a HOOKWATCH_ variable, the file, or its default, in that
// order. Every problem of every source is reported at once.
package config

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"hookwatch/suites"
)

// FileName is the name of the configuration file.
const FileName = ".hookwatch.yaml"

// Builtin is the entry of Preflight.Required that stands for what the suites require
// that hookwatch brings along, and of Config.Suites for the usual ones of these.
const Builtin = "builtin"

// A Config is what one project's configuration says, complete. Lists of paths
// and globs are slash paths from Root, as written.
type Config struct {
	Project   string                `mapstructure:"project"`
	Hooks     []string              `mapstructure:"hooks"`
	Settings  []string              `mapstructure:"settings"`
	Specs     []string              `mapstructure:"specs"`
	Suites    []string              `mapstructure:"suites"`
	Verify    VerifyPolicy          `mapstructure:"verify"`
	Preflight Preflight             `mapstructure:"preflight"`
	Gates     map[string]GatePolicy `mapstructure:"-"` // by tool; viper would lower-case and split the names
	StandIns  []string              `mapstructure:"stand_ins"`
	Run       Run                   `mapstructure:"run"`
	Sandbox   Sandbox               `mapstructure:"sandbox"`
	Live      Live                  `mapstructure:"live"`
	Results   Results               `mapstructure:"results"`
	Notify    Notify                `mapstructure:"notify"`
	Watch     Watch                 `mapstructure:"watch"`

	Path        string `mapstructure:"-"` // of the file; "" when there is none
	Root        string `mapstructure:"-"` // absolute path of the project
	ResultsDir  string `mapstructure:"-"` // absolute
	ResultsBase string `mapstructure:"-"` // exists, and ResultsDir is it or below it; no link is followed from here on

	// What of the file, and of defaults that a link leads elsewhere, a person has to
	// agree to; what is not agreed to is not in force.
	Asks     []Ask    `mapstructure:"-"`
	Agreed   []string `mapstructure:"-"` // real paths out of the project that may be read
	Distrust string   `mapstructure:"-"` // why nothing that was agreed to counts; "" if it does
	Dir      string   `mapstructure:"-"` // real path of the directory that the configuration belongs to: agreements are about that
	State    string   `mapstructure:"-"` // the person's state folder
}

// Preflight says what a full run needs before it starts.
type Preflight struct {
	Required []string        `mapstructure:"required"`
	Policy   PreflightPolicy `mapstructure:"policy"`
}

// Run says how cases of layer 1 run.
type Run struct {
	Jobs      int           `mapstructure:"jobs"`    // 0: one a processor
	Timeout   time.Duration `mapstructure:"timeout"` // of one case
	Backstop  time.Duration `mapstructure:"backstop"`
	Isolation Isolation     `mapstructure:"isolation"`
	Trace     TracePolicy   `mapstructure:"trace"`
	PassEnv   []string      `mapstructure:"pass_env"` // names of variables
}

// Sandbox says what a case may see and use, and what is kept of those that fail.
type Sandbox struct {
	Home      Home     `mapstructure:"home"`
	Mask      []string `mapstructure:"mask"`      // paths from HOME to hide beside the known ones
	Unmask    []string `mapstructure:"unmask"`    // paths from HOME not to hide
	Size      ByteSize `mapstructure:"size"`      // that a case may write
	Processes int      `mapstructure:"processes"` // that a case may have at a time
	Memory    ByteSize `mapstructure:"memory"`    // that its processes may use together
	Keep      int      `mapstructure:"keep"`      // sandboxes of failing cases; 0 keeps none
	KeepSize  ByteSize `mapstructure:"keep_size"` // of all that are kept
}

// Live says how cases of layer 2 run.
type Live struct {
	Client  string        `mapstructure:"client"` // "": the one on PATH
	Timeout time.Duration `mapstructure:"timeout"`
}

// Results says where records are kept and for how long.
type Results struct {
	Dir         string   `mapstructure:"dir"`       // as written; see Config.ResultsDir
	KeepRuns    int      `mapstructure:"keep_runs"` // 0: no limit
	KeepDays    int      `mapstructure:"keep_days"` // 0: no limit
	RollingSize ByteSize `mapstructure:"rolling_size"`
}

// Notify says when a person is notified beyond the terminal.
type Notify struct {
	Desktop bool          `mapstructure:"desktop"`
	Settle  time.Duration `mapstructure:"settle"`
}

// Watch says what the watcher leaves out, and how its selections are checked.
type Watch struct {
	Ignore []string `mapstructure:"ignore"` // globs
	Audit  int      `mapstructure:"audit"`  // cases that are not affected and run all the same after a save
}

// LoadOptions say where to look. The zero value reads the configuration of the
// working directory and the process's own environment.
type LoadOptions struct {
	Dir   string                      // where the search starts; "" is the working directory
	Path  string                      // an explicit file, relative to Dir
	Flags *pflag.FlagSet              // only those that were set count
	Env   func(string) (string, bool) // nil is os.LookupEnv
	State string                      // the person's state folder; "" is that of the system's rules
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
	c := &Config{Path: path}
	c.consent(file, dir, o.State, set)
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
