package verdict

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
)

// A Run is one side of a comparison.
type Run struct {
	ID      string
	Time    time.Time
	Records []suites.Record
	Env     suites.Environment
	// Concerns reports whether a tool can explain a changed verdict of the case. If nil, any
	// tool that the case reaches can. Compare uses that of the later run.
	Concerns func(k suites.Key, tool string) bool
}

// A Side is the result of a case in one run.
type Side struct {
	Status   suites.Status `json:"status"`
	Exit     *int          `json:"exit"`
	Decision string        `json:"decision"`
	Note     string        `json:"note"`
	record   *suites.Record
}

// Cause returns the cause of a side's failure, which groups it with others.
func (s *Side) Cause() Cause { return CauseOf(Failure{Record: s.record}) }

// A Delta is a case that differs between two runs. Prev is nil for an added case, Cur for a
// removed one.
type Delta struct {
	suites.Key
	Name   string       `json:"name"` // in the newer of the two runs
	Hook   string       `json:"hook"`
	Kind   Kind         `json:"kind"`
	Prev   *Side        `json:"before"`
	Cur    *Side        `json:"after"`
	Tools  []ToolChange `json:"-"`      // tools the case reaches that changed
	Inputs bool         `json:"inputs"` // whether the inputs of the verdict changed as well
}

// A RunSummary identifies one side and counts its records.
type RunSummary struct {
	ID    string    `json:"run_id"`
	Time  time.Time `json:"-"`
	Cases int       `json:"cases"` // keys; records of one key count once
	suites.Tally
}

// A Comparison describes the differences between two runs. Counts has every kind, including
// Unchanged; their sum is the number of cases in either run.
type Comparison struct {
	Prev, Cur   RunSummary
	Deltas      []Delta // by suite and ID
	Counts      map[Kind]int
	Environment []ToolChange
	Warnings    []string
}

// Total returns the number of cases in either run.
func (c *Comparison) Total() int {
	total := 0
	for _, n := range c.Counts {
		total += n
	}
	return total
}

// Compare merges two runs by the identity of their cases. Records without an ID are compared by
// hook and name, with a warning, so callers should set known IDs first. If a case has several
// records, the last one counts.
func Compare(prev, cur Run) Comparison {
	c := Comparison{Counts: make(map[Kind]int, len(Kinds))}
	a, b := c.side(&prev, "earlier"), c.side(&cur, "later")
	c.Prev, c.Cur = summary(&prev, a), summary(&cur, b)
	tools := newExplainer(&prev.Env, &cur.Env)
	tools.concerns = cur.Concerns
	c.Environment = tools.changes
	if !tools.known {
		c.warn("the tools of the %s run are not on record, so what they explain is not known", unknownSide(&prev))
	}
	either := maps.Clone(a)
	maps.Copy(either, b)
	for _, key := range slices.SortedFunc(maps.Keys(either), suites.Key.Compare) {
		c.add(a[key], b[key], tools)
	}
	if added, removed := c.Counts[Added], c.Counts[Removed]; added+removed > 0 {
		c.warn("the runs do not hold the same cases: %d only in the later, %d only in the earlier", added, removed)
	}
	return c
}

func (c *Comparison) add(p, q *suites.Record, tools *explainer) {
	kind, key := Unchanged, identity(cmp.Or(q, p))
	if q == nil {
		kind = removalOf(p)
	} else {
		kind = transition(p, *q, func(prev, cur string) bool { return tools.explains(key, prev, cur) })
	}
	c.Counts[kind]++
	if kind == Unchanged {
		return
	}
	of := cmp.Or(q, p)
	d := Delta{Key: key, Name: of.TestName, Hook: of.Hook, Kind: kind, Prev: sideOf(p), Cur: sideOf(q)}
	if p != nil && q != nil {
		d.Tools = tools.compareTools(key, p.Digests.Tools, q.Digests.Tools)
		d.Inputs = differ(p.Digests.Inputs, q.Digests.Inputs)
	}
	c.Deltas = append(c.Deltas, d)
}

func sideOf(r *suites.Record) *Side {
	if r == nil {
		return nil
	}
	return &Side{r.Status(), r.ActualExit, r.ActualDecision, r.Note, r}
}

