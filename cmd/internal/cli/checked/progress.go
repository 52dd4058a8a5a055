package checked

import (
	"io"

	"hookwatch/cmd/internal/check"
	"hookwatch/cmd/internal/cli/page"
	"hookwatch/cmd/internal/notify"
)

// A Line is a line on a terminal that shows how far a check is, and is overwritten as
// the check goes on.
type Line struct {
	w     io.Writer // nil shows nothing
	hooks int
}

// NewLine shows the line for a number of hooks, unless shown is false.
func NewLine(w io.Writer, shown bool, hooks int) *Line {
	if !shown || hooks == 0 {
		return &Line{}
	}
	l := &Line{w: w, hooks: hooks}
	l.Show(check.Progress{})
	return l
}

// Show replaces the line.
func (l *Line) Show(p check.Progress) {
	if l.w == nil {
		return
	}
	const most = 40
	name := []rune(p.Hook)
	page.Writef(l.w, clearLine+"firing hooks: %d of %d  %s  %s", p.Done, l.hooks, notify.Count(p.Firings, "firing"), string(name[:min(len(name), most)]))
}

// End removes the line.
func (l *Line) End() {
	if l.w != nil {
		page.Writef(l.w, clearLine)
	}
}

// clearLine goes to the line's beginning and empties it.
const clearLine = "\r\x1b[K"
