package depend

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"hookwatch/suites/depend/script"
	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// A Script describes the scripts and programs that one file names. It is read from text, so it
// may name too many and, if names are computed, too few; what a case was seen to use replaces it.
type Script struct {
	Language  string // as in shell.Program, or the extension of another file
	Text      string
	Names     []string // words that may be file names
	Opened    []string // bare words that are operands of commands and tests that open files
	Computed  string   // why it may run any file of the hook directories; "" if it cannot
	Open      string   // why it may read files that no text names; "" if it does not seem to
	Tools     []string // programs that it runs or looks up
	Words     []string // known programs that it names in other ways
	Functions []string // that it defines
	Unnamed   bool     // it runs a program whose name is computed
}

// mostNames limits the number of words of a script that may be file names; a script of five
// thousand lines has a third of that. A script with more may run anything.
const mostNames = 5000

// languageOf returns the language of a file, by the interpreter in its first line if that is a
// known program, or else by the file's name.
func languageOf(p string, interpreter []string) string {
	if language := shell.LanguageOf(interpreter); language != "" {
		return language
	}
	if by := shell.ByExtension(p); by != "" {
		return shell.ProgramOf(by).Language
	}
	if len(interpreter) > 0 {
		return path.Base(interpreter[0])
	}
	if ext := strings.ToLower(path.Ext(p)); ext != "" {
		return ext
	}
	return shell.Shell // shells run files without a first line
}

// mayBeCode reports whether a file that a script names may be code, by its name; listed reports
// whether it is in the hook directories.
func mayBeCode(p string, listed bool) bool {
	ext := strings.ToLower(path.Ext(p))
	return scriptExtensions[ext] || !dataExtensions[ext] && listed
}

// isScriptName reports whether a path has the extension of a script.
func isScriptName(p string) bool { return scriptExtensions[path.Ext(p)] }

// headSize is the number of bytes that decide whether a file is text.
const headSize = 8000

// IsBinary reports whether a file that begins with content is not text.
func IsBinary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), headSize)], 0) >= 0
}

// readScript analyses a script's content.
func readScript(p string, content []byte) *Script {
	if IsBinary(content) {
		return &Script{Language: "binary", Open: "it is no text"}
	}
	s := &Script{Text: string(content)}
	interpreter, _ := shell.Interpreter(s.Text)
	s.Language = languageOf(p, interpreter)
	if len(interpreter) > 0 {
		s.Tools = append(s.Tools, path.Base(interpreter[0]))
	}
	if s.Language == shell.Shell {
		s.readShell()
	} else {
		s.Names = namesIn(s.Text)
	}
	for _, name := range s.Names {
		if knownTools[path.Base(name)] {
			s.Words = append(s.Words, path.Base(name))
		}
	}
	if len(s.Names) > mostNames {
		s.Names = s.Names[:mostNames]
		s.Computed = fmt.Sprintf("it has more than %d words that may be names of files", mostNames)
	}
	switch {
	case s.Computed != "":
		s.Open = s.Computed
	case s.Language != shell.Shell && (len(interpreter) > 0 || shell.ByExtension(p) != ""):
		s.Open = "it is no shell script"
	}
	return s
}

// compact returns a copy that keeps nothing of the data of parsing: otherwise each small text would
// keep a page of unneeded data in memory. The words of a list share one text.
func (s *Script) compact() *Script {
	if s == nil {
		return nil
	}
	c := *s
	c.Text = strings.Clone(c.Text)
	for _, list := range []*[]string{&c.Names, &c.Opened, &c.Tools, &c.Words, &c.Functions} {
		rest := strings.Join(*list, "")
		if len(*list) == 1 {
			rest = strings.Clone(rest) // Join returned the only one
		}
		*list = slices.Clone(*list)
		for i, word := range *list {
			(*list)[i], rest = rest[:len(word)], rest[len(word):]
		}
	}
	return &c
}

