// Package config reads a project's .hookwatch.yaml and gives every setting its
// value: from a flag, a HOOKWATCH_ variable, the file, or its default, in that
// order. Every problem of every source is reported at once.
package config

import (
	_ "embed"
	"slices"
	"time"

	"hookwatch/config/trust"
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
	Denies    []suites.Deny         `mapstructure:"-"` // inputs that hooks must stop
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
	Distrust string   `mapstructure:"-"` // why nothing that was agreed to counts, and nothing can be agreed to; "" if it can
	Lapsed   string   `mapstructure:"-"` // why what was agreed to before does not count; "" if it does
	Digest   string   `mapstructure:"-"` // of the file's content
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
	Isolation string        `mapstructure:"isolation"` // names a sandbox.Backend, or is sandbox.Auto
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

// An Ask is a value of a project's file that weakens protection or reaches out of
// the project. It counts only once a person has agreed to exactly this.
type Ask struct {
	trust.Value
	File    string `json:"-"` // "" for a default that leads out by a link
	Line    int    `json:"-"`
	Column  int    `json:"-"`
	Why     string `json:"why"`     // what it would mean
	Instead string `json:"instead"` // what applies until it is agreed to
	Agreed  bool   `json:"agreed"`

	entry bool // of a list
}

//go:embed example.yaml
var example []byte

//go:embed schema.json
var schema []byte

// Example is a commented configuration file in which every key has its default.
func Example() []byte { return slices.Clone(example) }

// Schema is the JSON Schema of the configuration file.
func Schema() []byte { return slices.Clone(schema) }
