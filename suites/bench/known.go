package bench

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/disk"
	"hookwatch/suites/pattern"
)

// Known has the outcomes of earlier firings, each with the state of everything that the firing was seen
// to use: files, directories, missing files and programs. As long as all of these are the same, another
// firing with the same input would do the same, and is left out. Firings that read the clock or anything
// else that differs each time are never kept, nor those of which not all accesses are known.
//
// One in audited firings that could be left out is made nevertheless. If it has another outcome, all
// outcomes are dropped, because what was taken for unaffected was not.
//
// It is safe for concurrent use, also by several processes.
type Known struct {
	KnownOptions
	dir *disk.Dir

	mu       sync.Mutex
	own      map[string]done // by this process, whose firings are never left out: the same one twice may differ
	states   map[string]observed
	examined map[string]observed // with the reason why files may do something else each time
	counts   Counts
	audit    func() bool // whether to make a firing whose outcome is known
	now      func() time.Time
	refused  error // the first outcome that another user may have written
}

// KnownOptions describe where outcomes are kept, and for what.
type KnownOptions struct {
	// Base is an existing directory, and Dir the one with the outcomes, at or below it.
	Base, Dir string
	Root      string      // of the project, absolute
	Reader    disk.Reader // reads what cases may read
	// Setup is everything beside a firing's own data on which outcomes depend: the program, its options.
	Setup []byte
	Fresh bool // make all firings, and keep their outcomes
}

// Counts are the firings of a run.
type Counts struct {
	Known     int // left out
	Made      int
	Differing int // of these, with another outcome than the known one
}

// audited is the number of firings of which one is made although its outcome is known.
const audited = 50

// Limits of what is kept.
const (
	keptFiles = 4000     // the most recently used ones
	keptFile  = 4 << 20  // bytes
	stateFile = 16 << 20 // bytes of a file whose content is compared; of larger ones it is the signature
)

// form is the version of the files. Others are ignored.
const form = "hookwatch known firing 3\n"

// A kept is the content of a file. Of the accesses of an outcome it has those of the project.
type kept struct {
	Key      string // its name
	Used     []used
	Programs []suites.Tool
	Outcome  suites.Outcome
}

// A done is what a firing did, and a digest of what it used.
type done struct{ did, used string }

// A used is a path that a firing used, as in trace.Observed, with its state.
type used struct{ Path, State string }

// OpenKnown opens the outcomes of a project.
func OpenKnown(o KnownOptions) (*Known, error) {
	dir, err := disk.Make(o.Base, o.Dir)
	if err != nil {
		return nil, err
	}
	if err := dir.CheckOwner(); err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return &Known{KnownOptions: o, dir: dir, own: map[string]done{}, states: map[string]observed{}, examined: map[string]observed{}, audit: func() bool { return rand.IntN(audited) == 0 }, now: time.Now}, nil
}

// Close drops the outcomes that were not used for the longest time, and closes the directory. It returns an error
// also if another user may have written one of those that were looked for, which was then not taken.
func (k *Known) Close() error {
	var err error
	if k.Counts().Made > 0 {
		err = k.prune(keptFiles)
	}
	return errors.Join(err, k.refused, k.dir.Close())
}

// Counts returns the firings so far.
func (k *Known) Counts() Counts {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.counts
}

// Outcome returns the outcome of an earlier firing, or that of fire, whose accesses must be observed.
func (k *Known) Outcome(about suites.Firing, fire func() (suites.Outcome, error)) (suites.Outcome, error) {
	key := k.key(&about)
	was := k.recall(key, &about)
	if was != nil && !k.audit() {
		k.count(Counts{Known: max(1, len(was.Results))})
		return *was, nil
	}
	began := k.now()
	now, err := fire()
	if err != nil {
		return now, err
	}
	k.count(Counts{Made: max(1, len(now.Results))})
	if was != nil && !ended(&now) && does(was) != does(&now) {
		k.count(Counts{Differing: 1})
		return now, k.prune(0)
	}
	if one := k.content(&about, &now, began); one != nil {
		k.keep(key, one)
	}
	return now, nil
}

