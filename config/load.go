package config

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"
	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
	"hookwatch/suites/disk"
	"hookwatch/suites/yamlform"
)

// LoadOptions configures Load. The zero value reads the configuration of the working
// directory and the process's own environment.
type LoadOptions struct {
	Dir   string                      // where the search starts; "" means the working directory
	Path  string                      // an explicit file, relative to Dir
	Flags *pflag.FlagSet              // only flags that were set count
	Env   func(string) (string, bool) // nil means os.LookupEnv
	State string                      // the user's state folder; "" means the system's default
	// FirstCommit returns the first commit of the repository that contains a directory, or ""
	// if there is none. It is called only if there are agreements. If it is nil, no repository
	// can be read.
	FirstCommit func(dir string) string
	// Read returns where the file at a path is read instead, such as among the files of a revision. If it
	// is nil, files are read at their paths.
	Read func(path string) string
}

// Load returns the effective configuration. The error is an *Error if the user's input is
// at fault.
func Load(o LoadOptions) (*Config, error) {
	if o.Env == nil {
		o.Env = os.LookupEnv
	}
	o.State = cmp.Or(o.State, StateFolder())
	if o.Read == nil {
		o.Read = func(path string) string { return path }
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	path, data, err := readFile(dir, o.Path, o.Read)
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

// merge applies the sources to the defaults, later ones over earlier ones.
func (c *Config) merge(file, env, flags *source) error {
	v := viper.New()
	for _, k := range keys {
		v.SetDefault(k.path, k.def)
	}
	for _, s := range []*source{file, env} {
		if err := v.MergeConfigMap(s.nest()); err != nil {
			return err
		}
	}
	for path, value := range flags.values {
		v.Set(path, value)
	}
	c.Gates = map[string]GatePolicy{}
	for _, gates := range []map[string]GatePolicy{defaultGates, file.gates} {
		maps.Copy(c.Gates, gates)
	}
	c.Denies = file.denies
	return v.Unmarshal(c)
}

// nest returns the source's values as nested maps for viper.
func (s *source) nest() map[string]any {
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

// mostBytes is the maximum size of a configuration file: thirty times one in which every
// key is explained, and small enough to be parsed in well under a second.
const mostBytes = 128 << 10

// readFile finds and reads the file. Both results are empty if there is none.
func readFile(dir, explicit string, read func(path string) string) (path string, data []byte, err error) {
	var door disk.Reader
	if path = explicit; path == "" {
		found, ok := findFile(dir, read)
		if !ok {
			return "", nil, nil
		}
		path, door.Root = found, read(cmp.Or(workTree(filepath.Dir(found)), filepath.Dir(found)))
		if !mayRule(dir, read(path)) {
			return "", nil, unread(dir, path, "belongs to another user, who does not own the directory that you are in: it is not read", readAnyway(path))
		}
	} else if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	data, err = door.ReadFile(read(path), mostBytes)
	if err == nil {
		return path, data, nil
	}
	return "", nil, unreadable(dir, path, explicit != "", err)
}

// unreadable returns the error for a file that cannot be read, with a hint.
func unreadable(dir, path string, asked bool, err error) error {
	hint := ""
	var refused *disk.Error
	if errors.As(err, &refused) {
		if refused.Reason == disk.Outside {
			hint = readAnyway(path)
		}
		return unread(dir, path, "cannot be read: "+err.Error(), hint)
	}
	if asked && errors.Is(err, fs.ErrNotExist) {
		hint = "hookwatch init writes a commented one"
	}
	if cause := (*fs.PathError)(nil); errors.As(err, &cause) {
		err = cause.Err
	}
	return unread(dir, path, "cannot be read: "+err.Error(), hint)
}

func unread(dir, path, what, hint string) error {
	return &Error{[]suites.Problem{{At: suites.Position{File: displayPath(dir, path)}, What: what, Hint: hint}}}
}

func readAnyway(path string) string { return "--config " + path + " reads it all the same" }

// parseFile parses the file's text.
func parseFile(file string, data []byte) *source {
	s := newSource(file)
	var docs []yaml.Node
	if err := yaml.Load(data, &docs, yaml.WithAllDocuments()); err != nil {
		s.Syntax(data, err)
		return s
	}
	for i, doc := range docs {
		if i > 0 {
			s.Add(&docs[i], "a second document", "keep one and remove the --- line")
			break
		}
		if len(doc.Content) == 1 {
			s.group("", doc.Content[0])
		}
	}
	s.Sort()
	return s
}

// group reads the keys of a mapping, or of the top level for "".
func (s *source) group(name string, n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return // a group whose keys are all commented out
	}
	if n.Kind != yaml.MappingNode {
		s.Wrong(n, cmp.Or(name, "the file"), "keys with values", "known here: "+strings.Join(namesIn(name), ", "))
		return
	}
	s.Each(n, func(k, v *yaml.Node) {
		path := strings.TrimPrefix(name+"."+k.Value, ".")
		if known, ok := find(path); ok && !strings.Contains(k.Value, ".") {
			s.set(known, v)
		} else if name == "" && len(namesIn(k.Value)) > 0 && k.Value != "" {
			s.group(k.Value, v)
		} else {
			s.Add(k, "unknown key "+yamlform.Show(path, shownText), suggest(name, k.Value))
		}
	})
}

// set reads the value of one key.
func (s *source) set(k key, n *yaml.Node) {
	s.nodes[k.path] = n
	switch v := k.read(s, k.path, n).(type) {
	case nil:
	case map[string]GatePolicy:
		s.gates = v
	case []suites.Deny:
		s.denies = v
	default:
		s.values[k.path] = v
	}
}

// readEnv reads the HOOKWATCH_ variables. An empty one counts as unset.
func readEnv(lookup func(string) (string, bool)) *source {
	s := newSource("")
	for _, k := range keys {
		if k.env == "" {
			continue
		}
		s.File = "HOOKWATCH_" + k.env
		if v, ok := lookup(s.File); ok && v != "" {
			s.set(k, valueNode(k, v))
		}
	}
	return s
}

// AddFlags registers the settings that have a flag. The defaults are only in the usage
// text, because an unset flag must have no value.
func AddFlags(flags *pflag.FlagSet) {
	for _, k := range keys {
		if k.flag != "" {
			flags.String(k.flag, "", k.usage+" (HOOKWATCH_"+k.env+")")
		}
	}
}

// readFlags reads the flags that were set on the command line.
func readFlags(flags *pflag.FlagSet) *source {
	s := newSource("")
	if flags == nil {
		return s
	}
	for _, k := range keys {
		f := flags.Lookup(k.flag)
		if f == nil || !f.Changed {
			continue
		}
		s.File = "--" + k.flag
		v := f.Value.String()
		if slice, ok := f.Value.(pflag.SliceValue); ok {
			v = strings.Join(slice.GetSlice(), ",")
		}
		s.set(k, valueNode(k, v))
	}
	return s
}

// valueNode returns the text of a variable or flag as a node of the file. Items of a list
// are separated by commas.
func valueNode(k key, text string) *yaml.Node {
	if _, isList := k.def.([]string); isList {
		seq := &yaml.Node{Kind: yaml.SequenceNode}
		for item := range strings.SplitSeq(text, ",") {
			if item = strings.TrimSpace(item); item != "" {
				seq.Content = append(seq.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: item})
			}
		}
		return seq
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	if _, isText := k.def.(string); isText {
		return n
	}
	if _, err := strconv.Atoi(text); err == nil {
		n.Tag = "!!int"
	}
	if _, isTruth := k.def.(bool); isTruth {
		if b, err := strconv.ParseBool(text); err == nil {
			n.Tag, n.Value = "!!bool", strconv.FormatBool(b)
		}
	}
	return n
}

// A source has the values of the file, the variables or the flags, by the keys' paths.
type source struct {
	yamlform.Reader // its File is the source of the next problem

	values map[string]any
	nodes  map[string]*yaml.Node // the nodes of the values
	gates  map[string]GatePolicy
	denies []suites.Deny
}

func newSource(file string) *source {
	return &source{
		Reader: yamlform.Reader{File: file, Bounds: bounds},
		values: map[string]any{}, nodes: map[string]*yaml.Node{},
	}
}

// has reports whether the source sets a key.
func (s *source) has(path string) bool { return s.nodes[path] != nil }

// bounds limits a source, because larger ones are a mistake or an attack. A file with
// nothing but problems can have a million.
var bounds = yamlform.Bounds{Problems: 101, Rest: true, Text: 4096, Shown: shownText} // a path can be as long as a text

const (
	shownText = 80 // bytes of a value in a message
	mostItems = 1000
)

// add adds a problem and returns nil, the value if there is a problem.
func (s *source) add(n *yaml.Node, what, hint string) any {
	s.Add(n, what, hint)
	return nil
}

// wrong reports a value of the wrong type, and returns nil.
func (s *source) wrong(n *yaml.Node, name, want, hint string) any {
	s.Wrong(n, name, want, hint)
	return nil
}

// An Error lists every problem of a configuration: those of the file in its order, then
// those of variables and flags, with their names instead of a file name.
type Error struct{ Problems []suites.Problem }

// Error returns the problems, one per line.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}
