package record

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// Names in a results directory.
const (
	ignoreName      = ".gitignore"
	lockName        = ".lock"
	rollingName     = "rolling"
	archiveName     = "archive"
	resultsName     = "RESULTS.md"
	comparisonName  = "COMPARISON.md"
	markerName      = "running.json"
	inputsName      = "inputs.json"
	environmentName = "environment.json"
	pendingPrefix   = ".pending-" // an archive directory that is not whole yet
)

// ownDocuments tell, beside the records, what was last run.
var ownDocuments = []string{environmentName, inputsName, markerName}

// A stamp is the time in a file or directory name, with a number that tells
// apart those of one second. The first of a second has number 1, unwritten.
type stamp struct {
	at time.Time
	n  int
}

func parseStamp(text string) (stamp, bool) {
	head, tail, numbered := strings.Cut(text, "-")
	at, err := time.Parse(suites.StampLayout, head)
	if err != nil || len(head) != len(suites.StampLayout) {
		return stamp{}, false
	}
	if !numbered {
		return stamp{at, 1}, true
	}
	n, err := strconv.Atoi(tail)
	return stamp{at, n}, err == nil && n > 1 && tail == strconv.Itoa(n)
}

func (s stamp) String() string {
	text := s.at.UTC().Format(suites.StampLayout)
	if s.n > 1 {
		text += "-" + strconv.Itoa(s.n)
	}
	return text
}

func (s stamp) compare(o stamp) int {
	return cmp.Or(s.at.Compare(o.at), cmp.Compare(s.n, o.n))
}

// splitName splits "pm-agent-20260220T154932Z.jsonl" into its agent and stamp.
func splitName(name string) (agent string, st stamp, ok bool) {
	base, ok := strings.CutSuffix(name, Suffix)
	if !ok {
		return "", stamp{}, false
	}
	for i := range base {
		if base[i] != '-' || i == 0 {
			continue
		}
		if st, ok := parseStamp(base[i+1:]); ok {
			return base[:i], st, true
		}
	}
	return "", stamp{}, false
}

func fileName(agent string, st stamp) string {
	return agent + "-" + st.String() + Suffix
}

// A stateFile is one *.jsonl of a results or archive directory.
type stateFile struct {
	agent string
	name  string
	st    stamp // zero when the name holds none
}

// stateFiles lists the *.jsonl files of a directory by agent, the newest of each
// agent first. One that does not exist has none.
func stateFiles(d *disk.Dir) ([]stateFile, error) {
	all, err := entries(d)
	if err != nil {
		return nil, err
	}
	var files []stateFile
	for _, e := range all {
		name := e.Name()
		if e.IsDir() || strings.HasPrefix(name, ".") || filepath.Ext(name) != Suffix {
			continue
		}
		agent, st, ok := splitName(name)
		if !ok {
			agent, st = strings.TrimSuffix(name, Suffix), stamp{}
		}
		files = append(files, stateFile{agent, name, st})
	}
	slices.SortFunc(files, func(a, b stateFile) int {
		return cmp.Or(cmp.Compare(a.agent, b.agent), b.st.compare(a.st))
	})
	return files, nil
}

func isStateFile(name string) bool {
	_, _, ok := splitName(name)
	return ok
}

// entries lists a directory, which need not be there.
func entries(d *disk.Dir) ([]os.DirEntry, error) {
	if d == nil {
		return nil, nil
	}
	return d.ReadDir()
}

// checkAgent refuses names that are no plain file name of their own.
func checkAgent(agent string) error {
	odd := func(r rune) bool { return strings.ContainsRune(`/\:*?"<>|`, r) || !unicode.IsPrint(r) }
	_, rotated := Current(agent + Suffix)
	switch {
	case agent == "", strings.ContainsAny(agent[:1], ".- "), strings.HasSuffix(agent, "."), strings.HasSuffix(agent, " "),
		len(agent) > disk.NameLimit, !utf8.ValidString(agent), strings.ContainsFunc(agent, odd), disk.IsDevice(agent), rotated:
		return fmt.Errorf("agent %.200q cannot name a file: use letters, digits and dashes in the suite's agent", agent)
	}
	return nil
}

// safeName is a name for a file about what a suite calls so. What could be no
// name of a file, or another's, is called by its digest.
func safeName(text string) string {
	name := url.PathEscape(text)
	if len(name) <= disk.NameLimit && plainName(name) {
		return name
	}
	sum := sha256.Sum256([]byte(text))
	return "~" + hex.EncodeToString(sum[:])
}

