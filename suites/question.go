package suites

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites/expression"
)

// Pattern returns a regular expression with its templates replaced by their quoted values in this
// run.
func (o *Outcome) Pattern(expr string) string {
	if !strings.ContainsRune(expr, '{') {
		return expr
	}
	quoted := slices.Clone(o.Named)
	for i := 1; i < len(quoted); i += 2 {
		quoted[i] = regexp.QuoteMeta(quoted[i])
	}
	return strings.NewReplacer(quoted...).Replace(expr)
}

// Questions returns the expressions that judging the outcome requires and that are not cheap to
// evaluate. Callers must store the answers in Answers.
func (o *Outcome) Questions(c *Case) (costly []expression.Question) {
	add := func(q expression.Question) {
		if !q.Cheap() {
			costly = append(costly, q)
		}
	}
	texts := func(e *TextExpectation, text []byte) {
		if e == nil {
			return
		}
		for _, m := range e.Matches {
			add(expression.Question{Kind: expression.Pattern, Source: o.Pattern(m), Text: string(text)})
		}
	}
	for i := range min(len(o.Results), len(c.Steps)) {
		e, r := &c.Steps[i].Expect, &o.Results[i]
		if e.JQ != "" {
			add(expression.Question{Kind: expression.Filter, Source: e.JQ, Text: string(r.Stdout)})
		}
		texts(e.Stdout, r.Stdout)
		texts(e.Stderr, r.Stderr)
		for f := range e.Files {
			texts(&e.Files[f].Text, r.Files[e.Files[f].Path])
		}
	}
	return costly
}

// Answer returns the answer to a question about the outcome: one of Answers, or evaluated here if
// it is cheap.
func (o *Outcome) Answer(q expression.Question) expression.Answer {
	if a, found := o.Answers[q]; found {
		return a
	}
	if q.Cheap() {
		return q.Evaluate(context.Background())
	}
	return expression.Answer{Limit: "nothing evaluated it"}
}
