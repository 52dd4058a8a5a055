package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"hookwatch/suites/disk"
)

// placeResults says where records go, and from where on the way there must be
// free of links.
func (c *Config) placeResults(state string, chosen, configured bool) {
	c.ResultsDir = c.Abs(c.Results.Dir)
	i := slices.IndexFunc(c.Asks, func(a Ask) bool { return a.Key == "results.dir" })
	switch {
	case chosen && disk.Within(c.Root, c.ResultsDir):
		c.ResultsBase = c.Root
	case chosen:
		c.ResultsBase = disk.Existing(c.ResultsDir)
	case i >= 0 && c.Asks[i].Agreed:
		c.ResultsDir = c.Asks[i].To
		c.ResultsBase = disk.Existing(c.ResultsDir)
	case !configured, c.strays(c.Results.Dir):
		c.ResultsDir = stateDir(state, c.Root)
		c.ResultsBase = disk.Existing(state)
	default:
		c.ResultsBase = c.Root
	}
}

// strays reports whether the default itself is no place for records here.
func (c *Config) strays(dir string) bool {
	none := newSource("")
	none.values["hooks"] = c.Hooks
	return none.recordsLead(c.Root, disk.Lead(c.Root), c.Abs(dir)) != lead{}
}

// checkResults refuses a directory that holds anything but records: everything in
// it is ignored by git and by the watcher.
func (c *Config) checkResults() error {
	own := disk.Lead(c.ResultsDir)
	for _, source := range c.sources() {
		if disk.Within(own, disk.Lead(source)) {
			return fmt.Errorf("%s holds the project or its hooks, settings, suites or documents", c.ResultsDir)
		}
	}
	other, err := stranger(c.ResultsDir)
	if err == nil && other != "" {
		err = fmt.Errorf("%s holds other things than records, such as %s", c.ResultsDir, other)
	}
	return err
}

// sources are where the configuration says that the parts of the project are.
func (c *Config) sources() []string {
	out := []string{c.Root}
	if c.Path != "" {
		out = append(out, c.Path)
	}
	for _, list := range [][]string{c.Hooks, c.Settings, c.Specs, c.OwnSuites()} {
		for _, path := range list {
			out = append(out, c.Abs(fixed(path)))
		}
	}
	return out
}

// Names that a directory of records has, and those that tell nothing.
var (
	recordNames = []string{
		"*.jsonl", "rolling", "archive", "traces", "contents", ".lock", ".origin", "running.json", "inputs.json", "environment.json", "runs.json",
		"RESULTS.md", "COMPARISON.md",
	}
	neutralNames = []string{".gitignore", ".gitkeep", ".keep", "README.md", ".DS_Store"}
)

// mostEntries is how many names are looked at: a directory of records has few.
const mostEntries = 1000

// stranger gives the name of something that a directory holds which has no record
// in it; "" if there is nothing, or no such directory.
func stranger(dir string) (string, error) {
	if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
		return "", nil // whoever makes it will tell
	}
	d, err := os.Open(dir)
	if err != nil {
		return "", nil
	}
	defer d.Close()
	entries, err := d.ReadDir(mostEntries)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("%s: %w", dir, err)
	}
	other := ""
	for _, e := range entries {
		switch {
		case matches(recordNames, e):
			return "", nil
		case !matches(neutralNames, e) && other == "":
			other = e.Name()
		}
	}
	return other, nil
}

func matches(patterns []string, e fs.DirEntry) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, _ := filepath.Match(p, e.Name())
		return ok
	})
}
