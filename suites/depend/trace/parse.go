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

// bash traces the scripts of bash, and those of sh and dash that cases run with bash.
type bash struct{}

func (bash) Name() string { return "bash" }

// Recognises includes scripts of other shells, because the first line does not determine which
// program runs a hook.
func (bash) Recognises(file string, content []byte) bool {
	if shebang := shebangOf(content); shebang != "" {
		return ShellOf(shebang) != ""
	}
	return path.Ext(file) == "" || shell.ByExtension(file) == "bash"
}

// Beyond implements Language.
func (bash) Beyond(old, new *Script) string {
	switch {
	case old.Returns || new.Returns:
		return "it has carriage returns"
	case old.Structure != new.Structure && new.ExtGlobs && !old.ExtGlobs:
		return "it has a new extended pattern, which bash may refuse to parse"
	}
	return ""
}

// Unseen implements Language.
func (bash) Unseen(shebang string, met *Met, t *Trace) string {
	if met != nil && met.Main {
		return ""
	}
	switch shell := ShellOf(shebang); {
	case shell != "" && shell != "bash":
		return "it may be run by " + shell + ", which is not traced"
	case shell == "" && t.Starts:
		return "a program that the case ran may run it by a shell that is not traced"
	}
	return ""
}

// Parse parses a bash script. Errors are those of the parser, with line and column.
func (bash) Parse(src []byte) (*Script, error) {
	if bytes.IndexByte(src, 0) >= 0 {
		return nil, errors.New("it holds a NUL byte")
	}
	file, err := parseFile(src)
	if err != nil {
		return nil, err
	}
	s := &Script{Digest: suites.Digest(src), Structure: structure(file), Shebang: shebangOf(src), Returns: bytes.IndexByte(src, '\r') >= 0}
	b := &builder{script: s, declared: map[string]int{}, hosts: map[syntax.Node]bool{}}
	s.Body = &Block{Slot: "file", id: mix(0, "file")}
	b.block(s.Body, file.Stmts)
	for _, st := range s.Statements {
		st.Facts = b.facts(st)
	}
	b.whole(file)
	return s, nil
}

// parseFile turns a panic of the parser into an error, because a half-typed file must not end a
// session.
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

// ShellOf returns the shell that may run a script with this first line. It returns "" for other
// programs and for a bash that does not read BASH_ENV or prints the script. Scripts of sh or
// dash count because cases run them with bash.
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

// The files of a traced run, in a directory of their own.
const (
	startName = "start.bash"
	logName   = "log"
)

// textLimit is the number of characters of a command that are logged: enough to distinguish two
// commands on a line, and few enough for one write.
const textLimit = 160

// Start makes every bash that starts log each command before it expands or runs it, with a DEBUG trap that
// subshells, substitutions and functions inherit. The trap opens the log by path and keeps no descriptor,
// so it cannot collide with descriptors of the hook.
func (bash) Start(dir string, env []string) suites.Tracing {
	start := filepath.Join(dir, startName)
	content := startFile(filepath.Join(dir, logName), valueOf(env, "BASH_ENV"))
	return suites.Tracing{Files: map[string]string{startName: content, logName: ""}, Logs: []string{logName}, Set: map[string]string{"BASH_ENV": unexpanded(start)}}
}

// unexpanded returns a path for a variable whose value bash expands as in double quotes.
func unexpanded(path string) string {
	return strings.NewReplacer(`\`, `\\`, "$", `\$`, "`", "\\`").Replace(path)
}

// startFile returns the script that every bash reads first. Bash itself preserves $? and
// PIPESTATUS around the trap; $_ is preserved as the last argument, which the format discards.
// The trap must be one line because LINENO would be wrong otherwise. Its stderr is discarded so
// that "set -x" of the hook does not show it.
func startFile(log, theirs string) string {
	var b strings.Builder
	if theirs != "" {
		fmt.Fprintf(&b, "[ ! -r %[1]s ] || . %[1]s\n", shell.Quote(theirs))
	}
	to := shell.Quote(log)
	fmt.Fprintf(&b, `builtin printf 'B\037%%s\037%%s\0' "$PWD" "$0" >>%s 2>/dev/null`+"\n", to)
	trap := fmt.Sprintf(`{ builtin printf "E\037%%s\037%%s\037%%s\037%%s\037%%s\037%%s\0%%.0s" "${BASHPID-}" "$LINENO" "${FUNCNAME[0]-}" "${BASH_SOURCE[0]-}" "$PWD" "${BASH_COMMAND:0:%d}" "$_" || :; } 2>/dev/null >>%s`, textLimit, to)
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
