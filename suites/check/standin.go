package check

import (
	"strings"

	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// metadata matches the block of inline metadata of a Python script (PEP 723), and needsNothing one
// without dependencies.
var (
	metadata     = pattern.Lazy(`(?m)^# /// script\s*\n((?:#.*\n)*?)# ///\s*$`)
	needsNothing = pattern.Lazy(`(?m)^#\s*dependencies\s*=\s*\[\s*\]\s*$`)
	dependencies = pattern.Lazy(`(?m)^#\s*dependencies\s*=`)
	startsUV     = pattern.Lazy(`(?m)(^#!.*[/ ]|(?:^|[\s;&|])(?:/\S+/)?)uv run\b`)
	leastPython  = pattern.Lazy(`(?m)^#\s*requires-python\s*=\s*["']\s*>=\s*3\.(\d+)`)
)

// uvProgram stands in for `uv run` of a script that needs nothing but the standard library: python3
// runs the script. An older python3 than the script requires is as good as none.
const uvProgram = `[ "$1" = run ] || exit 127
shift
while :; do case $1 in
-p|--python|--project|--directory|--env-file|--color|--cache-dir|--config-file) shift 2;;
-*) shift;;
*) break;;
esac; done
`

// standFor returns the program that stands in for uv where this machine lacks it, if each Python
// script of the hook has inline metadata without dependencies; "" otherwise.
func (s subject) standFor() string {
	if !s.tree.lacks("uv") || s.tree.lacks("python3") || !startsUV().MatchString(s.text) {
		return ""
	}
	script, least := uvProgram, ""
	for _, name := range s.hook.Scripts {
		text := s.tree.read(name)
		if shell.ByExtension(name) != "python3" && !startsUV().MatchString(text) {
			continue
		}
		block := metadata().FindStringSubmatch(text)
		if block == nil || dependencies().MatchString(block[1]) && !needsNothing().MatchString(block[1]) {
			return ""
		}
		if m := leastPython().FindStringSubmatch(block[1]); m != nil {
			least = max(least, m[1])
		}
	}
	if !strings.Contains(s.text, "# /// script") {
		return ""
	}
	if least != "" {
		script += "python3 -c 'import sys; sys.exit(sys.version_info < (3, " + least + "))' || { echo 'uv: command not found' >&2; exit 127; }\n"
	}
	return script + `exec python3 "$@"` + "\n"
}
