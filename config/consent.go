package config

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
	"hookwatch/suites/disk"
	"hookwatch/suites/yamlform"
)

// asks returns the file's values, and defaults that lead out of the project through a
// link, that need consent, except for keys to skip.
func (s *source) asks(f facts, skip func(key string) bool) []Ask {
	var out []Ask
	for _, k := range keys {
		if k.harmless != "" || skip(k.path) {
			continue
		}
		value := s.value(k.path)
		items, isList := value.([]string)
		if !isList {
			out = s.appendAsk(out, k, value, f, -1)
		}
		for i, item := range items {
			out = s.appendAsk(out, k, item, f, i)
		}
	}
	return out
}

// appendAsk checks one value: the i-th entry if the key has a list, or -1 for others.
func (s *source) appendAsk(out []Ask, k key, value any, f facts, i int) []Ask {
	why, instead := k.consent(value, f)
	if why == "" {
		return out
	}
	a := Ask{Why: why, Instead: instead, entry: i >= 0}
	a.Key, a.Value = k.path, format(value)
	a.To = f.leads[entry{k.path, a.Value}].to
	if n := s.nodes[k.path]; n != nil {
		if a.entry && i < len(n.Content) {
			n = n.Content[i]
		}
		a.File, a.At = s.File, fmt.Sprintf("%s:%d:%d", s.File, n.Line, n.Column)
	}
	return append(out, a)
}

// withhold removes values that were not agreed to.
func (s *source) withhold(asks []Ask) {
	for _, a := range asks {
		if a.Agreed {
			continue
		}
		items, set := s.values[a.Key].([]string)
		switch {
		case !a.entry:
			delete(s.values, a.Key)
			continue
		case !set:
			k, _ := find(a.Key)
			items, _ = k.def.([]string)
		}
		s.values[a.Key] = slices.DeleteFunc(slices.Clone(items), func(item string) bool { return item == a.Value })
	}
}

// Pending returns the asks that were not agreed to.
func (c *Config) Pending() []Ask {
	return slices.DeleteFunc(slices.Clone(c.Asks), func(a Ask) bool { return a.Agreed })
}

// Notice returns one line about the values that were not agreed to, and how to agree. It
// returns "" if there are none.
func (c *Config) Notice() string {
	pending := c.Pending()
	if len(pending) == 0 {
		return ""
	}
	who := "the project"
	if i := slices.IndexFunc(pending, func(a Ask) bool { return a.File != "" }); i >= 0 {
		who = pending[i].File
	}
	how := "hookwatch trust shows and agrees to exactly these"
	switch {
	case c.Distrust != "":
		how = c.Distrust
	case c.Lapsed != "":
		how = c.Lapsed + "; " + how
	}
	return fmt.Sprintf("%s asks for %s; the safe defaults are used (%s)", who, summary(pending), how)
}

// shownEntries is the number of entries of a list to show in a line.
const shownEntries = 4

// summary returns the asks as one line, grouped by key.
func summary(asks []Ask) string {
	var parts []string
	for len(asks) > 0 {
		n := slices.IndexFunc(asks, func(a Ask) bool { return a.Key != asks[0].Key })
		if n < 0 {
			n = len(asks)
		}
		parts = append(parts, asks[0].Key+": "+together(asks[:n]))
		asks = asks[n:]
	}
	return strings.Join(parts, ", ")
}

