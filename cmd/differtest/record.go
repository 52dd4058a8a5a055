package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
)

// A recording is a project with what the client did in it, without what is of the machine: {dir} is the
// directory of the project, and -dir- its form in names of files.
type recording struct {
	Project project    `json:"project"`
	Seen    []observed `json:"seen"`
}

// machines are the variables that depend on the machine.
var machines = []string{"PATH", "LANG", "SHELL", "HOME", "_"}

func readProjects(file string) (all []project, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		var r recording
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		r.Project.wholeNumbers()
		all = append(all, r.Project)
	}
	return all, nil
}

// wholeNumbers makes numbers that JSON reads as 5.0 whole, which TOML tells apart.
func (p project) wholeNumbers() {
	for _, e := range p.Entries {
		for key, value := range e.Keys {
			if number, ok := value.(float64); ok && number == math.Trunc(number) {
				e.Keys[key] = int(number)
			}
		}
	}
}

func (s *sessionOnDisk) record(file string, seen []observed) error {
	for _, o := range seen {
		for at := range o.Firings {
			f := &o.Firings[at]
			f.Because = "" // words of programs of the machine
			for i := range f.Runs {
				r := &f.Runs[i]
				kept := func(kind string) bool { return explain(s.project, difference{kind: kind, hooks: []string{r.N}}) != "" }
				maps.DeleteFunc(r.Env, func(name, _ string) bool {
					return slices.Contains(machines, name) || kept("env: only the client sets "+name)
				})
				for name := range r.Env {
					if kept("env: value of " + name) {
						r.Env[name] = ""
					}
				}
				if r.Stdin == f.Stdin {
					r.Stdin = ""
				}
			}
		}
	}
	line, err := json.Marshal(recording{s.project, seen})
	if err != nil {
		return err
	}
	text := strings.NewReplacer(s.dir, "{dir}", strings.ReplaceAll(s.dir, "/", "-"), "-dir-").Replace(string(line))
	out, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = out.WriteString(text + "\n")
	return errors.Join(err, out.Close())
}
