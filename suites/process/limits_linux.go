package process

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"

	"hookwatch/suites/process/supervisor"
)

// steps are what the supervisor does to itself for the limits to hold for all
// that it starts.
func (l Limits) steps(watched bool) []Step {
	limit := func(resource int, value int64) Step {
		return Step{supervisor.Limit, strconv.Itoa(resource), strconv.FormatInt(value, 10)}
	}
	steps := []Step{
		limit(unix.RLIMIT_CORE, 0),
		limit(unix.RLIMIT_NOFILE, OpenFiles),
		// The machine's memory may end before any bound does: then it is not
		// hookwatch that has to go.
		{supervisor.Optional + supervisor.Put, "/proc/self/oom_score_adj", "1000"},
	}
	if l.FileSize > 0 {
		steps = append(steps, limit(unix.RLIMIT_FSIZE, l.FileSize))
	}
	if l.Memory > 0 && watched {
		// No RLIMIT_DATA: Bun, Java and whatever a sanitizer was built into reserve
		// far more than they touch.
		steps = append(steps, Step{supervisor.Watch, strconv.FormatInt(l.Memory, 10)})
	}
	return steps
}

// ofMachine lowers a memory bound that the machine could not hold to most of
// what there is.
func ofMachine(memory int64) int64 {
	if total := machineMemory(); total > 0 {
		return min(memory, total/4*3)
	}
	return memory
}

// machineMemory is what the machine has, 0 where it does not tell.
var machineMemory = sync.OnceValue(func() int64 {
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		var kB int64
		if n, _ := fmt.Sscanf(lines.Text(), "MemTotal: %d kB", &kB); n == 1 {
			return kB << 10
		}
	}
	return 0
})
