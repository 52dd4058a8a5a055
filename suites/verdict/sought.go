package verdict

import (
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/expression"
	"hookwatch/suites/pattern"
)

// What a tool did, the strongest explanation first.
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

// What a failing case sought in vain. Only one that wants a finding can fail by a
// tool that finds nothing.
type sought struct {
	finding  bool
	rewrite  bool     // of a file, which is not as it was to be
	texts    []string // that are missing on a stream
	patterns []string
}

// soughtBy gathers from the mismatches what the case misses: a text on a stream, an
// exit code other than the 0 that it got, or what a file was to be.
func soughtBy(c *suites.Case, found []suites.Mismatch) sought {
	var s sought
	for _, m := range found {
		if m.Step >= len(c.Steps) {
			continue
		}
		e, text := &c.Steps[m.Step].Expect, new(suites.TextExpectation)
		switch m.Field {
		case "exit":
			s.finding = s.finding || m.Got == "0"
		case "stdout":
			text = e.Stdout
		case "stderr":
			text = e.Stderr
		case "model_sees":
			text.Contains = e.ModelSees
		default:
			s.rewrite = s.rewrite || strings.HasPrefix(m.Field, "file ")
		}
		s.miss(text, m.Want)
	}
	return s
}

// explainedBy reports whether the case can fail by what a tool did.
func (s *sought) explainedBy(rank int) bool {
	switch rank {
	case unreadByHook, failing, silent:
		return s.finding
	case cannotRewrite:
		return s.finding || s.rewrite
	}
	return true
}

// miss adds the text of an expectation that a mismatch wants.
func (s *sought) miss(e *suites.TextExpectation, want string) {
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

// codePattern is how cases ask for a rule in the hook's report: its name, in the
// quotes of that report.
var codePattern = pattern.Lazy(`^(?:"code": \??)?"([^"]+)"$`)

// in is the rule in a tool's output by which the case would know what it looks for.
func (s *sought) in(output string) string {
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
		// ShellCheck gives the number alone.
		source := strings.Replace(m[1], "SC", `(?:SC|"code":)`, 1)
		if q := (expression.Question{Kind: expression.Pattern, Source: source, Text: output}); !q.Cheap() {
			continue // it only helps to explain a failure
		}
		re, err := regexp.Compile(source)
		if err == nil && re.MatchString(output) {
			return re.FindString(output)
		}
	}
	return ""
}
