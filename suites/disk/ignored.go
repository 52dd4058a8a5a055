package disk

import "slices"

// ignoredDirs hold what is nobody's hook: a project's history, and what was
// installed or compiled into it.
var ignoredDirs = []string{".git", "node_modules", "__pycache__", ".venv"}

// IgnoredDir reports whether a directory of this name is not looked into.
func IgnoredDir(name string) bool { return slices.Contains(ignoredDirs, name) }