// key returns the name of the file for a firing. The states of scripts are part of it, so that switching
// between two branches finds the outcomes of both.
func (k *Known) key(about *suites.Firing) string {
	sum := sha256.New()
	for _, part := range [][]byte{k.Setup, about.Setup, about.Input} {
		fmt.Fprintf(sum, "%d %s\n", len(part), part)
	}
	for _, script := range about.Scripts {
		state, _ := k.state(script, about)
		fmt.Fprintf(sum, "%s\x00%s\n", script, state)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

func (k *Known) count(c Counts) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.counts.Known += c.Known
	k.counts.Made += c.Made
	k.counts.Differing += c.Differing
}

// does returns what a firing did, without what differs each time: durations, names of directories, and numbers in
// texts, because a column in a message depends on the length of such a name. Exit codes and effects count as they
// are.
func does(o *suites.Outcome) string {
	var names []string
	for pair := range slices.Chunk(append(slices.Clone(o.Named), "{sandbox}", o.Sandbox), 2) {
		if len(pair) == 2 && pair[1] != "" {
			names = append(names, pair[1], pair[0])
		}
	}
	var all strings.Builder
	var facts []any
	for _, r := range o.Results {
		facts = append(facts, r.Exit, r.Signal, r.TimedOut, r.Decision, r.Effect)
		fmt.Fprintln(&all, r.NotStarted, r.ModelSees)
		fmt.Fprintf(&all, "%s\n%s\n%s\n", r.Stdout, r.Stderr, r.Files)
	}
	for _, c := range o.Changes {
		fmt.Fprintln(&all, c.Kind, c.Path) // a size depends on the directories that a file names
	}
	fmt.Fprintln(&all, o.Stopped, o.Withheld)
	texts := strings.NewReplacer(names...).Replace(all.String())
	return fmt.Sprintln(facts...) + digits().ReplaceAllString(texts, "0")
}

var digits = pattern.Lazy(`[0-9]+`)

// recall returns the known outcome of a firing whose inputs are as they were, nil if there is none.
func (k *Known) recall(key string, about *suites.Firing) *suites.Outcome {
	k.mu.Lock()
	_, own := k.own[key]
	k.mu.Unlock()
	if own || k.Fresh {
		return nil
	}
	text, err := k.dir.ReadOwn(key, keptFile)
	if err != nil {
		k.refuse(err)
		return nil
	}
	one := parseKept(text)
	if one == nil || one.Key != key || !k.holds(one, about) {
		return nil
	}
	_ = k.dir.Touch(key, time.Now()) // it is used, so that others are dropped first
	return &one.Outcome
}

// refuse remembers the first error about an outcome that another user may have written.
func (k *Known) refuse(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.refused == nil && disk.ReasonOf(err) == disk.Foreign {
		k.refused = err
	}
}

// holds reports whether everything is as it was.
func (k *Known) holds(one *kept, about *suites.Firing) bool {
	for _, u := range one.Used {
		if now, _ := k.state(u.Path, about); now != u.State {
			return false
		}
	}
	return !slices.ContainsFunc(one.Programs, func(t suites.Tool) bool {
		return t.Path != "" && disk.ProgramDigest(t.Path) != t.Digest
	})
}

// ended reports whether a firing was ended from outside. A busy machine, or one without memory, is no input: the next
// one may end by itself.
func ended(o *suites.Outcome) bool {
	return slices.ContainsFunc(o.Results, func(r suites.Result) bool { return r.TimedOut || r.Signal == "SIGKILL" })
}

// content returns what to keep of a firing, nil if nothing.
func (k *Known) content(about *suites.Firing, o *suites.Outcome, began time.Time) *kept {
	seen, _ := trace.ObservedIn(o)
	if seen == nil || ended(o) || o.NotRun != nil || len(o.Answers) > 0 || k.varies(about, o, seen) != "" {
		return nil
	}
	one := &kept{Programs: seen.Programs, Outcome: *o}
	for _, a := range o.Accesses { // the programs behind the links of a search path that lacks others
		if real, err := filepath.EvalSymlinks(a.Path); a.Kind&suites.Ran != 0 && err == nil && real != a.Path {
			one.Programs = append(one.Programs, suites.Tool{Name: filepath.Base(real), Path: real, Digest: disk.ProgramDigest(real)})
		}
	}
	one.Outcome.Accesses = slices.DeleteFunc(slices.Clone(o.Accesses), func(a suites.Access) bool { return !disk.Within(o.Project, a.Path) })
	for _, p := range seen.Paths {
		state, changed := k.state(p, about)
		if changed.After(began.Add(-disk.ClockStep)) { // the firing may have seen another one
			return nil
		}
		one.Used = append(one.Used, used{p, state})
	}
	return one
}

// keep writes an outcome. Two firings of one run that differ depend on something that was not observed.
func (k *Known) keep(key string, one *kept) {
	one.Key = key
	now := done{does(&one.Outcome), fmt.Sprint(one.Used, one.Programs)}
	k.mu.Lock()
	before, again := k.own[key]
	k.own[key] = now
	k.mu.Unlock()
	switch {
	case !again || before.used != now.used:
		if content := formatKept(one); content != nil {
			_ = k.dir.Replace(key, content, disk.Unsynced) // without it the firing is made again
		}
	case before.did != now.did:
		_ = k.dir.Remove(key)
	}
}

// prune removes all but the most recently used outcomes. It leaves what is no file, which is never taken for one.
func (k *Known) prune(most int) error {
	entries, err := k.dir.ReadDir()
	if err != nil {
		return err
	}
	type aged struct {
		name string
		at   time.Time
	}
	all := make([]aged, 0, len(entries))
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			all = append(all, aged{e.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b aged) int { return b.at.Compare(a.at) })
	for _, one := range all[min(most, len(all)):] {
		if err := k.dir.Remove(one.name); err != nil && !errors.Is(err, fs.ErrNotExist) && !disk.IsRefused(err) {
			return err
		}
	}
	return nil
}

// formatKept returns the content of a file, with a digest, so that a damaged one is noticed.
func formatKept(one *kept) []byte {
	var body bytes.Buffer
	if gob.NewEncoder(&body).Encode(one) != nil || body.Len() > keptFile/2 {
		return nil
	}
	return seal(body.Bytes())
}

func seal(body []byte) []byte {
	sum := sha256.Sum256(body)
	return slices.Concat([]byte(form), sum[:], body)
}

// parseKept returns the outcome in the content of a file, nil for a damaged one and for one of another
// version.
func parseKept(text []byte) *kept {
	text, ours := bytes.CutPrefix(text, []byte(form))
	if !ours || len(text) < sha256.Size {
		return nil
	}
	if sum := sha256.Sum256(text[sha256.Size:]); !bytes.Equal(sum[:], text[:sha256.Size]) {
		return nil
	}
	one := new(kept)
	if gob.NewDecoder(bytes.NewReader(text[sha256.Size:])).Decode(one) != nil {
		return nil
	}
	return one
}
