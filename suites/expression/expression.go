// Package expression evaluates the jq filters and regular expressions that suites compare
// output with.
//
// A suite may come from a stranger, and neither gojq nor regexp limits time or memory: a
// builtin of gojq cannot be interrupted, and a regular expression with many states takes
// that many steps for each byte. So an expression is evaluated in this process only if its
// syntax proves that it is cheap (see Question.Cheap); package evaluator evaluates all
// others in a child that can be killed.
package expression

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/itchyny/gojq"
)

// Limits of one evaluation outside of this process.
const (
	MaxTime   = 5 * time.Second
	MaxMemory = 512 << 20
)

// MaxSource is the maximum length of a filter or regular expression in bytes. Parsing
// takes time and memory in proportion to it.
const MaxSource = 16 << 10

// A Kind is a language of expressions.
type Kind string

// The kinds of expressions.
const (
	Filter  Kind = "filter"  // jq; the input is one JSON document
	Pattern Kind = "pattern" // Go's regexp; the input is text
)

// A Question is an expression and the input to evaluate it on.
type Question struct {
	Kind         Kind
	Source, Text string
}

// An Answer is the result of an evaluation. At most one of NotJSON, Err and
// Limit is set, and then Holds is false.
type Answer struct {
	Holds   bool   // the pattern matches; the first output of the filter is neither null nor false
	Got     string // of a filter: its first output when it does not hold
	NotJSON bool   // of a filter: the text is not one JSON document
	Err     string // the error of the expression itself
	Limit   string // why there is no answer: the limit that was reached, or what prevented the evaluation
}

// Evaluate evaluates the expression in this process. Without Cheap it may take any
// time and memory.
func (q Question) Evaluate(ctx context.Context) Answer {
	if q.Kind == Pattern {
		re, err := regexp.Compile(q.Source)
		if err != nil {
			return Answer{Err: err.Error()}
		}
		return Answer{Holds: re.MatchString(q.Text)}
	}
	query, err := gojq.Parse(q.Source)
	if err != nil {
		return Answer{Err: message(err)}
	}
	var input any
	if err := json.Unmarshal([]byte(q.Text), &input); err != nil {
		return Answer{NotJSON: true}
	}
	got, ok := query.RunWithContext(ctx, input).Next()
	if err, failed := got.(error); failed {
		if ctx.Err() != nil {
			return Answer{Limit: "it was interrupted"}
		}
		return Answer{Err: message(err)}
	}
	if !ok || got == nil || got == false {
		return Answer{Got: fmt.Sprint(got)}
	}
	return Answer{Holds: true}
}

// message returns the text of an error. gojq may split a character.
func message(err error) string { return strings.ToValidUTF8(err.Error(), "\ufffd") }

// cheapSteps is the maximum number of steps in this process. In a step a byte or a value
// is examined. It takes about ten nanoseconds, so even the most expensive evaluation does
// not noticeably delay the end of the program.
const cheapSteps = 8 << 20

// Cheap reports whether the syntax of the expression proves that evaluating it takes few
// steps and little memory.
func (q Question) Cheap() bool {
	if q.Kind == Pattern {
		instructions, ok := patternSize(q.Source)
		return ok && instructions <= cheapSteps/(len(q.Text)+1)
	}
	factor, ok := filterFactor(q.Source)
	return ok && factor <= cheapSteps/(valueSize*(len(q.Text)+1)+len(q.Source))
}

// Check returns an error if the expression is invalid. Its cost is proportional to the
// length of the source.
func Check(k Kind, source string) error {
	if len(source) > MaxSource {
		return fmt.Errorf("it has %d bytes, at most %d are evaluated", len(source), MaxSource)
	}
	if k == Pattern {
		return checkPattern(source)
	}
	q, err := gojq.Parse(source)
	if err != nil {
		return err
	}
	if nesting(source) > maxNesting {
		return fmt.Errorf("it is nested more than %d deep", maxNesting)
	}
	_, err = gojq.Compile(q)
	return err
}

// maxNesting is the maximum nesting of brackets, because the time to compile a filter
// grows with the square of it.
const maxNesting = 200

// nesting returns an upper bound for the nesting of a filter's brackets.
func nesting(source string) (deepest int) {
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
