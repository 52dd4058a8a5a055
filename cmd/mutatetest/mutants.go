package main

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/depend"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/mutate"
)

// Study are the operators that selection was first measured by.
var Study = []string{"delete", "negate", "constant", "swap", "exit", "insert"}

// OperatorNames are in the order of the table. "library" is the study's operators on the files that a
// hook sources or runs, "second" an edit after another one.
var OperatorNames = append(slices.Clone(Study), "print", "arm", "lines", "reorder", "global", "rename", "library", "second",
	"key-value", "key-remove", "key-add", "registration", "data", "comment", "blank", "indent", "key-space")

// A kind of edits is drawn by itself: an operator's in one hook, in all libraries
// or in all documents.
type kind struct{ operator, hook string }

// choose makes the mutants of the hooks, of the libraries they execute and
// of the JSON files they depend on: of each kind as many as were asked for, by
// the seed.
func (b *measurement) choose() []mutate.Mutant {
	edits := map[kind][]candidate{}
	for _, file := range executed(b.traces) {
		s, err := b.lab.script(file, b.seed)
		if err != nil {
			fmt.Fprintf(b.out, "no mutants of %s: %v\n", file, err)
			continue
		}
		b.ofScript(s, edits)
	}
	for _, file := range b.standing.documents() {
		d, err := b.document(file)
		if err != nil {
			fmt.Fprintf(b.out, "no mutants of %s: %v\n", file, err)
			continue
		}
		for op, of := range DocumentOperators {
			for _, c := range of(d) {
				edits[kind{op, ""}] = append(edits[kind{op, ""}], candidate{d, c})
			}
		}
	}
	for _, file := range b.rule.data() {
		text, err := os.ReadFile(filepath.Join(b.lab.root, filepath.FromSlash(file)))
		if err != nil || depend.IsBinary(text) {
			continue
		}
		t := &Text{file, text}
		for _, c := range t.Lines() {
			edits[kind{"data", ""}] = append(edits[kind{"data", ""}], candidate{t, c})
		}
	}
	var chosen [][]mutate.Mutant
	for _, op := range b.operators {
		var hooks []string
		for k := range edits {
			if k.operator == op {
				hooks = append(hooks, k.hook)
			}
		}
		slices.Sort(hooks)
		for _, hook := range hooks {
			chosen = append(chosen, b.sample(kind{op, hook}, edits[kind{op, hook}]))
		}
	}
	return mutate.Interleave(chosen)
}

// ofScript adds the edits of a script by operator; those of a library are only
// the study's, and stand in a row of their own.
func (b *measurement) ofScript(s mutate.Script, edits map[kind][]candidate) {
	for _, op := range OperatorNames {
		k := kind{op, s.Path()}
		if !b.isHook(s.Path()) {
			if !slices.Contains(Study, op) {
				continue
			}
			k = kind{"library", ""}
		}
		for _, c := range s.Changes(op) {
			edits[k] = append(edits[k], candidate{s, c})
		}
	}
	twice := kind{"second", s.Path()}
	for _, c := range s.Changes("lines") {
		edits[twice] = append(edits[twice], candidate{Second{Script: s, Seed: b.seed}, c})
	}
}

// A candidate is an edit that was not tried yet.
type candidate struct {
	of interface {
		Mutant(operator string, c mutate.Change) (mutate.Mutant, bool)
	}
	change mutate.Change
}

// sample makes some of the edits, by the seed and nothing else, until there are
// enough that can be parsed.
func (b *measurement) sample(k kind, all []candidate) []mutate.Mutant {
	h := fnv.New64a()
	h.Write([]byte(k.operator + " " + k.hook))
	random := rand.New(rand.NewPCG(b.seed, h.Sum64()))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	var list []mutate.Mutant
	for _, c := range all {
		if b.max > 0 && len(list) == b.max {
			break
		}
		if m, ok := c.of.Mutant(k.operator, c.change); ok {
			list = append(list, m)
		}
	}
	return list
}

// executed are the scripts of the project that any of the traces executed.
func executed(traces []*trace.Trace) []string {
	set := map[string]bool{}
	for _, t := range traces {
		if t != nil {
			for file := range t.Files {
				set[file] = !path.IsAbs(file)
			}
		}
	}
	maps.DeleteFunc(set, func(_ string, inside bool) bool { return !inside })
	return slices.Sorted(maps.Keys(set))
}

func (b *measurement) isHook(file string) bool {
	return slices.ContainsFunc(b.lab.cases, func(c *suites.Case) bool { return c.Hook == file })
}

func (l *lab) script(file string, seed uint64) (mutate.Script, error) {
	text, err := os.ReadFile(filepath.Join(l.root, filepath.FromSlash(file)))
	if err != nil {
		return nil, err
	}
	return mutate.NewScript(file, text, seed)
}

func (b *measurement) document(file string) (*Document, error) {
	text, err := os.ReadFile(filepath.Join(b.lab.root, filepath.FromSlash(file)))
	if err != nil {
		return nil, err
	}
	return NewDocument(file, text)
}

// Second makes edits of a script that was edited before. Cases that the first edit did not affect
// are selected by the traces that they had then.
type Second struct {
	Script mutate.Script
	Seed   uint64
}

// Mutant returns the script after a change and a random one after it.
func (s Second) Mutant(op string, c mutate.Change) (mutate.Mutant, bool) {
	first, ok := s.Script.Mutant(op, c)
	if !ok {
		return mutate.Mutant{}, false
	}
	next, err := mutate.NewScript(s.Script.Path(), first.Content, s.Seed)
	if err != nil {
		return mutate.Mutant{}, false
	}
	var edits []mutate.Change
	for _, name := range Study {
		edits = append(edits, next.Changes(name)...)
	}
	random := rand.New(rand.NewPCG(uint64(len(first.Content)), s.Seed))
	for range edits {
		m, ok := next.Mutant(op, edits[random.IntN(len(edits))])
		if ok {
			m.First, m.What = first.Original, m.What+" after "+first.What
			return m, true
		}
	}
	return mutate.Mutant{}, false
}
