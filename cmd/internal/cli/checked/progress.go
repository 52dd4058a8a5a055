package checked

import (
	"io"

	"hookwatch/cmd/internal/cli/page"
	"hookwatch/suites/conform"
)

// A Progressing is a line on a terminal that tells how far a check is, and is
// overwritten as it goes on.
type Progressing struct {
	w          io.Writer // nil shows nothing
	done, hook int
}

// Progress begins the line, for so many hooks. It is for a person who waits: where
// shown is false nothing is written.
func Progress(w io.Writer, shown bool, hooks int) *Progressing {
	if !shown || hooks == 0 {
		return &Progressing{}
	}
	p := &Progressing{w: w, hook: hooks}
	p.line("")
	return p
}

// Done says that all is known of one hook.
func (p *Progressing) Done(r conform.Report) {
	if p.w == nil {
		return
	}
	p.done++
	const most = 40
	name := []rune(r.Hook.ID)
	p.line(string(name[:min(len(name), most)]))
}

func (p *Progressing) line(last string) {
	page.Writef(p.w, clearLine+"firing hooks: %d of %d  %s", p.done, p.hook, last)
}

// End takes the line away.
func (p *Progressing) End() {
	if p.w != nil {
		page.Writef(p.w, clearLine)
	}
}

// clearLine goes to the line's beginning and empties it.
const clearLine = "\r\x1b[K"
