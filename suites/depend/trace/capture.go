package trace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The files of a traced run, in a directory of its own.
const (
	startName = "start.bash"
	logName   = "log"
)

// textLimit is how many characters of a command are logged: enough to tell two
// commands on a line apart, few enough for one write.
const textLimit = 160

// Prepare makes the directory ready for one traced run and returns the
// variables to add to the environment of the hook, env. Every bash that starts
// then announces what it is about to run, before anything is expanded, by a
// DEBUG trap that subshells, substitutions and functions inherit. It writes by
// path and keeps no descriptor, so a hook's own cannot collide with it.
func Prepare(dir string, env []string) (map[string]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	log := filepath.Join(dir, logName)
	if err := os.WriteFile(log, nil, 0o666); err != nil {
		return nil, err
	}
	start := filepath.Join(dir, startName)
	if err := os.WriteFile(start, []byte(startFile(log, valueOf(env, "BASH_ENV"))), 0o644); err != nil {
		return nil, err
	}
	return map[string]string{"BASH_ENV": start}, nil
}

// Log reads what a traced run wrote. What is not there or too long is an error.
func Log(dir string) ([]byte, error) {
	file := filepath.Join(dir, logName)
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > logLimit {
		return nil, fmt.Errorf("the log of the traced run has %d MB, more than %d", info.Size()>>20, logLimit>>20)
	}
	return os.ReadFile(file)
}

const logLimit = 64 << 20

// startFile is what every bash reads first. The trap leaves $? and PIPESTATUS
// alone, as bash sees to; $_ it hands on as the last argument, which the format
// swallows. Its line must be one, or LINENO would be wrong. "set -x" of the
// hook's own must not show it, so its errors and traces go nowhere.
func startFile(log, theirs string) string {
	var b strings.Builder
	if theirs != "" {
		fmt.Fprintf(&b, "[ ! -r %[1]s ] || . %[1]s\n", quote(theirs))
	}
	to := quote(log)
	fmt.Fprintf(&b, `builtin printf 'B\037%%s\037%%s\0' "$PWD" "$0" >>%s 2>/dev/null`+"\n", to)
	trap := fmt.Sprintf(`{ builtin printf "E\037%%s\037%%s\037%%s\037%%s\037%%s\0%%.0s" "$LINENO" "${FUNCNAME[0]-}" "${BASH_SOURCE[0]-}" "$PWD" "${BASH_COMMAND:0:%d}" "$_" || :; } 2>/dev/null >>%s`, textLimit, to)
	fmt.Fprintf(&b, "set -T\ntrap %s DEBUG\n", quote(trap))
	return b.String()
}

// quote makes one word for a shell of any text.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func valueOf(env []string, name string) string {
	value := ""
	for _, kv := range env {
		if k, v, ok := strings.Cut(kv, "="); ok && k == name {
			value = v
		}
	}
	return value
}
