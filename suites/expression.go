package suites

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"time"

	"github.com/itchyny/gojq"
)

// Limits of one evaluation outside of this process.
const (
	MaxExpressionTime   = 5 * time.Second
	MaxExpressionMemory = 512 << 20
)

// MaxExpression is the maximum length of a filter or regular expression in bytes. Parsing
// takes time and memory in proportion to it.
const MaxExpression = 16 << 10

// An ExpressionKind is a language of expressions.
type ExpressionKind string

// The kinds of expressions.
const (
	FilterExpression  ExpressionKind = "filter"  // jq; the input is one JSON document
	PatternExpression ExpressionKind = "pattern" // Go's regexp; the input is text
)

// A Question is an expression and the input to evaluate it on.
type Question struct {
	Kind         ExpressionKind
	Source, Text string
}

// An ExpressionResult is the result of an evaluation. At most one of NotJSON, Err and
// Limit is set, and then Holds is false.
type ExpressionResult struct {
	Holds   bool   // the pattern matches; the first output of the filter is neither null nor false
	Got     string // of a filter: its first output when it does not hold
	NotJSON bool   // of a filter: the text is not one JSON document
	Err     string // the error of the expression itself
	Limit   string // why there is no answer: the limit that was reached, or what prevented the evaluation
}

// Evaluate evaluates the expression in this process. Without Cheap it may take any
// time and memory.
func (q Question) Evaluate(ctx context.Context) ExpressionResult {
	if q.Kind == PatternExpression {
		re, err := regexp.Compile(q.Source)
		if err != nil {
			return ExpressionResult{Err: err.Error()}
		}
		return ExpressionResult{Holds: re.MatchString(q.Text)}
	}
	query, err := gojq.Parse(q.Source)
	if err != nil {
		return ExpressionResult{Err: expressionError(err)}
	}
	var input any
	if err := json.Unmarshal([]byte(q.Text), &input); err != nil {
		return ExpressionResult{NotJSON: true}
	}
	got, ok := query.RunWithContext(ctx, input).Next()
	if err, failed := got.(error); failed {
		if ctx.Err() != nil {
			return ExpressionResult{Limit: "it was interrupted"}
		}
		return ExpressionResult{Err: expressionError(err)}
	}
	if !ok || got == nil || got == false {
		return ExpressionResult{Got: fmt.Sprint(got)}
	}
	return ExpressionResult{Holds: true}
}

// expressionError returns the text of an error. gojq may split a character.
func expressionError(err error) string { return strings.ToValidUTF8(err.Error(), "\ufffd") }

// cheapSteps is the maximum number of steps in this process. In a step a byte or a value
// is examined. It takes about ten nanoseconds, so even the most expensive evaluation does
// not noticeably delay the end of the program.
const cheapSteps = 8 << 20

// Cheap reports whether the syntax of the expression proves that evaluating it takes few
// steps and little memory.
func (q Question) Cheap() bool {
	if q.Kind == PatternExpression {
		instructions, ok := patternSize(q.Source)
		return ok && instructions <= cheapSteps/(len(q.Text)+1)
	}
	factor, ok := filterFactor(q.Source)
	return ok && factor <= cheapSteps/(valueSize*(len(q.Text)+1)+len(q.Source))
}

// CheckExpression returns an error if the expression is invalid. Its cost is proportional to the
// length of the source.
func CheckExpression(k ExpressionKind, source string) error {
	if len(source) > MaxExpression {
		return fmt.Errorf("it has %d bytes, at most %d are evaluated", len(source), MaxExpression)
	}
	if k == PatternExpression {
		return checkPattern(source)
	}
	q, err := gojq.Parse(source)
	if err != nil {
		return err
	}
	if filterNesting(source) > maxFilterNesting {
		return fmt.Errorf("it is nested more than %d deep", maxFilterNesting)
	}
	_, err = gojq.Compile(q)
	return err
}

// maxFilterNesting is the maximum nesting of brackets, because the time to compile a filter
// grows with the square of it.
const maxFilterNesting = 200

// filterNesting returns an upper bound for the nesting of a filter's brackets.
func filterNesting(source string) (deepest int) {
	depth := 0
	for i := range len(source) {
		switch source[i] {
		case '(', '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ')', ']', '}':
			depth--
		}
	}
	return deepest
}

// maxPattern is the maximum number of instructions of a regular expression, because
// matching takes up to that many steps for each byte of the text.
const maxPattern = 20_000

// checkPattern parses without compiling, because compiling finds no other errors and takes
// seconds for a large repetition.
func checkPattern(source string) error {
	re, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return err
	}
	if size := patternInstructions(re); size > maxPattern {
		return fmt.Errorf("its repetitions amount to %d instructions, at most %d are evaluated", size, maxPattern)
	}
	return nil
}

// patternSize returns the maximum number of instructions that a regular expression
// compiles to. ok is false if it is too large.
func patternSize(source string) (size int, ok bool) {
	if len(source) > MaxExpression {
		return 0, false
	}
	re, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return len(source), true // only the parser reports an error
	}
	size = patternInstructions(re)
	return size, size <= maxPattern
}

// patternInstructions estimates the size of the compiled expression. It does not overflow,
// because the parser refuses repetitions of more than 1000, including nested ones.
func patternInstructions(re *syntax.Regexp) int {
	n := 2 + len(re.Rune)/2
	for _, sub := range re.Sub {
		n += patternInstructions(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Max, re.Min+1)
	}
	return n
}

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
func (o *Outcome) Questions(c *Case) (costly []Question) {
	add := func(q Question) {
		if !q.Cheap() {
			costly = append(costly, q)
		}
	}
	texts := func(e *TextExpectation, text []byte) {
		if e == nil {
			return
		}
		for _, m := range e.Matches {
			add(Question{Kind: PatternExpression, Source: o.Pattern(m), Text: string(text)})
		}
	}
	for i := range min(len(o.Results), len(c.Steps)) {
		e, r := &c.Steps[i].Expect, &o.Results[i]
		if e.JQ != "" {
			add(Question{Kind: FilterExpression, Source: e.JQ, Text: string(r.Stdout)})
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
func (o *Outcome) Answer(q Question) ExpressionResult {
	if a, found := o.Answers[q]; found {
		return a
	}
	if q.Cheap() {
		return q.Evaluate(context.Background())
	}
	return ExpressionResult{Limit: "nothing evaluated it"}
}
