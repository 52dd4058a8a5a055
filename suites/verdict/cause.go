package verdict

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// CauseOf returns the cause of one failure.
func CauseOf(f Failure) Cause {
	r := f.Record
	for _, m := range f.Mismatches {
		if m.Kind == suites.InStart {
			return Cause{Kind: CauseNotStarted, Hook: r.Hook, Text: m.Got}
		}
	}
	if c, ok := diagnoseCommand(r); ok {
		return c
	}
	if c, ok := diagnoseShell(r); ok {
		return c
	}
	if c, ok := diagnoseException(r); ok {
		return c
	}
	text := quotation().ReplaceAllString(hideSandbox(r, r.Note), "...")
	c := Cause{Kind: CauseEqual, Hook: r.Hook, Text: text}
	if !reaction().MatchString(text) { // else texts differ because inputs do
		c.Text, c.output = hideSandbox(r, r.Note), hideSandbox(r, r.ActualOutput+"\x00"+r.ActualStderr)
	}
	return c
}

// quotation matches a text of a hook or of a case in a note.
var quotation = pattern.Lazy(`"(?:[^"\\]|\\.)*"`)

// reaction matches what a hook or the client did other than expected, in a note.
var reaction = pattern.Lazy(`(?:^|; )(?:exit|effect|decision|signal) |TIMEOUT`)

// A CauseKind is the kind of cause that failures share.
type CauseKind string

// The kinds, most informative first: an error in a file fails every case that needs the file.
const (
	CauseNotStarted CauseKind = "not_started" // the hook is missing, not executable, has a bad interpreter
	CauseSyntax     CauseKind = "syntax"      // the hook does not parse
	CauseLibrary    CauseKind = "library"     // a script that the hook needs does not parse, or is missing
	CauseEqual      CauseKind = "equal"       // all have the same output
)

// causeRank orders kinds.
var causeRank = map[CauseKind]int{CauseNotStarted: 0, CauseSyntax: 1, CauseLibrary: 2, CauseEqual: 3}

// A Failure is the record of a failed case, with its mismatches if they are known: a record that
// was read from a file has none.
type Failure struct {
	Record     *suites.Record
	Mismatches []suites.Mismatch
}

// A Cause identifies the cause of failures: failures have the same cause if their Causes are equal.
// Hook is the file at fault, for CauseEqual the hook that failed.
type Cause struct {
	Kind   CauseKind
	Hook   string
	Text   string
	output string // output of the hook, for CauseEqual
}

// Headline returns the cause in one line: "guard.sh does not parse: line 3: ...".
func (c Cause) Headline() string {
	switch {
	case c.Kind == CauseSyntax, c.Kind == CauseLibrary && !strings.HasSuffix(c.Text, missingSuffix):
		return c.Hook + " does not parse: " + c.Text
	case c.Kind == CauseLibrary:
		return c.Hook + " cannot be read: " + c.Text
	case c.Kind == CauseNotStarted && c.Hook == "":
		return c.Text
	case c.Kind == CauseNotStarted:
		return c.Hook + " does not start: " + c.Text
	}
	return c.Text
}

const missingSuffix = ": No such file or directory"

// A CauseGroup contains the failures with one cause, in the order of the input.
type CauseGroup struct {
	Cause
	Cases []Failure
}

// CauseGroups groups failures by cause: file errors first, then the largest groups, then in the
// order of their first failures.
func CauseGroups(failed []Failure) []CauseGroup {
	var groups []CauseGroup
	at := map[Cause]int{}
	for _, f := range failed {
		c := CauseOf(f)
		i, known := at[c]
		if !known {
			i = len(groups)
			at[c] = i
			groups = append(groups, CauseGroup{Cause: c})
		}
		groups[i].Cases = append(groups[i].Cases, f)
	}
	slices.SortStableFunc(groups, func(a, b CauseGroup) int {
		return CompareCauses(a.Kind, len(a.Cases), b.Kind, len(b.Cases))
	})
	return groups
}