// side returns a run's records by key, the last of each.
func (c *Comparison) side(r *Run, which string) map[suites.Key]*suites.Record {
	once := make(map[suites.Key]*suites.Record, len(r.Records))
	noID := 0
	for i := range r.Records {
		rec := &r.Records[i]
		once[identity(rec)] = rec
		if rec.ID == "" {
			noID++
		}
	}
	if noID > 0 {
		c.warn("%d of %d records of the %s run have no ID: they are compared by hook and test name", noID, len(r.Records), which)
	}
	if twice := len(r.Records) - len(once); twice > 0 {
		c.warn("the %s run holds %d records of cases that it has already: of each case the last one counts", which, twice)
	}
	return once
}

// identity returns the record's key. For a record without ID it is made of its hook and name,
// which is no key of a case.
func identity(r *suites.Record) suites.Key {
	if r.ID != "" {
		return r.Key()
	}
	return suites.Key{Suite: r.Suite, ID: r.Hook + ":" + r.TestName}
}

func summary(r *Run, once map[suites.Key]*suites.Record) RunSummary {
	s := RunSummary{ID: r.ID, Time: r.Time, Cases: len(once)}
	for _, record := range once {
		s.Tally.Add(record.Status())
	}
	return s
}

func unknownSide(prev *Run) string {
	if len(prev.Env.Tools) == 0 {
		return "earlier"
	}
	return "later"
}

// Warn adds warnings from elsewhere, each with the same prefix.
func (c *Comparison) Warn(what string, lines []string) {
	for _, line := range lines {
		c.Warnings = append(c.Warnings, what+line)
	}
}

func (c *Comparison) warn(format string, args ...any) {
	c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...))
}

// A Kind classifies how a case's record differs from the previous one.
type Kind string

// The kinds. Added and Removed are cases in only one run, unless ArrivalOf and removalOf return another
// kind.
const (
	Unchanged  Kind = "unchanged"
	Added      Kind = "added"
	Removed    Kind = "removed"
	Regression Kind = "regression" // it did not fail, and only hooks and documents can explain that it fails now
	Resolved   Kind = "resolved"   // it failed or was unproven, and now passes
	Changed    Kind = "changed"    // exit, decision, note or kind of verdict differ, for no better or worse
	Edited     Kind = "edited"     // the case's definition differs
	Explained  Kind = "explained"  // the verdict changed, and so did tools that the case reaches
)

// Kinds lists the kinds in the order of summaries.
var Kinds = []Kind{Added, Removed, Regression, Resolved, Changed, Edited, Explained, Unchanged}

// transition returns how a record differs from the case's earlier one, which is nil if there is
// none. ToolsExplain reports whether a tool changed, given the digests of tools of both; it is
// called only if the verdict changed. An empty digest, as in records of other tools, equals any.
func transition(prev *suites.Record, cur suites.Record, toolsExplain func(prev, cur string) bool) Kind {
	if prev == nil {
		return ArrivalOf(&cur)
	}
	before := prev.Digests
	if cur.Key().IsGenerated() {
		before.Case = cur.Digests.Case
	}
	kind := Turn(prev.Status(), cur.Status(), before, cur.Digests, toolsExplain)
	same := equalExit(prev.ActualExit, cur.ActualExit) && prev.ActualDecision == cur.ActualDecision && prev.Note == cur.Note
	if kind == Unchanged && !same {
		return Changed
	}
	return kind
}

// ArrivalOf returns the kind of a case that is new. If it is generated and fails, it is a new fault.
func ArrivalOf(cur *suites.Record) Kind {
	if cur.Key().IsGenerated() && cur.Status() == suites.Fail {
		return Regression
	}
	return Added
}

// removalOf returns the kind of a case that no longer exists. If it was generated and failed, its
// fault is fixed.
func removalOf(prev *suites.Record) Kind {
	if prev.Key().IsGenerated() && prev.Status() == suites.Fail {
		return Resolved
	}
	return Removed
}

