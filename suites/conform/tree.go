package conform

import (
	"bytes"
	"cmp"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// A Tree is the subject of the checks: the registered hooks and the scripts.
type Tree struct {
	Root       string // absolute: where files are read
	At         string // absolute: where the hooks run, if the files are those of a revision; otherwise ""
	Reader     disk.Reader
	Registered discover.Registered
	Scripts    []string      // of the hook directories, as slash paths
	Stray      []string      // files with hooks that the client does not read
	Denies     []suites.Deny // the user's list of inputs that hooks must stop
	Installed  func(program string) bool
	Named      string        // a part of the IDs, commands or scripts of the hooks to judge; "" for all
	Timeout    time.Duration // the time limit of a probe; 0 for the usual one
	PlainShell bool          // /bin/sh does not understand bash
	Newer      []string      // events of the installed client that hookwatch's model lacks
	// Clients are those other than Claude Code whose hooks are judged and compared; AskedClients
	// are the names of those that the user asked for.
	Clients      []clients.Client
	CallBudget   time.Duration // the longest that all hooks of a call may take; 0 for any time
	AskedClients []string
}

// IsPlainShell reports whether this machine's /bin/sh does not understand bash.
func IsPlainShell() bool {
	real, err := filepath.EvalSymlinks("/bin/sh")
	return err == nil && filepath.Base(real) != "bash" && filepath.Base(real) != "zsh"
}

// scriptAtMost is the maximum number of bytes read of a script.
const scriptAtMost = 1 << 20

func (t Tree) path(slash string) string { return filepath.Join(t.Root, filepath.FromSlash(slash)) }

// read returns a script's text; "" if it cannot be read.
func (t Tree) read(slash string) string {
	data, err := t.Reader.ReadFile(t.path(slash), scriptAtMost)
	if err != nil {
		return ""
	}
	return string(data)
}

// Asks reports whether a hook is to be judged.
func (t Tree) Asks(h discover.Hook) bool {
	return t.Named == "" || h.Answers(t.Named) || strings.Contains(h.ID, t.Named)
}

// Asked returns the hooks to fire: those that are to be judged of all that some session runs.
func (t Tree) Asked() []discover.Hook {
	hooks := slices.Concat(t.Registered.Hooks, t.Registered.Others, t.Elsewhere())
	return slices.DeleteFunc(hooks, func(h discover.Hook) bool { return !t.Asks(h) })
}

// About returns the findings about at least one hook that is to be judged.
func (t Tree) About(all []Finding) []Finding {
	if t.Named == "" {
		return all
	}
	asked := map[string]bool{}
	for _, h := range slices.Concat(t.Registered.Hooks, t.Registered.Others, t.Registered.Elsewhere) {
		asked[h.ID] = t.Asks(h)
	}
	return slices.DeleteFunc(all, func(f Finding) bool {
		return !slices.ContainsFunc(f.Hooks, func(id string) bool { return asked[id] })
	})
}

// hooks returns the hooks that some session launches.
func (t Tree) hooks() []discover.Hook {
	all := slices.Clone(t.Registered.Hooks)
	for _, h := range t.Registered.Others {
		if h.Scope != discover.InTemplate && !h.Dead {
			all = append(all, h)
		}
	}
	return all
}

// lacks reports whether a program is known to be absent from this machine.
func (t Tree) lacks(program string) bool { return t.Installed != nil && !t.Installed(program) }

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// asked matches a command that first checks whether a file exists, or continues if it does not.
var asked = pattern.Lazy(`(\[|test)\s+!?\s*-[efxrs]\s|\|\|`)

// answers matches a command that prints a decision in the place of a hook that fails or is missing.
var answers = pattern.Lazy(`\|\|\s*(echo|printf)\b`)

// byPercent matches the client's variables in the syntax of cmd.exe.
var byPercent = pattern.Lazy(`%CLAUDE_\w+%`)

// installedDirs contain built or installed files, which a fresh tree lacks.
var installedDirs = []string{"dist", "build", "out", "target", "bin", "node_modules", ".venv", "venv", "vendor", "lib"}

// files judges the scripts that a command names.
func (t Tree) files(h discover.Hook) (all []Finding) {
	if byPercent().MatchString(h.Command) || len(judgeBackslashes(h)) > 0 {
		return nil // the form of the path is the only problem
	}
	for _, s := range h.Scripts {
		info, err := os.Stat(t.path(s))
		switch {
		case err != nil:
			all = append(all, t.missing(h, s)...)
			continue
		case info.IsDir():
		case slices.Contains(h.Direct, s):
			all = append(all, t.program(h, s, info.Mode().Perm()&0o111 != 0)...)
		default:
			all = append(all, t.judgeCarriage(h, s)...)
		}
		all = append(all, t.judgeUntracked(h, s)...)
	}
	return all
}

// judgeUntracked judges a script that exists here and that git ignores, although the file that registers
// it is shared.
func (t Tree) judgeUntracked(h discover.Hook, s string) []Finding {
	file := h.Source.File
	if h.Scope != discover.InProject || filepath.IsAbs(file) || !exists(t.path(".git")) || !t.ignoredByGit(s) || t.ignoredByGit(file) {
		return nil
	}
	index := t.read(".git/index") // paths stand in it as text
	if index == "" || strings.Contains(index, s) || !strings.Contains(index, file) {
		return nil
	}
	f := FindingOf("script-missing", h.ID, h.Source, s+" is ignored by git: clones and worktrees do not have it", suites.Warning)
	if effect := withoutScript(h, s); effect != "" {
		f.Effect = "in a clone: " + effect
	}
	f.Remedy = "take it out of .gitignore, or register it in " + path.Join(path.Dir(file), "settings.local.json")
	return []Finding{f}
}

func (t Tree) missing(h discover.Hook, s string) []Finding {
	what := s + " does not exist"
	switch {
	case asked().MatchString(h.Command) && !answers().MatchString(h.Command):
		return nil
	case slices.ContainsFunc(strings.Split(path.Dir(s), "/"), func(d string) bool { return slices.Contains(installedDirs, d) }):
		return []Finding{FindingOf("script-missing", h.ID, h.Source, what+": it is built or installed first, it seems", suites.Info)}
	}
	f := lost(h, s)
	if t.ignoredByGit(s) {
		f.What += ": git ignores it, so that no clone has it"
		f.Remedy = "take it out of .gitignore, and commit it"
	}
	return []Finding{f}
}

// lost returns the finding for a missing script, with the client's reaction at the event.
func lost(h discover.Hook, s string) Finding {
	f := FindingOf("script-missing", h.ID, h.Source, s+" does not exist")
	f.Effect = cmp.Or(withoutScript(h, s), f.Effect)
	return f
}

// withoutScript describes the client's reaction to a missing script; "" if the exit code of the
// command is unknown.
func withoutScript(h discover.Hook, s string) string {
	fields := strings.Fields(h.Command)
	for inner := shell.Inner(fields); inner > 0; inner = shell.Inner(fields) {
		fields = fields[inner:]
	}
	code, known := 127, slices.Contains(h.Direct, s) || len(fields) > 0 && strings.Trim(fields[0], `"'`) == s
	if !known && len(fields) > 0 {
		code = shell.ProgramOf(fields[0]).Missing
		known = code != 0
	}
	if !known {
		return ""
	}
	out := client.Output{Exit: code, Stderr: []byte("can't open file '" + s + "': No such file or directory"), Entry: h.Entry}
	if of, _ := clients.Named(h.Client); h.Client != "" {
		r := of.Interpret(h.ClientEvent, out)
		return of.Does(r.Effect) + ": " + r.Because
	}
	r := client.Interpret(client.Default, h.Event, out)
	if about, _ := client.EventByName(h.Event); code == 2 && r.Effect == about.Exit2 && about.No() != "" {
		return "it ends with 2, and " + about.No()
	}
	return r.Because()
}

// ignoredByGit reports whether the last plain rule for a file or a directory above it, in the
// .gitignore of the tree or of a directory on the way, ignores it.
func (t Tree) ignoredByGit(s string) (ignored bool) {
	dir := ""
	for {
		for line := range strings.Lines(t.read(path.Join(dir, ".gitignore"))) {
			rule, excepted := strings.CutPrefix(strings.TrimSpace(line), "!")
			if rule = strings.Trim(rule, "/"); rule != "" && !strings.HasPrefix(rule, "#") && ignores(rule, strings.TrimPrefix(s, dir)) {
				ignored = !excepted
			}
		}
		next, _, below := strings.Cut(strings.TrimPrefix(s, dir), "/")
		if !below {
			return ignored
		}
		dir += next + "/"
	}
}

// ignores reports whether a rule of a .gitignore names a path from its directory.
func ignores(rule, s string) bool {
	if s == rule || strings.HasPrefix(s, rule+"/") || strings.Contains("/"+s+"/", "/"+rule+"/") && !strings.Contains(rule, "/") {
		return true
	}
	for _, name := range []string{path.Base(s), s} {
		if ok, err := path.Match(rule, name); ok && err == nil {
			return true
		}
	}
	return false
}

// program judges a script that is started without an interpreter's name.
func (t Tree) program(h discover.Hook, s string, executable bool) (all []Finding) {
	if path.Ext(s) == ".ps1" && !bytes.HasPrefix(t.head(s), []byte("#!")) {
		return judgeByShell(h, s)
	}
	if !executable {
		all = append(all, FindingOf("script-not-executable", h.ID, h.Source, s+" is not executable"))
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
	fields := strings.Fields(string(line))
	words, _ := shell.Interpreter(string(head))
	bad := func(name string, severity ...suites.Severity) {
		all = append(all, FindingOf("bad-interpreter", h.ID, suites.Position{File: s, Line: 1}, s+" names "+name+", which this machine does not have", severity...))
	}
	switch {
	case len(fields) == 0:
	case path.IsAbs(fields[0]) && !exists(fields[0]) && !usual(fields[0]):
		bad(fields[0])
	case path.IsAbs(fields[0]) && !exists(fields[0]):
		bad(fields[0], suites.Warning) // others may have it
	case len(words) > 0 && !path.IsAbs(words[0]) && t.lacks(words[0]):
		bad(words[0], suites.Warning)
	}
	return all
}

// usual reports whether other machines have an interpreter at this path.
func usual(interpreter string) bool {
	return (shell.ProgramOf(interpreter).RunsScripts() || path.Base(interpreter) == "env") &&
		slices.Contains([]string{"/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"}, path.Dir(interpreter))
}

// judgeCarriage judges a shell script with CRLF line ends that is passed to a shell.
func (t Tree) judgeCarriage(h discover.Hook, s string) []Finding {
	if path.Ext(s) != ".sh" || !bytes.HasSuffix(t.head(s), []byte("\r")) {
		return nil
	}
	return []Finding{FindingOf("bad-interpreter", h.ID, suites.Position{File: s, Line: 1}, s+" has CRLF line ends: a shell takes them for part of each command")}
}

// head returns a file's first line.
func (t Tree) head(s string) []byte {
	line, _, _ := strings.Cut(t.read(s), "\n")
	return []byte(line)
}

// reads reports whether a text uses a variable of the environment.
func reads(text, name string) bool {
	return strings.Contains(text, name) && regexp.MustCompile(`\$\{?`+name+`\b|environ(\.get\(|\[)["']`+name+`["']|getenv\(["']`+name+`|process\.env\.`+name+`\b`).MatchString(text)
}