// CompareCauses orders two groups by kind, then by descending number of cases.
func CompareCauses(a CauseKind, cases int, b CauseKind, others int) int {
	return cmp.Or(cmp.Compare(causeRank[a], causeRank[b]), cmp.Compare(others, cases))
}

// Failures returns the failures among records.
func Failures(all []suites.Record) []Failure {
	var failed []Failure
	for i := range all {
		if all[i].Status() == suites.Fail {
			failed = append(failed, Failure{Record: &all[i]})
		}
	}
	return failed
}

// Keys returns the keys of the group's cases.
func (g *CauseGroup) Keys() []suites.Key {
	keys := make([]suites.Key, len(g.Cases))
	for i, f := range g.Cases {
		keys[i] = f.Record.Key()
	}
	return keys
}

// Messages of bash about a script that it cannot parse or cannot find, or about a line of one.
var (
	unparsedScript = pattern.Lazy(`(?m)^(\S.*?): (line \d+: (?:syntax error|unexpected EOF).*)$`)
	unfoundScript  = pattern.Lazy(`(?m)^(\S.*?): (line \d+): (\S*/[^/\s:]+\.(?:sh|bash|inc))` + missingSuffix + `$`)
	bashComplaint  = pattern.Lazy(`(?m)^(\S.*?): (line \d+: .+)$`)
)

// unknownProgram matches the last line that a shell prints if it runs a registered command and
// does not find its program.
var unknownProgram = pattern.Lazy(`(?:^|\n)(?:/\S*/)?(?:sh|dash|bash): (?:line )?\d+: ([^\s:/]+): (?:command )?not found\n*$`)

// forbidden matches what a shell prints of a program that is not executable.
var forbidden = pattern.Lazy(`(?:^|\n)(?:/\S*/)?(?:sh|dash|bash): (?:line )?\d+: (\S+): Permission denied\n*$`)

// diagnoseCommand returns the program that a registered command does not find, which is the same cause for all
// hooks that need it, or the script that it must not execute.
func diagnoseCommand(r *suites.Record) (Cause, bool) {
	if r.ActualExit == nil {
		return Cause{}, false
	}
	switch *r.ActualExit {
	case 126:
		if m := forbidden().FindStringSubmatch(r.ActualStderr); m != nil && base(m[1]) == base(r.Hook) {
			return Cause{Kind: CauseNotStarted, Hook: base(r.Hook), Text: "it is not executable (chmod +x mends that)"}, true
		}
	case 127:
		if m := unknownProgram().FindStringSubmatch(r.ActualStderr); m != nil {
			return Cause{Kind: CauseNotStarted, Text: "the program " + m[1] + " is not found"}, true
		}
	}
	return Cause{}, false
}

// diagnoseShell returns the cause that the shell reports in stderr about a script. Scripts in the
// case's own directory do not count, because they are the hook's input, not part of the hook.
func diagnoseShell(r *suites.Record) (Cause, bool) {
	if !strings.Contains(r.ActualStderr, ": line ") {
		return Cause{}, false
	}
	if m := unparsedScript().FindStringSubmatch(r.ActualStderr); m != nil && !isInSandbox(r, m[1]) {
		kind, file := CauseLibrary, base(m[1])
		if file == base(r.Hook) {
			kind = CauseSyntax
		}
		return Cause{Kind: kind, Hook: file, Text: strings.TrimSpace(m[2])}, true
	}
	if m := unfoundScript().FindStringSubmatch(r.ActualStderr); m != nil && base(m[1]) == base(r.Hook) && !isInSandbox(r, m[3]) {
		return Cause{Kind: CauseLibrary, Hook: base(m[3]), Text: base(m[1]) + " " + m[2] + missingSuffix}, true
	}
	return complaint(r)
}

// complaint returns the last message of bash about a line of the hook itself. It identifies the
// cause because one broken line leads to different output and mismatches in each case.
func complaint(r *suites.Record) (Cause, bool) {
	all := bashComplaint().FindAllStringSubmatch(r.ActualStderr, -1)
	for _, m := range slices.Backward(all) {
		if base(m[1]) == base(r.Hook) && !isInSandbox(r, m[1]) {
			return Cause{Kind: CauseEqual, Hook: r.Hook, Text: fmt.Sprintf("%s %s", r.Hook, hideSandbox(r, m[2]))}, true
		}
	}
	return Cause{}, false
}

