package verdict

import (
	"fmt"
	"strconv"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/expression"
)

// aMatchOf begins what a mismatch wants where it wants a pattern.
const aMatchOf = "a match of "

func judgeText(add addFunc, field string, e *suites.TextExpectation, text []byte, w wording) {
	if e.IsZero() {
		return
	}
	s := string(text)
	got := func() string { return quote(w.everyRun.Replace(s)) }
	if e.Empty && s != "" {
		add(field, got(), "nothing")
	}
	for _, want := range e.Contains {
		if !strings.Contains(s, w.text.Replace(want)) {
			add(field, got(), quote(want))
		}
	}
	for _, want := range e.Matches {
		a := w.outcome.Answer(expression.Question{Kind: expression.Pattern, Source: w.outcome.Pattern(want), Text: s})
		switch {
		case a.Limit != "":
			add(field, notEvaluated+a.Limit, aMatchOf+want)
		case a.Err != "":
			add(field, a.Err, "a regular expression")
		case !a.Holds:
			add(field, got(), aMatchOf+want)
		}
	}
	for _, unwanted := range e.Absent {
		if strings.Contains(s, w.text.Replace(unwanted)) {
			add(field, got(), "no "+quote(unwanted))
		}
	}
}

func judgeFiles(add addFunc, expected []suites.FileExpectation, r suites.Result, w wording) {
	for _, e := range expected {
		content, found := r.Files[e.Path]
		switch {
		case e.Change != "":
			judgeChange(add, e, r.Changes)
		case e.Absent && found:
			add("file "+e.Path, "exists", "no such file")
		case !e.Absent && !found:
			add("file "+e.Path, "does not exist", "the file")
		case found:
			judgeText(add, "file "+e.Path, &e.Text, content, w)
		}
	}
}

// notEvaluated begins what a mismatch got of an expression that reached a limit.
const notEvaluated = "could not be evaluated: "

func judgeJQ(add addFunc, filter string, stdout []byte, o *suites.Outcome) {
	if filter == "" {
		return
	}
	switch a := o.Answer(expression.Question{Kind: expression.Filter, Source: filter, Text: string(stdout)}); {
	case a.Limit != "":
		add("jq", notEvaluated+a.Limit, filter)
	case a.NotJSON:
		add("jq", "stdout is not one JSON document: "+quote(string(stdout)), filter)
	case a.Err != "":
		add("jq", a.Err, filter)
	case !a.Holds:
		add("jq", a.Got+" on "+quote(string(stdout)), filter)
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
