package trace

import (
	"fmt"
	"path/filepath"
	"strings"

	"hookwatch/suites/shell"
)

// The files of a traced run, in a directory of its own.
const (
	startName = "start.bash"
	logName   = "log"
)

// textLimit is how many characters of a command are logged: enough to tell two
// commands on a line apart, few enough for one write.
const textLimit = 160

// Start gives the files of a directory by which a run is traced, by name, the
// one of them that is its log, and the variables to add to the environment of
// the hook, env. Every bash that starts then announces what it is about to run,
// before anything is expanded, by a DEBUG trap that subshells, substitutions and
// functions inherit. It writes by path and keeps no descriptor, so a hook's own
// cannot collide with it.
func Start(dir string, env []string) (files map[string]string, log string, set map[string]string) {
	start := filepath.Join(dir, startName)
	content := startFile(filepath.Join(dir, logName), valueOf(env, "BASH_ENV"))
	return map[string]string{startName: content, logName: ""}, logName, map[string]string{"BASH_ENV": start}
}

// startFile is what every bash reads first. The trap leaves $? and PIPESTATUS
// alone, as bash sees to; $_ it hands on as the last argument, which the format
// swallows. Its line must be one, or LINENO would be wrong. "set -x" of the
// hook's own must not show it, so its errors and traces go nowhere.
func startFile(log, theirs string) string {
	var b strings.Builder
	if theirs != "" {
		fmt.Fprintf(&b, "[ ! -r %[1]s ] || . %[1]s\n", shell.Quote(theirs))
	}
	to := shell.Quote(log)
	fmt.Fprintf(&b, `builtin printf 'B\037%%s\037%%s\0' "$PWD" "$0" >>%s 2>/dev/null`+"\n", to)
	trap := fmt.Sprintf(`{ builtin printf "E\037%%s\037%%s\037%%s\037%%s\037%%s\0%%.0s" "$LINENO" "${FUNCNAME[0]-}" "${BASH_SOURCE[0]-}" "$PWD" "${BASH_COMMAND:0:%d}" "$_" || :; } 2>/dev/null >>%s`, textLimit, to)
	fmt.Fprintf(&b, "set -T\ntrap %s DEBUG\n", shell.Quote(trap))
	return b.String()
}

func valueOf(env []string, name string) string {
	value := ""
	for _, kv := range env {
		if k, v, ok := strings.Cut(kv, "="); ok && k == name {
			value = v
		}
	}
	return value
}
