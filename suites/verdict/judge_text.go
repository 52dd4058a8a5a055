package verdict

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/pattern"
)

// aMatchOf is the prefix of a mismatch's Want for a pattern.
const aMatchOf = "a match of "

func judgeText(add func(got, want string), e *suites.TextExpectation, text []byte, w wording) {
	if e.IsZero() {
		return
	}
	s := string(text)
	got := func() string { return quote(w.everyRun.Replace(s)) }
	if e.Empty && s != "" {
		add(got(), "nothing")
	}
	for _, want := range e.Contains {
		if !strings.Contains(s, w.text.Replace(want)) {
			add(got(), quote(want))
		}
	}
	for _, want := range e.Matches {
		a := w.outcome.Answer(suites.Question{Kind: suites.PatternExpression, Source: w.outcome.Pattern(want), Text: s})
		switch {
		case a.Limit != "":
			add(notEvaluated+a.Limit, aMatchOf+want)
		case a.Err != "":
			add(a.Err, "a regular expression")
		case !a.Holds:
			add(got(), aMatchOf+want)
		}
	}
	for _, unwanted := range e.Absent {
		if strings.Contains(s, w.text.Replace(unwanted)) {
			add(got(), "no "+quote(unwanted))
		}
	}
}

func judgeFile(add func(got, want string), e suites.FileExpectation, r suites.Result, w wording) {
	content, found := r.Files[e.Path]
	switch {
	case e.Change != "":
		judgeChange(add, e, r.Changes)
	case e.Absent && found:
		add("exists", "no such file")
	case !e.Absent && !found:
		add("does not exist", "the file")
	case found:
		judgeText(add, &e.Text, content, w)
	}
}

// notEvaluated is the prefix of a mismatch's Got for an expression that reached a limit.
const notEvaluated = "could not be evaluated: "

func judgeJQ(add addFunc, filter string, stdout []byte, o *suites.Outcome) {
	if filter == "" {
		return
	}
	switch a := o.Answer(suites.Question{Kind: suites.FilterExpression, Source: filter, Text: string(stdout)}); {
	case a.Limit != "":
		add(suites.InJQ, notEvaluated+a.Limit, filter)
	case a.NotJSON:
		add(suites.InJQ, "stdout is not one JSON document: "+quote(string(stdout)), filter)
	case a.Err != "":
		add(suites.InJQ, a.Err, filter)
	case !a.Holds:
		add(suites.InJQ, a.Got+" on "+quote(string(stdout)), filter)
	}
}

// quoteLimit keeps a reason readable; the record has the whole text.
const quoteLimit = 400

func quote(s string) string {
	if s == "" {
		return "empty"
	}
	if len(s) > quoteLimit {
		return strconv.Quote(s[:quoteLimit]) + fmt.Sprintf("... (%d bytes)", len(s))
	}
	return strconv.Quote(s)
}

// WantedExit returns the accepted codes, such as "0 or 1".
func WantedExit(codes []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(codes), "[]"), " ", " or ")
}

func gotExit(r suites.Result) string {
	if r.Signal != "" {
		return "by " + r.Signal
	}
	return fmt.Sprint(r.Exit)
}

func brief(line string) string {
	const most = 160
	if len(line) <= most {
		return line
	}
	return strings.ToValidUTF8(line[:most], "?") + "..."
}

// The behaviour of a tool, the strongest explanation first.
const (
	rejectsConfig = iota
	unknownArguments
	unreadByHook
	unreadable
	failing
	silent
	cannotRewrite
	nothingSpecial
)

// missingResults lists the missing results of a failing case. A tool that finds nothing can only
// explain the failure of a case that expects a finding.
type missingResults struct {
	finding  bool
	rewrite  bool     // of a file whose content is wrong
	texts    []string // missing on a stream
	patterns []string
}

