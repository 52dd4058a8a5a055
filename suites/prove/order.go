package prove

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/check"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/explore"
)

// An Order is what two processes of hooks do if they run at the same time.
type Order struct {
	Hook     string   `json:"hook"`
	With     string   `json:"with,omitempty"`    // the hook of the other process, if it is another one
	Shared   []string `json:"shared"`            // the files that both use and at least one changes
	Orders   int      `json:"orders"`            // that were tried, besides one after the other
	Firings  int      `json:"firings"`           // for all of it
	Complete bool     `json:"complete"`          // everything was tried
	Untried  string   `json:"untried,omitempty"` // why nothing was
	Race     *Race    `json:"race,omitempty"`
}

// A Race is a result that two processes have only if one of them runs while the other one is at work.
type Race struct {
	What        string    `json:"what"`     // the file, "effects" or "answers" of the hooks
	Path        string    `json:"path"`     // the file before whose use the first one was held
	Input       string    `json:"input"`    // of the calls, which differ in a word at most
	Before      int       `json:"before"`   // number of such calls before them
	Read        string    `json:"read"`     // where the first one looks at the file, FILE:LINE; "" if that is not known
	Held        string    `json:"held"`     // where it was held
	Sequence    []string  `json:"sequence"` // results of one after the other
	Interrupted string    `json:"interrupted"`
	Parallel    *Parallel `json:"parallel,omitempty"` // if the calls are limited
}

// Parallel is how many of a number of calls pass: if all look before the first one changes anything, and one after
// the other.
type Parallel struct {
	Calls      int `json:"calls"`
	Passed     int `json:"passed"`
	InSequence int `json:"in_sequence"`
}

// ofProject replaces the names of directories in results.
var ofProject = strings.NewReplacer("{override}/", "", "{tmp}", "$TMPDIR")

// The bounds of a search for orders. The last is for two processes with one input.
const callsInSequence, inputsForOrder, ordersAtMost = 8, 8, 24

// An orderSearch is the search for orders of two processes.
type orderSearch struct {
	*Machine
	*Order
	hook  discover.Hook
	input string
	err   error
}

// Orders runs two processes of each hook, and of each two hooks that are fired for one call, with interruptions of
// the first at its accesses to what both use. It calls found with each result, and ends when ctx does.
func Orders(ctx context.Context, t check.Tree, hooks []discover.Hook, m *Machine, found func(Order)) error {
	used := map[string]*suites.Case{}
	for i, h := range hooks {
		for _, other := range hooks[i:] {
			s := &orderSearch{m, &Order{Hook: h.ID, Shared: []string{}}, h, "", nil}
			if h.ID == other.ID {
				used[h.ID] = s.same(ctx, t)
			} else if a, b := used[h.ID], used[other.ID]; a != nil && b != nil && h.Event == other.Event && other.Matches(a.Steps[0].Tool) {
				second := a.Steps[0]
				s.With, second.Registered = other.ID, other.ID
				s.pair(ctx, a, []suites.Step{a.Steps[0], second}, 0)
			}
			if s.err != nil && ctx.Err() == nil {
				return s.err
			}
			if s.Complete = ctx.Err() == nil; s.With == "" && h.ID == other.ID || s.Orders > 0 {
				found(*s.Order)
			}
		}
	}
	return nil
}

// turn runs steps of a case, of which all but some take turns; ok is false if the result shows nothing.
func (s *orderSearch) turn(ctx context.Context, c *suites.Case, steps []suites.Step, turns suites.Turns) (o suites.Outcome, ok bool) {
	if s.Firings += len(steps); ctx.Err() != nil || s.err != nil {
		return o, false
	}
	one, trace, last := *c, explore.Start, steps[len(steps)-1]
	if turns.Stop {
		last.Env = map[string]string{explore.LogsAccesses: "1"}
	} else {
		trace = nil
	}
	for _, p := range turns.Paths {
		last.Expect.Files = append(slices.Clip(last.Expect.Files), suites.FileExpectation{Path: p})
	}
	turns.Holds = append(slices.Clip(turns.Holds), make([]int, len(steps))...)
	one.Steps, one.Turns = append(slices.Clone(steps[:len(steps)-1]), last), &turns
	o, s.err = s.Fire(ctx, suites.Request{Case: &one, Name: s.Hook, Trace: trace})
	bad := func(r suites.Result) bool { return r.TimedOut || r.NotStarted != "" || len(r.LeftBehind) > 0 }
	return o, s.err == nil && len(o.Turns) > 0 && (turns.Stop || !slices.ContainsFunc(o.Results, bad))
}

