package session

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/depend"
)

// hookConfig is the name of the hooks' configuration file, which is in their directory.
const hookConfig = "config.json"

// lookedInto is the maximum size in bytes of a file whose content is analysed.
const lookedInto = 1 << 20

// A ConfigKey is a key of the hooks' configuration that has no effect or no test.
type ConfigKey struct {
	File    string `json:"file"`
	Line    int    `json:"line"`    // 0 if unknown
	Key     string `json:"key"`     // such as "languages.typescript.tsgo"
	Read    bool   `json:"read"`    // by a script, or at least named by one that reads the whole file
	Covered bool   `json:"covered"` // by a case that sets it or has a marker for it
}

// ConfigKeys returns the keys that no script reads or no case covers. A key with several
// values, such as a list, counts as one.
func ConfigKeys(p *Project) []ConfigKey {
	var out []ConfigKey
	for _, dir := range p.Config.Hooks {
		file := path.Join(p.Rel(p.Config.Abs(dir)), hookConfig)
		content, err := p.Reader.ReadFile(p.Config.Abs(file), lookedInto)
		if err != nil {
			continue
		}
		covered := coverageOf(p, file)
		scripts := readersOf(p)
		for _, key := range leafKeys(content) {
			name := strings.Join(key, ".")
			k := ConfigKey{File: file, Key: name, Line: p.Graph.Section(file, name).Line}
			k.Read = slices.ContainsFunc(scripts, func(r reader) bool { return r.reads(key) })
			k.Covered = covered.sets(key) || covered.names(p.Graph, file, key)
			if !k.Read || !k.Covered {
				out = append(out, k)
			}
		}
	}
	return out
}

// leafKeys lists the paths of a document's values in order of their names, but
// for keys such as "$schema" and "_comment", which are for people and editors.
// Nothing is known of a document that is no JSON object.
func leafKeys(content []byte) []depend.KeyPath {
	var document map[string]any
	if json.Unmarshal(content, &document) != nil {
		return nil
	}
	all := leaves(document, nil)
	return all[:min(len(all), mostKeys)]
}

// Limits on the number of keys in a configuration, and on their depth.
const (
	mostKeys    = 2000
	deepestKeys = 50
)

func leaves(object map[string]any, above depend.KeyPath) (out []depend.KeyPath) {
	if len(above) >= deepestKeys {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if strings.HasPrefix(name, "$") || strings.HasPrefix(name, "_") {
			continue
		}
		here := append(slices.Clone(above), name)
		if below, ok := object[name].(map[string]any); ok && len(below) > 0 {
			out = append(out, leaves(below, here)...)
		} else {
			out = append(out, here)
		}
	}
	return out
}

// A reader is a script that may read the configuration.
type reader struct {
	text    string // without lines that are comments
	reading depend.KeyReading
}

// readersOf returns the hook scripts that may read the configuration.
func readersOf(p *Project) []reader {
	var all []reader
	for _, name := range p.hookFiles() {
		content, err := p.Reader.Anywhere().ReadFile(p.Config.Abs(name), lookedInto)
		if err != nil {
			continue
		}
		r := depend.KeysRead([][]byte{content}, hookConfig)
		if len(r.Paths) > 0 || r.Unknown != "" {
			all = append(all, reader{withoutComments(string(content)), r})
		}
	}
	return all
}

func withoutComments(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// reads reports whether the script reads the key. Where its filters are not
// spelled out, or take the whole file, it counts that the script has the key's
// name somewhere: in doubt a key is read.
func (r *reader) reads(key depend.KeyPath) bool {
	whole := r.reading.Unknown != ""
	for _, read := range r.reading.Paths {
		if len(read) > 0 && read.Touches(key) {
			return true
		}
		whole = whole || len(read) == 0
	}
	return whole && hasWord(r.text, key[len(key)-1])
}

// hasWord reports whether text contains name as a whole word; words may be joined by _.
func hasWord(text, name string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(name)
		if (at == 0 || !inWord(text[at-1])) && (end == len(text) || !inWord(text[end])) {
			return true
		}
		from = at + 1
	}
}

func inWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// A coverage describes how cases use a configuration file.
type coverage struct {
	set   []depend.KeyPath // in configurations of their own
	named []depend.Resolved
}

func coverageOf(p *Project, file string) coverage {
	var c coverage
	for _, test := range p.every {
		for _, content := range ownContents(test, file) {
			c.set = append(c.set, leafKeys([]byte(content))...)
		}
		for _, m := range slices.Concat(p.Graph.Markers(test), p.Graph.Claiming(test)) {
			if m.Found && m.File == file {
				c.named = append(c.named, m)
			}
		}
	}
	return c
}

// ownContents returns the contents that a case writes to a file of the project.
func ownContents(c *suites.Case, file string) (contents []string) {
	var places []map[string]string
	if c.Project != nil {
		places = append(places, c.Project.Files)
	}
	if c.Repo != nil {
		places = append(places, c.Repo.Commit, c.Repo.Stage, c.Repo.Modify)
	}
	for _, files := range places {
		if content, ok := files[file]; ok {
			contents = append(contents, content)
		}
	}
	for i := range c.Steps {
		for _, f := range c.Steps[i].Fixtures {
			if strings.HasSuffix(f.Path, "/"+file) {
				contents = append(contents, f.Content)
			}
		}
	}
	return contents
}

// sets reports whether a case gives the key, or one below it, a value.
func (c coverage) sets(key depend.KeyPath) bool {
	return slices.ContainsFunc(c.set, func(s depend.KeyPath) bool { return len(s) >= len(key) && s.Touches(key) })
}

// names reports whether a marker is about the key or the object that it is in.
func (c coverage) names(g *depend.Graph, file string, key depend.KeyPath) bool {
	for _, path := range []depend.KeyPath{key, key[:len(key)-1]} {
		name := strings.Join(path, ".")
		if name == "" {
			continue
		}
		line := g.Section(file, name).Line
		for _, m := range c.named {
			section := m.Resolution.Section
			if m.Line == line && (name == section || strings.HasSuffix(name, "."+section)) {
				return true
			}
		}
	}
	return false
}
