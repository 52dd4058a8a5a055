package editstest

import (
	"path"
	"time"
)

// A way is a way of editing files.
type way struct {
	name   string
	weight int
	edit   func(*Generator)
}

// changing are the ways that change content, at least for a moment.
var changing = []way{
	{"vim", 4, func(g *Generator) { f := g.file(); g.vim(f, g.text(f)) }},
	{"vim, backup by copy", 2, vimCopy},
	{"emacs", 3, emacs},
	{"VS Code", 4, func(g *Generator) { f := g.file(); g.truncated(f, g.text(f)) }},
	{"JetBrains", 3, jetBrains},
	{"sed -i", 3, func(g *Generator) { f := g.file(); g.renamed(f, sibling(f, "sed"+g.letters(6)), g.text(f)) }},
	{"save by rename", 2, func(g *Generator) { f := g.file(); g.renamed(f, around(f, "", ".tmp"), g.text(f)) }},
	{"save in pieces", 2, pieces},
	{"there and back", 4, thereAndBack},
	{"delete and recreate", 4, recreate},
	{"delete", 1, func(g *Generator) { g.add(Op{Verb: Remove, Path: g.file()}) }},
	{"restored while others are saved", 4, restored},
	{"saved again and again", 2, again},
	{"two files exchanged", 2, exchange},
	{"directory renamed and back", 3, renameDir},
	{"directory replaced", 2, replaceDir},
	{"link", 4, link},
	{"git checkout", 2, checkout},
	{"times", 2, times},
	{"many files", 1, many},
	{"overflow", 1, overflow},
}

// still are the ways that change nothing, not even for a moment.
var still = []way{
	{"saved unchanged", 3, func(g *Generator) { f := g.file(); g.same(f, around(f, "", ".tmp")) }},
	{"saved unchanged by JetBrains", 1, func(g *Generator) { f := g.file(); g.same(f, around(f, "", "___jb_tmp___")) }},
	{"touched", 3, func(g *Generator) { g.add(Op{Verb: Chtimes, Path: g.file(), By: g.shift()}) }},
	{"looked at by an editor", 2, lookedAt},
	{"file of no concern", 2, noConcern},
}

// vim renames the file away, writes a new one and removes the old one. Before that it
// checks whether the directory is writable.
func (g *Generator) vim(f, text string) {
	probe := sibling(f, "4913")
	g.add(Op{Verb: Truncate, Path: probe}, Op{Verb: Remove, Path: probe}, Op{Verb: Rename, Path: f, To: f + "~"})
	g.maybe()
	g.add(Op{Verb: Truncate, Path: f}, Op{Verb: Append, Path: f, Text: text}, Op{Verb: Chmod, Path: f, Mode: 0o755})
	g.add(Op{Verb: Remove, Path: f + "~"})
}

func vimCopy(g *Generator) {
	f := g.file()
	g.add(Op{Verb: Copy, Path: f, To: f + "~"})
	g.truncated(f, g.text(f))
	g.add(Op{Verb: Remove, Path: f + "~"})
}

// emacs uses a broken link as a lock, and keeps a backup.
func emacs(g *Generator) {
	f := g.file()
	lock := around(f, ".#", "")
	g.add(Op{Verb: Symlink, Path: lock, Text: "person@host.4711:1700000000"})
	g.add(Op{Verb: Append, Path: around(f, "#", "#"), Text: g.text(f)}, Op{Verb: Rename, Path: f, To: f + "~"})
	g.maybe()
	g.add(Op{Verb: Truncate, Path: f}, Op{Verb: Append, Path: f, Text: g.text(f)}, Op{Verb: Chmod, Path: f, Mode: 0o755})
	g.add(Op{Verb: Remove, Path: around(f, "#", "#")}, Op{Verb: Remove, Path: lock})
}

// truncated empties the file and writes it.
func (g *Generator) truncated(f, text string) {
	g.add(Op{Verb: Truncate, Path: f})
	g.maybe()
	g.add(Op{Verb: Append, Path: f, Text: text})
}

func jetBrains(g *Generator) {
	f := g.file()
	tmp, old := around(f, "", "___jb_tmp___"), around(f, "", "___jb_old___")
	g.add(Op{Verb: Append, Path: tmp, Text: g.text(f)}, Op{Verb: Chmod, Path: tmp, Mode: 0o755})
	g.add(Op{Verb: Rename, Path: f, To: old})
	g.maybe()
	g.add(Op{Verb: Rename, Path: tmp, To: f}, Op{Verb: Remove, Path: old})
}

