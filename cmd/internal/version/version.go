// Package version holds the version of hookwatch, and prints it if that is all the program is
// asked for.
//
// Go initialises packages in the order of their import paths once their own imports are ready. A
// package that imports only the standard library is therefore initialised before the libraries
// that hookwatch links, which together take longer than a minimal program. TestFirst checks that.
package version

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// Number is the version without the commit.
const Number = "0.1.0"

func init() {
	if len(os.Args) == 2 && os.Args[1] == "--version" && isProgram(os.Args[0]) {
		_, _ = os.Stdout.WriteString("hookwatch version " + String() + "\n")
		os.Exit(0)
	}
}

// isProgram reports whether a path names hookwatch, and not a tool that it stands in for.
func isProgram(path string) bool {
	return strings.TrimSuffix(filepath.Base(path), ".exe") == "hookwatch"
}

// String returns the version with the commit that the program was built from, if that is known.
func String() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Number
	}
	setting := make(map[string]string)
	for _, s := range info.Settings {
		setting[s.Key] = s.Value
	}
	commit := setting["vcs.revision"]
	switch {
	case commit == "":
		return Number
	case setting["vcs.modified"] == "true":
		return Number + " (commit " + commit[:min(len(commit), 12)] + ", modified)"
	default:
		return Number + " (commit " + commit[:min(len(commit), 12)] + ")"
	}
}