// same searches the orders of two processes of one hook, and returns a call that changes what they share.
func (s *orderSearch) same(ctx context.Context, t check.Tree) (used *suites.Case) {
	tries := check.Tries(t, s.hook)
	explored, err := check.Explore(t, s.hook, func(q suites.Request) (suites.Outcome, error) {
		s.Firings++
		return s.Fire(ctx, q)
	})
	s.err = err
	tries = append(tries[:min(len(tries), inputsForOrder/2)], explored...)
	known := map[string]bool{}
	for _, try := range tries[:min(len(tries), inputsForOrder)] {
		try.Case.Timeout, try.Case.Patient = 20*time.Second, true
		for _, different := range []bool{true, false} {
			steps := calls(try.Case, different)
			two, ok := s.turn(ctx, try.Case, steps[:2], suites.Turns{})
			key := fmt.Sprint(accesses(two, 0, shared(two)))
			if !ok || len(shared(two)) == 0 || known[key] || s.Race != nil {
				continue
			}
			known[key], used, s.input = true, cmp.Or(used, try.Case), try.Input
			s.repeated(ctx, try.Case, steps)
		}
	}
	if used == nil {
		s.Untried = cmp.Or(s.hook.WhyNotRun(), "two calls of it share no file that it changes")
	}
	return used
}

// repeated searches the orders of two of several calls: those at a limit, the ones after the first, and the first. If there
// is a limit, it then makes all calls look before one of them changes what they share.
func (s *orderSearch) repeated(ctx context.Context, c *suites.Case, steps []suites.Step) {
	o, _ := s.turn(ctx, c, steps, suites.Turns{})
	limit, befores := passing(o), []int{1, 0}
	limited := 0 < limit && limit < len(steps)
	if limited {
		befores = []int{limit - 1, 1, 0}
	}
	for i, n := range befores {
		if s.Race == nil && !slices.Contains(befores[:i], n) {
			s.pair(ctx, c, steps[:n+2], n)
		}
	}
	paths := shared(o)
	windows, _ := points(accesses(o, 0, paths), paths)
	for _, at := range windows {
		if s.Race == nil || !limited || s.Race.Parallel != nil {
			return
		}
		all, ok := s.turn(ctx, c, steps, suites.Turns{Holds: slices.Repeat([]int{at}, len(steps)), Paths: paths})
		if n := passing(all); ok && n > limit {
			s.Race.Parallel = &Parallel{len(steps), n, limit}
		}
	}
}

func passing(o suites.Outcome) (n int) {
	return len(slices.DeleteFunc(slices.Clone(o.Results), func(r suites.Result) bool { return !passes(r) }))
}

// calls returns steps that make a call again and again, with other inputs if different is true. A session has one
// event without a tool at a time, so those are of different sessions.
func calls(c *suites.Case, different bool) (steps []suites.Step) {
	for i := range callsInSequence {
		st, n := c.Steps[0], fmt.Sprint(i+1)
		var sent map[string]any
		_ = json.Unmarshal(st.PayloadRaw, &sent) // hookwatch made it
		sent["session_id"], sent["tool_use_id"] = "hookwatch-order", "toolu_"+n
		if about, _ := client.EventByName(st.Event); !about.Tool {
			sent["session_id"] = "hookwatch-order-" + n
		}
		in, _ := sent["tool_input"].(map[string]any)
		if command, ok := in["command"].(string); ok && different {
			in["command"] = command + " " + n
		} else if file, ok := in["file_path"].(string); ok && different {
			in["file_path"] = strings.TrimSuffix(file, path.Ext(file)) + n + path.Ext(file)
		}
		st.PayloadRaw, _ = json.Marshal(sent) // it was decoded from JSON
		steps = append(steps, st)
	}
	return steps
}

