package explore

import "slices"

// Aims are the lines of files that a search is for, from 0; nil if it is for all alike.
type Aims map[string][]bool

// near is how many lines a statement may go on, its first one included.
const near = 4

// has reports whether a line, from 1, is an aim.
func (a Aims) has(file string, line int) bool {
	lines := a[file]
	return 0 < line && line <= len(lines) && lines[line-1]
}

// before reports whether an aim may go on to a line.
func (a Aims) before(file string, line int) bool {
	lines := a[file]
	return 0 < line && line <= len(lines) && slices.Contains(lines[max(0, line-near):line], true)
}

// weigh returns what a line adds to the rank of its comparisons. Before a line that a search is for comes what decides
// whether it is reached, most often in the same file and close to it.
func (a Aims) weigh(file string, line int) int {
	lines, has := a[file]
	switch from := max(0, line-1); {
	case a == nil:
		return 0
	case !has:
		return 4
	case from < len(lines) && slices.Contains(lines[from:min(from+near, len(lines))], true):
		return -4
	}
	return 0
}

// Hits returns the number of these lines that a firing ran. Of Node they are those with a comparison, because the parts
// of code that V8 counts have no lines.
func (a Aims) Hits(r *Record) int {
	hit := map[place]bool{}
	add := func(file string, line int) {
		if a.has(file, line) {
			hit[place{file: file, line: line}] = true
		}
	}
	for _, p := range r.statements() {
		if p.word != counted {
			add(p.file, p.line)
		}
	}
	for _, c := range r.Comparisons {
		add(c.File, c.Line)
	}
	return len(hit)
}

// arrivedAt reports whether each part of these lines is among some that were reached; false if they are none.
func (a Aims) arrivedAt(reached []place) bool {
	all := 0
	for file, lines := range a {
		for from := 0; from < len(lines); from++ {
			to := from
			for to < len(lines) && lines[to] {
				to++
			}
			in := func(p place) bool { return p.file == file && from < p.line && p.line <= to }
			if to > from && !slices.ContainsFunc(reached, in) {
				return false
			}
			all += to - from
			from = to
		}
	}
	return all > 0
}
