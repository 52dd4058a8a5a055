package trace

import (
	"fmt"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/shell"
)

// Endings traces a run as Start does, but each bash writes down only the commands
// that fail where "set -e" may end it. It is an ERR trap, which a trap of the hook's
// own replaces: of such a hook nothing is known.
func Endings(dir string, env []string) (files map[string]string, log string, set map[string]string) {
	var b strings.Builder
	if theirs := valueOf(env, "BASH_ENV"); theirs != "" {
		fmt.Fprintf(&b, "[ ! -r %[1]s ] || . %[1]s\n", shell.Quote(theirs))
	}
	trap := fmt.Sprintf(`{ builtin printf "%%s\037%%s\037%%s\037%%s\037%%s\037%%s\037%%s\0" "$?" "$-" "$$/$BASHPID" "$LINENO" "$0" "${BASH_SOURCE[0]-$0}" "${BASH_COMMAND:0:%d}" || :; } 2>/dev/null >>%s`,
		textLimit, shell.Quote(filepath.Join(dir, logName)))
	fmt.Fprintf(&b, "set -E\ntrap %s ERR\n", shell.Quote(trap))
	start := filepath.Join(dir, startName)
	return map[string]string{startName: b.String(), logName: ""}, logName, map[string]string{"BASH_ENV": start}
}

// EndingOf reads in the log of Endings by which command a script, given by its base
// name, ended with an exit code. It gives nil where the log has none.
func EndingOf(log []byte, script string, exit int) *suites.Ending {
	var last, inner *suites.Ending
	for line := range strings.SplitSeq(string(log), "\x00") {
		f := strings.SplitN(line, fieldMark, 7)
		if len(f) < 7 || f[0] != strconv.Itoa(exit) || !strings.Contains(f[1], "e") || base(f[4]) != script {
			continue
		}
		shell, sub, _ := strings.Cut(f[2], "/")
		number, err := strconv.Atoi(f[3])
		if err != nil {
			continue
		}
		e := &suites.Ending{File: base(f[5]), Line: number, Command: f[6]}
		switch {
		case shell != sub: // it ends without the script
			inner = e
		case inner != nil && strings.HasPrefix(e.Command, "("): // bash names its last line
			last = inner
		default:
			last = e
		}
	}
	return last
}

func base(file string) string { return path.Base(filepath.ToSlash(file)) }
