package isolate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites/process"
)

// A Bound is a limit that holds for every case.
type Bound struct{ What, By string }

func megabytes(n int64) string { return strconv.FormatInt(n/1_000_000, 10) + " MB" }

// limitBounds tells the limits that hold with namespaces and without.
func limitBounds(b *process.Box) []Bound {
	kind, most := b.MemoryBound()
	memory := "not bounded"
	switch kind {
	case process.MemoryUnbounded:
		return []Bound{{"memory", memory}}
	case process.MemoryCgroup:
		memory = megabytes(most) + " a case (cgroup)"
	case process.MemoryWatched:
		memory = megabytes(most) + " a case (watched by its supervisor)"
	}
	return []Bound{{"memory", memory}, {"open files", fmt.Sprintf("%d a process", process.OpenFiles)}, {"core dumps", "none"}}
}

// unmapped is what processes may have in memory without a page of it mapped.
const unmapped = "memfds, IPC, sockets, pipes"

// openBounds tells what holds without namespaces.
func (o Options) openBounds() []Bound {
	b, err := process.Open(process.Setup{Limits: o.Limits()})
	if err != nil {
		return nil
	}
	defer b.Close()
	bounds := limitBounds(b)
	if len(bounds) > 1 {
		bounds = append(bounds, Bound{"file", megabytes(o.Size)})
	}
	if kind, _ := b.MemoryBound(); kind == process.MemoryWatched {
		bounds = append(bounds, Bound{unmapped, "not bounded without namespaces or a cgroup"})
	}
	return bounds
}

// Refused tells, in words, what was refused to a case: names of a Result, and
// whether a file was to become larger than it may.
func (o Options) Refused(names []string, large bool) []string {
	var calls, out []string
	for _, n := range names {
		if n == TooLarge {
			large = true
		} else {
			calls = append(calls, n)
		}
	}
	if large {
		out = append(out, "wanted a file of more than "+megabytes(o.Size)+" (sandbox.size)")
	}
	if slices.Sort(calls); len(calls) > 0 {
		out = append(out, "wanted system calls that are refused: "+strings.Join(slices.Compact(calls), ", "))
	}
	return out
}
