package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// A File is a JSON lines file of a Snapshot.
type File struct {
	Agent   string
	Name    string // such as "pm-agent-20260220T154932Z.jsonl"
	Records int

	foreign bool // has records of another tool, damaged lines or no stamp in its name; never deleted
}

// A Snapshot is the content of a results directory or of one archived run.
type Snapshot struct {
	Records     []suites.Record // by agent, then as in the file
	Files       []File          // in the order of their records
	Environment suites.Environment
	Inputs      map[string][]suites.Input // by a record's digests.inputs
	Warnings    []string                  // "file:line: reason" for skipped lines, and files that were not read
	LastFull    time.Time                 // end of hookwatch's last full run; zero if there was none

	budget     *Budget
	unreadable []string // names of damaged documents
}

// ByAgent yields each file with its records.
func (s *Snapshot) ByAgent() iter.Seq2[File, []suites.Record] {
	return func(yield func(File, []suites.Record) bool) {
		from := 0
		for _, f := range s.Files {
			if !yield(f, s.Records[from:from+f.Records:from+f.Records]) {
				return
			}
			from += f.Records
		}
	}
}

// Read reads the present state, even if it was not made here.
func (r *Reader) Read() (*Snapshot, error) {
	for try := 0; ; try++ {
		s, err := r.readState()
		if try < 3 && errors.Is(err, fs.ErrNotExist) {
			continue // a full run that has just ended replaced the files
		}
		if err != nil {
			return nil, fmt.Errorf("read results: %w", err)
		}
		return s, nil
	}
}

// Present reads the present state if it counts as the last run. The snapshot is empty,
// with a warning, if the directory came from elsewhere.
func (r *Reader) Present() (*Snapshot, error) {
	if r.ours {
		return r.Read()
	}
	s := newSnapshot()
	s.warn("%s was not made by hookwatch here (it came with a clone, or was restored): what it says was last run does not count (--restored takes it as your own)", r.place.Dir)
	return s, nil
}

func newSnapshot() *Snapshot {
	return &Snapshot{Inputs: map[string][]suites.Input{}, budget: newBudget()}
}

func (r *Reader) readState() (*Snapshot, error) {
	s := newSnapshot()
	files, err := stateFiles(r.dir)
	if err != nil {
		return nil, err
	}
	var newest []stateFile // of each agent
	for i, f := range files {
		if i > 0 && files[i-1].agent == f.agent {
			s.warn("%s: not read, %s is newer", filepath.Join(r.place.Dir, f.name), files[i-1].name)
			continue
		}
		newest = append(newest, f)
	}
	if err := s.addAll(r.dir, newest); err != nil {
		return nil, err
	}
	if err := s.document(r.dir, inputsName, &s.Inputs); err != nil {
		return nil, err
	}
	if err := s.document(r.dir, environmentName, &s.Environment); err != nil {
		return nil, err
	}
	s.LastFull, err = r.lastFull()
	return s, err
}

// ReadRun reads an archived run, including those of other tools.
func (r *Reader) ReadRun(run ArchivedRun) (*Snapshot, error) {
	return r.readRun(run, newBudget())
}

func (r *Reader) readRun(run ArchivedRun, b *Budget) (*Snapshot, error) {
	s := newSnapshot()
	s.budget, s.LastFull = b, run.At
	if err := s.addRun(r.archive, run); err != nil {
		return nil, fmt.Errorf("read run: %w", err)
	}
	return s, nil
}

func (s *Snapshot) addRun(archive *disk.Dir, run ArchivedRun) error {
	d, err := archive.Sub(run.Stamp)
	if err != nil {
		return err
	}
	defer d.Close()
	files, err := stateFiles(d)
	if err != nil {
		return err
	}
	if err := s.addAll(d, files); err != nil {
		return err
	}
	return s.document(d, environmentName, &s.Environment)
}

func (s *Snapshot) warn(format string, args ...any) {
	s.Warnings = append(s.Warnings, fmt.Sprintf(format, args...))
}

// addAll adds the records of files, after allocating memory for all of them at once.
func (s *Snapshot) addAll(d *disk.Dir, files []stateFile) error {
	var size int64
	for _, f := range files {
		if fi, err := d.Lstat(f.name); err == nil {
			size += fi.Size()
		}
	}
	s.Records = slices.Grow(s.Records, int(min(size, reservedFor)/usualRecord))
	for _, f := range files {
		if err := s.add(d, f); err != nil {
			return err
		}
	}
	return nil
}

func (s *Snapshot) add(d *disk.Dir, f stateFile) error {
	file := File{Agent: f.agent, Name: f.name, foreign: f.st.n == 0}
	warned, err := readFile(d, f.name, s.budget, func(r suites.Record) bool {
		s.Records = append(s.Records, r)
		file.Records++
		file.foreign = file.foreign || anonymous(r)
		return true
	})
	if disk.IsRefused(err) {
		warned, err = append(warned, err.Error()), nil
	}
	file.foreign = file.foreign || len(warned) > 0
	s.Warnings = append(s.Warnings, warned...)
	s.Files = append(s.Files, file)
	return err
}