// renamed writes another file and renames it over f.
func (g *Generator) renamed(f, tmp, text string) {
	g.add(Op{Verb: Truncate, Path: tmp}, Op{Verb: Append, Path: tmp, Text: text}, Op{Verb: Chmod, Path: tmp, Mode: 0o755})
	g.maybe()
	g.add(Op{Verb: Rename, Path: tmp, To: f})
}

// same saves f unchanged.
func (g *Generator) same(f, tmp string) {
	g.add(Op{Verb: Copy, Path: f, To: tmp}, Op{Verb: Rename, Path: tmp, To: f})
}

func pieces(g *Generator) {
	f := g.file()
	text := g.text(f)
	g.add(Op{Verb: Truncate, Path: f})
	for len(text) > 0 {
		n := 1 + g.r.IntN(len(text))
		g.add(Op{Verb: Append, Path: f, Text: text[:n]})
		g.maybe()
		text = text[n:]
	}
}

// thereAndBack saves another content and restores the old one.
func thereAndBack(g *Generator) {
	f := g.file()
	kept := path.Join(g.p.Spare, "kept")
	g.add(Op{Verb: Copy, Path: f, To: kept})
	g.renamed(f, around(f, "", ".tmp"), g.text(f))
	g.pause()
	g.same2(kept, f)
}

// same2 replaces f by kept, in place or by renaming.
func (g *Generator) same2(kept, f string) {
	if g.r.IntN(2) == 0 {
		g.add(Op{Verb: Copy, Path: kept, To: f}, Op{Verb: Remove, Path: kept})
	} else {
		g.add(Op{Verb: Rename, Path: kept, To: f})
	}
}

func recreate(g *Generator) {
	f := g.file()
	g.add(Op{Verb: Remove, Path: f})
	g.pause()
	g.truncated(f, g.text(f))
}

// restored moves a file away, saves others, and moves the file back. A case may run in the
// meantime.
func restored(g *Generator) {
	f := g.file()
	g.add(Op{Verb: Rename, Path: f, To: path.Join(g.p.Spare, "kept")})
	for range 1 + g.r.IntN(2) {
		other := g.file()
		g.renamed(other, around(other, "", ".tmp"), g.text(other))
		g.pause()
	}
	g.same2(path.Join(g.p.Spare, "kept"), f)
}

// again saves one file many times, each time while its cases may be running.
func again(g *Generator) {
	f := g.file()
	for range 4 + g.r.IntN(8) {
		g.truncated(f, g.text(f))
		g.add(Op{Verb: Pause, By: time.Duration(1+g.r.IntN(12)) * time.Millisecond})
	}
}

func exchange(g *Generator) {
	a, b := g.file(), g.file()
	kept := path.Join(g.p.Spare, "kept")
	g.add(Op{Verb: Rename, Path: a, To: kept}, Op{Verb: Rename, Path: b, To: a})
	g.maybe()
	g.add(Op{Verb: Rename, Path: kept, To: b})
	for _, f := range []string{a, b} { // otherwise each would have the other's kind of content
		g.maybe()
		g.renamed(f, around(f, "", ".tmp"), g.text(f))
	}
}

// renameDir renames a directory away and back. A file in it is saved in the meantime, or
// afterwards.
func renameDir(g *Generator) {
	d := g.dir()
	f := g.below(d)
	away := d + ".away"
	g.add(Op{Verb: Rename, Path: d, To: away})
	g.maybe()
	if g.r.IntN(2) == 0 {
		g.renamed(away+f[len(d):], away+f[len(d):]+".tmp", g.text(f))
		g.maybe()
	}
	g.add(Op{Verb: Rename, Path: away, To: d})
	if g.r.IntN(2) == 0 {
		g.truncated(f, g.text(f))
	}
}

// below returns a file below a directory.
func (g *Generator) below(d string) string {
	for {
		if f := g.file(); len(f) > len(d) && f[:len(d)+1] == d+"/" {
			return f
		}
	}
}

