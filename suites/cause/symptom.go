package cause

import (
	"encoding/json"
	"regexp"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/pattern"
)

// A Missing is what sort of thing a hook did not find.
type Missing int

// The kinds of absent things.
const (
	Nothing Missing = iota
	Program
	File
	Module
	Network
)

// What shells, interpreters and the system print when they looked a program, a file or a
// module up and did not find it. The first group is its name. Messages of the hook's own have
// other forms.
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
	unloaded  = pattern.Lazy(`Cannot find module '(\.[^']+)'\nRequire stack:\n- ([^\n]+)`)
	noNetwork = pattern.Lazy(`(?i)\bENOTFOUND\b|EAI_AGAIN|getaddrinfo|name resolution|could not resolve host|network is unreachable|ECONNREFUSED|connection refused|fetch failed|dns error|failed to (?:fetch|download|connect)|failed to lookup address|\bENOTCACHED\b|ERR_PNPM_NO_OFFLINE|ERROR: No matching distribution found for`)
	noScript  = pattern.Lazy(`(?m)^[^\n:]+: (?:line )?(?:\d+: )?(?:exec: )?((?:/|\./|\.\./|~/)[^\n:'"]+): (?:not found|No such file or directory)`)
	unopened  = pattern.Lazy(`can't open (?:file )?'?([^\s:']+)'?`)
)

// Absent names what a hook looked up and did not find, and of which kind it is, if it came to
// no good end because of it: a shell ends with 127 or with the message as its last words, and
// interpreters end.
func Absent(r suites.Result) (name string, kind Missing) {
	if r.Exit == 0 {
		return "", Nothing
	}
	errs := strings.TrimSpace(string(r.Stderr))
	for _, re := range noProgram {
		at := re().FindStringSubmatchIndex(errs)
		if at != nil && (r.Exit == 127 || at[1] == len(errs) || strings.Contains(errs[at[0]:], "\n    at ")) {
			return errs[at[2]:at[3]], Program
		}
	}
	if m := noScript().FindStringSubmatch(errs); m != nil && (r.Exit == 126 || r.Exit == 127) {
		return m[1], File
	}
	if m := unopened().FindStringSubmatch(errs); m != nil && r.Exit == 2 && strings.Count(errs, "\n") == 0 {
		return m[1], File
	}
	text := errs + "\n" + string(r.Stdout)
	for _, re := range noModule {
		if m := re().FindStringSubmatch(text); m != nil {
			return m[1], Module
		}
	}
	if noNetwork().MatchString(text) {
		return "the network", Network
	}
	return "", Nothing
}

// Unloaded names a file of the hook's own that another of its files loads and that is not
// there, by the path that stands in that file; "" when that is not what happened.
func Unloaded(r suites.Result) (file, by string) {
	if m := unloaded().FindSubmatch(r.Stderr); m != nil {
		return string(m[1]), string(m[2])
	}
	return "", ""
}

// loaders match the files in which Node and Python report that a module is absent.
var loaders = []func() *regexp.Regexp{
	pattern.Lazy(`Cannot find (?:module|package) '[^']+' imported from (?:file://)?(/[^\n]+)`),
	pattern.Lazy(`Cannot find module '[^']+'\nRequire stack:\n- (/[^\n]+)`),
	pattern.Lazy(`(?m)^  File "(/[^"\n]+)", line \d+`),
}

// Loaders returns the files that were loading a module when it was not found, or that led to it.
func Loaders(r suites.Result) (files []string) {
	for _, re := range loaders {
		for _, m := range re().FindAllSubmatch(r.Stderr, -1) {
			files = append(files, string(m[1]))
		}
	}
	return files
}

// What streams say of a script that is at fault itself: a line of its own.
var (
	noParse = pattern.Lazy(`(?m)^.*(?:syntax error|unexpected EOF|unexpected end of file|Unterminated quoted|SyntaxError:|IndentationError:).*$`)
	crash   = pattern.Lazy(`(?m)^.*(?:\b(?:KeyError|TypeError|AttributeError|NameError|IndexError|UnboundLocalError|JSONDecodeError|ReferenceError|RangeError|ZeroDivisionError)\b:?|unbound variable|parameter not set|bad substitution|jq: error|integer expression expected|Bad substitution|NoMethodError).*$`)
)

