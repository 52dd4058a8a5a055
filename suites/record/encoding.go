package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// unmarshal works like encoding/json's Unmarshal, but in one pass instead of two, because
// a start reads the records of all cases and spends most of its time here. It accepts
// everything that encoding/json accepts: names in different case, duplicate names and
// invalid UTF-8. A syntax error names the byte, counted from 1.
func unmarshal(text []byte, into any) error {
	err := jsonv2.Unmarshal(text, into,
		jsonv2.MatchCaseInsensitiveNames(true), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if broken := (*jsontext.SyntacticError)(nil); errors.As(err, &broken) {
		return fmt.Errorf("byte %d: %w", broken.ByteOffset+1, broken.Err)
	}
	return err
}

// decode reads one record. Records by hookwatch decode strictly; decodeLoose handles other
// tools, which write numbers as text, booleans as numbers, or null.
func decode(line []byte) (suites.Record, error) {
	var strict struct {
		suites.Record
		Pass *bool `json:"pass"` // shadows the record's field, to distinguish false from missing
	}
	err := unmarshal(line, &strict)
	if wrong := (*jsonv2.SemanticError)(nil); errors.As(err, &wrong) || err == nil && strict.Pass == nil {
		return decodeLoose(line)
	}
	if err != nil {
		return suites.Record{}, err
	}
	strict.Record.Pass = *strict.Pass
	return strict.Record, checkRecord(&strict.Record)
}

// checkRecord returns an error if r is not a record, and cuts lists that are longer than
// any that hookwatch writes.
func checkRecord(r *suites.Record) error {
	if len(r.Changes) > suites.MaxChanges {
		r.Changes = slices.Clone(r.Changes[:suites.MaxChanges])
	}
	if len(r.Stopped) > suites.MaxChanges {
		r.Stopped = slices.Clone(r.Stopped[:suites.MaxChanges])
	}
	if r.TestName == "" && r.ID == "" {
		return errors.New("not a test record: it has neither test_name nor id")
	}
	r.Settle()
	return nil
}

// A looseRecord is a record whose fields can have any type. Fields that are not listed are
// dropped.
type looseRecord struct {
	Hook             json.RawMessage `json:"hook"`
	TestName         json.RawMessage `json:"test_name"`
	Category         json.RawMessage `json:"category"`
	InputSummary     json.RawMessage `json:"input_summary"`
	ExpectedDecision json.RawMessage `json:"expected_decision"`
	ExpectedExit     json.RawMessage `json:"expected_exit"`
	ActualDecision   json.RawMessage `json:"actual_decision"`
	ActualExit       json.RawMessage `json:"actual_exit"`
	ActualOutput     json.RawMessage `json:"actual_output"`
	ActualStderr     json.RawMessage `json:"actual_stderr"`
	Pass             json.RawMessage `json:"pass"`
	Note             json.RawMessage `json:"note"`
	Timestamp        json.RawMessage `json:"timestamp"`
	DurationMS       json.RawMessage `json:"duration_ms"`
	ID               json.RawMessage `json:"id"`
	Suite            json.RawMessage `json:"suite"`
	Layer            json.RawMessage `json:"layer"`
	RunID            json.RawMessage `json:"run_id"`
	Digests          json.RawMessage `json:"digests"`
	Client           json.RawMessage `json:"client"`
	Isolation        json.RawMessage `json:"isolation"`
}

func decodeLoose(line []byte) (suites.Record, error) {
	var fields looseRecord
	err := unmarshal(line, &fields)
	if wrong := (*jsonv2.SemanticError)(nil); errors.As(err, &wrong) {
		return suites.Record{}, errors.New("not a test record: not a JSON object")
	}
	if err != nil {
		return suites.Record{}, err
	}
	r := suites.Record{
		Hook: looseText(fields.Hook), TestName: looseText(fields.TestName), Category: looseText(fields.Category),
		InputSummary: looseText(fields.InputSummary), ExpectedDecision: looseText(fields.ExpectedDecision),
		ActualDecision: looseText(fields.ActualDecision), ActualOutput: looseText(fields.ActualOutput),
		ActualStderr: looseText(fields.ActualStderr), Note: looseText(fields.Note), Timestamp: looseText(fields.Timestamp),
		ID: looseText(fields.ID), Suite: looseText(fields.Suite), RunID: looseText(fields.RunID),
		Client: looseText(fields.Client), Isolation: looseText(fields.Isolation),
	}
	r.ExpectedExit, r.ActualExit = looseInt(fields.ExpectedExit), looseInt(fields.ActualExit)
	if ms := looseInt(fields.DurationMS); ms != nil {
		r.DurationMS = int64(*ms)
	}
	if layer := looseInt(fields.Layer); layer != nil {
		r.Layer = suites.Layer(*layer)
	}
	if json.Unmarshal(fields.Digests, &r.Digests) != nil {
		r.Digests = suites.Digests{}
	}
	pass, err := looseBool(fields.Pass)
	if err != nil {
		return suites.Record{}, err
	}
	r.Pass = pass
	return r, checkRecord(&r)
}

// looseText returns a string as is, null as "" and any other value as JSON.
func looseText(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text
	}
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return string(raw)
	}
	return compact.String()
}

