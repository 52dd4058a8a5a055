package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"hookwatch/config/trust"
	"hookwatch/suites/disk"
)

// agreements are what a person has agreed to of one configuration. They are read
// when they are first asked for: most configurations ask for nothing.
type agreements struct {
	store   trust.Store
	project string
	places  []string // that whoever wrote the configuration may have filled

	held     *trust.Agreement
	distrust string // why none counts
}

// ask lists what a file asks for, with what is agreed to.
func (g *agreements) ask(file *source, f facts, skip func(key string) bool) []Ask {
	asks := file.asks(f, skip)
	if len(asks) > 0 && g.held == nil {
		g.read()
	}
	for i := range asks {
		asks[i].Agreed = g.distrust == "" && g.held.Holds(asks[i].Value)
	}
	return asks
}

func (g *agreements) read() {
	g.held = new(trust.Agreement)
	if place, within := g.store.Within(g.places...); within {
		g.distrust = fmt.Sprintf("nobody can agree: agreements would be kept in %s, which lies in %s; set XDG_STATE_HOME to a folder elsewhere, or use flags or variables",
			filepath.Dir(g.store.File(g.project)), place)
		return
	}
	held, err := g.store.Read(g.project)
	if err != nil {
		g.distrust = "what was agreed to cannot be read: " + err.Error()
	}
	g.held = held
}

// consent finds out what the file asks for, and leaves what is not agreed to out
// of it. It settles the project's root on the way, since all else is seen from
// there. Set tells the keys that a flag or a variable sets.
func (c *Config) consent(file *source, start, state string, set func(key string) bool) {
	c.State = state
	c.Dir = disk.Lead(cmp.Or(parent(c.Path), projectRoot(start)))
	root := file.root(start, c.Path)
	own := &agreements{store: trust.In(state), project: c.Dir, places: []string{c.Dir, workTree(c.Dir), root}}
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
	c.Asks, c.Distrust = append(c.Asks, asks...), own.distrust
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

// TrustFile is where what a person agrees to of the configuration is kept.
func (c *Config) TrustFile() string { return trust.In(c.State).File(c.Dir) }

// Values are all that the configuration asks for, agreed to or not.
func (c *Config) Values() []trust.Value {
	values := make([]trust.Value, len(c.Asks))
	for i, a := range c.Asks {
		values[i] = a.Value
	}
	return values
}
