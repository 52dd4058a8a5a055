package run

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"strings"

	"hookwatch/suites/disk"
	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// A Launch describes how to start a declared hook, or why it cannot be started.
type Launch struct {
	Argv    []string
	Command string // as the client names it
	Fault   string // a problem that the user can fix, with the client's reaction
	Absent  string // an interpreter that this machine lacks
}

// From describes where scripts are found.
type From struct {
	Root   string // of the project; interpreters are looked up from it
	Env    []string
	Reader disk.Reader
	// Interpreted reports whether every registered command that names the script passes it as an
	// argument, as in "bash hook.sh", so that it needs no execute bit. If nil, none does.
	Interpreted func(hook string) bool
	Scripts     []string // of the project, relative to its root; used to suggest a name
}

// Of returns how to start a hook. It examines the script first, because a hook that the client
// could not start must not pass only because hookwatch starts it in another way.
func (r From) Of(root, hook string) Launch {
	file := filepath.Join(root, filepath.FromSlash(hook))
	l := Launch{Command: hook}
	fi, err := os.Stat(file)
	switch {
	case err != nil:
		l.Fault = fmt.Sprintf("hook missing: %s does not exist%s (127: the client goes on as if there were no hook)", hook, r.suggest(hook))
		return l
	case !fi.Mode().IsRegular():
		l.Fault = fmt.Sprintf("hook is no regular file: %s (126: the client goes on as if there were no hook)", hook)
		return l
	}
	head, err := r.firstLine(file)
	switch disk.ReasonOf(err) {
	case disk.Hidden:
		l.Fault = fmt.Sprintf("hook is masked: %s leads to a file that cases are kept from (see sandbox.unmask)", hook)
		return l
	case disk.Absent:
		l.Fault = fmt.Sprintf("hook missing: %s leads to a directory of which each case has its own (see hookwatch help isolation)", hook)
		return l
	}
	if err != nil {
		l.Fault = fmt.Sprintf("hook unreadable: %v", err)
		return l
	}
	interpreter, absent, fault := r.interpreter(hook, head)
	if fault == "" && fi.Mode()&0o111 == 0 && !r.startedByInterpreter(hook) {
		fault = fmt.Sprintf("hook not executable: chmod +x %s (126: the client goes on as if there were no hook)", hook)
	}
	l.Fault = fault
	if absent {
		l.Absent = path.Base(interpreter)
	}
	if fault != "" || absent {
		return l
	}
	if by := shell.ByExtension(hook); interpreter == "" && !shell.ProgramOf(by).Shell {
		interpreter = by
	}
	if interpreter == "" || shell.ProgramOf(interpreter).ByBash {
		l.Argv = []string{"bash", file}
		return l
	}
	l.Argv = []string{interpreter, file}
	if fi.Mode()&0o111 != 0 && bytes.HasPrefix(head, []byte("#!")) {
		l.Argv = []string{file}
	}
	return l
}

// interpreter parses the first line of a script. It returns the interpreter as named there, "" for
// a script without one, and whether this machine lacks it.
func (r From) interpreter(hook string, head []byte) (name string, absent bool, fault string) {
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		return "", false, fmt.Sprintf("hook starts with a byte order mark: the system does not see its #! line; save %s as UTF-8 without BOM", hook)
	}
	line, isScript := bytes.CutPrefix(head, []byte("#!"))
	if !isScript {
		return "", false, ""
	}
	if bytes.HasSuffix(line, []byte("\r")) {
		return "", false, fmt.Sprintf("hook has CRLF line ends: its interpreter %q does not exist (127: the client goes on as if there were no hook); save %s with LF", bytes.TrimLeft(line, " "), hook)
	}
	fields := strings.Fields(string(line))
	if len(fields) == 0 {
		return "", false, fmt.Sprintf("hook has an empty #! line: %s", hook)
	}
	fields, _ = shell.Interpreter(string(head))
	if len(fields) == 0 {
		return "", false, fmt.Sprintf("hook has a #! line of env without a program: %s", hook)
	}
	_, err := LookPath(r.Reader, fields[0], r.Root, r.Env)
	known := mayBeAbsent(fields[0])
	if err != nil && !known {
		return "", false, fmt.Sprintf("bad interpreter: %s names %s, which this machine does not have (127: the client goes on as if there were no hook)", hook, fields[0])
	}
	return fields[0], err != nil, ""
}

// mayBeAbsent reports whether an interpreter may be absent without an error in the hook. Any other
// interpreter that does not exist, and a bash or sh at a path that does not exist, is a mistake in
// the first line.
func mayBeAbsent(interpreter string) bool {
	base := path.Base(interpreter)
	return base != "bash" && base != "sh" && shell.ProgramOf(interpreter).RunsScripts()
}

// suggest suggests the script that was meant by a name without a script.
func (r From) suggest(hook string) string {
	for _, s := range r.Scripts {
		if path.Base(s) == path.Base(hook) {
			return "; " + s + " does"
		}
	}
	if hint := pattern.NearestHint(hook, r.Scripts); hint != "" {
		return "; " + hint
	}
	return ""
}

func (r From) startedByInterpreter(hook string) bool {
	return r.Interpreted != nil && r.Interpreted(hook)
}

func (r From) firstLine(file string) ([]byte, error) {
	f, err := r.Reader.Anywhere().Open(file, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	buf := make([]byte, 4096)
	n, err := f.Read(buf)
	if n == 0 && err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	line, _, _ := bytes.Cut(buf[:n], []byte("\n"))
	return line, nil
}
