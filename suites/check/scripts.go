package check

import (
	"bytes"
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/discover"
	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// asked matches a command that first checks whether a file exists, or continues if it does not.
var asked = pattern.Lazy(`(\[|test)\s+!?\s*-[efxrs]\s|\|\|`)

// answers matches a command that prints a decision in the place of a hook that fails or is missing.
var answers = pattern.Lazy(`\|\|\s*(echo|printf)\b`)

// installedDirs contain built or installed files, which a fresh tree lacks.
var installedDirs = []string{"dist", "build", "out", "target", "bin", "node_modules", ".venv", "venv", "vendor", "lib"}

// stat returns what is known of the script; nil if it does not exist, or is a directory.
func (s site) stat() os.FileInfo {
	info, err := os.Stat(s.path(s.script))
	if err != nil || info.IsDir() {
		return nil
	}
	return info
}

// isStarted reports whether the command starts the script without an interpreter's name.
func (s site) isStarted() bool { return slices.Contains(s.hook.Direct, s.script) }

func judgeMissing(s site) []Finding {
	what := s.script + " does not exist"
	built := func(dir string) bool { return slices.Contains(installedDirs, dir) }
	switch {
	case exists(s.path(s.script)), asked().MatchString(s.hook.Command) && !answers().MatchString(s.hook.Command):
		return nil
	case slices.ContainsFunc(strings.Split(path.Dir(s.script), "/"), built):
		return one(Finding{What: what + ": it is built or installed first, it seems", Severity: suites.Info})
	}
	f := Finding{What: what, Effect: withoutScript(s.hook, s.script)}
	if discover.IsGitIgnored(s.read, s.script) {
		f.What, f.Remedy = what+": git ignores it, so that no clone has it", "take it out of .gitignore, and commit it"
	}
	return one(f)
}

// judgeUntracked judges a script that exists here and that git ignores, although the file that registers
// it is shared.
func judgeUntracked(s site) []Finding {
	file := s.hook.Source.File
	index := s.read(".git/index") // paths stand in it as text; "" without a repository
	switch {
	case s.hook.Scope != discover.InProject, filepath.IsAbs(file), !strings.Contains(index, file), strings.Contains(index, s.script):
		return nil
	case !exists(s.path(s.script)), !discover.IsGitIgnored(s.read, s.script), discover.IsGitIgnored(s.read, file):
		return nil
	}
	f := Finding{
		What: s.script + " is ignored by git: clones and worktrees do not have it", Severity: suites.Warning,
		Remedy: "take it out of .gitignore, or register it in " + path.Join(path.Dir(file), "settings.local.json"),
	}
	if effect := withoutScript(s.hook, s.script); effect != "" {
		f.Effect = "in a clone: " + effect
	}
	return one(f)
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
	code := h.ExitWithout(s)
	if code == 0 {
		return ""
	}
	out := client.Output{Exit: code, Stderr: []byte("can't open file '" + s + "': No such file or directory"), Entry: h.Entry}
	if h.Client != "" {
		of, _ := clients.ByName(h.Client)
		r := of.Interpret(h.ClientEvent, out)
		return of.Does(r.Effect) + ": " + r.Because
	}
	r := client.Interpret(client.Default, h.Event, out)
	if about, _ := client.EventByName(h.Event); code == 2 && r.Effect == about.Exit2 && about.No() != "" {
		return "it ends with 2, and " + about.No()
	}
	return r.Because()
}

func judgeMode(s site) []Finding {
	info := s.stat()
	started := info != nil && s.isStarted() && !s.isBare()
	return evidenceIf(started && info.Mode()&0o111 == 0, "%s is not executable", s.script)
}

// isBare reports whether a script is PowerShell, and has no first line that names it.
func (s site) isBare() bool {
	return path.Ext(s.script) == ".ps1" && !bytes.HasPrefix(s.head(s.script), []byte("#!"))
}

// judgeFirstLine judges the first line of a script, by which the system or a shell starts it.
func judgeFirstLine(s site) []Finding {
	head := s.head(s.script)
	line, isScript := bytes.CutPrefix(head, []byte("#!"))
	carriage, what := bytes.HasSuffix(head, []byte("\r")), ""
	switch {
	case s.stat() == nil:
	case !s.isStarted():
		if carriage && path.Ext(s.script) == ".sh" {
			what = " has CRLF line ends: a shell takes them for part of each command"
		}
	case s.isBare():
		return one(Finding{
			What:   s.script + " is PowerShell, and has no #! line: the shell would read it as its own script",
			Effect: s.event.Fill("it fails, and {proceeds} as if there were no hook"),
			Remedy: `start it by pwsh -NoProfile -File, or write "shell": "powershell" in its entry`,
		})
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		what = " begins with a byte order mark: its #! line is not seen"
	case isScript && carriage:
		what = " has CRLF line ends: its interpreter does not exist"
	case isScript:
		return s.judgeInterpreter(strings.Fields(string(line)))
	}
	if what == "" {
		return nil
	}
	return one(Finding{Where: suites.Position{File: s.script, Line: 1}, What: s.script + what})
}

// judgeInterpreter judges the interpreter that a first line names. Others may have one that is usual.
func (s site) judgeInterpreter(fields []string) []Finding {
	words, _ := shell.Interpreter(string(s.head(s.script)))
	f := Finding{Where: suites.Position{File: s.script, Line: 1}, Severity: suites.Warning}
	name := ""
	switch {
	case len(fields) == 0:
		return nil
	case path.IsAbs(fields[0]) && !exists(fields[0]):
		if name = fields[0]; !isUsual(name) {
			f.Severity = suites.Error
		}
	case len(words) > 0 && !path.IsAbs(words[0]) && s.lacks(words[0]):
		name = words[0]
	default:
		return nil
	}
	f.What = s.script + " names " + name + ", which this machine does not have"
	return one(f)
}

// isUsual reports whether other machines have an interpreter at this path.
func isUsual(interpreter string) bool {
	runs := path.Base(interpreter) == "env" || shell.ProgramOf(interpreter).RunsScripts()
	return runs && slices.Contains([]string{"/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"}, path.Dir(interpreter))
}

// head returns a file's first line.
func (t Tree) head(s string) []byte {
	line, _, _ := strings.Cut(t.read(s), "\n")
	return []byte(line)
}

func judgeVariables(s site) (all []Finding) {
	code := withoutComments(s.code)
	for _, v := range unsetVariables(code, strings.HasSuffix(s.script, ".sh")) {
		all = append(all, Finding{Where: place(s.script, code, v.At), What: s.script + " reads " + v.Name + ", which is never set", Severity: suites.Warning})
	}
	return all
}

// judgePortability judges the first construct of a shell script that some systems do not support. It
// skips scripts that query the system, and lines that try another form next.
func judgePortability(s site) []Finding {
	code := withoutComments(s.code)
	if !strings.HasSuffix(s.script, ".sh") || asksSystem().MatchString(code) {
		return nil
	}
	for _, m := range systems().FindAllStringSubmatchIndex(code, -1) {
		at := max(m[2], m[4])
		use := strings.TrimSpace(code[at:m[1]])
		program, options, _ := strings.Cut(use, " ")
		rest, _, _ := strings.Cut(code[at:], "\n")
		line := code[strings.LastIndexByte(code[:at], '\n')+1:at] + rest
		if strings.Contains(line, "||") && strings.Count(line, program+" ") > 1 {
			continue
		}
		f := Finding{Where: place(s.script, code, at), What: s.script + " uses " + strings.TrimRight(use, `'" `)}
		switch {
		case program != "sed":
			return one(f)
		case emptySuffix().MatchString(options):
			f.What = s.script + " uses sed -i '', which is the form of macOS"
			f.Effect = "GNU sed takes '' for its script and the script for a file: on Linux it fails, and the call proceeds"
		default:
			f.What = s.script + " uses sed -i without a suffix"
			f.Effect = "on macOS sed takes what follows for the suffix: it fails, or leaves a backup, and the call proceeds"
		}
		f.Remedy = "write sed -i.bak, and remove the backup"
		return one(f)
	}
	return nil
}

var (
	// systems matches options and programs that only GNU has, and sed -i in either form.
	systems = pattern.Lazy(`(?m)(\bgrep\s+-[a-zA-Z]*P|\bsed\s+(?:-[a-zA-Z]+\s+)*-i\s+(?:''|""|-[a-zA-Z]|['"s])|\bdate\s+(?:-d|--date))|(?:^|[;&|]|[^(]\()\s*(timeout\s+(?:-[a-zA-Z-]|[\d"$])|(?:flock|tac)\s)`)

	emptySuffix = pattern.Lazy(`-i\s+(?:''|"")$`)
	asksSystem  = pattern.Lazy(`(?i)\bOSTYPE\b|\buname\b|\bdarwin\b|\bBASH_VERS`)
)

// judgeBash judges the first construct of a bash script that bash 3.2 does not have, which is the one of macOS.
func judgeBash(s site) []Finding {
	first, _, _ := strings.Cut(s.code, "\n")
	bash := startsBash().MatchString(first)
	if !strings.HasPrefix(first, "#!") {
		bash = strings.HasSuffix(s.script, ".sh")
	}
	if !bash || asksSystem().MatchString(s.code) {
		return nil
	}
	use, line, column := shell.NewerThanBash3(s.code)
	if use == "" {
		return nil
	}
	f := Finding{
		Where: suites.Position{File: s.script, Line: line, Column: column}, What: s.script + " uses " + use + ", which macOS's bash 3.2 does not have", Severity: suites.Warning,
		Remedy: "write it for bash 3.2 (while read, tr, case), or deny if BASH_VERSINFO is too low",
	}
	if !strings.Contains(first, "/bin/bash") {
		f.What, f.Severity = f.What+"; another bash may be the first in PATH there", suites.Info
	}
	return one(f)
}

var startsBash = pattern.Lazy(`^#!.*\bbash\b`)

func judgeClientStart(s site) []Finding {
	code := withoutComments(s.code)
	if !strings.HasSuffix(s.script, ".sh") || !strings.Contains(code, "claude") {
		return nil // without the costly expression
	}
	at := startsClient().FindStringSubmatchIndex(code)
	if at == nil {
		return nil
	}
	return one(Finding{Where: place(s.script, code, at[2]), What: s.script + " runs claude"})
}

// startsClient matches a shell's call of the client.
var startsClient = pattern.Lazy(`(?m)(?:^|[;&|(])\s*(?:exec |timeout \d+\w? |nohup )*(claude)\s+(?:-p|--print)\b`)

func place(name, text string, at int) suites.Position {
	line := strings.Count(text[:at], "\n") + 1
	return suites.Position{File: name, Line: line, Column: at - strings.LastIndexByte(text[:at], '\n')}
}

// judgeUnregistered judges scripts of the hook directories that nothing runs.
func judgeUnregistered(s site) (all []Finding) {
	text := s.named()
	idle := slices.DeleteFunc(slices.Clone(s.Scripts), func(script string) bool {
		return !discover.IsHookScript(script) || strings.Contains(text, path.Base(script))
	})
	severity := suites.Info
	if len(idle) == len(s.Scripts) {
		severity = suites.Warning // nothing at all is registered
	}
	for _, script := range idle {
		all = append(all, Finding{Where: suites.Position{File: script}, What: script + " is registered nowhere", Severity: severity})
	}
	for _, h := range s.Registered.Others {
		if h.Scope == discover.InGuess && !slices.Contains(idle, h.Scripts[0]) {
			all = append(all, Finding{Hooks: []string{h.ID}, Where: h.Source, What: h.Scripts[0] + " is registered nowhere: that it is for " + h.Event + " is a guess", Severity: suites.Info})
		}
	}
	return all
}

// named returns all text that can name a script: commands and scripts.
func (t Tree) named() string {
	var b strings.Builder
	for _, h := range slices.Concat(t.Registered.Hooks, t.Registered.Others, t.Registered.Elsewhere) {
		b.WriteString(words(h) + "\n")
		for _, s := range h.Scripts {
			b.WriteString(t.read(s) + "\n")
		}
	}
	for _, p := range t.Registered.Dropped {
		b.WriteString(t.read(p.At.File) + "\n") // dropped settings still name their scripts
	}
	for _, file := range runners {
		b.WriteString(t.read(file) + "\n")
	}
	for _, s := range t.Scripts {
		b.WriteString(strings.ReplaceAll(t.read(s), path.Base(s), "") + "\n") // a script's references to itself do not count
	}
	return b.String()
}

// runners are files by which programs other than the client run scripts.
var runners = []string{".pre-commit-config.yaml", "lefthook.yml", "Makefile", "justfile", "package.json", ".husky/pre-commit", "pyproject.toml", "Taskfile.yml"}