func changes(a suites.Turn) bool { return strings.ContainsAny(a.Uses, "wc") }

func shows(a suites.Turn) bool { return strings.ContainsAny(a.Uses, "aol") }

// shared returns the files that the first process and another one use, one changes, and one creates or opens.
func shared(o suites.Outcome) (all []string) {
	for _, a := range o.Turns {
		uses := func(of func(suites.Turn) bool) bool {
			return slices.ContainsFunc(o.Turns, func(b suites.Turn) bool { return b.Path == a.Path && of(b) })
		}
		content := func(b suites.Turn) bool { return b.Uses != "a" && b.Uses != "aw" }
		other := func(b suites.Turn) bool { return b.Step > 0 }
		if a.Step == 0 && !slices.Contains(all, a.Path) && !cached.MatchString(a.Path) && uses(other) && uses(changes) && uses(content) {
			all = append(all, a.Path)
		}
	}
	return all
}

// cached matches what programs keep for themselves, and protect.
var cached = regexp.MustCompile(`/(?:__pycache__|\.cache|\.git|node_modules|telemetry|go/pkg)(?:/|$)`)

// accesses returns those of a step to some paths.
func accesses(o suites.Outcome, step int, paths []string) []suites.Turn {
	return slices.DeleteFunc(slices.Clone(o.Turns), func(a suites.Turn) bool { return a.Step != step || !slices.Contains(paths, a.Path) })
}

// points returns the numbers, from 1, of the accesses before which a process may be interrupted: those that change
// what it has looked at, then others but the first.
func points(all []suites.Turn, common []string) (windows, others []int) {
	for i, a := range all {
		seen := slices.ContainsFunc(all[:i], func(b suites.Turn) bool { return b.Path == a.Path && shows(b) })
		switch {
		case i == 0 || all[i-1] == a || !slices.Contains(common, a.Path):
		case seen && changes(a):
			windows = append(windows, i+1)
		default:
			others = append(others, i+1)
		}
	}
	return windows, others
}

// pair tries the interruptions of the first of the last two steps, alone and with one of the second, and compares
// the results with those of one after the other. It ends at the first race.
func (s *orderSearch) pair(ctx context.Context, c *suites.Case, steps []suites.Step, before int) {
	o, ok := s.turn(ctx, c, steps, suites.Turns{Before: before})
	common := shared(o)
	if !ok || len(common) == 0 {
		return
	}
	s.Shared = strings.Split(ofProject.Replace(strings.Join(common, "\n")), "\n")
	turns := suites.Turns{Before: before, Paths: slices.Clip(common)}
	for _, a := range o.Turns {
		if changes(a) && !slices.Contains(turns.Paths, a.Path) {
			turns.Paths = append(turns.Paths, a.Path)
		}
	}
	swapped, later := slices.Clone(steps), slices.Clone(steps)
	slices.Reverse(swapped[before:])
	for range 9 { // each is the work of a process, so that the others have other numbers
		later[0].Fixtures = append(slices.Clip(later[0].Fixtures), suites.Fixture{Path: "{tmp}/.later", Age: time.Minute})
	}
	ab, ok1 := s.turn(ctx, c, steps, turns)
	ba, ok2 := s.turn(ctx, c, swapped, turns)
	again, ok3 := s.turn(ctx, c, later, turns)
	if !ok1 || !ok2 || !ok3 {
		return
	}
	slices.Reverse(ba.Results[before:])
	windows, others := points(accesses(ab, 0, turns.Paths), common)
	second, _ := points(accesses(ab, 1, turns.Paths), common)
	var holds [][]int
	for _, j := range append([]int{0}, second...) {
		for _, i := range slices.Concat(windows, others) {
			holds = append(holds, []int{i, j})
		}
	}
	for _, turns.Holds = range holds[:min(len(holds), ordersAtMost)] {
		s.Orders++
		o, ok := s.turn(ctx, c, steps, turns)
		what := differs(turns, o, ab, ba, again)
		if !ok || what == "" {
			continue
		}
		if o, ok = s.turn(ctx, c, steps, turns); ok && differs(turns, o, ab, ba, again) == what {
			s.race(ctx, c, steps, turns, what, ab, ba, o)
			return
		}
	}
}