func (s *Script) readShell() {
	read, err := shell.Read(s.Text)
	if err != nil {
		s.Names, s.Computed = namesIn(s.Text), "it cannot be parsed: "+err.Error()
		return
	}
	relative := map[string]bool{} // variables with a relative path
	for _, a := range read.Assigns {
		if a.Value != nil {
			text := flatten(a.Value)
			relative[a.Name] = relative[a.Name] || text != "" && !strings.HasPrefix(text, "/") && !strings.Contains(text, expanded)
		}
	}
	var words []string
	for _, w := range read.Words {
		text := flatten(w)
		words = append(words, text)
		below := strings.HasPrefix(text, expanded+"/") && w.Parts[0].Kind == shell.Expansion && relative[w.Parts[0].Parameter.Variable()]
		if s.Open == "" && !w.Pattern && (below || assembled(w, text)) {
			s.Open = fmt.Sprintf("it puts names of files together, on line %d", w.Line)
		}
	}
	for _, c := range read.Comments {
		if sourced().MatchString(c.Text) {
			words = append(words, c.Text)
		}
	}
	s.Names = namesIn(strings.Join(words, "\n"))
	for _, c := range read.Commands {
		words = words[:0]
		for _, a := range c.Args {
			words = append(words, flatten(a))
			into := (c.Name() == "cd" || c.Name() == "pushd") && len(a.Parts) > 0 && a.Parts[0].Kind == shell.Expansion
			if s.Open == "" && into && relative[a.Parts[0].Parameter.Variable()] {
				s.Open = fmt.Sprintf("it changes its directory on line %d", c.Line)
			}
		}
		s.call(words, c.HasInput(), c.Line)
	}
	s.open(read)
	for _, f := range read.Functions {
		s.Functions = append(s.Functions, f.Name)
	}
	slices.Sort(s.Functions)
	s.Functions = slices.Compact(s.Functions)
}

// sourced matches the shellcheck comment with the file that a script sources.
var sourced = pattern.Lazy(`^\s*shellcheck\s.*\bsource=`)

// expanded represents an expansion in the text of a word.
const expanded = "\x01"

