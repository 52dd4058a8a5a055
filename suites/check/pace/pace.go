// Package pace runs a hook with a clock that does not wait: a sleep ends at once and its length is recorded, so that the
// load of the machine does not matter.
//
// This cannot work for a loop that something else ends, such as a clock or a program that the hook started, because it
// would sleep more often than with a real clock. Therefore these sleeps are real:
//
//   - less than half a second
//   - all but the first few of a process, or of a hook in a shell
//   - while a child of the process runs, because the sleep only waits for it; recorded only if it takes
//     a second. A timer of Node that fires then is a time limit of the child.
//   - in the background and in other threads, because the hook does not wait for them; not recorded. A
//     shell gives background commands /dev/null as their standard input.
//   - in Python's own library, such as the time limit of subprocess.run; not recorded
//
// Timers of Node are real, and parallel timers count once.
package pace

import (
	"embed"
	"strconv"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/depend/trace"
)

// Slept is the file in which the sleeps of the first step are recorded.
const Slept = "{tmp}/slept"

//go:embed pace.bash pace.py pace.cjs
var programs embed.FS

// Set gives the hook of a case such a clock, for at most so many sleeps of half a second or more. own are its variables.
func Set(c *suites.Case, most int, own []string) {
	program := func(name string) string {
		text, _ := programs.ReadFile(name) // it is embedded
		return strings.ReplaceAll(string(text), "SKIPPED", strconv.Itoa(most))
	}
	env := c.WantedEnv()
	env.Programs = []suites.Program{{Name: "sleep", Script: program("pace.bash")}}
	c.CaseEnv, c.Env = &env, trace.Preload("{tmp}/pace", "pace.cjs", own)
	step := &c.Steps[0]
	step.Fixtures = append(step.Fixtures,
		suites.Fixture{Path: "{tmp}/pace/sitecustomize.py", Content: program("pace.py"), Fill: true},
		suites.Fixture{Path: "{tmp}/pace/pace.cjs", Content: program("pace.cjs"), Fill: true})
	step.Expect.Files = []suites.FileExpectation{{Path: Slept}}
}

// Sum returns the sum of the sleeps that were recorded.
func Sum(recorded []byte) (sum time.Duration) {
	for line := range strings.Lines(string(recorded)) {
		length, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if s, err := strconv.ParseFloat(length, 64); err == nil && s > 0 && s < 1e6 {
			sum += time.Duration(s * float64(time.Second))
		}
	}
	return sum.Round(100 * time.Millisecond)
}