// Messages of Python, Node and the shell about a script that does not exist.
var missingHook = []func() *regexp.Regexp{
	pattern.Lazy(`can't open file '([^']+)': \[Errno 2\]`),
	pattern.Lazy(`(?m)^Error: Cannot find module '([^']+)'$`),
	pattern.Lazy(`(?m)^\S*sh: \d+: (\S+): not found$`),
}

// exceptionLine matches the last line of an exception in Python, and the line of Node with its
// name.
var exceptionLine = pattern.Lazy(`(?m)^(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Interrupt|Exit)\b.*$`)

// diagnoseException returns the cause that Python and Node report in stderr if they cannot find or parse the
// hook, or if it ended with an exception.
func diagnoseException(r *suites.Record) (Cause, bool) {
	if r.Hook == "" {
		return Cause{}, false
	}
	for _, is := range missingHook {
		if m := is().FindStringSubmatch(r.ActualStderr); m != nil && strings.Contains(m[1], "/") && base(m[1]) == base(r.Hook) {
			return Cause{Kind: CauseNotStarted, Hook: base(r.Hook), Text: "hook missing: what is registered runs a file that does not exist"}, true
		}
	}
	line, all := LineIn(r.Hook, r.ActualStderr), exceptionLine().FindAllString(r.ActualStderr, -1)
	if line == 0 || len(all) == 0 {
		return Cause{}, false
	}
	message := all[len(all)-1]
	text := fmt.Sprintf("line %d: %s", line, hideSandbox(r, message))
	if isUnparsed(r.ActualStderr, message) {
		return Cause{Kind: CauseSyntax, Hook: base(r.Hook), Text: text}, true
	}
	return Cause{Kind: CauseEqual, Hook: r.Hook, Text: r.Hook + " " + text}, true
}

// isUnparsed reports whether the script itself cannot be parsed, rather than a text that it tried
// to parse: then none of its own statements has run.
func isUnparsed(stderr, message string) bool {
	name, _, _ := strings.Cut(message, ":")
	switch name {
	case "SyntaxError", "IndentationError", "TabError":
		return !strings.Contains(stderr, "Traceback (most recent call last)") && !strings.Contains(stderr, "    at JSON.parse")
	}
	return false
}

// linePlaces matches the position of an error in the formats of bash, Python and Node.
var linePlaces = pattern.Lazy(`([^\s"'(:]+)(?:: line |", line |:)(\d+)\b`)

// nodeVersion matches the end of Node's report of an exception.
var nodeVersion = pattern.Lazy(`(?m)^Node\.js v`)

// LineIn returns the line of a script that its stderr names last, 0 if none. Programs name the
// innermost position last, except Node, which names it first.
func LineIn(script, stderr string) int {
	line := 0
	for _, m := range linePlaces().FindAllStringSubmatch(stderr, -1) {
		if base(m[1]) != base(script) {
			continue
		}
		n, err := strconv.Atoi(m[2])
		if err == nil && (line == 0 || !nodeVersion().MatchString(stderr)) {
			line = n
		}
	}
	return line
}

// base returns the last part of a path. The rest differs if cases have copies of the project.
func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// isInSandbox reports whether a path is in the sandbox of a record's case.
func isInSandbox(r *suites.Record, path string) bool {
	_, _, found := sandboxPath(r, path)
	return found
}

// hideSandbox returns text with sandbox paths replaced, because they differ in each run.
func hideSandbox(r *suites.Record, text string) string {
	for {
		from, to, found := sandboxPath(r, text)
		if !found {
			return text
		}
		text = text[:from] + "{sandbox}" + text[to:]
	}
}

