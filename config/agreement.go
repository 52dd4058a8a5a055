package config

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"hookwatch/config/trust"
	"hookwatch/suites/disk"
)

// agreements are what a person has agreed to of one configuration. They are read
// when they are first asked for: most configurations ask for nothing.
type agreements struct {
	store    trust.Store
	project  string
	identity func() string // of the repository; asked for only if something was agreed to
	places   []string      // that whoever wrote the configuration may have filled

	held       *trust.Agreement
	repository string
	distrust   string // why none counts, and none can be made
	lapsed     string // why what was agreed to before does not count
}

// ask lists what a file asks for, with what is agreed to.
func (g *agreements) ask(file *source, f facts, skip func(key string) bool) []Ask {
	asks := file.asks(f, skip)
	if len(asks) > 0 && g.held == nil {
		g.read()
	}
	for i := range asks {
		asks[i].Agreed = g.held.Holds(g.repository, asks[i].Value)
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
	g.held = held
	switch {
	case errors.Is(err, trust.ErrOld):
		g.lapsed = err.Error()
	case err != nil:
		g.lapsed = "what was agreed to cannot be read: " + err.Error()
	case held.Repository == "": // nothing was agreed to
	default:
		if g.repository = g.identity(); g.repository != held.Repository {
			g.lapsed = fmt.Sprintf("you agreed for %s at this path, and this is %s", held.Repository, g.repository)
		}
	}
}

// Identity names what a project is, for consent: the repository, by the first commit
// of its history, which the function returns for a directory; else, where there is no
// repository or it cannot be read, exactly this configuration file.
func (c *Config) Identity(firstCommit func(dir string) string) string {
	if firstCommit != nil {
		if commit := firstCommit(c.Dir); commit != "" {
			return "the repository with the first commit " + commit
		}
	}
	return "a directory with the configuration " + c.Digest
}

// consent finds out what the file asks for, and leaves what is not agreed to out
// of it. It settles the project's root on the way, since all else is seen from
// there. Set tells the keys that a flag or a variable sets.
func (c *Config) consent(file *source, start string, o LoadOptions, set func(key string) bool) {
	c.State = o.State
	c.Dir = disk.Lead(cmp.Or(parent(c.Path), projectRoot(start)))
	root := file.root(start, c.Path)
	own := &agreements{
		store: trust.In(o.State), project: c.Dir, places: []string{c.Dir, workTree(c.Dir), root},
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
