// Package shell parses untrusted shell text. Text that nests too deep for the recursive parser,
// or whose tree is too deep, is an error.
package shell

import (
	"errors"
	"io"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// A Program describes how a program runs code or other programs. The zero value is
// a program that runs neither.
type Program struct {
	Language string // of the scripts that it runs; "" for none
	Shell    bool   // it runs the text after -c
	ByBash   bool   // bash runs its scripts in a case, as the test plans of this field do
	Missing  int    // exit code if the script does not exist, as observed; 0 if that was not observed

	Wraps   bool     // it runs the command among its arguments
	Own     int      // its own arguments before that command, not counting options and assignments
	Valued  string   // options whose value is the next word, separated by spaces
	Within  bool     // the command may be anywhere among its arguments, as in "find -exec"
	Runner  bool     // it runs a program of the project, given by name
	Behind  string   // the word before that name; "" for none
	Offline []string // options by which a runner neither installs anything nor uses the network

	Builds   bool // it runs code named in its own files
	Untraced bool // it may run commands that a trace of bash does not see
}

// Languages of scripts. Bash can parse those of Shell. Other languages have no constant.
const (
	Shell  = "shell"
	Python = "python"
	Node   = "node"
)

// programs has one row for each program that runs code or other programs.
var programs = map[string]Program{
	"bash":    {Language: Shell, Shell: true, ByBash: true, Missing: 127},
	"sh":      {Language: Shell, Shell: true, ByBash: true, Missing: 2}, // if it is dash
	"dash":    {Language: Shell, Shell: true, ByBash: true, Missing: 2},
	"ash":     {Language: Shell, Shell: true},
	"ksh":     {Language: Shell, Shell: true},
	"mksh":    {Language: Shell, Shell: true},
	"zsh":     {Language: Shell, Shell: true},
	"rbash":   {Language: Shell, Shell: true},
	"fish":    {Language: "fish", Shell: true},
	"csh":     {Language: "csh", Shell: true},
	"tcsh":    {Language: "csh", Shell: true},
	"busybox": {Untraced: true},

	"python":  {Language: Python, Missing: 2},
	"pypy":    {Language: Python},
	"node":    {Language: Node, Missing: 1},
	"nodejs":  {Language: Node, Missing: 1},
	"deno":    {Language: Node},
	"bun":     {Language: Node},
	"tsx":     {Language: Node},
	"ts-node": {Language: Node},
	"ruby":    {Language: "ruby"},
	"perl":    {Language: "perl", Missing: 2},
	"php":     {Language: "php"},
	"lua":     {Language: "lua"},
	"tclsh":   {Language: "tcl", Missing: 1},
	"pwsh":    {Language: "powershell"},

	"env":      {Wraps: true, Valued: "-u --unset -C --chdir"},
	"command":  {Wraps: true},
	"exec":     {Wraps: true, Valued: "-a"},
	"builtin":  {Wraps: true},
	"nohup":    {Wraps: true},
	"nice":     {Wraps: true, Valued: "-n --adjustment"},
	"ionice":   {Wraps: true, Valued: "-c --class -n --classdata"},
	"setsid":   {Wraps: true},
	"sudo":     {Wraps: true, Valued: "-u --user -g --group -C -D -h -p -R -T", Untraced: true},
	"doas":     {Wraps: true, Valued: "-u -C", Untraced: true},
	"stdbuf":   {Wraps: true, Valued: "-i -o -e"},
	"xargs":    {Wraps: true, Valued: "-a -d -E -I -L -n -P -s"},
	"time":     {Wraps: true, Valued: "-f -o"},
	"chronic":  {Wraps: true},
	"unbuffer": {Wraps: true},
	"timeout":  {Wraps: true, Own: 1, Valued: "-k --kill-after -s --signal"},
	"gtimeout": {Wraps: true, Own: 1, Valued: "-k --kill-after -s --signal"},
	"flock":    {Wraps: true, Own: 1, Valued: "-w --timeout --wait -E --conflict-exit-code"},
	"find":     {Within: true},
	"watch":    {Within: true},
	"script":   {Within: true},
	"parallel": {Within: true, Builds: true},

	"uv":   {Runner: true, Behind: "run", Language: Python, Offline: []string{"--no-sync", "--offline"}, Valued: "--with --python -p --project --directory --extra --group --env-file --package"},
	"uvx":  {Runner: true, Valued: "--from --with --python -p"},
	"npx":  {Runner: true, Offline: []string{"--no-install"}, Valued: "-p --package"},
	"bunx": {Runner: true, Offline: []string{"--no-install"}, Valued: "-p --package"},
	"npm":  {Runner: true, Behind: "exec", Valued: "-p --package"},
	"pnpm": {Runner: true, Behind: "exec"},
	"yarn": {Runner: true, Behind: "exec"},

	"make":  {Builds: true},
	"just":  {Builds: true},
	"go":    {Builds: true},
	"cargo": {Builds: true},

	"su":          {Untraced: true},
	"chroot":      {Untraced: true},
	"nsenter":     {Untraced: true},
	"unshare":     {Untraced: true},
	"ssh":         {Untraced: true},
	"docker":      {Untraced: true},
	"podman":      {Untraced: true},
	"systemd-run": {Untraced: true},
	"at":          {Untraced: true},
	"batch":       {Untraced: true},
	"crontab":     {Untraced: true},
}

// extensions maps extensions to the program that runs a file without a "#!" line.
var extensions = map[string]string{
	".sh": "bash", ".bash": "bash", ".zsh": "zsh", ".ksh": "ksh",
	".py": "python3", ".js": "node", ".mjs": "node", ".cjs": "node", ".ts": "node", ".rb": "ruby", ".pl": "perl",
}

// ProgramOf returns the row of a program, given by name or path. It ignores a version at the end
// of the name.
func ProgramOf(name string) Program {
	base := path.Base(name)
	if p, ok := programs[base]; ok {
		return p
	}
	if p := programs[strings.TrimRight(base, "0123456789.")]; p.Interprets() {
		return p
	}
	return Program{}
}

// Interprets reports whether a program runs scripts in a language other than a shell's.
func (p Program) Interprets() bool { return p.Language != "" && !p.Shell && !p.Runner }

// RunsScripts reports whether a program runs the script in its first argument.
func (p Program) RunsScripts() bool { return p.Shell || p.Interprets() }

// Starts reports whether a program may start shells that are not in the text of the command.
func (p Program) Starts() bool { return p.Interprets() || p.Runner || p.Builds }

// ByExtension returns the program that runs a file without a "#!" line, by its extension, "" if
// that is unknown.
func ByExtension(file string) string { return extensions[strings.ToLower(path.Ext(file))] }

// Inner returns the index of the command that a wrapper or runner at the start of a command line
// runs, after its options, assignments and own arguments. It is 0 if there is no wrapper or
// runner, and len(words) if the command is missing.
func Inner(words []string) int {
	if len(words) == 0 {
		return 0
	}
	p := ProgramOf(words[0])
	if !p.Wraps && !p.Runner {
		return 0
	}
	valued, own, behind := strings.Fields(p.Valued), p.Own, p.Behind
	for i := 1; i < len(words); i++ {
		word := words[i]
		switch {
		case slices.Contains(valued, word):
			i++
		case strings.HasPrefix(word, "-"):
		case behind != "" && word != behind:
			return 0
		case behind != "":
			behind = ""
		case isAssignment(word):
		case own > 0:
			own--
		case isNumber(word): // the value of an option that is not in the table
		default:
			return i
		}
	}
	if behind != "" {
		return 0
	}
	return len(words)
}

// isAssignment reports whether env and similar programs treat a word as a variable.
func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && !strings.ContainsFunc(name, func(c rune) bool {
		return c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	})
}

