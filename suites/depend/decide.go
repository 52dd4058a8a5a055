package depend

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/depend/script"
	"hookwatch/suites/depend/trace"
)

// An Answer reports whether a case is affected, and why, in one line.
type Answer struct {
	Unaffected bool
	Because    string
	Trace      *trace.Trace // valid for the new content; nil if there is none
}

// Runnable is the first byte of the content of an executable file.
const Runnable = 'x'

// Decide returns the answer to a question.
func (r *Decider) Decide(q Question) Answer {
	a := Answer{Unaffected: true, Trace: q.Trace}
	for _, d := range q.Changed {
		if d.Path == Elsewhere {
			continue // the vaguest reason comes last
		}
		unaffected, because := r.one(&q, d)
		if !unaffected {
			return Answer{Because: d.Name() + ": " + because}
		}
		a.Because = cmp.Or(a.Because, because)
		if e := r.edit(d); e != nil && a.Trace != nil {
			a.Trace = a.Trace.Carry(e)
		}
	}
	if i := slices.IndexFunc(q.Changed, func(d Difference) bool { return d.Path == Elsewhere }); i >= 0 {
		unaffected, because := r.elsewhere(&q, q.Changed[i])
		if !unaffected {
			return Answer{Because: because}
		}
		a.Because = cmp.Or(a.Because, because)
	}
	a.Because = cmp.Or(a.Because, "nothing that it depends on changed")
	return a
}

// one decides for one changed input.
func (r *Decider) one(q *Question, d Difference) (unaffected bool, because string) {
	switch {
	case d.Kind == Dropped && d.By == suites.Needed && d.Section != "":
		return false, "what was there is gone" // a registration, or the switch for all hooks
	case d.Kind == Dropped:
		return false, "the case does not depend on it any more"
	case d.Kind == Appeared:
		return false, "is there now"
	case d.Was == "":
		return false, cmp.Or(d.Because, "is new")
	case d.Digest == "":
		return false, "is gone"
	case d.By == suites.Needed:
		return false, cmp.Or(r.whatChanged(d), d.Because, "the case depends on all of it")
	}
	if path.Ext(d.Path) == ".json" {
		if d.By == suites.Marked {
			return false, d.Because
		}
		return r.json(q, d)
	}
	e := r.edit(d)
	switch {
	case e == nil && d.By == suites.Marked:
		return r.section(q, d)
	case e == nil:
		return false, cmp.Or(r.whatChanged(d), "its content changed")
	case d.By == suites.Marked && !e.None():
		return false, cmp.Or(r.whatChanged(d), d.Because)
	}
	if r.observed(q, d.Path) && q.Trace.Files[d.Path] == nil { // data, in which any line may matter
		return false, "its content changed; the case was seen to use it"
	}
	affected, why := trace.Affected(e, q.Trace)
	return !affected, why
}

// observed reports whether the case was seen to use a path.
func (r *Decider) observed(q *Question, path string) bool {
	if q.Trace == nil || q.Trace.Observed == nil {
		return false
	}
	_, found := slices.BinarySearch(q.Trace.Observed.Paths, path)
	return found
}

// elsewhere decides for the files that are no inputs of a case whose hook may read any.
func (r *Decider) elsewhere(q *Question, d Difference) (unaffected bool, because string) {
	files, known := r.Elsewhere(d, q.Inputs)
	switch {
	case d.Kind == Dropped:
		return false, "its hook reads no other files any more"
	case !known:
		return false, cmp.Or(d.Because, "other files of the project changed")
	case len(files) == 0:
		return true, "" // each of them is an input itself
	default:
		return false, files[0] + " changed, which its hook may read"
	}
}

// Elsewhere returns the files that differ between two contents of the input Elsewhere and are
// none of the inputs; known reports whether both contents are known.
func (r *Decider) Elsewhere(d Difference, inputs []suites.Input) (files []string, known bool) {
	v := versions{d.Path, d.Was, d.Digest}
	if _, asked := r.others[v]; !asked {
		r.others[v] = nil
		if was, now := r.contents(d.Path, d.Was), r.contents(d.Path, d.Digest); len(was) > 0 && len(now) > 0 {
			r.others[v] = append([]string{}, Others(was, now)...)
		}
	}
	for _, f := range r.others[v] {
		if !Places(inputs, f) {
			files = append(files, f)
		}
	}
	return files, r.others[v] != nil
}

