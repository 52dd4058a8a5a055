package mutants

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strconv"

	"hookwatch/suites/depend/trace"
)

// pythonEdits finds the edits with Python's own parser, so that they do not depend on the one that
// is tested.
//
//go:embed python.py
var pythonEdits string

// pythonScript is a script of Python.
type pythonScript struct {
	file  string
	text  []byte
	edits map[string][]Change
}

func newPython(file string, text []byte, seed uint64) (Script, error) {
	cmd := exec.Command("python3", "-I", "-c", pythonEdits, strconv.FormatUint(seed, 10))
	cmd.Stdin = bytes.NewReader(text)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, stderr.String())
	}
	var found map[string][][4]any
	if err := json.Unmarshal(out, &found); err != nil {
		return nil, err
	}
	s := &pythonScript{file, text, map[string][]Change{}}
	for op, list := range found {
		for _, e := range list {
			s.edits[op] = append(s.edits[op], Change{int(e[0].(float64)), int(e[1].(float64)), e[2].(string), e[3].(string)})
		}
	}
	return s, nil
}

// Path implements Script.
func (s *pythonScript) Path() string { return s.file }

// Changes implements Script.
func (s *pythonScript) Changes(operator string) []Change { return s.edits[operator] }

// Mutant implements Script. Python compiled the change before.
func (s *pythonScript) Mutant(op string, c Change) (Mutant, bool) {
	content := slices.Concat(s.text[:c.From], []byte(c.With), s.text[c.To:])
	if cosmetic[op] {
		old, errOld := trace.Parse(s.file, s.text)
		parsed, err := trace.Parse(s.file, content)
		if errOld != nil || err != nil || parsed.Structure != old.Structure {
			return Mutant{}, false
		}
	}
	return Mutant{Operator: op, File: s.file, What: c.What, Original: s.text, Content: content, Line: 1 + bytes.Count(s.text[:c.From], []byte("\n"))}, true
}