// missingResultsOf collects the missing results from the mismatches: a text on a stream, an exit code
// other than the 0 that it got, or the expected content of a file.
func missingResultsOf(c *suites.Case, found []suites.Mismatch) missingResults {
	var s missingResults
	for _, m := range found {
		if m.Step >= len(c.Steps) {
			continue
		}
		e, text := &c.Steps[m.Step].Expect, new(suites.TextExpectation)
		switch m.Kind {
		case suites.InExit:
			s.finding = s.finding || m.Got == "0"
		case suites.InStdout:
			text = e.Stdout
		case suites.InStderr:
			text = e.Stderr
		case suites.InModelSees:
			text.Contains = e.ModelSees
		case suites.InFile:
			s.rewrite = true
		}
		s.miss(text, m.Want)
	}
	return s
}

// isExplainedBy reports whether the behaviour of a tool can explain the failure.
func (s *missingResults) isExplainedBy(rank int) bool {
	switch rank {
	case unreadByHook, failing, silent:
		return s.finding
	case cannotRewrite:
		return s.finding || s.rewrite
	}
	return true
}

// miss adds the text of an expectation that a mismatch wants.
func (s *missingResults) miss(e *suites.TextExpectation, want string) {
	if e.IsZero() {
		return
	}
	for _, t := range e.Contains {
		if quote(t) == want {
			s.texts, s.finding = append(s.texts, t), true
		}
	}
	for _, p := range e.Matches {
		if aMatchOf+p == want {
			s.patterns, s.finding = append(s.patterns, p), true
		}
	}
}

// codePattern matches the patterns by which cases expect a rule in the hook's report: its name,
// in the quotes of that report.
var codePattern = pattern.Lazy(`^(?:"code": \??)?"([^"]+)"$`)

// findIn returns the text in a tool's output that identifies the finding that the case expects, ""
// if there is none.
func (s *missingResults) findIn(output string) string {
	at := slices.IndexFunc(s.texts, func(text string) bool {
		return !strings.HasPrefix(text, "[hook") && strings.Contains(output, text)
	})
	if at >= 0 {
		return s.texts[at]
	}
	for _, pattern := range s.patterns {
		m := codePattern().FindStringSubmatch(pattern)
		if m == nil {
			continue
		}
		// ShellCheck prints the number alone.
		source := strings.Replace(m[1], "SC", `(?:SC|"code":)`, 1)
		if q := (suites.Question{Kind: suites.PatternExpression, Source: source, Text: output}); !q.Cheap() {
			continue // it only helps to explain a failure
		}
		re, err := regexp.Compile(source)
		if err == nil && re.MatchString(output) {
			return re.FindString(output)
		}
	}
	return ""
}

// judgeSound adds mismatches for a hook of which only the registration is known.
func judgeSound(add addFunc, e *suites.Expectation, r suites.Result) {
	if !e.Sound {
		return
	}
	if fault, line := client.FaultOf(r); fault != client.NoFault {
		add(suites.InSound, "exit "+gotExit(r)+": "+strings.TrimSpace(line), wholesome[fault])
	}
	if client.LosesOutput(r) {
		add(suites.InSound, r.EffectReason, "output that the client follows")
	}
}

// wholesome is the Want of a mismatch for a fault.
var wholesome = map[client.Fault]string{
	client.Unparsed: "a script that parses", client.Unstarted: "a hook that starts", client.Crashed: "no crash",
	client.Overlong: "long values on stdin",
}

// findAbsence returns the name of something that this machine lacks if its absence explains why a
// hook that must only be sound failed; "" otherwise.
func findAbsence(c *suites.Case, o suites.Outcome) string {
	for i, r := range o.Results {
		if !c.Steps[i].Expect.Sound || r.Exit == 0 || r.NotStarted != "" {
			continue
		}
		switch name, kind := client.MissingIn(r); kind {
		case client.MissingProgram, client.MissingModule, client.MissingNetwork:
			return name
		case client.MissingFile:
			if strings.HasPrefix(name, "/") && !strings.HasPrefix(name, o.Root+"/") && !strings.HasPrefix(name, o.Sandbox+"/") {
				return name
			}
		}
	}
	return ""
}