// Turn is the Transition from one status to another. It depends only on the two statuses and the
// digests.
func Turn(was, is suites.Status, before, now suites.Digests, toolsExplain func(before, now string) bool) Kind {
	switch {
	case differ(before.Case, now.Case):
		return Edited
	case was == is:
		return Unchanged
	case was == suites.Aborted || is == suites.Aborted:
		return Changed // the case did not run, so nothing is known about it
	case toolsExplain(before.Tools, now.Tools):
		return Explained
	case is == suites.Fail:
		return Regression // from pass, skip or unproven: it did not fail before
	case is == suites.Pass && (was == suites.Fail || was == suites.Unproven):
		return Resolved
	default:
		// From or to a skip, or to unproven: the case itself is neither better nor worse as far
		// as known. A change of the control is reported for the control.
		return Changed
	}
}

func equalExit(a, b *int) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// differ reports whether two digests differ; an unknown digest equals any.
func differ(a, b string) bool { return a != "" && b != "" && a != b }

// A ToolKind classifies how a tool differs between two environments.
type ToolKind string

// The kinds of change. ToolReplaced is another file with the same version.
const (
	ToolAppeared ToolKind = "appeared"
	ToolVanished ToolKind = "vanished"
	ToolVersion  ToolKind = "version"
	ToolReplaced ToolKind = "replaced"
	ToolStandIn  ToolKind = "stand-in" // a stand-in replaced it, or no longer does
)

// A ToolChange is one tool that differs.
type ToolChange struct {
	Name      string
	Kind      ToolKind
	Prev, Cur suites.Tool
}

// String describes the change: "biome 2.3.15 -> 2.4.0", "jaq vanished (was 2.1)".
func (t ToolChange) String() string {
	switch t.Kind {
	case ToolVersion:
		return fmt.Sprintf("%s %s -> %s", t.Name, t.Prev.Version, t.Cur.Version)
	case ToolReplaced:
		if t.Prev.Path != t.Cur.Path {
			return fmt.Sprintf("%s is another file: %s -> %s", t.Name, t.Prev.Path, t.Cur.Path)
		}
		return t.Name + " was replaced"
	case ToolStandIn:
		if t.Cur.StandIn {
			return t.Name + " is a stand-in now"
		}
		return t.Name + " is no longer a stand-in"
	case ToolVanished:
		return t.Name + " vanished" + version("was ", t.Prev)
	case ToolAppeared:
		return t.Name + " appeared" + version("", t.Cur)
	default:
		return t.Name + " " + string(t.Kind)
	}
}

func version(word string, t suites.Tool) string {
	if t.Version == "" {
		return ""
	}
	return " (" + word + t.Version + ")"
}