// isNumber reports whether a word is a number or a duration.
func isNumber(word string) bool {
	digits := strings.TrimRight(word, "smhd")
	return strings.ContainsAny(digits, "0123456789") && len(word)-len(digits) <= 1 && strings.Trim(digits, "0123456789.") == ""
}

// Interpreter returns the words with which the system starts a script with this first line,
// without a leading env and its options and assignments. direct reports whether env has no
// option but -S, so that the environment of the script is unchanged. It returns nil if the line
// does not begin with "#!" or names no program.
func Interpreter(line string) (words []string, direct bool) {
	line, ok := strings.CutPrefix(line, "#!")
	if !ok {
		return nil, false
	}
	line, _, _ = strings.Cut(line, "\n")
	words, direct = strings.Fields(line), true
	if len(words) == 0 || path.Base(words[0]) != "env" {
		return words, direct
	}
	at := Inner(words)
	for _, w := range words[1:at] {
		direct = direct && w == "-S"
	}
	return words[at:], direct
}

// LanguageOf returns the language of the script that a command line runs, after wrappers and
// runners: that of the last program with a language, "" if there is none.
func LanguageOf(words []string) (language string) {
	for len(words) > 0 {
		if l := ProgramOf(words[0]).Language; l != "" {
			language = l
		}
		at := Inner(words)
		if at == 0 {
			break
		}
		words = words[at:]
	}
	return language
}

// Quote returns a shell word whose value is the text.
func Quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

const (
	// framesAtMost limits the call depth of the parser: some hundred nested constructs. Scripts
	// have a dozen.
	framesAtMost = 4000
	// levelsAtMost limits the depth of a tree, because a chain of ten thousand && has a level
	// for each although the parser does not call itself for them.
	levelsAtMost = 10_000
)

// ErrDeep is the error for text that nests too deep.
var ErrDeep = errors.New("it nests too deep to be looked into")

// Parse parses text as bash.
func Parse(text string, options ...syntax.ParserOption) (*syntax.File, error) {
	frames := stacks.Get().(*[framesAtMost]uintptr)
	defer stacks.Put(frames)
	r := &wary{text: strings.NewReader(text), frames: frames[:]}
	file, err := syntax.NewParser(options...).Parse(r, "")
	if r.deep {
		return nil, ErrDeep
	}
	if err == nil && len(text) > levelsAtMost && tooDeep(file) { // a level takes at least one byte
		return nil, ErrDeep
	}
	return file, err
}

// stacks are buffers for wary, 32 KB each, because a project of a thousand hooks is parsed at
// once.
var stacks = sync.Pool{New: func() any { return new([framesAtMost]uintptr) }}

// A wary returns text only if the parser that reads it is not too deep in its own calls, because
// a stack overflow would end the program.
type wary struct {
	text   io.Reader
	frames []uintptr
	deep   bool
}

// portion is the maximum number of bytes per read, so that the parser cannot go much deeper
// between reads.
const portion = 512

func (w *wary) Read(to []byte) (int, error) {
	if runtime.Callers(0, w.frames) == len(w.frames) {
		w.deep = true
		return 0, ErrDeep
	}
	return w.text.Read(to[:min(len(to), portion)])
}

// tooDeep reports whether a tree has more levels than allowed, and stops there.
func tooDeep(file *syntax.File) (deep bool) {
	level := 0
	syntax.Walk(file, func(n syntax.Node) bool {
		if n == nil {
			level--
			return true
		}
		if deep || level >= levelsAtMost {
			deep = true
			return false
		}
		level++
		return true
	})
	return deep
}
