package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"hookwatch/suites/check"
	"hookwatch/suites/client"
	"hookwatch/suites/disk"
	"hookwatch/suites/process"
)

// newer returns NewerEvents if a file of the project registers hooks of an event that hookwatch does
// not know. Otherwise the client need not be read.
func (p *Project) newer() []string {
	if !slices.ContainsFunc(p.Registered.Ignored, check.NamesUnknownEvent) {
		return nil
	}
	return p.NewerEvents(os.Environ())
}

// NewerEvents returns the events that the installed client names and hookwatch's model lacks. The
// program is read, not run; none is found if there is none, or if it has another form. env is the
// environment in which it is looked up.
func (p *Project) NewerEvents(env []string) []string {
	program, err := process.LookPath(p.Client(), p.Root(), env)
	if err != nil || p.LiveOf.Name != "" {
		return nil
	}
	return slices.DeleteFunc(p.clientEvents(program), func(event string) bool {
		_, known := client.EventByName(event)
		return known
	})
}

// clientEvents returns the events that a program names. They are kept in the user's state folder,
// because the program has hundreds of megabytes.
func (p *Project) clientEvents(program string) (events []string) {
	f, err := os.Open(program)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	digest := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%d", program, info.Size(), info.ModTime().UnixNano()))
	dir, name := filepath.Join(p.Config.State, "hookwatch", "clients"), hex.EncodeToString(digest[:8])+".json"
	if d, err := disk.Open(disk.Existing(p.Config.State), dir); err == nil {
		data, err := d.ReadFile(name, 1<<16)
		_ = d.Close()
		if err == nil && json.Unmarshal(data, &events) == nil {
			return events
		}
	}
	if events, err = readEvents(f); err != nil || p.Config.State == "" {
		return events
	}
	if d, err := disk.Make(disk.Existing(p.Config.State), dir); err == nil { // otherwise it is read again
		data, _ := json.Marshal(events) // texts always encode
		_ = d.Replace(name, data, disk.Unsynced)
		_ = d.Close()
	}
	return events
}

// eventList matches a list of events in the client's code.
var eventList = regexp.MustCompile(`^\[\s*["']PreToolUse["'](?:\s*,\s*["'][A-Za-z]+["'])+`)

var eventName = regexp.MustCompile(`[A-Za-z]+`)

// readEvents returns the longest list of events in a program.
func readEvents(r io.Reader) (events []string, err error) {
	const portion, overlap = 4 << 20, 1 << 16
	buffer := make([]byte, overlap+portion)
	kept := 0
	for {
		n, err := io.ReadFull(r, buffer[kept:])
		text := buffer[:kept+n]
		for at := 0; ; {
			i := bytes.Index(text[at:], []byte("PreToolUse"))
			if i < 0 {
				break
			}
			at += i + 1
			before := max(0, at-16)
			open := bytes.LastIndexByte(text[before:at], '[')
			if open < 0 {
				continue
			}
			from := before + open
			found := eventList.Find(text[from:min(len(text), from+overlap)])
			if names := eventName.FindAllString(string(found), -1); len(names) > len(events) {
				events = names
			}
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return events, nil
		case err != nil:
			return nil, err
		}
		kept = copy(buffer, text[len(text)-overlap:])
	}
}
