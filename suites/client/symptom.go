package client

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// A MissingKind is the kind of thing that a hook did not find.
type MissingKind int

// The kinds of missing things.
const (
	MissingNothing MissingKind = iota
	MissingProgram
	MissingFile
	MissingModule
	MissingNetwork
)

// Messages of shells, interpreters and the system about a program, file or module that they did not
// find. The first group is its name. Messages that hooks print themselves have other forms.
var (
	noProgram = []func() *regexp.Regexp{
		pattern.Lazy(`(?m)^[^\n:]+: line \d+: ([\w.+-]+): command not found$`), // bash
		pattern.Lazy(`(?m)^[^\n:]+: \d+: (?:exec: )?([\w.+-]+): not found$`),   // dash
		pattern.Lazy(`(?m)^[^\n]*env: [‘'"]?([\w.+-]+)[’'"]?: No such file`),
		pattern.Lazy(`exec: "?([\w.+-]+)"?: executable file not found`),
		pattern.Lazy(`Error: spawn(?:Sync)? ([\w.+-]+) ENOENT`),
		pattern.Lazy(`(?s)/subprocess\.py".*FileNotFoundError: [^\n]*: '([\w.+-]+)'`),
	}
	noModule = []func() *regexp.Regexp{
		pattern.Lazy(`Cannot find (?:module|package) '([^']+)'`),
		pattern.Lazy(`No module named '?([\w.]+)`),
		pattern.Lazy(`cannot load such file -- (\S+)`),
		pattern.Lazy(`Module not found "([^"]+)"`),
	}
	unloaded       = pattern.Lazy(`Cannot find module '(\.[^']+)'\nRequire stack:\n- ([^\n]+)`)
	noNetwork      = pattern.Lazy(`(?i)\bENOTFOUND\b|EAI_AGAIN|getaddrinfo|name resolution|could not resolve host|network is unreachable|ECONNREFUSED|connection refused|fetch failed|dns error|failed to (?:fetch|download|connect)|failed to lookup address|\bENOTCACHED\b|ERR_PNPM_NO_OFFLINE|ERROR: No matching distribution found for`)
	scriptNotFound = pattern.Lazy(`(?m)^[^\n:]+: (?:line )?(?:\d+: )?(?:exec: )?((?:/|\./|\.\./|~/)[^\n:'"]+): (?:not found|No such file or directory)`)
	unopened       = pattern.Lazy(`can't open (?:file )?'?([^\s:']+)'?`)
)

// MissingIn returns the name and kind of a thing that the hook did not find, if the hook failed
// because of it: the shell exits with 127 or the message is the last output, and interpreters exit.
func MissingIn(r suites.Result) (name string, kind MissingKind) {
	if r.Exit == 0 {
		return "", MissingNothing
	}
	errs := strings.TrimSpace(string(r.Stderr))
	for _, re := range noProgram {
		at := re().FindStringSubmatchIndex(errs)
		if at != nil && (r.Exit == 127 || at[1] == len(errs) || strings.Contains(errs[at[0]:], "\n    at ")) {
			return errs[at[2]:at[3]], MissingProgram
		}
	}
	if m := scriptNotFound().FindStringSubmatch(errs); m != nil && (r.Exit == 126 || r.Exit == 127) {
		return m[1], MissingFile
	}
	if m := unopened().FindStringSubmatch(errs); m != nil && r.Exit == 2 && strings.Count(errs, "\n") == 0 {
		return m[1], MissingFile
	}
	text := errs + "\n" + string(r.Stdout)
	for _, re := range noModule {
		if m := re().FindStringSubmatch(text); m != nil {
			return m[1], MissingModule
		}
	}
	if noNetwork().MatchString(text) {
		return "the network", MissingNetwork
	}
	return "", MissingNothing
}

// FindMissingFile returns a missing file of the hook's own, by its path in the file that loads it, and
// that file. Both are "" if the hook did not fail for this reason.
func FindMissingFile(r suites.Result) (file, by string) {
	if m := unloaded().FindSubmatch(r.Stderr); m != nil {
		return string(m[1]), string(m[2])
	}
	return "", ""
}

// loaders match the files for which Node and Python report a missing module.
var loaders = []func() *regexp.Regexp{
	pattern.Lazy(`Cannot find (?:module|package) '[^']+' imported from (?:file://)?(/[^\n]+)`),
	pattern.Lazy(`Cannot find module '[^']+'\nRequire stack:\n- (/[^\n]+)`),
	pattern.Lazy(`(?m)^  File "(/[^"\n]+)", line \d+`),
}

// Loaders returns the files that were loading a module that was not found, or that led to it.
func Loaders(r suites.Result) (files []string) {
	for _, re := range loaders {
		for _, m := range re().FindAllSubmatch(r.Stderr, -1) {
			files = append(files, string(m[1]))
		}
	}
	return files
}

var readOnly = []func() *regexp.Regexp{
	pattern.Lazy(`(/[^\s:'"’]+)['"’]?: Read-only file system`),           // shells and programs
	pattern.Lazy(`(?i)read-only file system(?:, \w+|:) ['"](/[^'"\n]+)`), // Python, Node
}

