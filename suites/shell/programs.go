package shell

import (
	"path"
	"strings"
)

// wrappers run the command among their arguments, behind options, assignments and
// so many arguments of their own.
var wrappers = map[string]int{
	"env": 0, "command": 0, "exec": 0, "builtin": 0, "nohup": 0, "nice": 0, "ionice": 0, "setsid": 0, "sudo": 0, "doas": 0,
	"stdbuf": 0, "xargs": 0, "time": 0, "chronic": 0, "unbuffer": 0, "timeout": 1, "gtimeout": 1, "flock": 1,
}

// launchers run a program of the project's, behind this word of theirs.
var launchers = map[string]string{"uv": "run", "uvx": "", "npx": "", "bunx": "", "npm": "exec", "pnpm": "exec", "yarn": "exec"}

var (
	shells       = words("sh bash dash ash ksh mksh zsh fish")
	interpreters = words("python pypy node nodejs deno bun tsx ts-node ruby perl php lua tclsh pwsh")
)

func words(list string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// Wraps reports whether a program runs the command among its arguments, and how
// many of these are its own, not counting options and assignments.
func Wraps(program string) (own int, wraps bool) {
	own, wraps = wrappers[path.Base(program)]
	return own, wraps
}

// Launches reports whether a program runs one of the project's by its name, and
// behind which word, if any.
func Launches(program string) (behind string, launches bool) {
	behind, launches = launchers[path.Base(program)]
	return behind, launches
}

// IsShell reports whether a program is a shell, which runs a script or what stands
// behind -c.
func IsShell(program string) bool { return shells[path.Base(program)] }

// IsInterpreter reports whether a program runs code of another language than a
// shell's, whatever version its name ends with.
func IsInterpreter(program string) bool {
	return interpreters[strings.TrimRight(path.Base(program), "0123456789.")]
}

// Quote makes one word for a shell of any text.
func Quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
