package trace

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"hookwatch/suites"
	"hookwatch/suites/shell"
)

// Parse reads a bash script. The error is the parser's, with line and column.
func Parse(src []byte) (*Script, error) {
	if bytes.IndexByte(src, 0) >= 0 {
		return nil, errors.New("it holds a NUL byte")
	}
	file, err := parseFile(src)
	if err != nil {
		return nil, err
	}
	s := &Script{Digest: suites.Digest(src), Structure: structure(file), Shebang: shebangOf(src)}
	b := &builder{script: s, declared: map[string]int{}, hosts: map[syntax.Node]bool{}}
	s.Body = &Block{Slot: "file", id: mix(0, "file")}
	b.block(s.Body, file.Stmts)
	for _, st := range s.Statements {
		st.Facts = b.facts(st)
	}
	b.whole(file)
	return s, nil
}

// parseFile turns a panic of the parser into an error: a file that a person is
// still typing must not end a session.
func parseFile(src []byte) (file *syntax.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the parser gave up: %v", r)
		}
	}()
	return shell.Parse(string(src), syntax.Variant(syntax.LangBash))
}

func shebangOf(src []byte) string {
	line, _, _ := bytes.Cut(src, []byte("\n"))
	if !bytes.HasPrefix(line, []byte("#!")) {
		return ""
	}
	return string(line)
}

// ShellOf returns the shell that may run a script with this first line, "" for
// another program and for a bash that reads no BASH_ENV or prints the script. A
// script of sh or dash counts, because cases run it by bash.
func ShellOf(shebang string) string {
	words, direct := shell.Interpreter(shebang)
	if !direct || len(words) == 0 || !shell.ProgramOf(words[0]).ByBash {
		return ""
	}
	for _, option := range words[1:] {
		if strings.Contains(option, "posix") || strings.HasPrefix(option, "-") && strings.ContainsAny(option, "pvx") {
			return ""
		}
	}
	return path.Base(words[0])
}

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
