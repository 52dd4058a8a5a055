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
	Inline  string   // options of an interpreter whose value is the code, or a module, instead of a script
	Joined  string   // letters of options whose value is the rest of the word
	Apart   bool     // its short options are never joined into one word
	Verb    string   // the word before a script, which may be left out; "" for none
	Within  bool     // the command may be anywhere among its arguments, as in "find -exec"
	Runner  bool     // it runs a program of the project, given by name
	Named   bool     // it also runs programs and tasks of the project, by names without a slash or a dot
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
	"bash":    {Language: Shell, Shell: true, ByBash: true, Missing: 127, Valued: "-o -O --init-file --rcfile", Inline: "-c"},
	"sh":      {Language: Shell, Shell: true, ByBash: true, Missing: 2, Valued: "-o -O", Inline: "-c"}, // if it is dash
	"dash":    {Language: Shell, Shell: true, ByBash: true, Missing: 2, Valued: "-o", Inline: "-c"},
	"ash":     {Language: Shell, Shell: true, Valued: "-o", Inline: "-c"},
	"ksh":     {Language: Shell, Shell: true, Valued: "-o -R", Inline: "-c"},
	"mksh":    {Language: Shell, Shell: true, Valued: "-o -T", Inline: "-c"},
	"zsh":     {Language: Shell, Shell: true, Valued: "-o --emulate", Inline: "-c"},
	"rbash":   {Language: Shell, Shell: true, Valued: "-o -O --init-file --rcfile", Inline: "-c"},
	"fish":    {Language: "fish", Shell: true, Valued: "-C --init-command -d --debug -D --debug-stack-frames -f --features -o --debug-output --profile --profile-startup", Inline: "-c --command"},
	"csh":     {Language: "csh", Shell: true, Inline: "-c"},
	"tcsh":    {Language: "csh", Shell: true, Inline: "-c"},
	"busybox": {Untraced: true},

	"python": {Language: Python, Missing: 2, Valued: "-W -X --check-hash-based-pycs", Inline: "-c -m"},
	"pypy":   {Language: Python, Valued: "-W -X --jit --check-hash-based-pycs", Inline: "-c -m"},
	"node":   {Language: Node, Apart: true, Missing: 1, Valued: nodeOptions, Inline: "-e --eval -p --print -pe --run"},
	"nodejs": {Language: Node, Apart: true, Missing: 1, Valued: nodeOptions, Inline: "-e --eval -p --print -pe --run"},
	"deno": {Language: Node, Apart: true, Verb: "run", Inline: "eval repl task test",
		Valued: "-c --config --import-map -L --log-level --lock --cert --location --seed --ext --preload --unsafely-ignore-certificate-errors"},
	"bun": {Language: Node, Apart: true, Named: true, Verb: "run", Inline: "-e --eval -p --print x test",
		Valued: "-r --preload --require --import --cwd -d --define -l --loader --env-file --tsconfig-override -F --filter --extension-order --main-fields --conditions --inspect-brk"},
	"tsx":     {Language: Node, Apart: true, Verb: "watch", Valued: nodeOptions + " --tsconfig", Inline: "-e --eval -p --print"},
	"ts-node": {Language: Node, Apart: true, Valued: "-r --require -P --project -C --compiler -O --compilerOptions --compiler-options -I --ignore -D --ignoreDiagnostics --scopeDir", Inline: "-e --eval -p --print -pe"},
	"ruby":    {Language: "ruby", Valued: "-C -E -I -r --encoding --external-encoding --internal-encoding", Joined: "FKTWxi", Inline: "-e"},
	"perl":    {Language: "perl", Missing: 2, Valued: "-I", Joined: "MmDFixdV", Inline: "-e -E"},
	"php":     {Language: "php", Valued: "-c --php-ini -d --define -t --docroot -z --zend-extension", Inline: "-r --run -B --process-begin -R --process-code -E --process-end -F --process-file -S --server"},
	"lua":     {Language: "lua", Valued: "-e -l"},
	"tclsh":   {Language: "tcl", Apart: true, Missing: 1, Valued: "-encoding"},
	"pwsh": {Language: "powershell", Apart: true, Inline: "-Command -command -c -EncodedCommand -e -enc",
		Valued: "-ExecutionPolicy -executionpolicy -ep -ex -InputFormat -inp -OutputFormat -ConfigurationName -ConfigurationFile -CustomPipeName -SettingsFile -Version -WindowStyle -WorkingDirectory -wd"},

	"env":        {Wraps: true, Valued: "-u --unset -C --chdir -a --argv0"},
	"command":    {Wraps: true},
	"exec":       {Wraps: true, Valued: "-a"},
	"builtin":    {Wraps: true},
	"nohup":      {Wraps: true},
	"nice":       {Wraps: true, Valued: "-n --adjustment"},
	"ionice":     {Wraps: true, Valued: "-c --class -n --classdata"},
	"chrt":       {Wraps: true, Own: 1, Valued: "-T --sched-runtime -P --sched-period -D --sched-deadline"},
	"taskset":    {Wraps: true, Own: 1},
	"caffeinate": {Wraps: true, Valued: "-t -w"},
	"setsid":     {Wraps: true},
	"sudo":       {Wraps: true, Valued: "-u --user -g --group -C --close-from -D --chdir -h --host -p --prompt -R --chroot -r --role -t --type -T --command-timeout -U --other-user", Untraced: true},
	"doas":       {Wraps: true, Valued: "-u -C", Untraced: true},
	"stdbuf":     {Wraps: true, Valued: "-i --input -o --output -e --error"},
	"xargs":      {Wraps: true, Valued: "-a --arg-file -d --delimiter -E -I -L -n --max-args -P --max-procs -s --max-chars -J -R -S"},
	"time":       {Wraps: true, Valued: "-f --format -o --output"},
	"chronic":    {Wraps: true},
	"unbuffer":   {Wraps: true},
	"timeout":    {Wraps: true, Own: 1, Valued: "-k --kill-after -s --signal"},
	"gtimeout":   {Wraps: true, Own: 1, Valued: "-k --kill-after -s --signal"},
	"flock":      {Wraps: true, Own: 1, Valued: "-w --timeout --wait -E --conflict-exit-code"},
	"find":       {Within: true},
	"watch":      {Within: true},
	"script":     {Within: true},
	"parallel":   {Within: true, Builds: true},

	"uv":     {Runner: true, Behind: "run", Language: Python, Offline: []string{"--no-sync", "--offline"}, Valued: uvOptions},
	"uvx":    {Runner: true, Valued: "--from " + uvOptions},
	"npx":    {Runner: true, Offline: []string{"--no-install"}, Valued: "-p --package -w --workspace --prefix --cache --registry"},
	"bunx":   {Runner: true, Offline: []string{"--no-install"}, Valued: "-p --package"},
	"npm":    {Runner: true, Behind: "exec", Valued: "-p --package -w --workspace -C --prefix --cache --registry"},
	"pnpm":   {Runner: true, Behind: "exec", Valued: "-C --dir -F --filter"},
	"yarn":   {Runner: true, Behind: "exec", Valued: "--cwd"},
	"poetry": {Runner: true, Behind: "run", Valued: "-C --directory -P --project"},
	"pipenv": {Runner: true, Behind: "run", Valued: "--python --pypi-mirror"},
	"pdm":    {Runner: true, Behind: "run", Valued: "-p --project -c --config"},
	"conda":  {Runner: true, Behind: "run", Valued: "-n --name -p --prefix --cwd"},
	"bundle": {Runner: true, Behind: "exec", Valued: "--gemfile"},

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

