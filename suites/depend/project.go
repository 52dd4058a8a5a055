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
	// Other reports whether a path is a file, or a directory, that hooks may read of which
	// is not known what they read: what is placed otherwise, and what is nobody's source,
	// is not. Nil: nothing is.
	Other func(path string, isDir bool) bool
	// Passing tells names of files that editors put beside others while they save
	// them: nobody depends on those. Nil: there are none.
	Passing func(name string) bool
}
