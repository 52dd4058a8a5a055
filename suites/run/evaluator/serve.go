package evaluator

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"syscall"

	"hookwatch/suites"
)

// Env marks a process as an evaluator. Its value is the maximum memory in bytes.
const Env = "HOOKWATCH_EVALUATOR"

func init() {
	limit, found := syscall.Getenv(Env)
	if !found {
		return
	}
	if memory, err := strconv.ParseInt(limit, 10, 64); err == nil {
		limitMemory(memory)
		debug.SetMemoryLimit(memory / 4 * 3) // collect garbage before the limit is reached
		serve(os.NewFile(0, "questions"), os.NewFile(1, "answers"))
	}
	syscall.Exit(0)
}

// serve answers questions until there are no more.
func serve(questions io.Reader, answers io.Writer) {
	in := newReader(questions)
	if write(answers) != nil { // ready
		return
	}
	for {
		q, err := in.fields()
		if err != nil || len(q) != 3 {
			return
		}
		renew()
		a := suites.Question{Kind: suites.ExpressionKind(q[0]), Source: q[1], Text: q[2]}.Evaluate(context.Background())
		if write(answers, encode(a)...) != nil {
			return
		}
	}
}

func encode(a suites.ExpressionResult) []string {
	return []string{strconv.FormatBool(a.Holds), a.Got, strconv.FormatBool(a.NotJSON), a.Err}
}

func decode(fields []string) (a suites.ExpressionResult, ok bool) {
	if len(fields) != 4 {
		return a, false
	}
	return suites.ExpressionResult{Holds: fields[0] == "true", Got: fields[1], NotJSON: fields[2] == "true", Err: fields[3]}, true
}

// write writes one message: the number of its fields, and each field after its length.
func write(w io.Writer, fields ...string) error {
	b := binary.AppendUvarint(nil, uint64(len(fields)))
	for _, f := range fields {
		b = binary.AppendUvarint(b, uint64(len(f)))
		b = append(b, f...)
	}
	_, err := w.Write(b)
	return err
}

// Limits of a message, because the answer to a stranger's expression must not fill the
// memory of this process.
const (
	maxFields = 8
	maxField  = 64 << 20
)

var errMessage = errors.New("not a message of the evaluator")

type reader struct{ *bufio.Reader }

func newReader(r io.Reader) reader { return reader{bufio.NewReader(r)} }

func (r reader) fields() ([]string, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return nil, err
	}
	if n > maxFields {
		return nil, errMessage
	}
	fields := make([]string, n)
	for i := range fields {
		length, err := binary.ReadUvarint(r)
		if err != nil {
			return nil, err
		}
		if length > maxField {
			return nil, errMessage
		}
		b := make([]byte, length)
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, err
		}
		fields[i] = string(b)
	}
	return fields, nil
}
