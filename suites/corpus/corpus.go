// Package corpus keeps the input that hooks got in real sessions of a project, for replaying it to
// edited hooks. Secrets and personal names are replaced before anything is written.
package corpus

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/check"
	"hookwatch/suites/client"
	"hookwatch/suites/disk"
	"hookwatch/suites/jsontree"
)

// Bounds of a corpus.
const (
	MostPayloads = 2000     // of an event; the newest are kept
	mostBytes    = 64 << 20 // of an event
	// LargestPayload is the size in bytes above which a payload is not kept.
	LargestPayload = 1 << 20
)

// A Corpus is the directory with the payloads of a project: one file for each in a directory for
// its event, named by its digest, and the key of the redactor. Several processes may add payloads
// at a time.
type Corpus struct {
	dir  *disk.Dir
	home string
	most int // payloads of an event
	*Redactor
}

const keyName, suffix = "key", ".json"

// Make opens the corpus of a project in a directory, and creates it if it is missing. The directory
// is below base, which exists; root is the project, and home the user's home directory.
func Make(base, dir, root, home string) (*Corpus, error) {
	d, err := disk.Make(base, dir)
	if err != nil {
		return nil, err
	}
	if f, err := d.Create(keyName, 0o600); err == nil {
		_, err = f.WriteString(rand.Text())
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, errors.Join(err, d.Close())
		}
	}
	return open(d, root, home)
}

// Open opens a corpus that exists.
func Open(dir, root, home string) (*Corpus, error) {
	d, err := disk.Open(dir, dir)
	if err != nil {
		return nil, err
	}
	return open(d, root, home)
}

func open(d *disk.Dir, root, home string) (*Corpus, error) {
	key, err := d.ReadFile(keyName, 1<<10)
	if err == nil && len(key) == 0 {
		err = fmt.Errorf("%s is empty (remove it)", filepath.Join(d.Path(), keyName))
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return &Corpus{d, home, MostPayloads, NewRedactor(key, root, home)}, nil
}

// Close closes the directory.
func (c *Corpus) Close() error { return c.dir.Close() }

// Dir returns the directory, for files about the payloads.
func (c *Corpus) Dir() *disk.Dir { return c.dir }

// A Payload is a recorded input of hooks, without secrets and without the fields that differ
// between equal calls.
type Payload struct {
	ID    string          `json:"id"`
	Event string          `json:"event"`
	Tool  string          `json:"tool,omitempty"`
	Last  time.Time       `json:"last"` // when it was recorded last
	Input json.RawMessage `json:"input"`
}

// Shape returns the names of the fields, with those of the tool's input.
func (p Payload) Shape() string {
	v, _ := jsontree.Parse(p.Input)
	names := func(v jsontree.Value) (list []string) {
		for _, m := range v.Members {
			list = append(list, m.Key)
		}
		slices.Sort(list)
		return list
	}
	input, _ := v.Get("tool_input")
	return strings.Join(names(v), " ") + " : " + strings.Join(names(input), " ")
}

// Label returns what the payload is about, short.
func (p Payload) Label() string {
	var in struct {
		Prompt string `json:"prompt"`
		Input  struct {
			Command string `json:"command"`
			File    string `json:"file_path"`
		} `json:"tool_input"`
	}
	_ = json.Unmarshal(p.Input, &in) // fields of other types are none of these
	return check.Short(cmp.Or(in.Input.Command, in.Input.File, in.Prompt, string(p.Input)))
}

// errNoPayload is the error for text that no known client sends to hooks.
var errNoPayload = errors.New("not a payload: a JSON object with a hook_event_name is expected")

// Add adds a payload that the client sent at a time. It reports whether the corpus did not have an
// equal one.
func (c *Corpus) Add(payload []byte, at time.Time) (added bool, err error) {
	event, input, err := c.input(payload)
	if err != nil {
		return false, err
	}
	id := idOf(input)
	d, err := c.dir.MakeSub(event)
	if err != nil {
		return false, err
	}
	defer d.Close()
	f, err := d.Create(id+suffix, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		if known, err := d.Lstat(id + suffix); err != nil || known.ModTime().After(at) {
			return false, err
		}
		return false, d.Touch(id+suffix, at)
	case err != nil:
		return false, err
	}
	_, err = f.Write(input)                                                                 // a process that is killed here leaves a file without its digest, which is not read
	if err = errors.Join(err, f.Close(), d.Touch(id+suffix, at)); err == nil && id < "08" { // one of 32, because it reads the directory
		err = c.prune(d)
	}
	return true, err
}

func idOf(input []byte) string {
	sum := sha256.Sum256(input)
	return hex.EncodeToString(sum[:8])
}

// input returns a payload in the form that is kept, and its event.
func (c *Redactor) input(payload []byte) (event string, kept []byte, err error) {
	if len(payload) > LargestPayload {
		return "", nil, fmt.Errorf("a payload of %d bytes is not kept", len(payload))
	}
	v, err := jsontree.Parse(payload)
	if err != nil {
		return "", nil, fmt.Errorf("not a payload: %w", err)
	}
	name, _ := v.Get("hook_event_name")
	event, _ = name.Scalar.(string)
	if _, known := client.EventByName(event); !known {
		return "", nil, errNoPayload
	}
	var members []jsontree.Member
	for _, m := range v.Members {
		text, isText := m.Value.Scalar.(string)
		switch fixed, varies := client.Varying[m.Key]; {
		case varies && fixed == "", m.Key == "cwd" && isText && slices.Contains(c.roots, text):
			continue // the runner sets it
		case varies:
			m.Value = jsontree.Value{Scalar: fixed}
		}
		members = append(members, m)
	}
	var b bytes.Buffer
	v.Members = members
	c.value(&b, "", v)
	return event, b.Bytes(), nil
}

// prune deletes the oldest payloads of an event beyond the bounds.
func (c *Corpus) prune(d *disk.Dir) error {
	all, err := list(d)
	size := int64(0)
	for i, f := range all {
		if size += f.Size(); i >= c.most || size > mostBytes {
			err = errors.Join(err, d.Remove(f.Name()))
		}
	}
	return err
}

// list returns the files of an event, newest first.
func list(d *disk.Dir) (all []fs.FileInfo, err error) {
	entries, err := d.ReadDir()
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), suffix) {
			all = append(all, info)
		}
	}
	slices.SortFunc(all, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), strings.Compare(a.Name(), b.Name()))
	})
	return all, err
}