// replaceDir replaces a directory by a copy.
func replaceDir(g *Generator) {
	d := g.dir()
	f := g.below(d)
	g.add(Op{Verb: Copy, Path: d, To: d + ".new"})
	if g.r.IntN(2) == 0 {
		next := d + ".new" + f[len(d):]
		g.renamed(next, next+".tmp", g.text(f))
	}
	g.add(Op{Verb: Rename, Path: d, To: d + ".old"})
	g.maybe()
	g.add(Op{Verb: Rename, Path: d + ".new", To: d})
	g.maybe()
	if g.r.IntN(2) == 0 {
		g.truncated(f, g.text(f))
	}
	g.add(Op{Verb: Remove, Path: d + ".old"})
}

// link changes the target of a link, in one step or in two, and may edit a file
// afterwards.
func link(g *Generator) {
	l := g.links[g.r.IntN(len(g.links))]
	targets := g.p.Links[l]
	to := targets[g.r.IntN(len(targets))]
	if g.r.IntN(2) == 0 {
		g.add(Op{Verb: Symlink, Path: l + ".tmp", Text: to}, Op{Verb: Rename, Path: l + ".tmp", To: l})
	} else {
		g.add(Op{Verb: Remove, Path: l})
		g.maybe()
		g.add(Op{Verb: Symlink, Path: l, Text: to})
	}
	g.maybe()
	if f := g.file(); g.r.IntN(2) == 0 {
		g.truncated(f, g.text(f))
	}
}

func checkout(g *Generator) {
	for range 1 + g.r.IntN(3) {
		g.add(Op{Verb: Checkout, Text: g.p.Branches[g.r.IntN(len(g.p.Branches))]})
		g.maybe()
	}
}

// shift returns an offset to a time in the past, now, or in the future.
func (g *Generator) shift() time.Duration {
	return []time.Duration{-20 * 365 * 24 * time.Hour, -time.Hour, -time.Second, 0, time.Second, time.Hour, 5 * 365 * 24 * time.Hour}[g.r.IntN(7)]
}

// times saves a file with a misleading time, once or twice with the same.
func times(g *Generator) {
	f := g.file()
	by := g.shift()
	for range 1 + g.r.IntN(2) {
		g.add(Op{Verb: Overwrite, Path: f, Text: g.text(f)}, Op{Verb: Chtimes, Path: f, By: by})
		g.maybe()
	}
}

// many creates many files at once, saves one of interest among them, and removes them.
func many(g *Generator) {
	d := path.Join(g.p.Spare, "many")
	g.add(Op{Verb: Mkdir, Path: d})
	at := g.r.IntN(max(1, g.p.Many))
	for i := range g.p.Many {
		g.add(Op{Verb: Append, Path: path.Join(d, "f"+number(i)+".sh"), Text: "x"})
		if i == at {
			f := g.file()
			g.truncated(f, g.text(f))
		}
	}
	g.maybe()
	g.add(Op{Verb: Remove, Path: d})
}

// overflow makes events get lost, with edits before, during and after that.
func overflow(g *Generator) {
	if g.p.Flood == 0 {
		vimCopy(g)
		return
	}
	g.add(Op{Verb: Halt})
	a, b, c := g.file(), g.file(), g.file()
	g.truncated(a, g.text(a))
	g.add(Op{Verb: Flood, Path: path.Join(g.p.Spare, "flood"), N: g.p.Flood})
	g.vim(b, g.text(b))
	g.add(Op{Verb: Resume})
	g.maybe()
	g.renamed(c, around(c, "", ".tmp"), g.text(c))
}

func lookedAt(g *Generator) {
	f := g.file()
	swap := around(f, ".", ".swp")
	g.add(Op{Verb: Append, Path: swap, Text: "b0VIM"}, Op{Verb: Symlink, Path: around(f, ".#", ""), Text: "person@host.1:1"})
	g.add(Op{Verb: Append, Path: sibling(f, "4913")}, Op{Verb: Remove, Path: sibling(f, "4913")})
	g.maybe()
	g.add(Op{Verb: Remove, Path: swap}, Op{Verb: Remove, Path: around(f, ".#", "")})
}

func noConcern(g *Generator) {
	f := path.Join(g.p.Spare, g.letters(3)+".sh")
	g.add(Op{Verb: Append, Path: f, Text: "x"})
	g.maybe()
	g.add(Op{Verb: Remove, Path: f})
}
