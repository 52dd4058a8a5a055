package conform

import (
	"bytes"
	"os"
	"path"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/pattern"
)

// asked matches a command that looks first whether a file is there, or goes on when
// it is not.
var asked = pattern.Lazy(`(\[|test)\s+!?\s*-[efxrs]\s|\|\|`)

// byPercent matches the client's variables as cmd.exe has them.
var byPercent = pattern.Lazy(`%CLAUDE_\w+%`)

// installedDirs hold what is built or installed, and so is absent from a fresh tree.
var installedDirs = []string{"dist", "build", "out", "target", "bin", "node_modules", ".venv", "venv", "vendor", "lib"}

// files judges the scripts that a command names.
func (t Tree) files(h discover.Hook) (all []Finding) {
	if byPercent().MatchString(h.Command) {
		return nil // they are there, but for that
	}
	for _, s := range h.Scripts {
		info, err := os.Stat(t.path(s))
		switch {
		case err != nil:
			all = append(all, t.missing(h, s)...)
		case info.IsDir():
		case slices.Contains(h.Direct, s):
			all = append(all, t.program(h, s, info.Mode().Perm()&0o111 != 0)...)
		default:
			all = append(all, t.carriage(h, s)...)
		}
	}
	return all
}

func (t Tree) missing(h discover.Hook, s string) []Finding {
	what := s + " does not exist"
	switch {
	case asked().MatchString(h.Command):
		return nil
	case slices.ContainsFunc(strings.Split(path.Dir(s), "/"), func(d string) bool { return slices.Contains(installedDirs, d) }), t.ignoredByGit(s):
		return []Finding{FindingOf("script-missing", h.ID, h.Source, what+": it is built or installed first, it seems", suites.Info)}
	}
	return []Finding{lost(h, s)}
}

// lost says that a script is not there, and what the client makes of it at the event.
func lost(h discover.Hook, s string) Finding {
	f := FindingOf("script-missing", h.ID, h.Source, s+" does not exist")
	if effect := withoutScript(h, s); effect != "" {
		f.Effect = effect
	}
	return f
}

// endings are the codes with which interpreters end that do not find their script;
// observed, of sh where that is dash.
var endings = map[string]int{"python": 2, "python3": 2, "sh": 2, "bash": 127, "node": 1}

// withoutScript tells what the client does when a script is not there; "" when it is
// not known what the command ends with.
func withoutScript(h discover.Hook, s string) string {
	fields := strings.Fields(h.Command)
	code, known := 127, slices.Contains(h.Direct, s) || len(fields) > 0 && strings.Trim(fields[0], `"'`) == s
	if !known && len(fields) > 0 {
		code, known = endings[path.Base(fields[0])]
	}
	if !known {
		return ""
	}
	r := client.Interpret(client.Default, h.Event, client.Output{Exit: code, Stderr: []byte("can't open file '" + s + "': No such file or directory"), Entry: h.Entry})
	if about, _ := client.EventByName(h.Event); code == 2 && r.Effect == about.Exit2 && about.No() != "" {
		return "it ends with 2, and " + about.No()
	}
	return r.Because()
}

// ignoredByGit reports whether the tree's .gitignore names a file or a directory
// that it lies in, plainly.
func (t Tree) ignoredByGit(s string) bool {
	for line := range strings.Lines(t.read(".gitignore")) {
		rule := strings.Trim(strings.TrimSpace(line), "/")
		if rule == "" || strings.HasPrefix(rule, "#") {
			continue
		}
		if s == rule || strings.HasPrefix(s, rule+"/") || strings.Contains("/"+s+"/", "/"+rule+"/") && !strings.Contains(rule, "/") {
			return true
		}
		if ok, err := path.Match(rule, path.Base(s)); ok && err == nil {
			return true
		}
	}
	return false
}

// program judges a script that is started without an interpreter's name.
func (t Tree) program(h discover.Hook, s string, executable bool) (all []Finding) {
	if !executable {
		all = append(all, FindingOf("script-not-executable", h.ID, h.Source, s+" may not be executed"))
	}
	head := t.head(s)
	line, isScript := bytes.CutPrefix(head, []byte("#!"))
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		return append(all, FindingOf("bad-interpreter", h.ID, suites.Position{File: s, Line: 1}, s+" begins with a byte order mark: its #! line is not seen"))
	case !isScript:
		return all
	case bytes.HasSuffix(line, []byte("\r")):
		return append(all, FindingOf("bad-interpreter", h.ID, suites.Position{File: s, Line: 1}, s+" has CRLF line ends: its interpreter does not exist"))
	}
	if fields := strings.Fields(string(line)); len(fields) > 0 && path.IsAbs(fields[0]) && !exists(fields[0]) && !usual(fields[0]) {
		all = append(all, FindingOf("bad-interpreter", h.ID, suites.Position{File: s, Line: 1}, s+" names "+fields[0]+", which this machine does not have"))
	}
	return all
}

// usual reports whether an interpreter is one that other machines have where the
// script says.
func usual(interpreter string) bool {
	base := path.Base(interpreter)
	return slices.Contains([]string{"bash", "sh", "zsh", "python", "python3", "node", "ruby", "perl", "env", "fish", "bun", "deno", "pwsh"}, base) &&
		slices.Contains([]string{"/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"}, path.Dir(interpreter))
}

// carriage judges a shell script with CRLF that a shell is given by name.
func (t Tree) carriage(h discover.Hook, s string) []Finding {
	if path.Ext(s) != ".sh" || !bytes.HasSuffix(t.head(s), []byte("\r")) {
		return nil
	}
	return []Finding{FindingOf("bad-interpreter", h.ID, suites.Position{File: s, Line: 1}, s+" has CRLF line ends: a shell takes them for part of each command")}
}

// head is a file's first line.
func (t Tree) head(s string) []byte {
	line, _, _ := strings.Cut(t.read(s), "\n")
	return []byte(line)
}