// A Fault is how a hook fails by itself, whatever it was sent to do.
type Fault int

// The faults of hooks that the client starts.
const (
	NoFault   Fault = iota
	Unparsed        // the script does not parse
	Unstarted       // its shell could not start it
	Crashed         // it does not cope with what it was sent
	Overlong        // it hands what it was sent to a program as an argument or in the environment
)

// byProgram matches the last words of a usual program that failed with exit code 2, in its own form.
var byProgram = pattern.Lazy(`^(?:\S*/)?(?:sed|[ef]?grep|rg|ls|[gmn]?awk|jq|sort|diff|cmp|tar|curl|find|cat|cut|head|tail): (?:can't |cannot |could not |-e expression|error|invalid |unrecognized |unknown |missing |.*: (?:No such file or directory|Permission denied|Is a directory)$)`)

// FailedProgram returns the line in which a program reports its failure, if a hook ended with exit
// code 2 because of it: nothing was said after it. Such a hook has not decided to block.
func FailedProgram(r suites.Result) string {
	text := strings.TrimSpace(string(r.Stderr))
	last := text[strings.LastIndexByte(text, '\n')+1:]
	if r.Exit != 2 || !byProgram().MatchString(last) {
		return ""
	}
	return last
}

// overlong matches what shells, Python and Node report of arguments and an environment that the
// system does not take.
var overlong = pattern.Lazy(`(?m)^.*(?:Argument list too long|\bspawn(?:Sync)? \S+ E2BIG\b).*$`)

// byShell matches what a shell itself reports of a line of a script.
var byShell = pattern.Lazy(`^[^\s:]+: (?:line )?\d+: .+`)

// FaultOf tells how a hook failed by itself, and the line that says so. One that ends
// with 2 may have meant to, whatever it printed, unless a report of its shell is all that
// there is.
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
	if line := crash().FindString(text); line != "" && r.Exit != 2 {
		return Crashed, line
	}
	if only := strings.TrimSpace(text); r.Exit == 2 && !strings.Contains(only, "\n") && len(r.Stdout) == 0 && byShell().MatchString(only) {
		return Crashed, only
	}
	return NoFault, ""
}

// Background reports whether nothing that a hook says or does has an effect, since
// the client does not wait for it.
func Background(r suites.Result) bool { return client.Kind(r.EffectRule).InBackground() }

// Dropped reports whether a hook said something to the client that it does not
// heed. A word that asks for what happens anyway loses nothing, and what runs in the
// background is not expected to be heard.
func Dropped(r suites.Result) bool {
	if Background(r) {
		return false
	}
	return r.Effect == suites.Ignored && document().Match(r.Stdout) && r.Decision != "approve" && r.Decision != "allow"
}

// Quoted reports whether the client does not heed what a hook said, but shows the model
// its text: it tells so of every hook of /compact and /model.
func Quoted(r suites.Result) bool {
	return r.Effect == suites.ShownToModel && document().Match(r.Stdout) && client.Kind(r.EffectRule).DropsOutput()
}

// Unheeded reports whether what a hook said is lost, which says nothing where it only
// prints what it was sent.
func Unheeded(r suites.Result) bool { return Dropped(r) && !Echoes(r.Stdout) }

// document matches output that is meant to be read by a program.
var document = pattern.Lazy(`(?m)(^\s*|.)\{\s*"`)

// beginning matches the first fields of what the client sends.
var beginning = pattern.Lazy(`^\{"session_id":"[^"]*","transcript_path":"[^"]*","cwd":".*"hook_event_name":`)

// Echoes reports whether a hook prints what it was sent, as filters do: the fields
// that every event has. A long one may have been cut short.
func Echoes(printed []byte) bool {
	var out map[string]json.RawMessage
	if json.Unmarshal(printed, &out) != nil {
		return beginning().Match(printed)
	}
	_, event := out["hook_event_name"]
	_, session := out["session_id"]
	return event && session
}
