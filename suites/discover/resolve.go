package discover

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"hookwatch/suites/disk"
	"hookwatch/suites/shell"
)

// newResolver returns a resolver for a hook registered in a file of directory settingsDir.
func newResolver(hook Hook, settingsDir string) *resolver {
	r := &resolver{hook: hook, cwd: filepath.Join(hook.Start(), filepath.FromSlash(hook.Entry.Dir)), vars: map[string]string{}}
	if home, err := os.UserHomeDir(); err == nil {
		r.vars["HOME"] = home
	}
	maps.Copy(r.vars, hook.Variables())
	r.vars["CLAUDE_PROJECT_DIR"] = hook.Start()
	if dir := hook.DirOfPlugin(); dir != "" {
		r.vars["CLAUDE_PLUGIN_ROOT"] = dir
	}
	if hook.Client != "" {
		for _, kv := range hook.Env("", "", "") {
			name, value, _ := strings.Cut(kv, "=")
			r.vars[name] = value
		}
	}
	r.vars["PWD"] = hook.Start()
	// Settings outside of any .claude directory are the user's own configuration kept as a
	// project, because it is installed as ~/.claude and its commands contain that path.
	if _, inside := relativeTo(hook.Root, settingsDir); inside && filepath.Base(settingsDir) != ".claude" && hook.PluginRoot == "" {
		r.config = settingsDir
	}
	return r
}

// scripts returns the files without duplicates, in the command's order, and those among them
// that the command starts as programs.
func (r *resolver) scripts() (all, direct []string) {
	if r.hook.Args != nil {
		r.words(r.launchWords())
	} else {
		r.parse(r.hook.Command)
	}
	return r.found, r.direct
}

func (r *resolver) launchWords() (words []word) {
	for _, text := range launchCommand(r.hook, "") {
		words = append(words, word{text, true})
	}
	return words
}

// parse reads shell text. Text that does not parse names no files.
func (r *resolver) parse(command string) {
	if r.nested == maxNested {
		return
	}
	r.nested++
	defer func() { r.nested-- }()
	script, err := shell.Read(command)
	if err != nil {
		return
	}
	for _, c := range script.Commands {
		r.call(c)
	}
}

func (r *resolver) call(call *shell.Command) {
	if len(call.Args) == 0 {
		for _, assign := range call.Assigns {
			r.assign(assign)
		}
		return
	}
	words := make([]word, 0, len(call.Args))
	for _, arg := range call.Args {
		words = append(words, r.word(arg))
	}
	if words[0].text == "cd" && len(words) == 2 && words[1].known {
		r.cwd = r.path(words[1].text)
		return
	}
	r.words(words)
}

func (r *resolver) assign(assign *shell.Assign) {
	if assign.Name == "" || !assign.Whole {
		return
	}
	delete(r.vars, assign.Name)
	if assign.Value == nil {
		return
	}
	if value := r.word(assign.Value); value.known {
		r.vars[assign.Name] = value.text
	}
}

// words reads one simple command: the program that it runs, through wrappers and interpreters,
// and which of its arguments are files.
func (r *resolver) words(words []word) {
	words, launched := unwrap(words)
	if len(words) == 0 {
		return
	}
	if base := words[0].program(); base == "source" || shell.ProgramOf(base).RunsScripts() {
		r.interpret(words)
		return
	}
	if first := words[0]; first.known && strings.ContainsRune(first.text, '/') {
		r.add(first.text)
		if slash, inside := relativeTo(r.hook.Root, r.path(first.text)); inside && !launched { // a launcher needs no execute bit
			r.direct = append(r.direct, slash)
		}
	}
	if !launched { // `uv run x.py` has a file in the place of a program
		words = words[1:]
	}
	r.arguments(words)
}

// unwrap returns the command after wrappers and runners; launched reports whether the last of
// these was a runner.
func unwrap(words []word) (command []word, launched bool) {
	for {
		at := shell.Inner(texts(words))
		if at == 0 {
			return words, launched
		}
		launched = shell.ProgramOf(words[0].text).Runner
		words = words[at:]
	}
}

