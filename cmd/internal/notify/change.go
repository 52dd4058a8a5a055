package notify

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/printable"
)

// Limits of the lists for one change.
const (
	shownFiles   = 10
	shownReasons = 4
	shownIDs     = 100
	shownIDLines = 4
)

func (h *human) showStart(e session.Started) {
	h.state, h.root = e.State, e.Root
	what := session.Count(e.Hooks, "hook") + "  " + session.Count(e.Cases, "case")
	if e.Watched > 0 {
		what += "  " + session.Count(e.Watched, "file") + " watched"
	}
	left := line{{bold, "hookwatch"}, {plain, "  " + printable.Name(e.Project) + "   " + what}}
	h.print(h.spread(left, line{{dim, "isolation: " + e.Isolation}}, 2)...)
	if h.o.Watch {
		full := "no full run yet"
		if !e.LastFull.IsZero() {
			full = "full run " + formatAge(e.LastFull.Time, h.o.Now())
		}
		state := text("nothing on record yet")
		if e.State.Tally.Total() > 0 {
			state = standing(e.State)
		}
		h.print(h.spread(state, line{{dim, full}}, 2)...)
	}
	if e.NoSuite {
		h.print(h.block(nil, dim, "no suite: each hook is fired as it is registered, and with inputs that it stops (hookwatch init writes a suite)")...)
	}
	h.print(nil)
	h.idle()
}

func (h *human) problems(e session.Problems) {
	head := line(nil)
	if h.o.Watch {
		head = h.stamp(h.o.Now())
	}
	if len(e.List) == 0 {
		if h.troubled {
			h.print(head.with(piece{green, "configuration and suite files are valid again"}), nil)
		}
		h.troubled, h.unreadable = false, nil
		return
	}
	h.troubled, h.unreadable = true, e.List
	title := session.Count(len(e.List), "problem") + " in configuration or suite files"
	if e.InForce {
		title += "; the last good ones stay in force"
	}
	lines := h.block(head, red, title)
	at := map[suites.Problem][]string{} // the lines of problems that differ only in their places in a file
	for _, p := range e.List {
		at[anywhere(p)] = append(at[anywhere(p)], strconv.Itoa(p.At.Line))
	}
	for _, p := range e.List {
		places := at[anywhere(p)]
		if delete(at, anywhere(p)); len(places) == 0 {
			continue // it is shown with the first
		}
		what := p
		what.Hint = ""
		lines = append(lines, h.block(text("  "), plain, what.Error())...)
		if p.Hint != "" {
			lines = append(lines, h.block(text("      hint: "), plain, p.Hint)...)
		}
		if more := places[1:]; len(more) > 0 {
			lines = append(lines, h.block(text("      "), plain, fmt.Sprintf("and %d more like it: line %s", len(more), strings.Join(more, ", ")))...)
		}
	}
	h.print(append(lines, nil)...)
}

// anywhere returns a problem without its place in its file.
func anywhere(p suites.Problem) suites.Problem {
	p.At.Line, p.At.Column = 0, 0
	return p
}

// unread reports whether each of the files has a problem that was shown.
func (h *human) unread(changes []session.Change) bool {
	for _, c := range changes {
		if !slices.ContainsFunc(h.unreadable, func(p suites.Problem) bool { return p.At.File == c.Path }) {
			return false
		}
	}
	return len(h.unreadable) > 0
}

// sameSave is the time after its first file in which a save of several files may report more: a
// branch switch writes one after the other, and tests do not wait for the last.
const sameSave = 500 * time.Millisecond

// continues reports whether a change belongs to the save whose block was shown last, and can
// still be added to it: on a terminal, with nothing printed below.
func (h *human) continues(e session.Changed) bool {
	return h.tty && h.held == nil && h.save.rows > 0 && h.save.prints == h.prints && e.At.Sub(h.save.At.Time) <= sameSave
}

