package project

import (
	"path/filepath"

	"hookwatch/config"
	"hookwatch/suites/disk"
	"hookwatch/suites/record"
)

// RecordsPlace is where a project's records are. Restored says that they are the
// person's own, wherever they were made. Those in the person's state folder can
// have come from nowhere else.
func RecordsPlace(cfg *config.Config, restored bool) record.Place {
	state := filepath.Join(cfg.State, "hookwatch")
	p := record.Place{Dir: cfg.ResultsDir, Base: cfg.ResultsBase, Restored: restored}
	if !disk.Within(state, p.Dir) {
		p.Marks = filepath.Join(state, "made-here")
	}
	return p
}

// ConfigFile is the configuration file, or where it would be.
func ConfigFile(cfg *config.Config) string {
	if cfg.Path != "" {
		return cfg.Path
	}
	return filepath.Join(cfg.Root, config.FileName)
}