// interpret reads the words of an interpreter: what it runs is a script, whether it exists or
// not, or code.
func (r *resolver) interpret(words []word) {
	at, inline := 1, false
	if program := words[0].program(); program != "source" {
		at, inline = shell.Operand(texts(words))
	}
	if at >= len(words) {
		r.arguments(words[1:])
		return
	}
	switch run := words[at]; {
	case inline && shell.ProgramOf(words[0].text).Shell:
		if run.known {
			r.parse(run.text)
		}
		return
	case !inline && run.known && (strings.ContainsAny(run.text, "./") || !shell.ProgramOf(words[0].text).Named):
		r.add(run.text)
	}
	r.arguments(words[at+1:])
	r.arguments(words[1:at]) // such as the module of node --require
}

func texts(words []word) []string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = w.text
	}
	return all
}

// arguments adds the arguments that are files of the project.
func (r *resolver) arguments(words []word) {
	for _, word := range words {
		if !word.known || word.text == "" {
			continue
		}
		if info, err := os.Stat(r.path(word.text)); err == nil && info.Mode().IsRegular() {
			r.add(word.text)
		}
	}
}

func (r *resolver) add(name string) {
	if slash, inside := relativeTo(r.hook.Root, r.path(name)); inside && slash != "." && !slices.Contains(r.found, slash) {
		r.found = append(r.found, slash)
	}
}

// path returns the absolute path of a name in the command. If the project's configuration is to
// be installed as ~/.claude, a path in ~/.claude becomes one in the project's directory, in
// scope InHome always, otherwise if the file exists there.
func (r *resolver) path(name string) string {
	name = r.moveHome(name)
	if home := r.vars["HOME"]; r.config != "" && home != "" {
		if rest, found := strings.CutPrefix(name, filepath.Join(home, ".claude")+"/"); found {
			if own := filepath.Join(r.config, rest); r.hook.Scope == InHome || exists(own) {
				return own
			}
		}
	}
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(r.cwd, name)
}

// moveHome replaces an absolute path of any user's ~/.claude by the current user's if the tree is
// to be installed there.
func (r *resolver) moveHome(name string) string {
	if r.hook.Scope != InHome {
		return name
	}
	return WrittenHome().ReplaceAllString(name, r.vars["HOME"]+"/.claude/")
}

// A word is the expanded text of a shell word. It is known only if every part of it is.
type word struct {
	text  string
	known bool
}

// program returns the base name of the program that the word names, "" if it is unknown.
func (w word) program() string {
	if !w.known || w.text == "" {
		return ""
	}
	if w.text == "." {
		return "source"
	}
	return path.Base(w.text)
}

func (r *resolver) word(w *shell.Word) word {
	text, known := r.parts(w.Parts)
	if len(text) > maxWord {
		return word{}
	}
	return word{text, known}
}

// parts joins the expanded parts of a word.
func (r *resolver) parts(parts []shell.Part) (string, bool) {
	var text strings.Builder
	for i, part := range parts {
		value, known := part.Text, part.Kind == shell.Literal
		switch {
		case part.Kind == shell.Literal && part.Quote != '\'':
			value = r.literal(value, part.Quote == 0, i == 0)
		case part.Kind == shell.Expansion:
			value, known = r.parameter(part.Parameter)
		case part.Kind == shell.Substitution && part.Command != nil:
			value, known = r.substitution(part.Command)
		}
		if !known {
			return "", false
		}
		text.WriteString(value)
	}
	return text.String(), true
}

// literal expands a leading ~ and removes backslashes; bare reports whether the text is outside
// of quotes.
func (r *resolver) literal(value string, bare, first bool) string {
	fromHome := bare && first && strings.HasPrefix(value+"/", "~/")
	if home := r.vars["HOME"]; fromHome && home != "" {
		value = home + value[1:]
	}
	return shell.Unescape(value, !bare)
}

// parameter expands $NAME, ${NAME} and ${NAME:-default}; the result of any other operation is
// unknown.
func (r *resolver) parameter(p *shell.Parameter) (string, bool) {
	if p.Name == "" || p.Partial || p.Indexed {
		return "", false
	}
	value, known := r.vars[p.Name]
	switch p.Op {
	case "", "?", ":?":
		return value, known
	case "-", ":-":
		if !known && p.Word != nil {
			return r.parts(p.Word.Parts)
		}
		return value, known
	default:
		return "", false
	}
}

