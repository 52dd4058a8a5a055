// Package config reads a project's .hookwatch.yaml and determines the value of every
// setting: from a flag, a HOOKWATCH_ variable, the file, or its default, in that order.
// All problems of all sources are reported at once.
package config

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/pattern"
)

// FileName is the name of the configuration file.
const FileName = ".hookwatch.yaml"

// Builtin stands for the requirements of built-in suites in Preflight.Required, and for
// the default built-in suites in Config.Suites.
const Builtin = "builtin"

// A Config is the complete configuration of one project. Lists of paths and globs are
// slash paths from Root, as written.
type Config struct {
	Project   string       `mapstructure:"project"`
	Hooks     []string     `mapstructure:"hooks"`
	Settings  []string     `mapstructure:"settings"`
	Clients   []string     `mapstructure:"clients"` // whose hooks count; none for Claude Code and those with files in the tree
	Specs     []string     `mapstructure:"specs"`
	Suites    []string     `mapstructure:"suites"`
	Verify    VerifyPolicy `mapstructure:"verify"`
	Preflight Preflight    `mapstructure:"preflight"`
	// By tool; not read by viper, which would lower-case and split the names.
	Gates    map[string]GatePolicy `mapstructure:"-"`
	Denies   []suites.Deny         `mapstructure:"-"`      // inputs that hooks must stop
	Allows   []string              `mapstructure:"allows"` // kinds of ways around guards that pass on purpose, as AIM/KIND
	StandIns []string              `mapstructure:"stand_ins"`
	Run      Run                   `mapstructure:"run"`
	Budget   Budget                `mapstructure:"budget"`
	Sandbox  Sandbox               `mapstructure:"sandbox"`
	Live     Live                  `mapstructure:"live"`
	Results  Results               `mapstructure:"results"`
	Notify   Notify                `mapstructure:"notify"`
	Watch    Watch                 `mapstructure:"watch"`

	Path       string `mapstructure:"-"` // of the file; "" if there is none
	Root       string `mapstructure:"-"` // absolute path of the project's files
	RunRoot    string `mapstructure:"-"` // where the hooks run, if the files at Root are those of a revision; otherwise ""
	ResultsDir string `mapstructure:"-"` // absolute
	// An existing directory, which is ResultsDir or a parent; no link is followed below it.
	ResultsBase string `mapstructure:"-"`

	// Values of the file, and defaults that lead out of the project through a link, that the
	// user must agree to. Until then they are not used.
	Asks     []Ask    `mapstructure:"-"`
	Agreed   []string `mapstructure:"-"` // real paths outside of the project that may be read
	Distrust string   `mapstructure:"-"` // why agreements are ignored and cannot be made; "" if they can
	Lapsed   string   `mapstructure:"-"` // why earlier agreements are ignored; "" if they are not
	Digest   string   `mapstructure:"-"` // of the file's content
	// Real path of the directory that the configuration belongs to, which agreements are made
	// for.
	Dir   string `mapstructure:"-"`
	State string `mapstructure:"-"` // the user's state folder
}

// Preflight configures the requirements of a full run.
type Preflight struct {
	Required []string        `mapstructure:"required"`
	Policy   PreflightPolicy `mapstructure:"policy"`
}

// Run configures the runs of layer 1 cases.
type Run struct {
	Jobs      int           `mapstructure:"jobs"`    // 0 means one per processor
	Timeout   time.Duration `mapstructure:"timeout"` // of one case
	Budget    time.Duration `mapstructure:"budget"`  // of a hook, in cases without one; 0 for any time
	Backstop  time.Duration `mapstructure:"backstop"`
	Isolation string        `mapstructure:"isolation"` // a sandbox.Backend, or sandbox.Auto
	Trace     TracePolicy   `mapstructure:"trace"`
	PassEnv   []string      `mapstructure:"pass_env"` // names of variables
}

// Budget configures how long hooks may take before there is a warning.
type Budget struct {
	Call time.Duration `mapstructure:"call"` // all hooks of a call; 0 for any time
}

// Sandbox configures the files and resources of a case, and which sandboxes of failing
// cases are kept.
type Sandbox struct {
	Home      Home     `mapstructure:"home"`
	Mask      []string `mapstructure:"mask"`      // paths from HOME to hide in addition to the built-in ones
	Unmask    []string `mapstructure:"unmask"`    // paths from HOME not to hide
	Size      ByteSize `mapstructure:"size"`      // of the files that a case may write
	Processes int      `mapstructure:"processes"` // maximum number in a case at a time
	Memory    ByteSize `mapstructure:"memory"`    // of all processes of a case together
	Keep      int      `mapstructure:"keep"`      // number of sandboxes of failing cases; 0 keeps none
	KeepSize  ByteSize `mapstructure:"keep_size"` // of all kept sandboxes together
}

// Live configures the runs of layer 2 cases.
type Live struct {
	Client  string        `mapstructure:"client"` // "" means the one on PATH
	Timeout time.Duration `mapstructure:"timeout"`
}