func (h *human) showChange(e session.Changed) {
	if len(e.Selected) == 0 && h.unread(e.Changes) {
		return // its problem was shown, and it selects nothing until that is solved
	}
	if h.asked.only && len(e.Selected) == 0 {
		h.explained, h.state = false, e.State
		h.idle()
		return
	}
	block, rows := save{Changed: e, before: h.state}, 0
	if h.continues(e) {
		block, rows = h.save.and(e), h.save.rows
	}
	h.explained = len(block.Selected) > 0
	h.state = e.State
	h.reprint(rows, h.saveLines(block)...)
	block.prints, block.rows = h.prints, h.latest
	h.save = block
	if !h.running {
		h.idle()
	}
}

// saveLines returns the block of a save: its files, the selected cases with reasons, and changed
// places that no case covers.
func (h *human) saveLines(e save) []line {
	head := h.stamp(e.At.Time)
	indent := text(strings.Repeat(" ", head.columns()))
	var lines []line
	for i, c := range e.Changes {
		if i == shownFiles && len(e.Changes) > shownFiles+1 {
			lines = append(lines, indent.with(piece{plain, fmt.Sprintf("... %d more files", len(e.Changes)-i)}))
			break
		}
		at := head.with(piece{bold, printable.Field(c.Path)})
		lines = append(lines, h.changeLines(at, indent, strings.Join(c.Sections, ", "))...)
		head = indent
	}
	lines = append(lines, h.listSelected(e.Changed, indent)...)
	lines = append(lines, h.listUncovered(e.Uncovered, indent)...)
	if len(e.Selected) > 0 {
		return lines
	}
	if e.State != e.before {
		now := standing(e.State)
		if was, is := e.before.Total(), e.State.Total(); was != is {
			now = now.with(piece{plain, fmt.Sprintf("  %s now, %d before", session.Count(is, "case"), was)})
		}
		lines = append(lines, h.fold(indent.with(now...))...)
	}
	return append(lines, nil)
}

// shownUncovered is the maximum number of uncovered places listed.
const shownUncovered = 5

// listUncovered lists changed code that no case executes, because passing cases prove nothing about
// it.
func (h *human) listUncovered(places []string, indent line) []line {
	var lines []line
	for i, p := range places {
		if i == shownUncovered {
			return append(lines, indent.with(piece{yellow, fmt.Sprintf("uncovered: %d more places", len(places)-i)}))
		}
		lines = append(lines, h.block(indent, yellow, "not covered: no case executes "+p)...)
	}
	return lines
}

// changeLines places the sections after the path, or below it if there is too little room.
func (h *human) changeLines(at, indent line, sections string) []line {
	gap := piece{plain, "  "}
	switch w := h.width(); {
	case sections == "":
		return []line{at}
	case w > 0 && at.columns()+2+min(len(sections), 20) > w:
		return append([]line{at}, h.block(indent.with(gap), plain, sections)...)
	default:
		return h.block(at.with(gap), plain, sections)
	}
}

// listSelected returns the cases that a change selected, with reasons.
func (h *human) listSelected(e session.Changed, indent line) []line {
	if len(e.Selected) == 0 {
		why := "no case depends on this change"
		if len(e.NotAffected) > 0 {
			why = "not affected: " + reasons(e.NotAffected, e.Changes)
		}
		return h.block(indent, dim, fmt.Sprintf("0 of %d selected: %s", e.State.Total(), why))
	}
	keys := make([]suites.Key, len(e.Selected))
	for i, s := range e.Selected {
		keys[i] = s.Key
	}
	head := fmt.Sprintf("%d of %d selected: ", len(keys), e.State.Total())
	lines := h.idLines(indent.with(piece{plain, head}), keys)
	if why := reasons(e.Selected, e.Changes); why != "" {
		lines = append(lines, h.block(indent, dim, "because: "+why)...)
	}
	if n := len(e.NotAffected); n > 0 {
		lines = append(lines, h.block(indent, dim, fmt.Sprintf("%d not affected: %s", n, reasons(e.NotAffected, e.Changes)))...)
	}
	return lines
}

