// Package jsonl writes records as JSON lines and reads them back, within bounds,
// also those of other tools. It is the form of what suites/record keeps; it knows
// nothing of where.
package jsonl

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"hookwatch/suites"
)

const warningLimit = 20 // a file; the rest are counted

// Read yields the records of a JSON lines file until yield returns false.
// What is not a record is skipped with a warning "name:line: ...": a torn last
// line, a malformed line, one that is too long. Besides one record a line it
// reads records spread over lines from a lone "{" to a lone "}", which is what
// "jq -n" writes without -c.
// Where the budget ends, so does reading.
func Read(name string, r io.Reader, b *Budget, yield func(suites.Record) bool) ([]string, error) {
	w := &warnings{name: name}
	lines := &lineReader{r: bufio.NewReaderSize(b.reader(r), 64<<10)}
	for {
		at, text, err := lines.value()
		if b.left -= lineCost; b.Spent() {
			w.add(at, "not read from here on: "+b.String())
			return w.done(), nil
		}
		if err != nil && !errors.Is(err, errTooLong) {
			return w.done(), unlessEOF(err)
		}
		if err == nil && len(text) == 0 {
			continue
		}
		var rec suites.Record
		if err == nil {
			rec, err = decode(text)
			b.hold(&rec)
		}
		switch {
		case err != nil && lines.torn:
			w.add(at, "the last line is torn and was skipped: "+err.Error())
		case err != nil:
			w.add(at, "skipped: "+err.Error())
		case !yield(rec):
			return w.done(), nil
		}
	}
}

// ReadEnvironments gives the environments of a JSON lines file that have tools. It
// skips lines that are torn, and what is no environment.
func ReadEnvironments(r io.Reader, b *Budget) (all []suites.Environment, err error) {
	lines := &lineReader{r: bufio.NewReaderSize(b.reader(r), 64<<10)}
	for {
		line, err := lines.next()
		if err != nil && !errors.Is(err, errTooLong) {
			return all, unlessEOF(err)
		}
		var env suites.Environment
		if err == nil && Parse(line, &env) == nil && len(env.Tools) > 0 {
			all = append(all, env)
			b.left -= int64(len(line) + recordCost)
		}
		b.left -= lineCost
	}
}

func unlessEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

var errTooLong = fmt.Errorf("a line of more than %d MiB", lineLimit>>20)

// A lineReader cuts a stream into JSON values by lines.
type lineReader struct {
	r    *bufio.Reader
	line int    // number of the line read last, from 1
	torn bool   // that line had no newline
	kept []byte // buffer of next
	held []byte // a line read ahead, to be given next
}

// value gives the next line, or the lines from a lone "{" to a lone "}", and
// the number of the first. The text is valid until the next call.
func (l *lineReader) value() (at int, text []byte, err error) {
	first, err := l.next()
	at = l.line
	if err != nil || !bytes.Equal(first, []byte("{")) {
		return at, first, err
	}
	whole := append([]byte(nil), first...)
	for len(whole) < lineLimit {
		more, err := l.next()
		if err != nil {
			return at, whole, nil // the end of the file: a torn value
		}
		if len(more) > 0 && more[0] == '{' {
			l.held = append([]byte(nil), more...) // the value was torn, another begins
			return at, whole, nil
		}
		whole = append(append(whole, '\n'), more...)
		if bytes.Equal(more, []byte("}")) {
			return at, whole, nil
		}
	}
	return at, nil, errTooLong
}

// next gives the next line without its end, and without a byte order mark.
func (l *lineReader) next() ([]byte, error) {
	if l.held != nil {
		text := l.held
		l.held = nil
		return text, nil
	}
	l.kept = l.kept[:0]
	tooLong := false
	for {
		part, err := l.r.ReadSlice('\n')
		if tooLong = tooLong || len(l.kept)+len(part) > lineLimit; !tooLong {
			l.kept = append(l.kept, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && len(l.kept) == 0 && !tooLong {
			return nil, err
		}
		l.torn = !bytes.HasSuffix(part, []byte("\n"))
		break
	}
	l.line++
	if tooLong {
		return nil, errTooLong
	}
	text := l.kept
	if l.line == 1 {
		text = bytes.TrimPrefix(text, []byte("\ufeff"))
	}
	return bytes.TrimRight(text, "\r\n\t "), nil
}

// warnings collects what is wrong with one file.
type warnings struct {
	name string
	list []string
	more int
}

func (w *warnings) add(line int, what string) {
	if len(w.list) == warningLimit {
		w.more++
		return
	}
	w.list = append(w.list, fmt.Sprintf("%s:%d: %s", w.name, line, what))
}

func (w *warnings) done() []string {
	if w.more > 0 {
		w.list = append(w.list, fmt.Sprintf("%s: %d more lines skipped", w.name, w.more))
		w.more = 0
	}
	return w.list
}