// Payloads returns the recorded payloads, newest first.
func (c *Corpus) Payloads() (all []Payload, err error) {
	for _, e := range client.Events() {
		d, err := c.dir.Sub(e.Name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		some, err := c.read(d, e.Name)
		if err = errors.Join(err, d.Close()); err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	slices.SortStableFunc(all, func(a, b Payload) int { return b.Last.Compare(a.Last) })
	return all, nil
}

// read reads the payloads of an event. Incomplete files and those beyond the bounds are deleted.
func (c *Corpus) read(d *disk.Dir, event string) (all []Payload, err error) {
	if err := c.prune(d); err != nil {
		return nil, err
	}
	files, err := list(d)
	for _, f := range files {
		id := strings.TrimSuffix(f.Name(), suffix)
		text, err := d.ReadFile(f.Name(), 2*LargestPayload)
		if errors.Is(err, fs.ErrNotExist) {
			continue // another process deleted it
		}
		if err != nil {
			return nil, err
		}
		if idOf(text) != id {
			if time.Since(f.ModTime()) > time.Minute { // otherwise it may be written now
				_ = d.Remove(f.Name())
			}
			continue
		}
		var named struct {
			Tool string `json:"tool_name"`
		}
		_ = json.Unmarshal(text, &named) // its digest shows that hookwatch wrote it
		all = append(all, Payload{id, event, named.Tool, f.ModTime(), text})
	}
	return all, err
}

// Case returns a case that sends the payload to every hook registered for it.
func (c *Corpus) Case(p Payload) *suites.Case {
	out := &suites.Case{
		Suite: "recorded", ID: p.ID, Name: "recorded_" + p.ID, Category: "recorded", Layer: suites.Direct, Chain: true,
		Steps: []suites.Step{{Event: p.Event, Tool: p.Tool, Payload: p.overrides()}},
	}
	var in struct{ Cwd string }
	_ = json.Unmarshal(p.Input, &in)
	if below, ok := strings.CutPrefix(in.Cwd, Project+"/"); ok && disk.IsDir(filepath.Join(c.roots[0], below)) {
		out.CaseEnv = &suites.CaseEnv{Cwd: below}
	}
	return out
}

// Restore gives the user's home directory its own name again, so that hooks which compare it decide
// as in the session. Such a case must not be written.
func (c *Corpus) Restore(out *suites.Case) *suites.Case {
	payload := strings.NewReplacer(c.Text(c.home), c.home).Replace(string(out.Steps[0].Payload))
	out.Steps[0].Payload = json.RawMessage(payload)
	return out
}

// overrides returns the fields that differ from the payload that hookwatch makes for the event and the
// tool. Braces in strings are escaped, because what looks like a template of cases is none.
func (p Payload) overrides() []byte {
	v, _ := jsontree.Parse(p.Input)
	var b bytes.Buffer
	b.WriteByte('{')
	for _, m := range v.Members {
		if m.Key == "hook_event_name" || m.Key == "tool_name" {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		quote(&b, m.Key)
		b.WriteByte(':')
		text, within := p.Input[m.Value.Start:m.Value.End], false
		for i := 0; i < len(text); i++ {
			switch {
			case text[i] == '"':
				within = !within
			case within && text[i] == '\\':
				b.WriteByte(text[i])
				i++
			case within && text[i] == '{' && !bytes.HasPrefix(text[i:], []byte(Project)):
				b.WriteString(`\u007b`)
				continue
			}
			b.WriteByte(text[i])
		}
	}
	b.WriteByte('}')
	return b.Bytes()
}