// sandboxPath finds the first path in a text that leads to the sandbox of a record's case. The
// sandbox is named after the case and a number.
func sandboxPath(r *suites.Record, text string) (from, to int, found bool) {
	name := "/" + r.Suite + "-" + r.ID + "-"
	for start := 0; ; {
		i := strings.Index(text[start:], name)
		if i < 0 {
			return 0, 0, false
		}
		from, to = start+i, start+i+len(name)
		number := to
		for to < len(text) && text[to] >= '0' && text[to] <= '9' {
			to++
		}
		if to > number {
			return strings.LastIndexAny(text[:from], " \t\r\n\"'=:`()") + 1, to, true
		}
		start = number
	}
}

// Suspects returns the gates of a failing case whose tools may be the cause, so that their
// behaviour can be examined before the case is judged. It returns none if something else is
// certainly the cause.
func Suspects(c *suites.Case, o suites.Outcome) []suites.Gate {
	if !judgesHooks(c, o) || len(o.Results) < len(c.Steps) {
		return nil
	}
	failed := false
	for i, r := range o.Results {
		if wasEnded(&r) {
			return nil
		}
		failed = failed || len(judgeStep(&c.Steps[i].Expect, i, r, time.Second, wordingOf(o))) > 0
	}
	if !failed {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.Gates), func(g suites.Gate) bool { return suites.IsFetcher(g.Tool) })
}

// toolCause describes how a tool caused the failure of a case: it rejects its configuration,
// does not know its arguments, or its output cannot be read. It returns "" if no tool behaved
// unusually, or if that cannot explain the failure.
func toolCause(c *suites.Case, found []suites.Mismatch, calls []suites.ToolCall) string {
	s := missingResultsOf(c, found)
	best, text := nothingSpecial, ""
	for i := range calls {
		rank, found := behaviour(&s, &calls[i])
		if rank < best && s.isExplainedBy(rank) {
			best, text = rank, found
		}
	}
	return text
}

func behaviour(s *missingResults, call *suites.ToolCall) (rank int, found string) {
	name := strings.TrimSpace(call.Tool + " " + call.Version)
	exit := fmt.Sprintf("exit %d", call.Exit)
	if suites.IsFilter(call.Tool) {
		return probe(name, exit, call)
	}
	out, err := strings.TrimSpace(string(call.Stdout)), strings.TrimSpace(string(call.Stderr))
	if call.Exit != 0 {
		if line := configComplaint(err, out); line != "" {
			return rejectsConfig, fmt.Sprintf("%s rejects its configuration (%s): %s", name, exit, line)
		}
		if line := argumentComplaint(err, out); line != "" {
			return unknownArguments, fmt.Sprintf("%s does not know what the hook asks of it (%s): %s", name, exit, line)
		}
	}
	if what := s.findIn(out + "\n" + err); what != "" {
		return unreadByHook, fmt.Sprintf("%s reports %s (%s), but the hook reads nothing out of that output", name, what, exit)
	}
	words := firstLine(cmp.Or(out, err))
	switch {
	case rewrites(call) && (call.Exit == 0 || findingsLeft(call)):
		return nothingSpecial, ""
	case rewrites(call):
		return cannotRewrite, fmt.Sprintf("%s does not rewrite the file (%s): %s", name, exit, words)
	case out == "" && call.Exit == 0:
		return silent, name + " ran and reported nothing"
	case out == "" && !place().MatchString(err):
		return failing, strings.TrimSuffix(fmt.Sprintf("%s fails (%s): %s", name, exit, words), ": ")
	case asksForJSON(call) && !json.Valid(call.Stdout) && len(call.Stdout) < keptWhole:
		return unreadable, fmt.Sprintf("the output of %s cannot be read (%s), it is no JSON: %s", name, exit, words)
	case !asksForJSON(call) && !place().MatchString(out+"\n"+err):
		return unreadable, fmt.Sprintf("the output of %s cannot be read (%s), it names no line: %s", name, exit, words)
	}
	return nothingSpecial, ""
}

// probe reports whether a filter works, because without it hooks cannot read their input.
func probe(name, exit string, call *suites.ToolCall) (rank int, found string) {
	out := strings.TrimSpace(string(call.Stdout))
	if call.Exit == 0 && out == suites.FilterProbe.Want {
		return nothingSpecial, ""
	}
	words := cmp.Or(firstLine(cmp.Or(out, strings.TrimSpace(string(call.Stderr)))), "nothing")
	return rejectsConfig, fmt.Sprintf("%s does not work: %s of %s gives %s (%s)", name, suites.FilterProbe.Filter, suites.FilterProbe.Input, words, exit)
}

