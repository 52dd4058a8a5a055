//go:build linux

package watcher

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/verdict"
	"hookwatch/watcher/testdata/editstest"
)

// pureCases are the files that the generated cases read; two of the paths lead through
// links.
var pureCases = map[string][]string{
	"a": {".claude/hooks/h1.sh", ".claude/hooks/lib/a.sh"},
	"b": {".claude/hooks/h2.sh", ".claude/hooks/lib/b.sh", ".claude/hooks/lib/deep/c.sh"},
	"c": {".claude/hooks/h3.sh", ".claude/hooks/config.json", "shared/s.sh"},
	"d": {".claude/hooks/h3.sh", ".claude/hooks/current/t.sh", ".claude/hooks/cur.sh"},
	"e": {"suites/two.yaml", ".claude/hooks/lib/a.sh"},
}

var pureLinks = map[string][]string{
	".claude/hooks/cur.sh":  {"one.sh", "two.sh"},
	".claude/hooks/current": {"x", "y"},
}

const pureRoot = "/home/p"

func pureProject() editstest.Project {
	p := editstest.Project{
		Text:  func(_ string, n int) string { return fmt.Sprintf("%04d", n%10000) },
		Dirs:  []string{".claude/hooks", ".claude/hooks/lib", "shared", ".claude"},
		Links: pureLinks, Branches: []string{"one", "two"}, Spare: ".claude/hooks/spare", Flood: 40, Many: 20,
	}
	files := []string{".claude/hooks/one.sh", ".claude/hooks/two.sh", ".claude/hooks/x/t.sh", ".claude/hooks/y/t.sh"}
	for _, reads := range pureCases {
		for _, f := range reads {
			if f != ".claude/hooks/cur.sh" && !strings.Contains(f, "/current/") {
				files = append(files, f)
			}
		}
	}
	slices.Sort(files)
	p.Files = slices.Compact(files)
	return p
}

// branch returns the ops with which git would create the files of a branch.
func branch(p editstest.Project, n int) []editstest.Op {
	var ops []editstest.Op
	for i, f := range p.Files {
		text := "old" + strconv.Itoa(i)
		if i%3 > 0 {
			text += "." + strconv.Itoa(n)
		}
		ops = append(ops, editstest.Op{Verb: editstest.Append, Path: f, Text: text})
	}
	for _, l := range []string{".claude/hooks/cur.sh", ".claude/hooks/current"} {
		ops = append(ops, editstest.Op{Verb: editstest.Symlink, Path: l, Text: p.Links[l][n]})
	}
	return ops
}

// TestPureSequences performs the edits of the tests with the real program on a disk in
// memory. It has a clock of its own, and the steps of the watcher and a session happen in
// any order. HOOKWATCH_TEST_SEQUENCES is the number of sequences in hundreds.
func TestPureSequences(t *testing.T) {
	t.Parallel()
	n, seed := 100*variable(t, "HOOKWATCH_TEST_SEQUENCES", 10), variable(t, "HOOKWATCH_TEST_SEED", int(time.Now().UnixNano()))
	for i := range 4 {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			pureSequences(t, uint64(seed+i), n/4)
		})
	}
}

// TestAwayDuringRun renames a directory away and back while a case reads from it. The
// removal of the files is reported only when they are back and unchanged, so no stamp and
// no digest shows it.
func TestAwayDuringRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	c := w.desk.cases[slices.IndexFunc(w.desk.cases, func(c *suites.Case) bool { return c.ID == "c" })]
	w.desk.begin(verdict.All([]*suites.Case{c}, "changed"))
	w.desk.work()
	f := w.desk.running[c.Key()]
	w.do(editstest.Op{Verb: editstest.Rename, Path: ".claude", To: ".claude.away"})
	w.take()
	for w.core.step() {
	}
	for len(f.readAt) > 0 {
		w.now = w.now.Add(10 * time.Microsecond)
		w.desk.work()
	}
	w.do(editstest.Op{Verb: editstest.Rename, Path: ".claude.away", To: ".claude"})
	w.now = w.now.Add(time.Second / 10)
	w.desk.work()
	w.deliver()
	if len(f.saw) == 0 || f.saw[0] != "-" || !strings.Contains(strings.Join(w.trace, "\n"), " 3 ") {
		t.Fatalf("the case did not run on missing files, or they were not reported as removed: %v\n%s", f.saw, strings.Join(w.trace, "\n"))
	}
	w.settle()
	if why := w.wrong(); why != "" {
		t.Errorf("%s\n%s", why, strings.Join(w.trace, "\n"))
	}
}

