package verdict

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/itchyny/gojq"

	"hookwatch/suites"
)

// A Query is a jq filter over records. It is safe for concurrent use.
type Query struct {
	code   *gojq.Code
	filter string
}

// A QueryError describes an error in a filter. Line and Column count from 1, the column in
// characters; they are 0 if the position is unknown.
type QueryError struct {
	Filter       string
	Line, Column int
	Err          error
}

// Error returns the position, the cause and the filter, in one line.
func (e *QueryError) Error() string {
	cause, _, _ := strings.Cut(e.Err.Error(), "\n") // gojq repeats the filter below
	if e.Line == 0 {
		return fmt.Sprintf("query: %s in %q", cause, e.Filter)
	}
	return fmt.Sprintf("query:%d:%d: %s in %q", e.Line, e.Column, cause, e.Filter)
}

// Unwrap returns the cause.
func (e *QueryError) Unwrap() error { return e.Err }

// CompileQuery parses and compiles a filter. It returns a *QueryError if the filter is invalid.
func CompileQuery(filter string) (*Query, error) {
	parsed, err := gojq.Parse(filter)
	if err != nil {
		at := len(filter)
		if bad := (*gojq.ParseError)(nil); errors.As(err, &bad) {
			at = bad.Offset - len(bad.Token)
		}
		return nil, queryError(filter, at, err)
	}
	code, err := gojq.Compile(parsed)
	if err != nil {
		return nil, queryError(filter, indexOfUndefined(filter, err), err)
	}
	return &Query{code, filter}, nil
}

func queryError(filter string, at int, err error) error {
	if at < 0 {
		return &QueryError{Filter: filter, Err: err}
	}
	before := filter[:min(at, len(filter))]
	start := strings.LastIndexByte(before, '\n') + 1
	return &QueryError{filter, strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1, err}
}

// indexOfUndefined finds the name that gojq reports as undefined, because gojq does not report
// its position. It returns -1 if the name is not found.
func indexOfUndefined(filter string, err error) int {
	_, name, ok := strings.Cut(err.Error(), "not defined: ")
	name, _, _ = strings.Cut(name, "/")
	if !ok || name == "" {
		return -1
	}
	word := regexp.MustCompile(`(?:^|[^\w$@.])(` + regexp.QuoteMeta(name) + `)(?:\W|$)`)
	if at := word.FindStringSubmatchIndex(filter); at != nil {
		return at[2]
	}
	return -1
}

// Run passes the array of all records to the filter and calls emit for each result, in which
// whole numbers are int. It stops at the first error of emit.
func (q *Query) Run(ctx context.Context, records []suites.Record, emit func(v any) error) error {
	input, err := values(records)
	if err != nil {
		return err
	}
	results := q.code.RunWithContext(ctx, input)
	for {
		v, ok := results.Next()
		if !ok {
			return nil
		}
		if err, ok := v.(error); ok {
			if halt := (*gojq.HaltError)(nil); errors.As(err, &halt) && halt.Value() == nil {
				return nil
			}
			hint := ""
			if strings.Contains(err.Error(), "but got: array") && !strings.HasPrefix(strings.TrimSpace(q.filter), ".[") {
				hint = "; the records are an array: begin with .[]"
			}
			return fmt.Errorf("query: %w%s", err, hint)
		}
		if err := emit(normalise(v)); err != nil {
			return err
		}
	}
}

func values(records []suites.Record) ([]any, error) {
	list := make([]any, len(records))
	var text bytes.Buffer
	for i := range records {
		text.Reset()
		if err := json.NewEncoder(&text).Encode(&records[i]); err != nil {
			return nil, fmt.Errorf("query: record %s: %w", records[i].Key(), err)
		}
		d := json.NewDecoder(&text)
		d.UseNumber()
		if err := d.Decode(&list[i]); err != nil {
			return nil, fmt.Errorf("query: record %s: %w", records[i].Key(), err)
		}
		list[i] = normalise(list[i])
	}
	return list, nil
}

// normalise makes numbers comparable and valid in JSON: int if whole, otherwise float64. NaN
// becomes null, and an infinity the largest number of its sign.
func normalise(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return int(n)
		}
		f, _ := v.Float64() // out of range: infinite
		return normalise(f)
	case float64:
		switch {
		case math.IsNaN(v):
			return nil
		case math.IsInf(v, 0):
			return math.Copysign(math.MaxFloat64, v)
		case v == math.Trunc(v) && math.Abs(v) <= 1<<53:
			return int(v)
		}
	case []any:
		list := make([]any, len(v)) // gojq may still use the old one
		for i, e := range v {
			list[i] = normalise(e)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for k, e := range v {
			object[k] = normalise(e)
		}
		return object
	}
	return v
}
