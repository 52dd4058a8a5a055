package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"hookwatch/suites"
)

// What is read of a results directory is bounded, for somebody else may have
// filled it.
const (
	// A record has two streams of at most TextLimit, six times that when every
	// byte is escaped: under a MiB. Other tools cut less.
	lineLimit = 8 << 20
	// inputs.json of 10,000 cases that share nothing has some 20 MB.
	documentLimit = 64 << 20
	// A trace of a script of 10,000 lines has some 100 kB.
	evidenceLimit = 16 << 20
	// Contents are kept of files of at most 1 MiB.
	contentLimit = 2 << 20
	// What small values cost in memory is a hundred times their text: a document
	// of hookwatch's of the largest size has a million of these.
	symbolLimit = 4 << 20
	// What a record costs beside its text.
	recordCost = 1 << 10
	// What a line costs that is no record.
	lineCost = 64
)

// heldLimit is all that one reading may hold: 100 MB of usual records, with room.
// Tests make do with less.
var heldLimit int64 = 384 << 20

var errSymbols = errors.New("too many values")

// parse reads a document of hookwatch's own.
func parse(text []byte, v any) error {
	symbols := 0
	for _, s := range []string{"{", "[", ",", ":"} {
		symbols += bytes.Count(text, []byte(s))
	}
	if symbols > symbolLimit {
		return errSymbols
	}
	return json.Unmarshal(text, v)
}

// A budget is what is left of heldLimit. Several readers may share one.
type budget struct{ left int64 }

func newBudget() *budget { return &budget{heldLimit} }

func (b *budget) spent() bool { return b.left <= 0 }

// hold counts a record that is kept.
func (b *budget) hold(r *suites.Record) {
	b.left -= int64(recordCost + len(r.ActualOutput) + len(r.ActualStderr) + len(r.InputSummary) + len(r.Note) + len(r.TestName))
}

// reader counts what is read, and ends where nothing is left.
func (b *budget) reader(r io.Reader) io.Reader { return &countedReader{r, b} }

type countedReader struct {
	r io.Reader
	b *budget
}

func (c *countedReader) Read(p []byte) (int, error) {
	if c.b.spent() {
		return 0, io.EOF
	}
	n, err := c.r.Read(p)
	c.b.left -= int64(n)
	return n, err
}

func (b *budget) String() string { return fmt.Sprintf("more than %d MiB are on record", heldLimit>>20) }
