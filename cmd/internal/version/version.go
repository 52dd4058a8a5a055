// Package version holds the version of hookwatch, and prints it if that is all the program is
// asked for.
//
// Go initialises packages in the order of their import paths once their own imports are ready. A
// package that imports only os is initialised before every library that hookwatch
// links, which together take longer than a minimal program. TestFirst checks that.
package version

import (
	"os"
	_ "unsafe" // for go:linkname
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
	start := len(path)
	for start > 0 && !os.IsPathSeparator(path[start-1]) {
		start--
	}
	name := path[start:]
	return name == "hookwatch" || name == "hookwatch.exe"
}

// String returns the version with the commit that the program was built from, if that is known.
func String() string {
	commit := setting("vcs.revision")
	switch {
	case commit == "":
		return Number
	case setting("vcs.modified") == "true":
		return Number + " (commit " + commit[:min(len(commit), 12)] + ", modified)"
	default:
		return Number + " (commit " + commit[:min(len(commit), 12)] + ")"
	}
}

// setting returns a setting of the build information, "" if it has none of this name.
func setting(name string) string {
	text, mark := modinfo(), "\nbuild\t"+name+"="
	for i := 0; i+len(mark) <= len(text); i++ {
		if text[i:i+len(mark)] != mark {
			continue
		}
		value := text[i+len(mark):]
		for end := range value {
			if value[end] == '\n' {
				return value[:end]
			}
		}
	}
	return ""
}

// modinfo returns the text that debug.ReadBuildInfo parses. Package debug would be initialised
// after other libraries.
//
//go:linkname modinfo runtime/debug.modinfo
func modinfo() string