// idLines lists cases after a head with their number, on at most shownIDLines lines.
func (h *human) idLines(head line, keys []suites.Key) []line {
	ids := suites.ShortenIDs(caseNames(keys))
	if len(ids) > shownIDs {
		ids = append(ids[:shownIDs:shownIDs], "...")
	}
	lines := h.block(head, plain, strings.Join(ids, " "))
	if len(lines) > shownIDLines {
		more := lines[shownIDLines][:1].with(piece{plain, "..."})
		lines = append(lines[:shownIDLines:shownIDLines], more)
	}
	return lines
}

// ofTheOne shortens a reason if its file is the only one saved.
func ofTheOne(reason, path string) string {
	rest, named := strings.CutPrefix(reason, path+": ")
	if named && strings.HasPrefix(rest, "is ") {
		return "it " + rest
	}
	return rest
}

// reasons counts the selections by reason, the most frequent first; a case with two reasons
// counts for both. A single reason has no count, and a file is not named if it is the only one
// saved.
func reasons(selected []suites.Selection, saved []session.Change) string {
	n := map[string]int{}
	var order []string
	for _, s := range selected {
		for _, r := range s.Because {
			if len(saved) == 1 {
				r = ofTheOne(r, saved[0].Path)
			}
			if n[r] == 0 {
				order = append(order, r)
			}
			n[r]++
		}
	}
	sort.SliceStable(order, func(i, j int) bool { return n[order[i]] > n[order[j]] })
	var parts []string
	for i, r := range order {
		if i == shownReasons && len(order) > shownReasons+1 {
			parts = append(parts, fmt.Sprintf("... %d more reasons", len(order)-i))
			break
		}
		if len(order) > 1 {
			r = fmt.Sprintf("%s (%s)", r, session.Count(n[r], "case"))
		}
		parts = append(parts, r)
	}
	return strings.Join(parts, "; ")
}

// A save is a save of one or more files, with the block that shows it.
type save struct {
	session.Changed
	before suites.State // previous counts
	rows   int          // of the block
	prints int          // value of screen.prints after the block
}

// and returns the save extended by another change.
func (s save) and(e session.Changed) save {
	s.State = e.State
	s.Changes = merge(s.Changes, e.Changes, func(c session.Change) string { return c.Path }, func(a, b session.Change) session.Change {
		b.Sections = union(a.Sections, b.Sections)
		return b
	})
	s.Selected = merge(s.Selected, e.Selected, keyOf, bothReasons)
	s.NotAffected = merge(s.NotAffected, e.NotAffected, keyOf, bothReasons)
	selected := make(map[suites.Key]bool, len(s.Selected))
	for _, sel := range s.Selected {
		selected[sel.Key] = true
	}
	s.NotAffected = slices.DeleteFunc(s.NotAffected, func(n suites.Selection) bool { return selected[n.Key] })
	s.Uncovered = union(s.Uncovered, e.Uncovered)
	return s
}

func keyOf(s suites.Selection) suites.Key { return s.Key }

func bothReasons(a, b suites.Selection) suites.Selection {
	b.Because = union(a.Because, b.Because)
	return b
}

func union(a, b []string) []string {
	same := func(s string) string { return s }
	return merge(a, b, same, func(s, _ string) string { return s })
}

// merge returns the elements of both without duplicates: elements with the same key are combined
// by both.
func merge[E any, K comparable](first, second []E, key func(E) K, both func(E, E) E) []E {
	out := slices.Clone(first)
	at := make(map[K]int, len(first))
	for i, x := range first {
		at[key(x)] = i
	}
	for _, x := range second {
		k := key(x)
		if i, ok := at[k]; ok {
			out[i] = both(out[i], x)
			continue
		}
		at[k] = len(out)
		out = append(out, x)
	}
	return out
}
