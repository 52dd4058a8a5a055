package fire

import (
	"fmt"
	"io"
	"strings"
	"time"

	"hookwatch/cmd/internal/cli/page"
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
		page.Writef(w, "  exit    %s  in %s\n", h.ending(), time.Duration(h.DurationMS)*time.Millisecond)
		section(w, "stdout", h.Stdout)
		section(w, "stderr", h.Stderr)
		if len(h.LeftBehind) > 0 {
			page.Writef(w, "  left    %s (ended)\n", strings.Join(h.LeftBehind, ", "))
		}
		page.Writef(w, "  effect  %s: %s\n", h.Effect, h.Because)
		for _, text := range h.ModelSees {
			section(w, "model ", text)
		}
	}
	if ran > 1 {
		page.Writef(w, "together: %s: %s\n", doc.Effect, doc.Because)
	}
	for _, c := range doc.Changes {
		page.Writef(w, "%s %s\n", c.Kind, c.Path)
	}
	for _, text := range doc.Stopped {
		page.Writef(w, "stopped: %s\n", text)
	}
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