// TestThereDuringRun makes a file and removes it again while a case reads it that began without the
// file. The report of the first removal, which comes last, is all that shows it.
func TestThereDuringRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	const path = ".claude/hooks/h3.sh"
	w.do(editstest.Op{Verb: editstest.Remove, Path: path})
	delete(w.desk.read, path) // as after another batch
	delete(w.desk.stamps, path)
	c := w.desk.cases[slices.IndexFunc(w.desk.cases, func(c *suites.Case) bool { return c.ID == "c" })]
	w.desk.begin(verdict.All([]*suites.Case{c}, "changed"))
	w.desk.work()
	f := w.desk.running[c.Key()]
	w.do(editstest.Op{Verb: editstest.Append, Path: path, Text: "x"})
	for len(f.readAt) > 0 {
		w.now = w.now.Add(10 * time.Microsecond)
		w.desk.work()
	}
	w.do(editstest.Op{Verb: editstest.Remove, Path: path})
	w.now = w.now.Add(time.Second / 10)
	w.desk.work()
	w.take()
	for w.core.step() {
	}
	w.now = w.now.Add(time.Second / 10)
	w.deliver()
	if f.saw[0] != "x" || f.inputs[0].Digest != "-" {
		t.Fatalf("the case did not begin without the file and see it: %v %v", f.inputs, f.saw)
	}
	w.settle()
	if why := w.wrong(); why != "" {
		t.Errorf("%s\n%s", why, strings.Join(w.trace, "\n"))
	}
}

