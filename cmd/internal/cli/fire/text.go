package fire

import (
	"fmt"
	"io"
	"strings"
	"time"

	"hookwatch/cmd/internal/cli/page"
	"hookwatch/suites/client"
)

// Text says it for people.
func Text(w io.Writer, doc Document) {
	ran := 0
	for _, h := range doc.Hooks {
		if h.NotRun != "" {
			page.Writef(w, "%s\n  not run: %s\n", h.ID, h.NotRun)
			continue
		}
		ran++
		page.Writef(w, "%s\n", h.Command)
		took := ""
		if doc.Live == nil {
			took = fmt.Sprintf("  in %s", time.Duration(h.DurationMS)*time.Millisecond)
		}
		page.Writef(w, "  exit    %s%s\n", h.ending(), page.Output(took))
		section(w, "stdout", h.Stdout)
		section(w, "stderr", h.Stderr)
		if len(h.LeftBehind) > 0 {
			page.Writef(w, "  left    %s (ended)\n", strings.Join(h.LeftBehind, ", "))
		}
		if doc.Live == nil {
			page.Writef(w, "  effect  %s: %s\n", h.Effect, h.Because)
			for _, text := range h.ModelSees {
				section(w, "model ", text)
			}
		}
	}
	if doc.Live != nil {
		doc.Live.text(w, doc)
	} else if ran > 1 {
		page.Writef(w, "together: %s: %s\n", doc.Effect, doc.Because)
	}
	for _, c := range doc.Changes {
		page.Writef(w, "%s %s\n", c.Kind, c.Path)
	}
	for _, text := range doc.Stopped {
		page.Writef(w, "stopped: %s\n", text)
	}
	page.Isolation(w, doc.Isolation, doc.IsolationWhy)
}

// text says what the client did.
func (l *Live) text(w io.Writer, doc Document) {
	if len(doc.Hooks) == 0 {
		page.Writef(w, "the client fired no hook%s\n", page.Output(without(doc.Event, l.Client)))
	}
	if l.Fault != "" {
		page.Writef(w, "FAULT     %s\n", l.Fault)
		return
	}
	page.Writef(w, "client    %s\n", l.Client)
	if len(doc.Hooks) == 0 {
		return // what the client did, it did without one
	}
	page.Writef(w, "effect    %s: %s\n", doc.Effect, doc.Because)
	told := 0
	for _, h := range doc.Hooks {
		for _, text := range h.ModelSees {
			section(w, "model ", text)
			told++
		}
	}
	if told == 0 {
		page.Writef(w, "model     nothing of it\n")
	}
	if l.Foretold != "" {
		page.Writef(w, "HOOKWATCH IS WRONG  it foretells %s\n", l.Foretold)
	}
}

// without says that a client does not have an event, where that is so.
func without(event, version string) string {
	if about, known := client.EventByName(event); known && version != "" && !about.Known(client.Version(version)) {
		return ": it has no event " + event
	}
	return ""
}

func (h Hook) ending() string {
	switch {
	case h.NotStarted != "":
		return "not started: " + h.NotStarted
	case h.TimedOut:
		return "timed out"
	case h.Signal != "":
		return "by " + h.Signal
	default:
		return fmt.Sprint(h.Exit)
	}
}

func section(w io.Writer, name, text string) {
	if text == "" {
		page.Writef(w, "  %s  (nothing)\n", name)
		return
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if name != "" {
			page.Writef(w, "  %s  %s\n", name, page.Output(line))
		} else {
			page.Writef(w, "          %s\n", page.Output(line))
		}
		name = ""
	}
}