// Options with values of programs with many, from their manuals: node(1), and uv help run.
const (
	nodeOptions = "-r --require --import --loader --experimental-loader -C --conditions --title --env-file --env-file-if-exists --input-type " +
		"--icu-data-dir --openssl-config --redirect-warnings --report-dir --report-directory --report-filename --report-signal --diagnostic-dir " +
		"--cpu-prof-dir --cpu-prof-name --cpu-prof-interval --heap-prof-dir --heap-prof-name --heap-prof-interval --heapsnapshot-signal " +
		"--max-http-header-size --unhandled-rejections --dns-result-order --disable-warning --experimental-default-type --watch-path " +
		"--test-reporter --test-reporter-destination --test-name-pattern --test-concurrency --tls-cipher-list --tls-keylog " +
		"--trace-event-categories --trace-event-file-pattern --use-largepages --secure-heap --secure-heap-min --allow-fs-read --allow-fs-write " +
		"--localstorage-file --inspect-port --debug-port --network-family-autoselection-attempt-timeout"
	uvOptions = "-w --with --with-editable --with-requirements -p --python --project --directory --extra --no-extra --group --no-group --only-group " +
		"--env-file --package --index --default-index -i --index-url --extra-index-url -f --find-links --index-strategy --keyring-provider " +
		"-P --upgrade-package --resolution --prerelease --fork-strategy -C --config-setting --exclude-newer --link-mode --refresh-package " +
		"--reinstall-package --no-build-package --no-binary-package --cache-dir --config-file --color --allow-insecure-host"
)

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
	own, behind := p.Own, p.Behind
	for i := 1; i < len(words); i++ {
		word := words[i]
		switch {
		case strings.HasPrefix(word, "-"):
			values, _ := p.option(word)
			i += values
		case behind != "" && word != behind:
			return 0
		case behind != "":
			behind = ""
		case assignment().MatchString(word):
		case own > 0:
			own--
		case duration().MatchString(word): // the value of an option that is not in the table
		default:
			return i
		}
	}
	if behind != "" {
		return 0
	}
	return len(words)
}

