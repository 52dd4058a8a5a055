package verdict

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/itchyny/gojq"

	"hookwatch/suites"
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
		re, err := regexp.Compile(w.pattern.Replace(want))
		if err != nil {
			add(field, err.Error(), "a regular expression")
		} else if !re.MatchString(s) {
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

// jqTime bounds a filter: one written by hand may never end.
const jqTime = 5 * time.Second

func judgeJQ(add addFunc, filter string, stdout []byte) {
	if filter == "" {
		return
	}
	query, err := gojq.Parse(filter)
	if err != nil {
		add("jq", said(err), filter)
		return
	}
	var input any
	if err := json.Unmarshal(stdout, &input); err != nil {
		add("jq", "stdout is not one JSON document: "+quote(string(stdout)), filter)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), jqTime)
	defer cancel()
	got, ok := query.RunWithContext(ctx, input).Next()
	if err, failed := got.(error); failed {
		add("jq", said(err), filter)
	} else if !ok || got == nil || got == false {
		add("jq", fmt.Sprint(got)+" on "+quote(string(stdout)), filter)
	}
}

// quoteLimit keeps a reason readable; the record has the whole text.
const quoteLimit = 400

// said is an error's text; one about a filter may cut a character in two.
func said(err error) string { return strings.ToValidUTF8(err.Error(), "\ufffd") }

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