// keptWhole is a length of output below which nothing was cut off.
const keptWhole = 8000

// place matches how line-based tools report a position, or that they found nothing.
var place = pattern.Lazy(`(?i):\d+|\bline \d+|\b\d+ (error|problem|violation|finding)`)

func asksForJSON(call *suites.ToolCall) bool {
	return slices.ContainsFunc(call.Args, func(arg string) bool { return strings.Contains(arg, "json") && !strings.Contains(arg, "/") })
}

// rewrites reports whether the call changes a file instead of only reporting.
func rewrites(call *suites.ToolCall) bool {
	return slices.ContainsFunc(call.Args, func(arg string) bool {
		return slices.Contains([]string{"--write", "--fix", "-w", "format", "fmt"}, arg)
	})
}

// findingsLeft reports whether a linter that fixes files reported the findings it could not fix.
func findingsLeft(call *suites.ToolCall) bool {
	lints := slices.ContainsFunc(call.Args, func(arg string) bool { return slices.Contains([]string{"--fix", "check", "lint"}, arg) })
	if !lints || call.Exit != 1 {
		return false
	}
	if asksForJSON(call) {
		return json.Valid(call.Stdout) || len(call.Stdout) >= keptWhole
	}
	return place().Match(call.Stdout) || place().Match(call.Stderr)
}

var (
	wrong = pattern.Lazy(`(?i)invalid|unknown|unrecogni[sz]ed|unsupported|unexpected|not valid|not found|no such|missing|\bbad\b|fail|error|cannot|could not|unable`)
	// keyOfBiome matches biome's error about a key of its configuration: a line with the
	// position, and later a line with the text.
	keyOfBiome = pattern.Lazy(`(?m)^\S+:\d+:\d+ deserialize [^×]*× *(.+)$`)
	// unparsed matches an error about a file whose name is typical for settings of tools.
	unparsed = pattern.Lazy(`(?im)^.*failed to (?:parse|load|read)\b.*(?:\.toml|\.cfg|\.ini|rc)\b.*$`)
	// arguments matches errors about unknown arguments.
	arguments = pattern.Lazy(`(?im)^.*(?:no such (?:flag|option|command)|unrecogni[sz]ed (?:argument|option|flag|subcommand)|` +
		`unexpected (?:argument|option)|unknown (?:argument|option|flag|format|command)|no such option|flag provided but not defined|` +
		`which wasn't expected|invalid (?:argument|choice|option)).*$`)
)

// configComplaint returns the line in which a tool reports an error in its configuration.
func configComplaint(texts ...string) string {
	for _, text := range texts {
		if m := keyOfBiome().FindStringSubmatch(text); m != nil {
			return brief(strings.TrimSpace(m[1]))
		}
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); isConfigError(line) {
				return brief(line)
			}
		}
	}
	return ""
}

// isConfigError reports whether a line is an error about a configuration. JSON lines are excluded
// because findings may contain any text.
func isConfigError(line string) bool {
	if line == "" || line[0] == '{' || line[0] == '[' {
		return false
	}
	return strings.Contains(strings.ToLower(line), "config") && wrong().MatchString(line) || unparsed().MatchString(line)
}

// argumentComplaint returns the line in which a tool reports unknown arguments.
func argumentComplaint(texts ...string) string {
	for _, text := range texts {
		if m := arguments().FindString(text); m != "" {
			return brief(strings.TrimSpace(m))
		}
	}
	return ""
}

// firstLine returns the first line with a letter or digit, quoted, and shortened for a note.
func firstLine(text string) string {
	if text == "" {
		return ""
	}
	for line := range strings.Lines(text) {
		if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			return strconv.Quote(brief(strings.TrimSpace(line)))
		}
	}
	return strconv.Quote(brief(strings.TrimSpace(text)))
}