func together(asks []Ask) string {
	if !asks[0].entry {
		return yamlform.Show(asks[0].Value, shownText)
	}
	var items []string
	for _, a := range asks[:min(len(asks), shownEntries)] {
		items = append(items, yamlform.Show(a.Value, shownText))
	}
	if more := len(asks) - len(items); more > 0 {
		items = append(items, fmt.Sprintf("and %d more", more))
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// agreements are the user's agreements for one configuration. They are read when they are
// first needed, because most configurations need none.
type agreements struct {
	store    Agreements
	project  string
	identity func() string // of the repository; called only if there are agreements
	places   []string      // directories that the author of the configuration may have filled

	held       *Agreement
	repository string
	distrust   string // why agreements are ignored and cannot be made
	lapsed     string // why earlier agreements are ignored
}

// ask returns the values of a file that need consent, and sets which were agreed to.
func (g *agreements) ask(file *source, f facts, skip func(key string) bool) []Ask {
	asks := file.asks(f, skip)
	if len(asks) > 0 && g.held == nil {
		g.read()
	}
	for i := range asks {
		asks[i].Agreed = g.held.Holds(g.repository, asks[i].ConsentValue)
	}
	return asks
}

func (g *agreements) read() {
	g.held = new(Agreement)
	if place, within := g.store.FindPlace(g.places...); within {
		g.distrust = fmt.Sprintf("consent cannot be given: it would be kept in %s, which is inside %s; set XDG_STATE_HOME to a folder elsewhere, or use flags or variables",
			filepath.Dir(g.store.File(g.project)), place)
		return
	}
	held, err := g.store.Read(g.project)
	g.held = held
	switch {
	case errors.Is(err, errOldAgreement):
		g.lapsed = err.Error()
	case err != nil:
		g.lapsed = "what was agreed to cannot be read: " + err.Error()
	case held.Repository == "": // no agreements
	default:
		if g.repository = g.identity(); g.repository != held.Repository {
			g.lapsed = fmt.Sprintf("you agreed for %s at this path, and this is %s", held.Repository, g.repository)
		}
	}
}

// Identity returns the identity of a project for consent: the first commit of its
// repository, which firstCommit returns for a directory. If there is no repository or it
// cannot be read, it is the digest of the configuration file.
func (c *Config) Identity(firstCommit func(dir string) string) string {
	if firstCommit != nil {
		if commit := firstCommit(c.Dir); commit != "" {
			return "the repository with the first commit " + commit
		}
	}
	return "a directory with the configuration " + c.Digest
}

// consent finds the values of the file that need consent, and removes those that were not
// agreed to. It sets the project's root first, because the other paths are relative to it.
// set reports whether a flag or a variable sets a key.
func (c *Config) consent(file *source, start string, o LoadOptions, set func(key string) bool) {
	c.State = o.State
	c.Dir = disk.Lead(cmp.Or(parent(c.Path), projectRoot(start)))
	root := file.root(start, c.Path)
	own := &agreements{
		store: AgreementsIn(o.State), project: c.Dir, places: []string{c.Dir, workTree(c.Dir), root},
		identity: func() string { return c.Identity(o.FirstCommit) },
	}
	f := facts{leads: map[entry]lead{}}
	if c.Path != "" {
		f.leads[entry{"project", file.text("project")}] = projectLead(root, c.Path, start)
	}
	c.Asks = own.ask(file, f, func(key string) bool { return key != "project" })
	file.withhold(c.Asks)
	c.Root = file.root(start, c.Path)
	asks := own.ask(file, file.reach(c.Root), func(key string) bool {
		return key == "project" || set(key) || key == "results.dir" && c.Path == ""
	})
	file.withhold(asks)
	c.Asks, c.Distrust, c.Lapsed = append(c.Asks, asks...), own.distrust, own.lapsed
	for _, a := range asks {
		if a.Agreed && a.To != "" && slices.Contains(pathKeys, a.Key) {
			c.Agreed = append(c.Agreed, a.To)
		}
	}
}

func parent(path string) string {
	if path == "" {
		return ""
	}
	return filepath.Dir(path)
}

// TrustFile returns the path of the file with the user's agreements for this
// configuration.
func (c *Config) TrustFile() string { return AgreementsIn(c.State).File(c.Dir) }

// Values returns all values that need consent, agreed to or not.
func (c *Config) Values() []ConsentValue {
	values := make([]ConsentValue, len(c.Asks))
	for i, a := range c.Asks {
		values[i] = a.ConsentValue
	}
	return values
}

// denyKeys are the keys of an entry of denies.
var denyKeys = []string{"hook", "tool", "command", "file", "prompt"}

// denies reads the inputs that hooks must stop.
var denies = reader{`"type": "array", "items": {"$ref": "#/$defs/deny"}, "default": []`, func(s *source, name string, n *yaml.Node) any {
	if n.Kind == yaml.SequenceNode && len(n.Content) > mostItems {
		return s.add(n, fmt.Sprintf("%s: %d entries, more than %d", name, len(n.Content), mostItems), "")
	}
	var all []suites.Deny
	s.List(name, n, func(c *yaml.Node) {
		all = append(all, s.deny(fmt.Sprintf("%s[%d]", name, len(all)), c))
	})
	return all
}}

// deny reads one entry: a hook, and one input for it.
func (s *source) deny(name string, n *yaml.Node) (d suites.Deny) {
	const example = "write {hook: guard.sh, command: rm -rf /}"
	if n.Kind != yaml.MappingNode {
		s.Wrong(n, name, "a hook and an input", example)
		return d
	}
	d.At = s.At(n)
	values := map[string]*string{"hook": &d.Hook, "tool": &d.Tool, "command": &d.Command, "file": &d.File, "prompt": &d.Prompt}
	var sent []string
	known := len(s.Problems)
	s.Each(n, func(k, v *yaml.Node) {
		into, ok := values[k.Value]
		if !ok {
			s.Add(k, "unknown key "+name+"."+yamlform.Show(k.Value, shownText), "known here: "+strings.Join(denyKeys, ", "))
			return
		}
		if *into = s.Text(name+"."+k.Value, v, "leave it out"); k.Value != "hook" && k.Value != "tool" {
			sent = append(sent, k.Value)
		}
	})
	switch {
	case len(s.Problems) > known:
	case d.Hook == "":
		s.Add(n, name+": no hook", example)
	case len(sent) != 1:
		s.Add(n, name+": want one of command, file and prompt", example)
	case d.Tool != "" && d.Prompt != "":
		s.Add(n, name+": a prompt is sent to no tool", "leave tool out")
	}
	return d
}