// whatChanged describes the change of a file if that is more specific than the reason for the
// input, "" otherwise.
func (r *Decider) whatChanged(d Difference) string {
	if e := r.edit(d); e != nil {
		return e.All
	}
	was, now := r.contents(d.Path, d.Was), r.contents(d.Path, d.Digest)
	switch {
	case strings.HasSuffix(d.Path, "/"):
		return "the names in it changed"
	case strings.HasPrefix(d.Digest, leadsTo) || strings.HasPrefix(d.Was, leadsTo):
		return "it leads elsewhere now"
	case d.Section != "" || len(was) == 0 || len(now) == 0 || was[0] == now[0]:
		return ""
	case now[0] == Runnable:
		return "it can be executed now"
	default:
		return "it cannot be executed any more"
	}
}

// section decides for a section that a marker names. If only comments and white space of a
// script changed, all its sections are unaffected. Of a function that the case enters, the trace
// shows more than the marker.
func (r *Decider) section(q *Question, d Difference) (unaffected bool, because string) {
	for _, file := range q.Changed {
		if file.Path != d.Path || file.Section != "" {
			continue
		}
		e := r.edit(file)
		switch {
		case e == nil:
		case e.None():
			return true, "only comments or white space changed"
		case q.Trace != nil && trace.Entered(e, q.Trace, d.Section):
			if affected, why := trace.Affected(e, q.Trace); !affected {
				return true, why
			}
		}
	}
	return false, cmp.Or(r.whatChanged(d), d.Because)
}

// edit compares the contents of a changed file. It returns nil if they are unknown, or if the
// execute bit changed.
func (r *Decider) edit(d Difference) *trace.Edits {
	if d.Section != "" || path.Ext(d.Path) == ".json" { // a command in a settings file is no script
		return nil
	}
	v := versions{d.Path, d.Was, d.Digest}
	if e, ok := r.edits[v]; ok {
		return e
	}
	var e *trace.Edits
	if was, now := r.contents(d.Path, d.Was), r.contents(d.Path, d.Digest); len(was) > 0 && len(now) > 0 && was[0] == now[0] {
		e = trace.Compare(d.Path, was[1:], now[1:])
	}
	r.edits[v] = e
	return e
}

// An Uncovered is a list of edits of one file that no case executes.
type Uncovered struct {
	Path  string
	Edits []trace.Edit
}

// Uncovered returns the edits seen by Decide that no case executes, given the traces before the
// edit of all cases that may run a path. A file with a nil trace among them has no uncovered
// edits, because the answer is unknown.
func (r *Decider) Uncovered(traces func(path string) []*trace.Trace) []Uncovered {
	var out []Uncovered
	for v, e := range r.edits {
		if e == nil || e.None() {
			continue
		}
		if list := trace.Uncovered(e, traces(v.path)); len(list) > 0 {
			out = append(out, Uncovered{v.path, list})
		}
	}
	slices.SortFunc(out, func(a, b Uncovered) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

// String formats the places, such as "hook.sh: statement changed at lines 3-4 in f".
func (u Uncovered) String() string {
	s := u.Path + ": "
	for i, e := range u.Edits {
		if i > 0 {
			s += "; "
		}
		s += fmt.Sprint(e)
	}
	return s
}

// A Question asks whether a change affects a case.
type Question struct {
	Changed []Difference
	Inputs  []suites.Input // all current dependencies of the case, sorted
	Scripts []string       // that the case's hooks run, source or may run
	Trace   *trace.Trace   // of the case on the previous content; nil if there is none
}

// Contents returns the content of a file with the digest of an input, after one byte that is
// Runnable if the file is executable. It returns nil if the content is not available.
type Contents func(path, digest string) []byte

// A Decider finds the cases that a change cannot affect. Markers widen, traces narrow: a case is
// unaffected only if its hooks merely reach every changed file, and the contents before and
// after, together with the trace of the case, show that the change makes no difference. All
// other cases are affected. It compares each pair of contents once and parses each script once,
// so callers must create a new one after a file changed.
type Decider struct {
	contents Contents
	edits    map[versions]*trace.Edits
	others   map[versions][]string // files that differ elsewhere; nil if unknown
	keys     map[jsonVersions]jsonChange
	readings map[string]reading
	parsed   map[string]*script.Script
}

type versions struct{ path, was, now string }

// NewDecider returns a Decider that reads contents with c.
func NewDecider(c Contents) *Decider {
	return &Decider{
		contents: c,
		edits:    map[versions]*trace.Edits{},
		others:   map[versions][]string{},
		keys:     map[jsonVersions]jsonChange{},
		readings: map[string]reading{},
		parsed:   map[string]*script.Script{},
	}
}

type jsonVersions struct{ was, now string }

// A jsonChange describes the difference between two contents of a JSON file.
type jsonChange struct {
	paths   []KeyPath
	unknown string
}

// A reading describes the keys that the scripts of a hook together read from a JSON file.
type reading struct {
	paths   []KeyPath
	unknown string
	text    string
}

func compareInputs(a, b suites.Input) int {
	return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Section, b.Section))
}