// FindReadOnly returns the path that a hook failed to write because its file system is read-only, ""
// if there is none.
func FindReadOnly(r suites.Result) string {
	for _, re := range readOnly {
		if m := re().FindSubmatch(r.Stderr); m != nil && r.Exit != 0 {
			return string(m[1])
		}
	}
	return ""
}

// Messages on stderr that show an error in the script itself, each on a line of its own.
var (
	noParse = pattern.Lazy(`(?m)^.*(?:syntax error|unexpected EOF|unexpected end of file|Unterminated quoted|SyntaxError:|IndentationError:).*$`)
	crashed = pattern.Lazy(`(?m)^.*(?:\b(?:KeyError|TypeError|AttributeError|NameError|IndexError|UnboundLocalError|JSONDecodeError|ReferenceError|RangeError|ZeroDivisionError)\b:?|unbound variable|parameter not set|bad substitution|jq: error|integer expression expected|Bad substitution|NoMethodError).*$`)
)

// A Fault is how a hook fails by itself, whatever its input.
type Fault int

// The faults of hooks that the client starts.
const (
	NoFault   Fault = iota
	Unparsed        // the script does not parse
	Unstarted       // its shell could not start it
	Crashed         // it cannot handle its input
	Overlong        // it passes its input to a program as an argument or in the environment
)

// byProgram matches the last line of a common program that failed with exit code 2, in its own
// format.
var byProgram = pattern.Lazy(`^(?:\S*/)?(?:sed|[ef]?grep|rg|ls|[gmn]?awk|jq|sort|diff|cmp|tar|curl|find|cat|cut|head|tail): (?:can't |cannot |could not |-e expression|error|invalid |unrecognized |unknown |missing |.*: (?:No such file or directory|Permission denied|Is a directory)$)`)

// FindProgramFailure returns the line in which a program reports its failure, if the hook ended with
// exit code 2 because of it: nothing follows the line. Such a hook did not decide to block.
func FindProgramFailure(r suites.Result) string {
	text := strings.TrimSpace(string(r.Stderr))
	last := text[strings.LastIndexByte(text, '\n')+1:]
	if r.Exit != 2 || !byProgram().MatchString(last) {
		return ""
	}
	return last
}

// overlong matches the reports of shells, Python and Node that arguments and environment are too
// long for the system.
var overlong = pattern.Lazy(`(?m)^.*(?:Argument list too long|\bspawn(?:Sync)? \S+ E2BIG\b).*$`)

// byShell matches a report of the shell about a line of a script.
var byShell = pattern.Lazy(`^[^\s:]+: (?:line )?\d+: .+`)

// FaultOf returns how a hook failed by itself, and the line that reports it. A hook that exits with
// 2 may have meant to block whatever it printed, unless its only output is a report of its shell. A
// syntax error counts even then.
func FaultOf(r suites.Result) (Fault, string) {
	text := string(r.Stderr)
	if r.Exit == 0 {
		return NoFault, ""
	}
	if line := noParse().FindString(text); line != "" {
		return Unparsed, line
	}
	if line := overlong().FindString(text); line != "" && r.Exit != 2 {
		return Overlong, line
	}
	if r.Exit == 126 || r.Exit == 127 {
		line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
		return Unstarted, line
	}
	if line := crashed().FindString(text); line != "" && r.Exit != 2 {
		return Crashed, line
	}
	if only := strings.TrimSpace(text); r.Exit == 2 && !strings.Contains(only, "\n") && len(r.Stdout) == 0 && byShell().MatchString(only) {
		return Crashed, only
	}
	return NoFault, ""
}

// InBackground reports whether the hook has no effect because the client does not wait for it.
func InBackground(r suites.Result) bool { return Kind(r.EffectRule).InBackground() }

// dropsOutput reports whether the client dropped output of the hook. If the output asks for
// the default behaviour, nothing is lost. Output of background hooks does not count, because no
// one expects it to have an effect.
func dropsOutput(r suites.Result) bool {
	if InBackground(r) {
		return false
	}
	permits := slices.Contains([]string{"approve", "allow"}, r.Decision)
	return r.Effect == suites.Ignored && !permits && printedDocument().Match(r.Stdout)
}

// QuotesOutput reports whether the client ignores the decision in a hook's output but shows its
// text to the model, as it does for all hooks of /compact and /model.
func QuotesOutput(r suites.Result) bool {
	return r.Effect == suites.ShownToModel && printedDocument().Match(r.Stdout) && Kind(r.EffectRule).DropsOutput()
}

// LosesOutput reports whether output of the hook was lost. Output that only repeats the hook's
// input does not count.
func LosesOutput(r suites.Result) bool { return dropsOutput(r) && !Echoes(r.Stdout) }

// printedDocument matches output that is intended for a program.
var printedDocument = pattern.Lazy(`(?m)(^\s*|.)\{\s*"`)

// beginning matches the first fields of the client's payload.
var beginning = pattern.Lazy(`^\{"session_id":"[^"]*","transcript_path":"[^"]*","cwd":".*"hook_event_name":`)

// Echoes reports whether a hook prints its input, as filters do: the output has fields of every
// event. A long one may have been cut.
func Echoes(printed []byte) bool {
	var out map[string]json.RawMessage
	if json.Unmarshal(printed, &out) != nil {
		return beginning().Match(printed)
	}
	_, event := out["hook_event_name"]
	_, session := out["session_id"]
	return event && session
}
