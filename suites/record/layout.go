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

	registrationsName = "registrations.json"
	pendingPrefix     = ".pending-" // of an archive directory that is not complete yet
)

// ownDocuments describe the last run, together with the records.
var ownDocuments = []string{environmentName, inputsName, markerName}

// A stamp is the time in a file or directory name, with a number to distinguish stamps of
// the same second. The first of a second has number 1, which is not written.
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

// A stateFile is a *.jsonl file of a results or archive directory.
type stateFile struct {
	agent string
	name  string
	st    stamp // zero if the name has none
}

// stateFiles lists the *.jsonl files of a directory by agent, the newest of each agent
// first. It returns none if d is nil.
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

// entries lists a directory, or returns nothing if d is nil.
func entries(d *disk.Dir) ([]os.DirEntry, error) {
	if d == nil {
		return nil, nil
	}
	return d.ReadDir()
}

// checkAgent returns an error if the agent's name cannot be used as a file name.
func checkAgent(agent string) error {
	odd := func(r rune) bool { return strings.ContainsRune(`/\:*?"<>|`, r) || !unicode.IsPrint(r) }
	_, rotated := current(agent + Suffix)
	switch {
	case agent == "", strings.ContainsAny(agent[:1], ".- "), strings.HasSuffix(agent, "."), strings.HasSuffix(agent, " "),
		len(agent) > disk.NameLimit, !utf8.ValidString(agent), strings.ContainsFunc(agent, odd), disk.IsDevice(agent), rotated:
		return fmt.Errorf("agent %.200q cannot name a file: use letters, digits and dashes in the suite's agent", agent)
	}
	return nil
}

// safeName returns a file name for a suite or ID. It is the digest of text if that is not
// a safe and unique file name itself.
func safeName(text string) string {
	name := url.PathEscape(text)
	if len(name) <= disk.NameLimit && plainName(name) {
		return name
	}
	sum := sha256.Sum256([]byte(text))
	return "~" + hex.EncodeToString(sum[:])
}

// plainName reports whether name is a plain file name on every system.
func plainName(name string) bool {
	const plain = "-_.%0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	return name != "" && strings.Trim(name, plain) == "" && strings.Trim(name, ".") == name && !disk.IsDevice(name)
}

// isDigest reports whether text can be the name of a file in Contents.
func isDigest(text string) bool {
	return len(text) >= 16 && len(text) <= disk.NameLimit && strings.Trim(text, "0123456789abcdef") == ""
}

// A Place is where the records of a project are kept. Its paths are absolute.
type Place struct {
	Base     string // the user's directory, which may be reached through links; below it no link is followed
	Dir      string // the results directory: Base, or below it
	Marks    string // a directory of the user's that lists the results directories made here; if "", all were
	Restored bool   // the user declares that these records are their own, wherever they were made
}

// A Reader reads a results directory, which it keeps open. It takes no lock and writes
// nothing. A directory that does not exist has no records.
type Reader struct {
	place                 Place
	dir, rolling, archive *disk.Dir // nil if missing
	traces, contents      *disk.Dir // the evidence; nil if missing
	origin                Origin
	ours                  bool // the present state counts as the last run
}

// OpenReader opens a results directory for reading. The error is an *disk.Error if a link
// or another kind of file is in the way.
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

// enter opens the subdirectories, with next those that it may create, and determines
// whether the directory was made here.
func (r *Reader) enter(next func(*disk.Dir, string) (*disk.Dir, error)) (err error) {
	for _, in := range []struct {
		name string
		sub  **disk.Dir
		open func(*disk.Dir, string) (*disk.Dir, error)
	}{
		{rollingName, &r.rolling, next},
		{archiveName, &r.archive, next},
		{Traces, &r.traces, (*disk.Dir).Sub},
		{Contents, &r.contents, (*disk.Dir).Sub},
	} {
		if *in.sub, err = in.open(r.dir, in.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if r.origin, err = readOrigin(r.dir); err != nil {
		return err
	}
	p := r.place
	r.ours = p.Marks == "" || p.Restored || r.origin.IsMarked(p.Marks, p.Dir)
	return nil
}

// Close closes the directories.
func (r *Reader) Close() {
	for _, d := range []*disk.Dir{r.dir, r.rolling, r.archive} {
		if d != nil {
			_ = d.Close()
		}
	}
	letGo(&r.traces)
	letGo(&r.contents)
}

// documents are the files of a results directory with a fixed name.
var documents = []string{ignoreName, lockName, Name, resultsName, comparisonName, markerName, inputsName, environmentName, registrationsName, runsName}

// checkWay returns an error if a link, pipe or directory has the name of one of
// hookwatch's files or directories. It runs before anything is written, because errors of
// writes that happen during a run would not be reported.
func checkWay(d *disk.Dir) error {
	if err := checkEntries(d, func(name string) bool {
		return slices.Contains(documents, name) || filepath.Ext(name) == Suffix
	}); err != nil {
		return err
	}
	if err := checkWithin(d, rollingName, isLog); err != nil {
		return err
	}
	return checkWithin(d, Contents, isDigest)
}

// checkWithin checks a subdirectory, if it exists.
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

// checkEntries returns an error if an entry with the name of one of hookwatch's files is
// not a regular file.
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

// ignoreInGit makes git ignore the directory, unless it already has a .gitignore.
func ignoreInGit(d *disk.Dir) error {
	_, err := d.Lstat(ignoreName)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return d.Replace(ignoreName, []byte("*\n"), disk.Unsynced)
}
