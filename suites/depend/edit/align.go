package edit

import "hookwatch/suites/depend/trace"

// align matches the steps of two lists in order: first those that are equal, then, between
// these, those that differ only within their blocks. It returns the index of the new step for
// each old one, or -1.
func align(old, new []*trace.Statement) []int {
	match := make([]int, len(old))
	for i := range match {
		match[i] = -1
	}
	common(old, new, 0, 0, match, func(s *trace.Statement) uint64 { return s.Full })
	i, j := 0, 0
	for i < len(old) {
		to := i
		for to < len(old) && match[to] < 0 {
			to++
		}
		mate := len(new)
		if to < len(old) {
			mate = match[to]
		}
		common(old[i:to], new[j:mate], i, j, match, func(s *trace.Statement) uint64 { return s.Shell })
		i, j = to+1, mate+1
	}
	return match
}

// common finds a longest common subsequence and records it in match. The lists start at oldAt
// and newAt.
func common(old, new []*trace.Statement, oldAt, newAt int, match []int, id func(*trace.Statement) uint64) {
	for len(old) > 0 && len(new) > 0 && id(old[0]) == id(new[0]) {
		match[oldAt] = newAt
		old, new, oldAt, newAt = old[1:], new[1:], oldAt+1, newAt+1
	}
	for len(old) > 0 && len(new) > 0 && id(old[len(old)-1]) == id(new[len(new)-1]) {
		match[oldAt+len(old)-1] = newAt + len(new) - 1
		old, new = old[:len(old)-1], new[:len(new)-1]
	}
	if len(old) == 0 || len(new) == 0 || len(old)*len(new) > tableLimit {
		return
	}
	table := lengths(old, new, id)
	for i, j := 0, 0; i < len(old) && j < len(new); {
		switch {
		case id(old[i]) == id(new[j]):
			match[oldAt+i] = newAt + j
			i, j = i+1, j+1
		case table[i+1][j] >= table[i][j+1]:
			i++
		default:
			j++
		}
	}
}

// tableLimit limits the work on two lists that have little in common. Above it, the differing
// part counts as rewritten.
const tableLimit = 4 << 20

// lengths returns the length of the longest common subsequence from each pair of places on.
func lengths(old, new []*trace.Statement, id func(*trace.Statement) uint64) [][]int32 {
	table := make([][]int32, len(old)+1)
	for i := range table {
		table[i] = make([]int32, len(new)+1)
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(new) - 1; j >= 0; j-- {
			if id(old[i]) == id(new[j]) {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	return table
}