// endings returns what processes leave, without what differs from run to run: the content of files by path, and their
// effects and answers.
func endings(o suites.Outcome, before int) map[string]string {
	all := map[string]string{}
	for _, r := range o.Results[min(before, len(o.Results)):] {
		all["effects"] += string(r.Effect) + "\n"
		all["answers"] += string(r.Effect) + unordered(string(r.Stdout)+"\n"+string(r.Stderr)) + "\n"
		for p, content := range r.Files {
			all[p] = unordered(string(content))
		}
	}
	return all
}

// differs returns what two processes leave as after no order of them, "" if there is nothing. What is not the same in
// a second run of the first order counts for nothing.
func differs(turns suites.Turns, o, ab, ba, again suites.Outcome) string {
	is, first, second, stable := endings(o, turns.Before), endings(ab, turns.Before), endings(ba, turns.Before), endings(again, turns.Before)
	for _, what := range append([]string{"effects", "answers"}, turns.Paths...) {
		if first[what] == stable[what] && is[what] != first[what] && is[what] != second[what] {
			return what
		}
	}
	return ""
}

// volatile matches times and numbers that are drawn at random.
var volatile = regexp.MustCompile(`\d{4}-?\d\d-?\d\d[T _-]?\d\d[:-]?\d\d([:-]?\d\d)?([.,]\d+)?(Z|[+-]\d\d:?\d\d)?|\d\d:\d\d(:\d\d)?|\d{9,}(\.\d+)?|[0-9a-fA-F-]{16,}`)

// unordered returns a text without times and with its entries sorted, those of lines and of JSON: the order of
// independent entries is no race.
func unordered(text string) string {
	all := strings.FieldsFunc(volatile.ReplaceAllString(text, "0"), func(r rune) bool { return strings.ContainsRune("\n,[]{}", r) })
	for i := range all {
		all[i] = strings.ReplaceAll(all[i], " ", "")
	}
	slices.Sort(all)
	return strings.TrimSpace(strings.Join(all, "\n"))
}

// race describes a race. The outcomes are those of both orders, and of the interruption.
func (s *orderSearch) race(ctx context.Context, c *suites.Case, steps []suites.Step, turns suites.Turns, what string, outcomes ...suites.Outcome) {
	all, held := accesses(outcomes[0], 0, turns.Paths), turns.Holds[0]
	at, read, file := all[held-1].Path, held-1, what
	for i, a := range all[:held-1] {
		if a.Path == at && shows(a) {
			read = i + 1
		}
	}
	if !slices.Contains(turns.Paths, what) {
		file = at
	}
	var texts []string
	for _, o := range outcomes {
		var parts []string
		for i, r := range o.Results[turns.Before:] {
			parts = append(parts, strings.TrimSpace(fmt.Sprintf("call %d %s %s", i+1, strings.ReplaceAll(string(r.Effect), "_", " "), check.Short(string(r.Stdout)+string(r.Stderr)))))
		}
		for _, r := range o.Results {
			if content, present := r.Files[file]; present {
				parts = append(parts, path.Base(file)+" is "+cmp.Or(check.Short(string(content)), "empty"))
			}
		}
		texts = append(texts, strings.Join(parts, "; "))
	}
	place := func(hold int) string {
		o, _ := s.turn(ctx, c, steps[:turns.Before+1], suites.Turns{Before: turns.Before, Holds: []int{hold}, Paths: turns.Paths, Stop: true})
		return explore.Last(o.Trace, s.hook.Scripts)
	}
	s.Race = &Race{
		What: ofProject.Replace(what), Path: ofProject.Replace(at), Input: s.input, Before: turns.Before, Read: place(read), Held: place(held),
		Sequence: slices.Compact(texts[:2]), Interrupted: texts[2],
	}
}
