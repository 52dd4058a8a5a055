package editstest

import (
	"math/rand/v2"
	"path"
	"slices"
	"strconv"
	"time"
)

// A Generator generates sequences; the same seed yields the same ones.
type Generator struct {
	p     Project
	r     *rand.Rand
	nonce int
	ops   []Op
	links []string // sorted
}

// NewGenerator returns a generator for a project.
func NewGenerator(p Project, seed uint64) *Generator {
	g := &Generator{p: p, r: rand.New(rand.NewPCG(seed, 0x6564697473))}
	for l := range p.Links {
		g.links = append(g.links, l)
	}
	slices.Sort(g.links)
	return g
}

// Next returns a sequence of one to six edits.
func (g *Generator) Next() Sequence {
	g.ops = nil
	s := Sequence{Still: g.r.IntN(12) == 0}
	halt := !s.Still && g.r.IntN(12) == 0
	if halt {
		g.add(Op{Verb: Halt})
	}
	for range 1 + g.r.IntN(6) {
		from := changing
		if s.Still {
			from = still
		}
		w := from[g.draw(from)]
		w.edit(g)
		s.Ways = append(s.Ways, w.name)
		if g.r.IntN(3) > 0 {
			g.pause()
		}
	}
	if halt {
		g.add(Op{Verb: Resume})
	}
	s.Ops = g.ops
	return s
}

// draw picks one of ways by weight.
func (g *Generator) draw(ways []way) int {
	total := 0
	for _, w := range ways {
		total += w.weight
	}
	n := g.r.IntN(total)
	for i, w := range ways {
		if n -= w.weight; n < 0 {
			return i
		}
	}
	return 0
}

func (g *Generator) add(ops ...Op) { g.ops = append(g.ops, ops...) }

// pause waits as long as users and programs do between two steps: not at all, a little, as
// long as a case takes, or about as long as a missing file is held back.
func (g *Generator) pause() {
	pauses := []int{0, 0, 0, 300, 1000, 3000, 8000, 15000, 19000, 21000, 26000, 45000}
	if d := pauses[g.r.IntN(len(pauses))]; d > 0 {
		g.add(Op{Verb: Pause, By: time.Duration(d) * time.Microsecond})
	}
}

// maybe sometimes pauses in the middle of an edit.
func (g *Generator) maybe() {
	if g.r.IntN(4) == 0 {
		g.pause()
	}
}

func (g *Generator) file() string { return g.p.Files[g.r.IntN(len(g.p.Files))] }
func (g *Generator) dir() string  { return g.p.Dirs[g.r.IntN(len(g.p.Dirs))] }

// text returns a content that was never used before.
func (g *Generator) text(file string) string {
	g.nonce++
	return g.p.Text(file, g.nonce)
}

// sibling returns the path of name in the directory of file.
func sibling(file, name string) string { return path.Join(path.Dir(file), name) }

// around returns the path of file with text before and after its name.
func around(file, before, after string) string { return sibling(file, before+path.Base(file)+after) }

// letters returns n random letters, like mktemp.
func (g *Generator) letters(n int) string {
	s := ""
	for range n {
		s += string(rune('a' + g.r.IntN(26)))
	}
	return s
}

func number(n int) string { return strconv.Itoa(n) }
