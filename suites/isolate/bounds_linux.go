package isolate

import (
	"slices"
	"strings"

	"hookwatch/suites/process"
	"hookwatch/suites/process/supervisor"
)

// Bounds tells what limits a sandbox has, for a person.
func (s *Sandbox) Bounds() []Bound {
	processes := number(s.plan.processes())
	if memory, _ := s.MemoryBound(); memory != process.MemoryCgroup && s.plan.root && s.missed(supervisor.Put, pidMax) {
		processes = "the time-out of a case"
	}
	bounds := []Bound{{"disk", megabytes(s.plan.o.Size)}, {"file", megabytes(s.plan.o.Size)}, {"processes", processes}}
	bounds = append(bounds, limitBounds(s.Box)...)
	if memory, _ := s.MemoryBound(); memory == process.MemoryWatched {
		counted := "part of the memory; shared mappings that a process gives up in part are not"
		if !Known || s.missed(supervisor.Filter) {
			counted = "part of the memory, memfds are not (no seccomp)"
		}
		bounds = append(bounds, Bound{unmapped, counted})
	}
	calls := "those that hooks do without are refused (seccomp)"
	if !Known || s.missed(supervisor.Filter) {
		calls = "not filtered: this kernel has no seccomp"
	}
	nested := "none"
	if s.missed(supervisor.Put, "/proc/sys/user/max_user_namespaces") {
		nested = "not bounded"
	}
	return append(bounds, Bound{"system calls", calls}, Bound{"namespaces", nested}, Bound{"/sys", "processors and page sizes only"})
}

// missed reports whether an optional step failed that begins with the fields.
func (s *Sandbox) missed(fields ...string) bool {
	return slices.ContainsFunc(s.Missed, func(e *process.ConfineError) bool {
		step := slices.Clone([]string(e.Step))
		step[0] = strings.TrimPrefix(step[0], supervisor.Optional)
		return len(step) >= len(fields) && slices.Equal(step[:len(fields)], fields)
	})
}