// Results configures where records are kept and how long.
type Results struct {
	Dir         string   `mapstructure:"dir"`       // as written; see Config.ResultsDir
	KeepRuns    int      `mapstructure:"keep_runs"` // 0 means no limit
	KeepDays    int      `mapstructure:"keep_days"` // 0 means no limit
	RollingSize ByteSize `mapstructure:"rolling_size"`
}

// Notify configures notifications outside the terminal.
type Notify struct {
	Desktop bool          `mapstructure:"desktop"`
	Settle  time.Duration `mapstructure:"settle"`
}

// Watch configures which files the watcher ignores, and how selections are checked.
type Watch struct {
	Ignore []string `mapstructure:"ignore"` // globs
	Audit  int      `mapstructure:"audit"`  // number of unaffected cases to run after a save
}

// An Ask is a value of a project's file that weakens protection or leads out of the
// project. It is used only once the user has agreed to exactly this value.
type Ask struct {
	ConsentValue
	File    string `json:"-"`       // "" for a default that leads out by a link
	At      string `json:"at"`      // file:line:column; "" for such a default
	Why     string `json:"why"`     // what it would mean
	Instead string `json:"instead"` // what applies until it is agreed to
	Agreed  bool   `json:"agreed"`

	entry bool // one entry of a list
}

//go:embed example.yaml
var example []byte

//go:embed definitions.json
var definitions []byte

// Example returns a commented configuration file in which every key has its default.
func Example() []byte { return slices.Clone(example) }

// Schema returns the JSON Schema of the configuration file.
func Schema() []byte {
	var builtin []string
	for _, name := range slices.Concat(suites.BuiltinEntries(), suites.BuiltinNames(), []string{everyBuiltin}) {
		builtin = append(builtin, Builtin+":"+name)
	}
	slices.Sort(builtin)
	values := strings.NewReplacer("{suites}", encode(slices.Compact(builtin)), "{clients}", encode(slices.Sorted(slices.Values(clients.Names()))))
	return fmt.Appendf(nil, `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "hookwatch configuration (.hookwatch.yaml)",
  %s,
  "$defs": %s}
`, values.Replace(schemaOf("", "  ")), definitions)
}

// schemaOf returns the keywords of the schema of a group, or of the top level for "".
func schemaOf(group, indent string) string {
	var properties []string
	for _, name := range namesIn(group) {
		keywords := groups[name]
		if k, ok := find(strings.TrimPrefix(group+"."+name, ".")); !ok {
			keywords = fmt.Sprintf("%q, %s", keywords, schemaOf(name, indent+"  "))
		} else if keywords = fmt.Sprintf("%q, %s", k.about, k.schema); k.def != nil {
			keywords += `, "default": ` + encode(k.def)
		}
		properties = append(properties, fmt.Sprintf("\n%s  %q: {\"description\": %s}", indent, name, keywords))
	}
	return `"type": ["object", "null"], "additionalProperties": false, "properties": {` + strings.Join(properties, ",") + "\n" + indent + "}"
}

// encode returns a value as it is written in JSON.
func encode(value any) string {
	if text, ok := value.(fmt.Stringer); ok {
		value = format(text)
	}
	text, _ := json.Marshal(value) // texts, numbers and lists of texts
	return string(text)
}

// everyBuiltin is the name for all built-in suites.
const everyBuiltin = "all"

// builtinName returns the name of built-in suites in an entry of Config.Suites, or "" for
// the default ones. ok is false if the entry is a path.
func builtinName(entry string) (name string, ok bool) {
	if entry == Builtin {
		return "", true
	}
	return strings.CutPrefix(entry, Builtin+":")
}

// isBuiltin reports whether an entry stands for built-in suites.
func isBuiltin(entry string) bool {
	_, ok := builtinName(entry)
	return ok
}

// BuiltinSuites returns the names of the enabled built-in suites, sorted.
func (c *Config) BuiltinSuites() []string {
	var names []string
	for _, entry := range c.Suites {
		switch name, ok := builtinName(entry); {
		case !ok:
		case name == "":
			names = append(names, suites.BuiltinDefault...)
		case name == everyBuiltin:
			names = append(names, suites.BuiltinNames()...)
		case suites.BuiltinFamilies[name] != nil:
			names = append(names, suites.BuiltinFamily(name)...)
		default:
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// OwnSuites returns the patterns of the project's own suites.
func (c *Config) OwnSuites() []string {
	return slices.DeleteFunc(slices.Clone(c.Suites), isBuiltin)
}

// suite reads a pattern, or the name of built-in suites.
var suite = reader{`"$ref": "#/$defs/text", "anyOf": [{"not": {"pattern": "^builtin:"}}, {"enum": {suites}}]`, func(s *source, name string, n *yaml.Node) any {
	v := glob.read(s, name, n)
	wanted, ok := builtinName(n.Value)
	known := append(suites.BuiltinEntries(), everyBuiltin)
	if v == nil || !ok || wanted == "" && n.Value == Builtin || slices.Contains(known, wanted) || slices.Contains(suites.BuiltinNames(), wanted) {
		return v
	}
	hint := "there are " + strings.Join(known, ", ")
	if near := pattern.Nearest(wanted, known); near != "" {
		hint = "did you mean " + Builtin + ":" + near + "? " + hint
	}
	return s.add(n, name+": no built-in suite "+n.Value, hint)
}}
