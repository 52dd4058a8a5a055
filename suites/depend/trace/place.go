package trace

import (
	"encoding/json"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// A Source finds the scripts of a project for the places of a run.
type Source struct {
	// Own returns the path from the project's root of a file that an interpreter names, relative to
	// dir, or "" for any other file.
	Own func(name, dir string) string
	// Read returns the content of such a file.
	Read func(file string) string
}

// PlaceOf returns the line of a script that caused the result of a run, from the logs of Start: the
// line that ended it, for example "exit 1", or if printed is set the last one that prints. It is the
// zero value if no script of the project is in the logs. Node counts what is executed and not in which
// order, so there it is the last line in the file that ends the process, or prints.
func PlaceOf(logs map[string][]byte, s Source, printed bool) suites.Position {
	steps := nodeSteps(LogsOf(node{}.Name(), logs), s, printed)
	if len(steps) == 0 {
		steps = pythonSteps(LogsOf(python{}.Name(), logs)[logName], s)
	}
	if len(steps) == 0 {
		steps = bashSteps(LogsOf(languages[0].Name(), logs)[logName], s)
	}
	if len(steps) == 0 {
		return suites.Position{}
	}
	if printed {
		for i := len(steps) - 1; i >= 0; i-- {
			if printings().MatchString(steps[i].text) {
				return steps[i].at
			}
		}
	}
	return steps[len(steps)-1].at
}

// A placedStep is a line that was executed, with its text.
type placedStep struct {
	at   suites.Position
	text string
}

var (
	printings = pattern.Lazy(`\b(?:echo|printf|cat|jq|gojq|jaq|tee|print|write|writeFileSync|dump|console\.\w+)\b`)
	endings   = pattern.Lazy(`\bprocess\.(?:exit|exitCode|abort)\b|\bthrow\b`)
)

// bashSteps returns the commands that bash ran, in order.
func bashSteps(log []byte, s Source) (steps []placedStep) {
	for record := range strings.SplitSeq(string(log), "\x00") {
		f := strings.SplitN(record, fieldMark, 7) // E, process, line, function, file, dir, command
		if len(f) < 7 || f[0] != "E" {
			continue
		}
		line, err := strconv.Atoi(f[2])
		if file := s.Own(f[4], f[5]); err == nil && file != "" {
			steps = append(steps, placedStep{suites.Position{File: file, Line: line}, f[6]})
		}
	}
	return steps
}

// pythonSteps returns the lines that Python ran, in the order in which each was reached first.
func pythonSteps(log []byte, s Source) (steps []placedStep) {
	for record := range strings.SplitSeq(string(log), "\x00") {
		f := strings.Split(record, fieldMark)
		if len(f) != 3 || f[0] != "L" {
			continue
		}
		line, err := strconv.Atoi(f[2])
		if file := s.Own(f[1], ""); err == nil && file != "" {
			steps = append(steps, placedStep{suites.Position{File: file, Line: line}, lineOf(s.Read(file), line)})
		}
	}
	return steps
}

// nodeSteps returns the lines of a script that Node ran and that end the process, or print, in the
// order of the file.
func nodeSteps(logs map[string][]byte, s Source, printed bool) (steps []placedStep) {
	matches := endings()
	if printed {
		matches = printings()
	}
	for name, content := range logs {
		var c nodeCoverage
		if !strings.HasPrefix(name, coverageName) || json.Unmarshal(content, &c) != nil {
			continue
		}
		for _, r := range c.Result {
			u, err := url.Parse(r.URL)
			if err != nil || u.Scheme != "file" {
				continue
			}
			if file := s.Own(u.Path, ""); file != "" {
				steps = append(steps, r.steps(file, s.Read(file), matches)...)
			}
		}
	}
	return steps
}

// steps returns the executed lines that match.
func (c scriptCoverage) steps(file, text string, matches *regexp.Regexp) (steps []placedStep) {
	at := 0 // in UTF-16 units, as the ranges of V8
	for i, line := range strings.Split(text, "\n") {
		if m := matches.FindStringIndex(line); m != nil && !strings.HasPrefix(strings.TrimSpace(line), "//") && c.counts(at+units(line[:m[0]])) {
			steps = append(steps, placedStep{suites.Position{File: file, Line: i + 1}, line})
		}
		at += units(line) + 1
	}
	return steps
}

// counts reports whether the code at an offset was executed: the innermost range with it decides.
func (c scriptCoverage) counts(offset int) bool {
	size, count := -1, 0
	for _, f := range c.Functions {
		for _, r := range f.Ranges {
			if n := r.End - r.Start; r.Start <= offset && offset < r.End && (size < 0 || n <= size) {
				size, count = n, r.Count
			}
		}
	}
	return count > 0
}

// units returns the length of a text in UTF-16 units.
func units(text string) (n int) {
	for _, r := range text {
		if n++; r > 0xffff {
			n++
		}
	}
	return n
}

func lineOf(text string, line int) string {
	lines := strings.Split(text, "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	return lines[line-1]
}

// reports match where an interpreter says in a message on stderr that a script failed.
var reports = pattern.Lazy(`(?m)^(?P<bash>[^\n:]+): (?:line )?(?P<bashline>\d+): |^\s*File "(?P<python>[^"\n]+)", line (?P<pythonline>\d+)|(?:^|\(|at |file://)(?P<node>/[^\n:()]+):(?P<nodeline>\d+)(?:$|:\d+)`)

// ReportedIn returns the line of a script that an interpreter's message names. Python names it last,
// the others first. A file that bash cannot parse is parsed again, because bash names the line at which
// it noticed, which may be the last one.
func ReportedIn(stderr string, s Source) (at suites.Position) {
	re := reports()
	for _, m := range re.FindAllStringSubmatch(stderr, -1) {
		for i := 1; i < len(m); i += 2 {
			line, err := strconv.Atoi(m[i+1])
			if err != nil {
				continue
			}
			file := s.Own(m[i], "")
			if file == "" || at.File != "" && re.SubexpNames()[i] != "python" {
				continue
			}
			at = suites.Position{File: file, Line: line}
		}
	}
	atEnd := strings.Contains(stderr, "unexpected end of file") || strings.Contains(stderr, "unexpected EOF")
	if at.File != "" && atEnd {
		if p := unparsed(s.Read(at.File)); p.Line > 0 {
			at.Line, at.Column = p.Line, p.Column
		}
	}
	return at
}

// unparsed returns the place of the statement that bash cannot parse.
func unparsed(text string) (at suites.Position) {
	_, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	switch e := err.(type) {
	case syntax.ParseError:
		at.Line, at.Column = int(e.Pos.Line()), int(e.Pos.Col())
	case syntax.LangError:
		at.Line, at.Column = int(e.Pos.Line()), int(e.Pos.Col())
	}
	return at
}

// OwnIn returns the function Own of a Source for a project at root, as its cases see it.
func OwnIn(root string, scripts ...string) func(name, dir string) string {
	return func(name, dir string) string {
		if name == "" {
			return ""
		}
		if !path.IsAbs(name) && dir != "" {
			name = path.Join(dir, name)
		}
		name = path.Clean(name)
		if rel, ok := strings.CutPrefix(name, root+"/"); ok {
			return rel
		}
		for _, s := range scripts { // a shell may be started with the base name only
			if !path.IsAbs(name) && path.Base(s) == path.Base(name) || strings.HasSuffix(name, "/"+s) {
				return s
			}
		}
		return ""
	}
}
