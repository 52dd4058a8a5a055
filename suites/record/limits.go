package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"hookwatch/suites"
)

// What is read of a results directory is bounded, for somebody else may have
// filled it.
const (
	// A record has two streams of at most verdicts.TextLimit, six times that when every
	// byte is escaped: under a MiB. Other tools cut less.
	lineLimit = 8 << 20
	// What small values cost in memory is a hundred times their text: a document
	// of hookwatch's of the largest size has a million of these.
	symbolLimit = 4 << 20
	// What a record costs beside its text.
	recordCost = 1 << 10
	// What a line costs that is no record.
	lineCost = 64
)

// DocumentLimit is the size of a document of hookwatch's own that is read: inputs.json
// of 10,000 cases that share nothing has some 20 MB.
const DocumentLimit = 64 << 20

// HeldLimit is all that one reading may hold: 100 MB of usual records, with room.
// Tests make do with less.
var HeldLimit int64 = 384 << 20

var errSymbols = errors.New("too many values")

// ParseJSON reads a document of hookwatch's own.
func ParseJSON(text []byte, v any) error {
	symbols := 0
	for _, s := range []string{"{", "[", ",", ":"} {
		symbols += bytes.Count(text, []byte(s))
	}
	if symbols > symbolLimit {
		return errSymbols
	}
	return unmarshal(text, v)
}

// A Budget is what is left of HeldLimit. Several readers may share one.
type Budget struct{ left int64 }

// NewBudget gives all of it.
func NewBudget() *Budget { return &Budget{HeldLimit} }

// Spent reports whether nothing is left.
func (b *Budget) Spent() bool { return b.left <= 0 }

// hold counts a record that is kept.
func (b *Budget) hold(r *suites.Record) {
	b.left -= int64(recordCost + len(r.ActualOutput) + len(r.ActualStderr) + len(r.InputSummary) + len(r.Note) + len(r.TestName))
}

// reader counts what is read, and ends where nothing is left.
func (b *Budget) reader(r io.Reader) io.Reader { return &countedReader{r, b} }

type countedReader struct {
	r io.Reader
	b *Budget
}

func (c *countedReader) Read(p []byte) (int, error) {
	if c.b.Spent() {
		return 0, io.EOF
	}
	n, err := c.r.Read(p)
	c.b.left -= int64(n)
	return n, err
}

// String says what is not read, and why.
func (b *Budget) String() string { return fmt.Sprintf("more than %d MiB are on record", HeldLimit>>20) }