// looseInt returns an integer, which may be written as text, or nil.
func looseInt(raw json.RawMessage) *int {
	number, err := strconv.ParseFloat(strings.TrimSpace(looseText(raw)), 64)
	if err != nil || number != math.Trunc(number) || math.Abs(number) > 1<<53 {
		return nil
	}
	n := int(number)
	return &n
}

func looseBool(raw json.RawMessage) (bool, error) {
	switch text := strings.ToLower(strings.TrimSpace(looseText(raw))); text {
	case "true", "1":
		return true, nil
	case "false", "0":
		return false, nil
	case "":
		return false, errors.New(`not a test record: it has no "pass"`)
	default:
		return false, fmt.Errorf(`"pass" is %.40q, want true or false`, text)
	}
}

// Suffix is the file name extension of record files.
const Suffix = ".jsonl"

// encode returns the record as one line, including the newline.
func encode(r *suites.Record) ([]byte, error) {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	err := e.Encode(r)
	return line.Bytes(), err
}

// encodeAll returns the lines of all records.
func encodeAll(records []suites.Record) ([]byte, error) {
	var lines bytes.Buffer
	e := json.NewEncoder(&lines)
	e.SetEscapeHTML(false)
	for i := range records {
		if err := e.Encode(&records[i]); err != nil {
			return nil, err
		}
	}
	return lines.Bytes(), nil
}

// encodeDocument returns indented JSON for documents that users may read.
func encodeDocument(v any) ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return text.Bytes(), err
}

// readOwn reads a document that hookwatch wrote. A damaged one is put aside, because its
// name is about to be written again.
func (s *Store) readOwn(name string, into any) (there bool, err error) {
	text, err := s.r.dir.ReadFile(name, DocumentLimit)
	tooLarge := (*disk.Error)(nil)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.As(err, &tooLarge) && tooLarge.Reason == disk.Size:
	case err != nil:
		return false, err
	default:
		if err = ParseJSON(text, into); err == nil {
			return true, nil
		}
	}
	s.warn("%s: not readable: %v", filepath.Join(s.o.Dir, name), err)
	return false, s.putAside(name)
}

// putAside renames a damaged document, so that the next one does not overwrite it.
func (s *Store) putAside(name string) error {
	for n := 1; ; n++ {
		aside := fmt.Sprintf("%s.unreadable-%d", name, n)
		if _, err := s.r.dir.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			s.warn("%s is kept as %s", filepath.Join(s.o.Dir, name), aside)
			return s.r.dir.Rename(name, s.r.dir, aside)
		}
	}
}

// Limits on reading a results directory, because its files may come from someone else.
const (
	// A record has two streams of at most 64 KiB, six times that if every byte is
	// escaped: under a MiB. Other tools cut less.
	lineLimit = 8 << 20
	// Small values take a hundred times their text in memory. A document by hookwatch of the
	// largest size has a million of these symbols.
	symbolLimit = 4 << 20
	// Bytes of memory for a record, without its text.
	recordCost = 1 << 10
	// Bytes counted for each line, even if it is not a record.
	lineCost = 64
)

// DocumentLimit is the maximum size in bytes of a document by hookwatch: inputs.json of
// 10,000 cases that share nothing has about 20 MB.
const DocumentLimit = 64 << 20

// heldLimit is the number of bytes that one read may keep in memory: 100 MB of usual
// records, with room to spare. It is a variable because tests lower it.
var heldLimit int64 = 384 << 20

var errSymbols = errors.New("too many values")

// ParseJSON decodes a document by hookwatch. It returns an error if the document has more
// than symbolLimit symbols.
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

// A Budget is the unused part of heldLimit. Several readers may share one.
type Budget struct{ left int64 }

// newBudget returns a full budget.
func newBudget() *Budget { return &Budget{heldLimit} }

// IsSpent reports whether the budget is used up.
func (b *Budget) IsSpent() bool { return b.left <= 0 }

// hold counts a record that stays in memory.
func (b *Budget) hold(r *suites.Record) {
	b.left -= int64(recordCost + len(r.ActualOutput) + len(r.ActualStderr) + len(r.InputSummary) + len(r.Note) + len(r.TestName))
}

// reader returns a reader that counts bytes and ends when the budget is used up.
func (b *Budget) reader(r io.Reader) io.Reader { return &countedReader{r, b} }

type countedReader struct {
	r io.Reader
	b *Budget
}

func (c *countedReader) Read(p []byte) (int, error) {
	if c.b.IsSpent() {
		return 0, io.EOF
	}
	n, err := c.r.Read(p)
	c.b.left -= int64(n)
	return n, err
}

// String returns the reason for not reading on.
func (b *Budget) String() string { return fmt.Sprintf("more than %d MiB are on record", heldLimit>>20) }