func variable(t testing.TB, name string, otherwise int) int {
	t.Helper()
	text, set := os.LookupEnv(name)
	if !set {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	ok(t, err)
	return n
}

func pureSequences(t *testing.T, seed uint64, n int) {
	t.Helper()
	t.Logf("seed %d, %d sequences", seed, n)
	var runs, overflows int
	for done := 0; done < n; {
		w := newWorld(t, seed+uint64(done)<<20)
		for range min(50, n-done) {
			s := w.generator.Next()
			w.trace = nil
			before := w.desk.runs
			w.live(s.Ops)
			w.settle()
			if why := cmp.Or(w.wrong(), w.restless(s, before)); why != "" {
				t.Fatalf("sequence %d of seed %d (%s):\n%s\n%s", done, seed, strings.Join(s.Ways, ", "), strings.Join(w.trace, "\n"), why)
			}
			done++
		}
		runs += w.desk.runs
		overflows += w.overflows
	}
	t.Logf("%d sequences, %d runs of cases, %d overflows: 0 lost, 0 self-triggered", n, runs, overflows)
}

// A world is a disk, a watcher's core and a session's decisions, with one clock.
type world struct {
	editedMemory
	t         *testing.T
	r         *rand.Rand
	generator *editstest.Generator
	core      *core
	desk      *desk
	halted    bool
	overflows int
	trace     []string
}

func newWorld(t *testing.T, seed uint64) *world {
	p := pureProject()
	w := &world{t: t, r: rand.New(rand.NewPCG(seed, 1)), generator: editstest.NewGenerator(p, seed)}
	w.editedMemory = editedMemory{newMemory(60), pureRoot, map[string][]editstest.Op{"one": branch(p, 0), "two": branch(p, 1)}}
	w.mkdir(path.Join(pureRoot, p.Spare))
	w.do(editstest.Op{Verb: editstest.Checkout, Text: "one"})
	w.queue = nil
	var err error
	scope, err := newScope(pureInterest(p))
	ok(t, err)
	w.core = newCore(Options{Poll: defaultPoll, MaxFileSize: defaultMaxSize}, w.memory, w.memory, &notes{}, w.clock)
	w.core.tree.retarget(scope)
	w.desk = newDesk(w, scope)
	w.settle()
	return w
}

func (w *world) clock() time.Time { return w.now }

func pureInterest(_ editstest.Project) Interest {
	i := Interest{Dirs: []string{path.Join(pureRoot, ".claude/hooks")}, Ignore: func(p string, _ bool) bool {
		return slices.ContainsFunc([]string{"*~", "4913", ".#*", "#*#", "*___jb_???*", "sed??????", "*.tmp", "*.swp"}, func(glob string) bool {
			match, err := filepath.Match(glob, path.Base(p))
			return err == nil && match
		})
	}}
	for _, reads := range pureCases {
		for _, f := range reads {
			i.Files = append(i.Files, path.Join(pureRoot, f))
		}
	}
	return i
}

// live performs a sequence while the watcher and the session make progress.
func (w *world) live(ops []editstest.Op) {
	for _, o := range ops {
		w.note("%v", o)
		switch o.Verb {
		case editstest.Pause:
			w.pass(o.By)
		case editstest.Halt:
			w.halted = true
		case editstest.Resume:
			w.halted = false
		default:
			w.pass(time.Duration(1+w.r.IntN(40)) * time.Microsecond)
			w.do(o)
		}
		w.turn()
	}
}

func (w *world) note(format string, args ...any) {
	w.trace = append(w.trace, w.now.Format("05.000000 ")+fmt.Sprintf(format, args...))
}

// pass advances the clock, and handles all events in that time.
func (w *world) pass(d time.Duration) {
	end := w.now.Add(d)
	for {
		at, any := w.desk.next()
		if wake, waits := w.core.wakeAt(w.now); waits && !w.halted && (!any || wake.Before(at)) {
			at, any = wake, true
		}
		if !any || at.After(end) {
			break
		}
		if at.After(w.now) {
			w.now = at
		} else {
			w.now = w.now.Add(time.Microsecond)
		}
		w.turn()
	}
	if end.After(w.now) {
		w.now = end
	}
}

// turn lets the watcher and the session make random progress.
func (w *world) turn() {
	w.desk.work()
	if w.halted {
		return
	}
	if w.r.IntN(2) == 0 {
		w.take()
	}
	for range w.r.IntN(12) {
		w.core.step()
	}
	if w.r.IntN(3) > 0 {
		w.deliver()
	}
}

func (w *world) take() {
	m := w.mail()
	if m.lost {
		w.overflows++
	}
	w.core.take(m)
}

func (w *world) deliver() {
	b, ready := w.core.backlog.batch(w.now)
	if !ready {
		return
	}
	w.core.backlog.deliver(b)
	w.note("batch %v", b.Changes)
	w.desk.changed(b)
}

// settle lets the watcher and the session finish their work.
func (w *world) settle() {
	w.halted = false
	for range 100_000 {
		w.take()
		for w.core.step() {
		}
		w.deliver()
		w.desk.work()
		_, works := w.desk.next()
		_, waits := w.core.wakeAt(w.now)
		if !works && !waits && len(w.queue) == 0 && !w.lost {
			return
		}
		w.now = w.now.Add(300 * time.Microsecond)
	}
	w.t.Fatalf("no rest:\n%s", strings.Join(w.trace[max(0, len(w.trace)-100):], "\n"))
}

// wrong describes the verdicts that do not match the content of the disk.
func (w *world) wrong() string {
	var all []string
	for _, c := range w.desk.cases {
		var want string
		for _, p := range pureCases[c.ID] {
			want += w.content(p) + "|"
		}
		if v := w.desk.present[c.Key()]; v.saw != want {
			all = append(all, fmt.Sprintf("case %s stands for %s, and there is %s", c.ID, v.saw, want))
		}
	}
	return strings.Join(all, "\n")
}

// restless describes runs without a reason.
func (w *world) restless(s editstest.Sequence, before int) string {
	if s.Still && w.desk.runs > before {
		return fmt.Sprintf("%d runs, though nothing changed", w.desk.runs-before)
	}
	runs := w.desk.runs
	w.pass(2 * time.Second)
	w.settle()
	if w.desk.runs > runs {
		return fmt.Sprintf("%d runs without an edit", w.desk.runs-runs)
	}
	return ""
}

// content returns the content of a path, or "-" if there is no file.
func (w *world) content(rel string) string {
	if _, _, n := w.find(path.Join(pureRoot, rel), true); n != nil && n.mode.IsRegular() {
		return n.text
	}
	return "-"
}

// stamp distinguishes states of a file like the session does.
func (w *world) stamp(rel string) string {
	_, _, n := w.find(path.Join(pureRoot, rel), true)
	if n == nil {
		return "-"
	}
	return fmt.Sprint(len(n.text), n.modified.UnixNano(), n.mode, n.changed.UnixNano())
}
