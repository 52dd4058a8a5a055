package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"hookwatch/suites"
)

// A ledger keeps findings in a file, a JSON object a line, so that a scoring
// that was stopped goes on where it was. Without a file it keeps nothing.
type ledger struct {
	file  *os.File
	known map[identity]entry // the last one of each
}

// An entry is a finding with what it rests on: one that was killed, on the case
// that killed it and all that this depends on; one that survived, on all cases
// that took part.
type entry struct {
	Mutant  identity `json:"mutant"`
	Content string   `json:"content"` // digest of the edited file
	Basis   string   `json:"basis"`
	Suite   string   `json:"suite,omitempty"` // of the case that killed it
	ID      string   `json:"id,omitempty"`
	Why     string   `json:"why,omitempty"`
	Hung    bool     `json:"hung,omitempty"`
	Ran     int      `json:"ran"`
	Millis  int64    `json:"millis"`
}

// openLedger reads what is in a file and makes it ready for more. A line that is
// torn, as the last one of a run that was ended can be, is passed over.
func openLedger(name string) (*ledger, error) {
	l := &ledger{known: map[identity]entry{}}
	if name == "" {
		return l, nil
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	l.file = f
	if err := l.read(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return l, nil
}

func (l *ledger) read() error {
	r := bufio.NewReader(l.file)
	for {
		line, err := r.ReadBytes('\n')
		if e, ok := parseEntry(line); ok {
			l.known[e.Mutant] = e
		}
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0:
			return nil
		case errors.Is(err, io.EOF):
			_, err = l.file.WriteString("\n") // ends the torn line
			return err
		case err != nil:
			return err
		}
	}
}

func parseEntry(line []byte) (entry, bool) {
	var e entry
	if err := json.Unmarshal(bytes.TrimSpace(line), &e); err != nil || e.Mutant == (identity{}) || e.Basis == "" {
		return entry{}, false
	}
	return e, true
}

func (l *ledger) add(e entry) error {
	if l.file == nil {
		return nil
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = l.file.Write(append(line, '\n'))
	return err
}

func (l *ledger) close() {
	if l.file != nil {
		_ = l.file.Close()
	}
}

// keep writes a finding down.
func (s *scoring) keep(f finding) error {
	return s.ledger.add(entry{
		Mutant: f.id, Content: digest(string(f.Content)), Basis: s.basisOf(f.Killer),
		Suite: f.Killer.Suite, ID: f.Killer.ID, Why: f.Why, Hung: f.Hung, Ran: f.Ran, Millis: f.Took.Milliseconds(),
	})
}

// recall is what an earlier run found of a mutant, if it would find the same now.
func (s *scoring) recall(m subject) (finding, bool) {
	e, ok := s.ledger.known[m.id]
	killer := suites.Key{Suite: e.Suite, ID: e.ID}
	if !ok || e.Content != digest(string(m.Content)) || e.Basis != s.basisOf(killer) {
		return finding{}, false
	}
	return finding{subject: m, Killer: killer, Why: e.Why, Hung: e.Hung, Ran: e.Ran, Took: time.Duration(e.Millis) * time.Millisecond}, true
}

// basisOf is what a finding rests on: a case, or all of them where none killed.
func (s *scoring) basisOf(killer suites.Key) string {
	if killer == (suites.Key{}) {
		return s.panel.whole
	}
	for i, c := range s.lab.cases {
		if c.Key() == killer && s.panel.takesPart[i] {
			return s.panel.basis[i]
		}
	}
	return "" // nothing can rest on it any more
}

func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