// plainName reports whether every system takes a name for a plain file's.
func plainName(name string) bool {
	odd := func(r rune) bool { return !strings.ContainsRune("-_.%", r) && !isAlphanumeric(r) }
	return name != "" && name[0] != '.' && !strings.HasSuffix(name, ".") && !strings.ContainsFunc(name, odd) && !disk.IsDevice(name)
}

func isAlphanumeric(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// IsDigest reports whether text is what contents are called by.
func IsDigest(text string) bool {
	return len(text) >= 16 && len(text) <= disk.NameLimit && strings.Trim(text, "0123456789abcdef") == ""
}

// A Place is where the records of a project are kept. Its paths are absolute.
type Place struct {
	Base     string // the person's, however it is reached; below it no link is followed
	Dir      string // the results directory: Base, or below it
	Marks    string // a directory of the person's that tells which results directories were made here; "": all were
	Restored bool   // the person says that these records are their own, wherever they were made
}

// A Reader reads a results directory, which it holds open. It takes no lock and
// writes nothing. A directory that does not exist has nothing on record.
type Reader struct {
	place                 Place
	dir, rolling, archive *disk.Dir   // nil: it is not there
	basis                 *BasisStore // nil: there is no directory
	origin                Origin
	ours                  bool // what is there counts as what was last run
}

// OpenReader opens a results directory for reading. The error is an *disk.Error
// where a link or something else is in the way.
func OpenReader(p Place) (*Reader, error) {
	r := &Reader{place: p}
	dir, err := disk.Open(p.Base, p.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		r.ours = true
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	r.dir = dir
	if err := r.enter((*disk.Dir).Sub); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// enter opens the directories within, and looks whose they are. Next opens those
// that there must be.
func (r *Reader) enter(next func(*disk.Dir, string) (*disk.Dir, error)) error {
	for _, in := range []struct {
		name string
		sub  **disk.Dir
	}{{rollingName, &r.rolling}, {archiveName, &r.archive}} {
		sub, err := next(r.dir, in.name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		*in.sub = sub
	}
	var err error
	if r.basis, err = OpenBasis(r.dir); err != nil {
		return err
	}
	if r.origin, err = ReadOrigin(r.dir); err != nil {
		return err
	}
	p := r.place
	r.ours = p.Marks == "" || p.Restored || r.origin.IsMarked(p.Marks, p.Dir)
	return nil
}

// Close gives the directory up.
func (r *Reader) Close() {
	for _, d := range []*disk.Dir{r.dir, r.rolling, r.archive} {
		if d != nil {
			_ = d.Close()
		}
	}
	if r.basis != nil {
		r.basis.Close()
	}
}

// documents are the files of a results directory that have one name.
var documents = []string{ignoreName, lockName, Name, resultsName, comparisonName, markerName, inputsName, environmentName, runsName}

// checkWay looks, before anything is written, for what stands where hookwatch's
// files and directories are to be: links, pipes, directories. The first writing
// would meet them, and nobody would hear of those that are met beside a run.
func checkWay(d *disk.Dir) error {
	if err := checkEntries(d, func(name string) bool {
		return slices.Contains(documents, name) || filepath.Ext(name) == Suffix
	}); err != nil {
		return err
	}
	if err := checkWithin(d, rollingName, IsLog); err != nil {
		return err
	}
	return checkWithin(d, Contents, IsDigest)
}

// checkWithin checks a directory, which need not be there.
func checkWithin(d *disk.Dir, name string, ours func(string) bool) error {
	sub, err := d.Sub(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer sub.Close()
	return checkEntries(sub, ours)
}

// checkEntries refuses entries that are called as files of hookwatch's, and are none.
func checkEntries(d *disk.Dir, ours func(name string) bool) error {
	all, err := d.ReadDir()
	if err != nil {
		return err
	}
	for _, e := range all {
		if ours(e.Name()) && !e.Type().IsRegular() {
			if err := d.CheckFile(e.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}

// ignored has git ignore the directory unless somebody has written rules of
// their own.
func ignored(d *disk.Dir) error {
	_, err := d.Lstat(ignoreName)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return d.Replace(ignoreName, []byte("*\n"), disk.Unsynced)
}
