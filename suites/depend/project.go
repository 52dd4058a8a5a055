package depend

import (
	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
)

// A Project is where the cases run.
type Project struct {
	Root     string      // absolute path
	Reader   disk.Reader // of its files; what scripts use may lie elsewhere
	HookDirs []string    // slash paths from the root; searched recursively
	Settings []string    // settings files, slash paths
	// Registered are the hooks that settings files and plugins register, as they were
	// when the project was read.
	Registered discover.Registered
	Specs      []string          // spec documents, slash paths or doublestar patterns
	Aliases    map[string]string // names for sources, beside those that documents declare
	// Scripts lists the scripts that a chain case fires, as slash paths; nil
	// when no case is a chain.
	Scripts func(c *suites.Case) []string
	// IDs lists the IDs of all cases, by which documents name them; nil takes
	// everything of the usual shape (P01, DEP29) for one.
	IDs func() []string
	// Passing tells names of files that editors put beside others while they save
	// them: nobody depends on those. Nil: there are none.
	Passing func(name string) bool
}