const (
	usualRecord = 500     // bytes in a line
	reservedFor = 8 << 20 // bytes of text that addAll allocates memory for in advance
)

func readFile(d *disk.Dir, name string, b *Budget, yield func(suites.Record) bool) ([]string, error) {
	lines, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer lines.Close()
	return readJSONL(filepath.Join(d.Path(), name), lines, b, yield)
}

// document reads a JSON file into v. It leaves v unchanged if the file is missing or, with
// a warning, unreadable.
func (s *Snapshot) document(d *disk.Dir, name string, v any) error {
	if d == nil {
		return nil
	}
	text, err := d.ReadFile(name, DocumentLimit)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case disk.IsRefused(err):
		s.warn("not read: %v", err)
	case err != nil:
		return err
	default:
		if err = ParseJSON(text, v); err != nil {
			s.warn("%s: not read: %v", filepath.Join(d.Path(), name), err)
		}
	}
	if err != nil {
		s.unreadable = append(s.unreadable, name)
	}
	return nil
}

// lastFull returns the end of hookwatch's newest archived run. It skips runs of other
// tools, which have no environment.
func (r *Reader) lastFull() (time.Time, error) {
	runs, err := r.Runs()
	for _, run := range runs {
		if r.runID(run.Stamp) != "" {
			return run.At, nil
		}
	}
	return time.Time{}, err
}

// runID returns the ID of the hookwatch run in an archive directory, or "" if it has none.
func (r *Reader) runID(stamp string) string {
	d, err := r.archive.Sub(stamp)
	if err != nil {
		return ""
	}
	defer d.Close()
	return archivedRunID(d)
}

func archivedRunID(d *disk.Dir) string {
	var env suites.Environment
	text, err := d.ReadFile(environmentName, DocumentLimit)
	if err != nil || ParseJSON(text, &env) != nil {
		return ""
	}
	return env.RunID
}

const warningLimit = 20 // per file; the rest is counted

// readJSONL yields the records of a JSON lines file until yield returns false or the
// budget is used up. Torn, malformed and overlong lines are skipped with a warning
// "name:line: ...". Records may also be spread over lines from a lone "{" to a lone "}",
// as "jq -n" writes them without -c.
func readJSONL(name string, r io.Reader, b *Budget, yield func(suites.Record) bool) ([]string, error) {
	w := &warnings{name: name}
	lines := &lineReader{r: bufio.NewReaderSize(b.reader(r), 64<<10)}
	for {
		at, text, err := lines.value()
		if b.left -= lineCost; b.IsSpent() {
			w.add(at, "not read from here on: "+b.String())
			return w.texts(), nil
		}
		if err != nil && !errors.Is(err, errTooLong) {
			return w.texts(), unlessEOF(err)
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
			return w.texts(), nil
		}
	}
}

// readEnvironments returns the environments with tools in a JSON lines file. Other lines
// and torn ones are skipped.
func readEnvironments(r io.Reader, b *Budget) (all []suites.Environment, err error) {
	lines := &lineReader{r: bufio.NewReaderSize(b.reader(r), 64<<10)}
	for {
		line, err := lines.next()
		if err != nil && !errors.Is(err, errTooLong) {
			return all, unlessEOF(err)
		}
		var env suites.Environment
		if err == nil && ParseJSON(line, &env) == nil && len(env.Tools) > 0 {
			all = append(all, env)
			b.left -= int64(len(line) + recordCost)
		}
		b.left -= lineCost
	}
}

// Lines yields the lines of a file with their numbers, from 1, until yield returns false. They are
// without their ends, and nil if they are too long for a record. A line is valid until yield returns.
func Lines(r io.Reader, yield func(n int, line []byte) bool) error {
	lines := &lineReader{r: bufio.NewReaderSize(r, 64<<10)}
	for {
		line, err := lines.next()
		if err != nil && !errors.Is(err, errTooLong) {
			return unlessEOF(err)
		}
		if !yield(lines.line, line) {
			return nil
		}
	}
}

func unlessEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

var errTooLong = fmt.Errorf("a line of more than %d MiB", lineLimit>>20)

// A lineReader splits a stream into JSON values by lines.
type lineReader struct {
	r    *bufio.Reader
	line int    // number of the last line that was read, from 1
	torn bool   // the last line had no newline
	kept []byte // buffer of next
	held []byte // a line that was read ahead and is returned next
}

// value returns the next line, or the lines from a lone "{" to a lone "}", and the number
// of the first. The text is valid until the next call.
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
			return at, whole, nil // the end of the file: the value is torn
		}
		if len(more) > 0 && more[0] == '{' {
			l.held = append([]byte(nil), more...) // the value is torn, because another begins
			return at, whole, nil
		}
		whole = append(append(whole, '\n'), more...)
		if bytes.Equal(more, []byte("}")) {
			return at, whole, nil
		}
	}
	return at, nil, errTooLong
}

// next returns the next line without its end and without a byte order mark.
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

// warnings collects the problems of one file.
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

func (w *warnings) texts() []string {
	if w.more > 0 {
		w.list = append(w.list, fmt.Sprintf("%s: %d more lines skipped", w.name, w.more))
		w.more = 0
	}
	return w.list
}
