package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
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

// record appends the session to a file.
func (s *sessionOnDisk) record(file string, seen []observed) error {
	for _, o := range seen {
		for at := range o.Firings {
			f := &o.Firings[at]
			f.Because = "" // words of programs of the machine
			for i := range f.Runs {
				r := &f.Runs[i]
				kept := func(kind string) bool { return known(s.project, difference{kind: kind, hooks: []string{r.N}}) != "" }
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

// replay writes the project of a recording and compares hookwatch with what the client did.
func replay(ctx context.Context, line []byte) (p project, all []difference, err error) {
	var r recording
	if err = json.Unmarshal(line, &r); err != nil {
		return p, nil, err
	}
	for _, e := range r.Project.Entries {
		for key, value := range e.Keys { // in TOML 5.0 is no whole number
			if number, ok := value.(float64); ok && number == math.Trunc(number) {
				e.Keys[key] = int(number)
			}
		}
	}
	s := &sessionOnDisk{project: r.Project, recorded: true}
	if s.draws, err = readDraws(r.Project.Client); err != nil {
		return r.Project, nil, err
	}
	defer func() { s.remove() }()
	if err = s.write(); err != nil {
		return r.Project, nil, err
	}
	r.Seen = nil
	if err = json.Unmarshal(bytes.ReplaceAll(line, []byte("{dir}"), []byte(s.dir)), &r); err != nil {
		return s.project, nil, err
	}
	for i, o := range r.Seen {
		for j := range o.Firings {
			f := &o.Firings[j]
			f.Turn = i
			for k := range f.Runs {
				f.Runs[k].Stdin = cmp.Or(f.Runs[k].Stdin, f.Stdin)
			}
		}
	}
	all, err = s.compare(ctx, r.Seen)
	return s.project, all, err
}