// strength orders the reasons for inputs.
var strength = map[suites.By]int{suites.Reached: 0, suites.Marked: 1, suites.Needed: 2}

// normalised sorts inputs by path and section and removes duplicates. It keeps the first of
// them, with the strongest By of all.
func normalised(inputs []suites.Input) []suites.Input {
	slices.SortStableFunc(inputs, compareInputs)
	kept := inputs[:0]
	for _, in := range inputs {
		last := len(kept) - 1
		if last < 0 || compareInputs(kept[last], in) != 0 {
			kept = append(kept, in)
		} else if strength[in.By] > strength[kept[last].By] {
			kept[last].By = in.By
		}
	}
	return kept
}

// InputsDigest returns the digest of a set of inputs, which is equal if their paths, sections
// and contents are. Order, duplicates and reasons do not matter.
func InputsDigest(inputs []suites.Input) string {
	sum := sha256.New()
	var line []byte
	for _, in := range normalised(slices.Clone(inputs)) {
		line = append(line[:0], in.Path...)
		line = append(append(line, 0), in.Section...)
		line = append(append(line, 0), in.Digest...)
		sum.Write(append(line, '\n'))
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// A Difference is an input that changed. Its Digest is the current one, "" if the content was
// removed or is no longer an input.
type Difference struct {
	suites.Input
	Was  string // the digest before; "" if it was missing or no input
	Kind Kind
}

// A Kind classifies the change of an input.
type Kind int

// The kinds, ordered from changes that the user made to their consequences.
const (
	Edited   Kind = iota // its content changed
	Vanished             // its content was removed
	Appeared             // its content was missing before
	Added                // it was no input before, whatever its content was
	Dropped              // it is no longer an input
)

// Changed returns the inputs whose content differs, and those that were added or dropped with
// content, sorted by kind, then by path and section.
func Changed(before, after []suites.Input) []Difference {
	before, after = normalised(slices.Clone(before)), normalised(slices.Clone(after))
	var diff []Difference
	add := func(in suites.Input, was, now string, kind Kind) {
		if was != now {
			in.Digest = now
			diff = append(diff, Difference{in, was, kind})
		}
	}
	for len(before) > 0 || len(after) > 0 {
		order := 0
		switch {
		case len(before) == 0:
			order = 1
		case len(after) == 0:
			order = -1
		default:
			order = compareInputs(before[0], after[0])
		}
		switch {
		case order < 0:
			add(before[0], before[0].Digest, "", Dropped)
			before = before[1:]
		case order > 0:
			add(after[0], "", after[0].Digest, Added)
			after = after[1:]
		default:
			in := after[0]
			if strength[before[0].By] > strength[in.By] {
				in.By = before[0].By // it was a link, or was named
			}
			add(in, before[0].Digest, after[0].Digest, kindOf(before[0].Digest, after[0].Digest))
			before, after = before[1:], after[1:]
		}
	}
	slices.SortStableFunc(diff, func(a, b Difference) int { return cmp.Compare(a.Kind, b.Kind) })
	return diff
}

func kindOf(was, now string) Kind {
	switch {
	case was == "":
		return Appeared
	case now == "":
		return Vanished
	}
	return Edited
}