// toolChanges returns the differences between two environments' tools, sorted by name. A missing
// tool counts as absent.
func toolChanges(prev, cur []suites.Tool) []ToolChange {
	was, is := toolsByName(prev), toolsByName(cur)
	var names []string
	for name := range was {
		names = append(names, name)
	}
	for name := range is {
		if _, ok := was[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var changes []ToolChange
	for _, name := range names {
		if kind := toolKind(was[name], is[name]); kind != "" {
			changes = append(changes, ToolChange{name, kind, was[name], is[name]})
		}
	}
	return changes
}

func toolsByName(tools []suites.Tool) map[string]suites.Tool {
	byName := make(map[string]suites.Tool, len(tools))
	for _, t := range tools {
		byName[t.Name] = t
	}
	return byName
}

// toolKind returns "" if no difference is known.
func toolKind(a, b suites.Tool) ToolKind {
	switch {
	case !a.Present() && !b.Present():
		return ""
	case !a.Present():
		return ToolAppeared
	case !b.Present():
		return ToolVanished
	case a.StandIn != b.StandIn:
		return ToolStandIn
	case differ(a.Version, b.Version):
		return ToolVersion
	case differ(a.Digest, b.Digest), a.Path != b.Path:
		return ToolReplaced
	default:
		return ""
	}
}

// An explainer finds the tools whose change made two digests of tools differ.
type explainer struct {
	prev, cur *suites.Environment
	was, is   map[string]suites.Tool
	known     bool // both environments list their tools
	changes   []ToolChange
	concerns  func(suites.Key, string) bool // if nil, each tool concerns each case
}

func newExplainer(prev, cur *suites.Environment) *explainer {
	e := &explainer{prev: prev, cur: cur, was: toolsByName(prev.Tools), is: toolsByName(cur.Tools)}
	if e.known = len(e.was) > 0 && len(e.is) > 0; e.known {
		e.changes = toolChanges(prev.Tools, cur.Tools)
	}
	return e
}

// explains reports whether changed tools explain the difference of two digests. If the tools of
// a run are unknown, the difference itself is enough.
func (e *explainer) explains(k suites.Key, prev, cur string) bool {
	return differ(prev, cur) && (!e.known || len(e.compareTools(k, prev, cur)) > 0)
}

// compareTools returns the changed tools that a case reaches and that concern it. If an edited hook
// calls another tool, the tool itself did not change, so a tool that only one side reaches
// counts only if both environments contain it.
func (e *explainer) compareTools(k suites.Key, prev, cur string) []ToolChange {
	if !differ(prev, cur) {
		return nil
	}
	before, knownBefore := e.prev.CaseTools[prev]
	after, knownAfter := e.cur.CaseTools[cur]
	var reached []ToolChange
	for _, t := range e.changes {
		if e.concerns != nil && !e.concerns(k, t.Name) {
			continue
		}
		was, is := !knownBefore || slices.Contains(before, t.Name), !knownAfter || slices.Contains(after, t.Name)
		_, listedBefore := e.was[t.Name]
		_, listedAfter := e.is[t.Name]
		if was && is || (was || is) && listedBefore && listedAfter {
			reached = append(reached, t)
		}
	}
	return reached
}

// toolSets finds the tools of a record's digest in the recorded environments of the machine.
type toolSets struct {
	environments []suites.Environment // latest first
	names        map[string][]string  // digest -> names of its tools
	cases        map[suites.Key][][]string
	found        map[string][]suites.Tool // by digest
	tried        map[string]bool          // digests with names that match no environment
}

func newToolSets(environments []suites.Environment) *toolSets {
	t := &toolSets{
		environments: environments, names: make(map[string][]string),
		cases: make(map[suites.Key][][]string), found: make(map[string][]suites.Tool),
		tried: make(map[string]bool),
	}
	for i := range environments {
		for digest, names := range environments[i].CaseTools {
			if _, known := t.names[digest]; !known {
				t.names[digest] = names
			}
		}
	}
	return t
}

// meets records the names of the tools that a record's case reaches, because a digest without
// recorded names usually is of the same ones.
func (t *toolSets) meets(r *suites.Record) {
	names, known := t.names[r.Digests.Tools]
	key := identity(r)
	if !known || slices.ContainsFunc(t.cases[key], func(has []string) bool { return slices.Equal(has, names) }) {
		return
	}
	t.cases[key] = append(t.cases[key], names)
}

// toolsOf returns the tools of a record, nil if they are unknown. A result is cached by digest, a
// failure only by the names that were tried.
func (t *toolSets) toolsOf(r *suites.Record) []suites.Tool {
	digest := r.Digests.Tools
	if set, known := t.found[digest]; known || digest == "" {
		return set
	}
	candidates := t.cases[identity(r)]
	if names, known := t.names[digest]; known {
		candidates = [][]string{names}
	}
	set := t.find(digest, candidates)
	if set != nil {
		t.found[digest] = set
	}
	return set
}

// find searches for an environment whose tools have the digest. If there is none, it uses the
// latest environment that contains the names for the digest.
func (t *toolSets) find(digest string, candidates [][]string) []suites.Tool {
	for _, names := range candidates {
		attempt := digest + "\x00" + strings.Join(names, "\x00")
		if t.tried[attempt] {
			continue
		}
		t.tried[attempt] = true
		for i := range t.environments {
			if set := t.environments[i].ToolSet(names); suites.ToolsDigest(set) == digest {
				return set
			}
		}
	}
	for i := range t.environments {
		if names, known := t.environments[i].CaseTools[digest]; known {
			return t.environments[i].ToolSet(names)
		}
	}
	return nil
}