// flatten returns the text of a word with one byte for every expansion.
func flatten(w *shell.Word) string {
	var text strings.Builder
	for _, p := range w.Parts {
		switch {
		case p.Kind == shell.Extended:
			text.WriteString("*" + p.Text)
		case p.Kind != shell.Literal:
			text.WriteString(expanded)
		case p.Quote == '\'':
			text.WriteString(strings.ReplaceAll(p.Text, expanded, ""))
		default:
			text.WriteString(strings.NewReplacer(`\`, "", expanded, "").Replace(p.Text))
		}
	}
	return text.String()
}

// listers are programs that print names of existing files, which no text contains.
var listers = script.Words("find fd ls compgen")

// narrow are programs that read no files but those that their arguments name, or none of the project.
// Others, such as make, npm and linters, have files of their own there.
var narrow = script.Words("[ afplay awk base64 basename bc cat chmod chown cksum clear cmp comm cp curl cut date dirname echo egrep expr false fgrep fold gawk git gojq grep " +
	"gzip head hostname iconv id jaq join jq kill ln logger logname md5sum mkdir mkfifo mktemp mv nl notify-send od openssl osascript paplay paste pgrep " +
	"printf ps pwd readlink realpath rev rm rmdir say sed seq sha1sum sha256sum shasum sleep sort split stat stty tac tail tee test touch tput tr true tty " +
	"uname uniq uptime uuidgen wc wget whoami xxd yes")

// assembled reports whether a word may be the computed name of a file: a path in the project
// whose last part is an expansion or a pattern, or the output of a program that lists files.
func assembled(w *shell.Word, text string) bool {
	for _, p := range w.Parts {
		if p.Kind == shell.Substitution && slices.ContainsFunc(p.Runs, func(name string) bool { return listers[name] }) {
			return true
		}
	}
	dir, base := path.Split(text)
	if dir == "" {
		return w.In == nil && slices.ContainsFunc(w.Parts, func(p shell.Part) bool {
			return p.Kind == shell.Literal && p.Quote == 0 && p.Text != "[" && p.Text != "[[" && strings.ContainsAny(p.Text, "*?[")
		})
	}
	return !strings.HasPrefix(text, "/") && strings.ContainsAny(base, expanded+"*?[")
}

// openers are programs whose operands are files, and fileTests the operators of tests for files.
var (
	openers   = script.Words("cat head tail wc sort uniq jq jaq grep egrep fgrep sed awk diff cmp stat ls sha256sum md5sum source . make")
	fileTests = script.Words("-e -f -d -r -s -x -w -a -L -h -p -S -nt -ot -ef")
)

// open records the bare words that can only be names of files, which need not exist yet.
func (s *Script) open(read *shell.Script) {
	operand := func(w *shell.Word) {
		text := flatten(w)
		if rest := strings.ReplaceAll(text, expanded, ""); s.Open == "" && rest != "" && rest != text && rest[0] != '-' && !strings.ContainsFunc(rest, func(c rune) bool { return !isNameRune(c) }) {
			s.Open = fmt.Sprintf("it puts the name of a file together, on line %d", w.Line)
		}
		if text != "" && text[0] != '-' && !strings.ContainsFunc(text, func(c rune) bool { return !isNameRune(c) || c == '.' }) {
			s.Opened = append(s.Opened, text)
		}
	}
	for _, t := range read.Tests {
		if fileTests[t.Op] {
			for _, w := range t.Words {
				operand(w)
			}
		}
	}
	for _, to := range read.Redirects {
		if to.Op == "<" || to.Op == "<>" {
			operand(to.Word)
		}
	}
	for _, c := range read.Commands {
		for i, w := range c.Args {
			if i > 0 && (openers[c.Name()] || (c.Name() == "[" || c.Name() == "test") && fileTests[flatten(c.Args[i-1])]) {
				operand(w)
			}
		}
	}
}

// call records the program that a simple command runs or looks up, and whether the file that it
// runs is computed. inline reports whether its input is in the script.
func (s *Script) call(words []string, inline bool, line int) {
	if len(words) == 0 {
		return
	}
	computes := func(what string) {
		if s.Computed == "" {
			s.Computed = fmt.Sprintf("it %s on line %d", what, line)
		}
	}
	name := path.Base(words[0])
	if strings.HasPrefix(words[0], expanded) && !strings.Contains(words[0], "/") {
		s.Unnamed = true
		s.Open = cmp.Or(s.Open, fmt.Sprintf("it runs a program whose name is computed on line %d", line))
	}
	if words[0] != expanded && name != "[" && strings.ContainsAny(name, expanded+"*?[") {
		computes("runs a command whose name is computed")
	}
	if words[0] == "" || strings.ContainsAny(name, expanded+"*?") {
		return
	}
	s.runs(name)
	elsewhere := func(w string) bool { return w == "-C" || strings.HasPrefix(w, "--chdir") }
	switch {
	case s.Open != "":
	case searches(words):
		s.Open = fmt.Sprintf("it reads a directory, or the files of a list, on line %d", line)
	case name == "xargs", name == "env" && slices.ContainsFunc(words, elsewhere):
		s.Open = fmt.Sprintf("it runs programs by %s on line %d", name, line)
	}
	if name == git && s.Open == "" && looksAround(words) {
		s.Open = fmt.Sprintf("it runs git on line %d, which may look at any file", line)
	}
	inner := shell.Inner(words)
	switch {
	case name == "command" && len(words) > 1 && strings.HasPrefix(words[1], "-"), name == "type", name == "which", name == "hash":
		for _, w := range words[1:] {
			if !strings.HasPrefix(w, "-") {
				s.runs(path.Base(w))
			}
		}
	case inner > 0:
		s.call(words[inner:], inline && !shell.ProgramOf(name).Runner, line)
	case (name == "cd" || name == "pushd") && s.Open == "" && len(words) > 1 && strings.Trim(words[len(words)-1], expanded+"/.-~") != "":
		s.Open = fmt.Sprintf("it changes its directory on line %d", line)
	case name == "eval":
		computes("runs code from strings")
	case name == "source", name == ".", shell.ProgramOf(name).RunsScripts():
		if why := computedScript(words, inline); why != "" {
			computes(why)
		} else if at, _ := shell.Operand(words); inline && at >= len(words) && shell.ProgramOf(name).Language != shell.Shell {
			computes("runs code that is no shell script")
		}
	}
}

// runs records a program, unless it is a builtin, a script or computed.
func (s *Script) runs(name string) {
	if name != "" && !builtins[name] && !strings.ContainsAny(name, expanded+" \t\n") && !scriptExtensions[path.Ext(name)] && !slices.Contains(s.Tools, name) {
		s.Tools = append(s.Tools, name)
	}
}

// searchers are narrow programs that read whole directories, or the files of a list, with one of these
// options.
var searchers = map[string]string{
	"cp": "rRa", "grep": "rRd", "egrep": "rRd", "fgrep": "rRd", "md5sum": "c", "sha1sum": "c", "sha256sum": "c", "shasum": "c",
}

// searches reports whether a command is that of a searcher with such an option.
func searches(words []string) bool {
	short, is := searchers[path.Base(words[0])]
	return is && slices.ContainsFunc(words[1:], func(w string) bool {
		if long, is := strings.CutPrefix(w, "--"); is {
			return slices.ContainsFunc([]string{"recursive", "dereference-recursive", "directories", "archive", "check"}, func(o string) bool { return strings.HasPrefix(long, o) })
		}
		return strings.HasPrefix(w, "-") && strings.ContainsAny(w, short)
	})
}

// computedScript returns why the script that a command of an interpreter or of source runs is not
// known, "" if it is.
func computedScript(words []string, inline bool) string {
	at, code := 1, false
	if shell.ProgramOf(words[0]).RunsScripts() {
		at, code = shell.Operand(words)
	}
	switch {
	case code && words[at-1] == "-m":
		return "runs a module"
	case code:
		return "runs code from strings"
	case at < len(words) && strings.ContainsAny(path.Base(words[at]), expanded+"*?["):
		return "runs a file whose name is computed"
	case at < len(words), inline:
		return ""
	case len(words) == 2 && (words[1] == "--version" || words[1] == "--help" || words[1] == "-V"):
		return ""
	}
	return "runs code from its input"
}

// starting matches, in Python and Node, the first argument of a call that starts or looks up
// programs: subprocess.run(["git", ...]), execSync("git status"), shutil.which("jq").
var starting = pattern.Lazy(`(?:\bsubprocess\.\w+|\bos\.(?:system|popen)|\bshutil\.which|\b(?:Popen|check_output|check_call|getoutput)|` +
	`\b(?:execSync|execFile|execFileSync|spawn|spawnSync)|\bchild_process\.exec|\bwhich(?:\.sync)?)` +
	`\s*\(\s*\[?\s*[bfr]?["'\x60]([A-Za-z0-9_./][A-Za-z0-9_.+/-]*)`)

// wordLists matches the first of a list of words, because programs are often started from such a
// list later.
var wordLists = pattern.Lazy(`\[\s*["']([a-z][A-Za-z0-9_.+-]*)["']\s*,`)

// Called returns the programs that a script starts or looks up according to its text, sorted.
// Programs that it only mentions are not included.
func (s *Script) Called() []string {
	called := slices.Clone(s.Tools)
	if s.Language == shell.Python || s.Language == shell.Node {
		for _, m := range starting().FindAllStringSubmatch(s.Text, -1) {
			called = append(called, path.Base(m[1]))
		}
		for _, m := range wordLists().FindAllStringSubmatch(s.Text, -1) {
			if knownTools[m[1]] {
				called = append(called, m[1])
			}
		}
	}
	slices.Sort(called)
	return slices.Compact(called)
}

// knownTools are programs that hooks run. A literal word that is one of them counts anywhere.
var knownTools = script.Words(`
	jq jaq gojq yq uv uvx ruff ty mypy pyright biome eslint prettier tsc oxlint knip jscpd
	shellcheck shfmt yamllint hadolint taplo markdownlint markdownlint-cli2 semgrep gitleaks
	bandit vulture flake8 black isort pylint pytest pip pip3 poetry pipenv
	node npm npx pnpm yarn bun bunx deno python python3 ruby perl php go gofmt golangci-lint cargo rustfmt rustc
	git gh curl wget docker make terraform tofu claude actionlint check-jsonschema ast-grep rg fd ctags
	osascript notify-send terminal-notifier say timeout gtimeout sqlite3 openssl shasum sha256sum`)

// builtins are names that bash does not search for in PATH.
var builtins = script.Words(`
	. : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown
	echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile
	popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true
	type typeset ulimit umask unalias unset wait`)

// isNameRune reports whether a rune can be part of an unquoted file name.
func isNameRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_.-+@%~", r)
}

// namesIn returns the words of a text that may be file names or paths, without duplicates. A
// path after a variable or a substitution loses its leading slash; one that keeps it is
// absolute.
func namesIn(text string) []string {
	var names []string
	seen := map[string]bool{}
	start := -1
	for i, r := range text + "\n" {
		if isNameRune(r) || r == '/' {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			if name := cleanName(text, start, i); name != "" && !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
			start = -1
		}
	}
	return names
}

func cleanName(text string, start, end int) string {
	name := strings.TrimRight(text[start:end], ".")
	if start > 0 && text[start-1] == '$' { // "$DIR/lib.sh" reads as "DIR/lib.sh"
		i := strings.IndexByte(name, '/')
		if i < 0 {
			return ""
		}
		return relative(name[i:])
	}
	if strings.HasPrefix(name, "/") && followsExpansion(text[:start]) {
		return relative(name)
	}
	return name
}

// relative returns a path without the slash that followed an expansion. A bare word is prefixed
// with "./" to mark it as a path.
func relative(name string) string {
	name = strings.TrimLeft(name, "/")
	if name != "" && !strings.ContainsAny(name, "./") {
		return "./" + name
	}
	return name
}

// followsExpansion reports whether text ends in an expansion, quoted or not.
func followsExpansion(text string) bool {
	text = strings.TrimRight(text, `"'`)
	if before := strings.TrimRightFunc(text, isVariableRune); before != text && strings.HasSuffix(before, "$") {
		return true
	}
	return text != "" && strings.Contains("})`"+expanded, text[len(text)-1:])
}

func isVariableRune(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
}

// Extensions by the purpose of a file.
var (
	scriptExtensions = script.Words(".sh .bash .zsh .ksh .py .js .mjs .cjs .ts .rb .pl .awk .jq .sed")
	dataExtensions   = script.Words(".json .jsonc .json5 .yaml .yml .toml .ini .cfg .conf .env .txt .list .csv .tsv .xml .lock .md")
)

// isFileName reports whether a word has the extension of a file that scripts read or run.
func isFileName(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return scriptExtensions[ext] || dataExtensions[ext]
}