// Operand returns the index of what an interpreter at the start of a command line runs: a script,
// or, if inline, the value of an option such as -c. Its arguments follow. It is len(words) if the
// interpreter reads code from its input.
func Operand(words []string) (at int, inline bool) {
	p := ProgramOf(words[0])
	for at = 1; at < len(words); at++ {
		word := words[at]
		option := strings.HasPrefix(word, "-") || p.Shell && strings.HasPrefix(word, "+")
		switch {
		case word == "--", word == "-" && p.Shell: // the end of the options
			return min(at+1, len(words)), inline
		case word == "-": // its input
			return len(words), false
		case option:
			values, code := p.option(word)
			if code && !p.Shell {
				return min(at+values, len(words)), true
			}
			at += values
			inline = inline || code // a shell takes its code after all options
		case word == p.Verb && word != "":
		case slices.Contains(strings.Fields(p.Inline), word):
			return min(at+1, len(words)), true
		default:
			return at, inline
		}
	}
	return len(words), inline
}

// option returns how many of the words after an option are its values, and whether they, or the
// option itself, hold code. One word may join several letters: -euo takes one value, -Bc the code.
func (p Program) option(word string) (values int, code bool) {
	valued, inline := strings.Fields(p.Valued), strings.Fields(p.Inline)
	switch {
	case slices.Contains(inline, word):
		return count(!p.Shell), true
	case slices.Contains(valued, word):
		return 1, false
	case strings.HasPrefix(word, "--"), p.Apart:
		return 0, false
	}
	letters := word[1:]
	for i, letter := range letters {
		last := i+len(string(letter)) == len(letters)
		switch option := "-" + string(letter); {
		case slices.Contains(inline, option) && p.Shell:
			code = true
		case slices.Contains(inline, option):
			return count(last), true
		case slices.Contains(valued, option) && p.Shell:
			values++ // "-oe pipefail" takes one as well
		case slices.Contains(valued, option):
			return count(last), false
		case strings.ContainsRune(p.Joined, letter):
			return 0, false
		}
	}
	return values, code
}

func count(one bool) int {
	if one {
		return 1
	}
	return 0
}

var (
	// assignment matches what env and similar programs treat as a variable.
	assignment = lazy(`^\w+=`)
	// duration matches a number or a duration.
	duration = lazy(`^[0-9.]*[0-9][0-9.]*[smhd]?$`)
)

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

// errDeep is the error for text that nests too deep.
var errDeep = errors.New("it nests too deep to be looked into")

// Parse parses text as bash.
func Parse(text string, options ...syntax.ParserOption) (*syntax.File, error) {
	frames := stacks.Get().(*[framesAtMost]uintptr)
	defer stacks.Put(frames)
	r := &wary{text: strings.NewReader(text), frames: frames[:]}
	file, err := syntax.NewParser(options...).Parse(r, "")
	if r.deep {
		return nil, errDeep
	}
	if err == nil && len(text) > levelsAtMost && tooDeep(file) { // a level takes at least one byte
		return nil, errDeep
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
		return 0, errDeep
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