// substitution supports the two commands with which hooks find their project.
func (r *resolver) substitution(c *shell.Command) (string, bool) {
	if len(c.Assigns) > 0 {
		return "", false
	}
	var words []string
	for _, w := range c.Args {
		words = append(words, w.Bare())
	}
	switch strings.Join(words, " ") {
	case "pwd":
		return r.cwd, true
	case "git rev-parse --show-toplevel":
		return r.hook.Root, true
	default:
		return "", false
	}
}

// A resolver reads a command as the shell would and records the files of the project that it
// names.
type resolver struct {
	hook   Hook
	config string            // the directory in the place of ~/.claude, "" if it is not in the project
	cwd    string            // base of relative paths; follows a plain cd
	vars   map[string]string // known variables
	nested int               // shells within shells
	found  []string
	direct []string // those of found that are programs themselves
}

// Limits for commands that expand themselves, such as A='sh -c "$A"'.
const (
	maxNested = 8
	maxWord   = 1 << 16 // bytes
)

// dataNames are the extensions of data in a hooks directory, which is no script even if every
// file has the executable bit.
var dataNames = []string{".json", ".jsonl", ".md", ".yaml", ".yml", ".toml", ".txt", ".log", ".lock", ".pyc"}

// Scripts returns the script files in directories of the project and below them, as sorted slash
// paths from the root: files with names of scripts, executable ones, and those that start with
// #!. A directory that does not exist has none. Notes name directories with paths too long for
// the system, which are skipped because no hook in them can be registered.
func Scripts(r disk.Reader, root string, dirs []string) (found, notes []string, err error) {
	root, err = filepath.Abs(root)
	if err != nil {
		return nil, nil, fmt.Errorf("project root: %w", err)
	}
	c := &collector{root: root}
	s := &scripts{reader: r.Anywhere()}
	for _, dir := range dirs {
		dir = c.makeAbsolute(dir)
		s.tooLong = ""
		names, err := s.find(dir)
		if err != nil {
			return nil, nil, fmt.Errorf("hooks directory %s: %w", c.slash(dir), err)
		}
		if s.tooLong != "" {
			notes = append(notes, fmt.Sprintf("hooks directory %s: a path in it is too long for the system: what is below %s was not looked at",
				c.slash(dir), shorten(s.tooLong)))
		}
		for _, name := range names {
			found = append(found, c.slash(filepath.Join(dir, filepath.FromSlash(name))))
		}
	}
	slices.Sort(found)
	return slices.Compact(found), notes, nil
}

// shorten returns the beginning of a path that is too long for a message.
func shorten(path string) string {
	const most = 60
	if runes := []rune(path); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return path
}

// entriesAtMost limits the total number of entries in all hooks directories.
const entriesAtMost = 100_000

// scripts searches directories for scripts.
type scripts struct {
	reader  disk.Reader
	entries int
	tooLong string // the first path that is too long for the system, "" if none
}

func (s *scripts) find(at string) (names []string, err error) {
	dir := os.DirFS(at)
	err = fs.WalkDir(dir, ".", func(name string, entry fs.DirEntry, err error) error {
		if s.entries++; s.entries > entriesAtMost {
			return fmt.Errorf("more than %d files and directories in it (name directories of hooks only)", entriesAtMost)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // the directory itself, or a file that was removed during the search
		case errors.Is(err, syscall.ENAMETOOLONG):
			s.tooLong = cmp.Or(s.tooLong, name)
			return nil
		case err != nil:
			return err
		case entry.IsDir() && disk.IgnoredDir(entry.Name()):
			return fs.SkipDir
		case !entry.IsDir() && s.isScript(dir, at, name):
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// isScript reports whether a file is a script. It follows symbolic links, because a linked
// script counts.
func (s *scripts) isScript(dir fs.FS, at, name string) bool {
	info, err := fs.Stat(dir, name)
	extension := strings.ToLower(path.Ext(name))
	switch {
	case err != nil, !info.Mode().IsRegular(), slices.Contains(dataNames, extension):
		return false
	case shell.ByExtension(name) != "", info.Mode().Perm()&0o111 != 0:
		return true
	default:
		return s.startsWithShebang(filepath.Join(at, filepath.FromSlash(name)))
	}
}

func (s *scripts) startsWithShebang(path string) bool {
	file, err := s.reader.Open(path, math.MaxInt64)
	if err != nil {
		return false
	}
	defer file.Close()
	start, _ := bufio.NewReader(file).Peek(2) // a shorter file has none
	return string(start) == "#!"
}
