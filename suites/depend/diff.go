package depend

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"hookwatch/suites"
)

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
