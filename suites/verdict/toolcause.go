package verdict

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// Suspects returns the gates of a failing case whose tools may be the cause, so that their
// behaviour can be examined before the case is judged. It returns none if something else is
// certainly the cause.
func Suspects(c *suites.Case, o suites.Outcome) []suites.Gate {
	if c.Layer == suites.Live || o.NotRun != nil || o.Finding != nil || len(o.Results) < len(c.Steps) {
		return nil
	}
	failed := false
	for i, r := range o.Results {
		if r.NotStarted != "" || r.TimedOut || r.Memory > 0 {
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
	s := soughtBy(c, found)
	best, text := nothingSpecial, ""
	for i := range calls {
		rank, told := behaviour(&s, &calls[i])
		if rank < best && s.explainedBy(rank) {
			best, text = rank, told
		}
	}
	return text
}

func behaviour(s *sought, call *suites.ToolCall) (rank int, told string) {
	name := strings.TrimSpace(call.Tool + " " + call.Version)
	exit := fmt.Sprintf("exit %d", call.Exit)
	if suites.IsFilter(call.Tool) {
		return probed(name, exit, call)
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
	if what := s.in(out + "\n" + err); what != "" {
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
	case asksJSON(call) && !json.Valid(call.Stdout) && len(call.Stdout) < notedWhole:
		return unreadable, fmt.Sprintf("the output of %s cannot be read (%s), it is no JSON: %s", name, exit, words)
	case !asksJSON(call) && !place().MatchString(out+"\n"+err):
		return unreadable, fmt.Sprintf("the output of %s cannot be read (%s), it names no line: %s", name, exit, words)
	}
	return nothingSpecial, ""
}

// probed reports whether a filter works, because without it hooks cannot read their input.
func probed(name, exit string, call *suites.ToolCall) (rank int, told string) {
	out := strings.TrimSpace(string(call.Stdout))
	if call.Exit == 0 && out == suites.FilterProbe.Want {
		return nothingSpecial, ""
	}
	words := cmp.Or(firstLine(cmp.Or(out, strings.TrimSpace(string(call.Stderr)))), "nothing")
	return rejectsConfig, fmt.Sprintf("%s does not work: %s of %s gives %s (%s)", name, suites.FilterProbe.Filter, suites.FilterProbe.Input, words, exit)
}

// notedWhole is a length of output below which nothing was cut off.
const notedWhole = 8000

// place matches how line-based tools report a position, or that they found nothing.
var place = pattern.Lazy(`(?i):\d+|\bline \d+|\b\d+ (error|problem|violation|finding)`)

func asksJSON(call *suites.ToolCall) bool {
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
	if asksJSON(call) {
		return json.Valid(call.Stdout) || len(call.Stdout) >= notedWhole
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
			if line = strings.TrimSpace(line); ofConfig(line) {
				return brief(line)
			}
		}
	}
	return ""
}

// ofConfig reports whether a line is an error about a configuration. JSON lines are excluded
// because findings may contain any text.
func ofConfig(line string) bool {
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
