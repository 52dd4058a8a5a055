package conform

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
)

// slept is the file in which a paced probe records for how long the hook sleeps.
const slept = "{tmp}/slept"

// A hook that sleeps is fired once with a clock that does not wait for it: sleep ends at once
// and records its argument, in a program, in Python and, for timers that fire, in Node. So
// the time that it sleeps does not depend on the load of the machine. A shell gives what runs
// in the background /dev/null as its standard input: the hook does not wait for that.
const (
	sleepProgram = `[ "$(readlink /proc/self/fd/0)" = /dev/null ] && exit 0; for a in "$@"; do case $a in *m) a=$((${a%m} * 60));; *h) a=$((${a%h} * 3600));; *d) a=86400;; *s) a=${a%s};; esac; echo "$a"; done >>'` + slept + `'` + "\n"
	sleepPython  = "import time\ndef _sleep(s, _f='" + slept + "'):\n    with open(_f, 'a') as f:\n        f.write('%s\\n' % s)\ntime.sleep = _sleep\n"
	sleepNode    = "const fs = require('fs'), real = setTimeout;\nglobalThis.setTimeout = (f, ms, ...a) => real((...b) => { if (ms >= 100) fs.appendFileSync('" + slept + "', ms / 1000 + '\\n'); return f(...b); }, ms, ...a);\n" +
		"const wait = Atomics.wait;\nAtomics.wait = (a, i, v, ms) => { fs.appendFileSync('" + slept + "', (ms || 0) / 1000 + '\\n'); return 'timed-out'; };\n"
)

// paced fires a hook that sleeps with a clock that does not wait. If it sleeps for longer than
// the client waits, it is not fired with a real one.
func (q *Inquiry) paced() []Probe {
	q.rounds[0] = func() []Probe { return nil }
	usual := typical(q.hook, q.tree)
	if len(usual) == 0 || !sleepsIn(q.text) {
		return nil
	}
	f := usual[0]
	p := q.probe(f, func(r suites.Result) {
		s := seconds(r.Files[slept])
		switch {
		case s >= min(q.hook.Timeout, patience):
			q.endless(fmt.Sprintf("it sleeps for %s; its timeout is %s", s, q.hook.Timeout))
			q.dropped(firing{event: f.event, value: "the end of its waiting"}, nil, r, suites.Warning)
		case s >= time.Second && !q.hook.Entry.Async:
			q.found("slow", fmt.Sprintf("it sleeps for %s", s), q.cost())
		}
	})
	p.around(func(s *suites.Surroundings) { s.Programs = []suites.Program{{Name: "sleep", Script: sleepProgram}} })
	p.Case.Env = map[string]string{"PYTHONPATH": "{tmp}/pace", "NODE_OPTIONS": "--require={tmp}/pace/pace.cjs"}
	step := &p.Case.Steps[0]
	step.Fixtures = append(step.Fixtures,
		suites.Fixture{Path: "{tmp}/pace/sitecustomize.py", Content: sleepPython, Fill: true},
		suites.Fixture{Path: "{tmp}/pace/pace.cjs", Content: sleepNode, Fill: true})
	step.Expect.Files = []suites.FileExpectation{{Path: slept}}
	return []Probe{p}
}

// seconds adds up what a paced probe recorded.
func seconds(recorded []byte) (sum time.Duration) {
	for line := range strings.Lines(string(recorded)) {
		if s, err := strconv.ParseFloat(strings.TrimSpace(line), 64); err == nil && s > 0 && s < 1e6 {
			sum += time.Duration(s * float64(time.Second))
		}
	}
	return sum.Round(100 * time.Millisecond)
}

// cost is the severity of a second that the session waits: a warning where it is spent at
// every call of a tool, or at every prompt.
func (q *Inquiry) cost() suites.Severity {
	about, _ := client.EventByName(q.hook.Event)
	if about.Tool || q.hook.Event == "UserPromptSubmit" {
		return suites.Warning
	}
	return suites.Info
}

// patience is how long a probe of the hook may take: a bound against hooks that do not end,
// far beyond what healthy ones need on a busy machine, whatever their own timeout is.
func (q *Inquiry) patience() time.Duration {
	if q.tree.Timeout > 0 {
		return q.tree.Timeout
	}
	return patience
}

// endless judges a hook that never ends: the client cancels it and goes on. It is
// an error where the client waits for it before something that a hook could stop.
func (q *Inquiry) endless(what string) {
	q.broken = true
	severity := suites.Error
	if about, _ := client.EventByName(q.hook.Event); q.hook.Entry.Async {
		return // the client does not wait
	} else if about.Exit2 != suites.Denied && about.Exit2 != suites.PromptBlocked && about.Exit2 != suites.AnotherTurn {
		severity = suites.Warning
	}
	q.found(string(client.TimedOut), what, severity)
}
