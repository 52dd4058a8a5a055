package check

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/explore"
	"hookwatch/suites/pattern"
)

// The bounds of an exploration: firings that its search asks for, and those in a row that came no further. They do not
// depend on time, so that the result is the same on a busy machine.
const (
	mostExplored = 48
	moreExplored = 8 // for each decision that is left beside one
	mostInVain   = 12
	mostAgain    = 16 // inputs that are fired again, to be judged
)

// An exploration fires inputs that pass the comparisons of a hook, until its decisions are reached. Its firings
// are not judged, because observation changes the environment: those that decide are fired again.
type exploration struct {
	hook      discover.Hook
	patience  time.Duration
	change    *alternative // in each payload; nil for what the client sends
	search    explore.Search
	other     func(file string) string // the text of another version's file, from which this one is to be told
	tree      Tree
	branch    string                   // of the repository, if the scripts ask for it
	files     map[explore.Field]string // that the first firing looked for, with their first texts
	decisions []explore.Decision
	sources   map[string][]byte // of the scripts, and of the modules that they were seen to run
	courses   map[string]*explore.Course
	taken     []taken
	assigned  []string // variables of neverSet that the hook was seen to set
	read      bool     // it was seen to read its input
	begin     []firing
	again     []observation // what came further for one tool, for another one
	sent      []firing
	asked     map[string]bool // unusual inputs that were sent
	arranged  []int           // the decisions that were left whenever more than the input was arranged
	reached   map[int]bool    // decisions, by index
	effective map[int]bool    // of these, those that had an effect once
	deciding  []firing        // that reached a decision first, or had an effect that no other had
	further   []firing        // that came to another statement, or past another comparison
	hits      []hit           // those that ran lines by which this version is to be told
	effects   map[suites.Effect]bool
	ran       map[string]bool      // scripts that were seen to run
	searched  int                  // firings that the search asked for
	inVain    int                  // of these, those since one came further
	compared  bool                 // the hook compared its input
	seen      []explore.Comparison // of its input, each place and pattern once; the last that failed
	passed    []explore.Comparison // in the same way, those that some input passed
	sides     map[suites.Position]*sides
	foreign   []foreign // comparisons whose pattern is written in another syntax
	reads     []explore.FieldRead
	absent    map[explore.Field]bool // that were read of a payload without them
	errors    []explore.Failure
	message   []string // the parts of the first error that a shell reported
}

// A foreign is a comparison whose pattern is written in another syntax, or for another value, with the reason.
type foreign struct {
	explore.Comparison
	of     explore.Field
	why    string
	varies bool // some other value may pass
}

// An observation is a firing that is observed, and the input that it was made from.
type observation struct {
	firing
	in explore.Input
}

// A taken firing is one whose record was read.
type taken struct {
	firing
	*explore.Record
	suites.Effect
}

// A hit is a firing, with the number of such lines.
type hit struct {
	firing
	lines int
}

// newExploration returns the exploration of a hook; nil if its scripts cannot be observed.
func newExploration(s subject, change *alternative) *exploration {
	x := &exploration{
		hook: s.hook, patience: s.patience(), change: change, tree: s.tree, sources: map[string][]byte{}, courses: map[string]*explore.Course{}, sides: map[suites.Position]*sides{}, absent: map[explore.Field]bool{},
		reached: map[int]bool{}, effects: map[suites.Effect]bool{}, ran: map[string]bool{}, asked: map[string]bool{},
	}
	for _, script := range s.hook.Scripts {
		src := []byte(s.tree.read(script))
		if hidesTrace().Match(src) {
			return nil
		}
		if explore.Observes(script, src) {
			x.add(script, src)
		}
	}
	x.decide()
	typical := typical(s.hook, s.tree)
	x.begin = slices.Clone(typical)
	if len(x.sources) == 0 || len(x.begin) == 0 {
		return nil
	}
	// One that no list of harmless inputs names, because a hook may end at once for a usual one.
	f := typical[len(typical)-1]
	f.command = command(f.tool, "zqCmd --zqOption zqValue")
	if takesFile(f.tool) {
		f.file = "zqDir/zqFile.zq"
		f = s.tree.afterCall(f)
	}
	for key, text := range client.ToolByName(f.tool).Optional {
		f.over = withText(f.over, explore.Field("tool_input."+key), text)
	}
	if f.passes(s.hook) {
		x.begin = append(x.begin, f)
	}
	if asksBranch().MatchString(s.text) {
		name, commit := "main", ""
		if !s.hook.Scope.IsForeign() {
			name, commit = s.tree.branch()
		}
		for i := range x.begin {
			x.begin[i].commit = commit
		}
		x.branch = name
	}
	x.search.Usual = map[explore.Field][]string{"tool_input.command": badCommands, "tool_input.file_path": badFiles, "tool_input.notebook_path": badFiles, "prompt": badPrompts}
	return x
}

// add adds a script, whose statements may not be known.
func (x *exploration) add(script string, src []byte) {
	x.sources[script] = src
	if course := explore.CourseOf(script, src); course != nil {
		x.courses[script] = course
	}
}

// decide finds the decisions of all scripts, and those that the firings so far came to.
func (x *exploration) decide() {
	var functions []string
	scripts := slices.Sorted(maps.Keys(x.courses))
	for _, script := range scripts {
		functions = append(functions, x.courses[script].Deciding()...)
	}
	x.decisions, x.reached, x.effective = nil, map[int]bool{}, map[int]bool{}
	for _, script := range scripts {
		x.decisions = append(x.decisions, x.courses[script].Decisions(functions...)...)
	}
	for _, t := range x.taken {
		x.reach(t.Record, t.Effect)
	}
}

// modules match files of a project that others wrote.
var modules = pattern.Lazy(`(?:^|/)(?:node_modules|site-packages|vendor|\.?venv)/`)

// follow adds the files of the project that a firing ran.
func (x *exploration) follow(r *explore.Record) {
	n := len(x.sources)
	for _, file := range r.Files() {
		if !filepath.IsLocal(file) || x.scriptOf(file) != "" || modules().MatchString(file) {
			continue
		}
		if src := []byte(x.tree.read(file)); explore.Observes(file, src) {
			x.add(file, src)
			if x.other != nil {
				x.aim(file)
			}
		}
	}
	if len(x.sources) > n {
		x.decide()
	}
}

// left returns the number of decisions that were not reached, without those in functions of modules that are not called.
func (x *exploration) left() (n int) {
	for i, d := range x.decisions {
		if x.reached[i] {
			continue
		}
		if _, near := x.courses[d.File].Cut(d.Line); near || slices.Contains(x.hook.Scripts, d.File) {
			n++
		}
	}
	return n
}

// next returns what to fire next; none if the exploration has ended.
func (x *exploration) next() (all []observation) {
	for _, f := range x.begin {
		all = append(all, observation{firing: f})
	}
	all = append(all, x.again...)
	x.begin, x.again = nil, nil
	x.search.Awaited = nil
	courses := slices.Collect(maps.Values(x.courses))
	for i, d := range x.decisions {
		if !x.reached[i] {
			x.search.Awaited = append(x.search.Awaited, x.courses[d.File].Awaited(d.Line, courses...)...)
		}
	}
	if len(all) == 0 {
		all = x.onAnotherBranch()
	}
	if len(all) == 0 && x.inVain > 0 {
		all = x.unusual() // before more inputs are tried in vain
	}
	for len(all) == 0 && x.compared && x.searched < x.most() && x.inVain < x.patient() {
		next := x.search.Next(batch, x.left() == 0 || x.search.Arrived())
		if len(next) == 0 {
			break
		}
		for _, in := range next {
			if f, ok := x.with(in); ok {
				all = append(all, observation{f, in})
			}
		}
	}
	if len(all) == 0 {
		all = x.unusual()
	}
	if len(all) == 0 && x.arranges() {
		x.arranged = append(x.arranged, x.left())
		x.inVain, x.searched = mostInVain-batch, min(x.searched, x.most()-2*batch)
		for _, f := range x.arrange() {
			all = append(all, observation{firing: f})
		}
	}
	return all
}

// arranges reports whether more than the input is to be arranged: once, and once more if that came to a decision.
func (x *exploration) arranges() bool {
	left := x.left()
	switch len(x.arranged) {
	case 0:
		return left > 0 || len(x.decisions) == 0
	case 1:
		return 0 < left && left < x.arranged[0]
	}
	return false
}

// most returns the maximum number of firings that the search asks for: more while several decisions are left.
func (x *exploration) most() int {
	return min(mostExplored+moreExplored*max(0, x.left()-1), 2*mostExplored)
}

// patient returns the maximum number of firings in a row that come no further: less if nothing that is left depends on
// a comparison.
func (x *exploration) patient() int {
	if x.left() > 0 && !x.search.Waits() {
		return mostInVain / 3
	}
	return mostInVain
}

// unusual returns those firings of last that were not made yet, while decisions are left.
func (x *exploration) unusual() (all []observation) {
	if x.left() == 0 {
		return nil
	}
	for _, f := range x.last() {
		key := fmt.Sprintf("%q %s %q", f.without, f.input(), f.description)
		if f.stdin != nil {
			key = "stdin " + *f.stdin
		}
		if !x.asked[key] {
			x.asked[key] = true
			all = append(all, observation{firing: f})
		}
	}
	return all
}

// last returns firings by which a hook may come to the decisions that are left: without an input, with several lines,
// and without a program, with a library that fails or with a long input if the condition of one of them names that.
func (x *exploration) last() (all []firing) {
	for _, stdin := range []string{"", "{}", "{"} {
		f := x.sent[0]
		f.stdin = &stdin
		all = append(all, f)
	}
	if f := x.sent[0]; f.command != "" {
		f.command = "# zqNote\n\n" + f.command
		all = append(all, f)
	}
	conditions, of := "", map[string]string{} // by script
	for i, d := range x.decisions {
		if cut, near := x.courses[d.File].Cut(d.Line); near && !x.reached[i] {
			conditions += cut.Text + "\n"
			of[d.File] += cut.Text + "\n"
		}
	}
	for _, program := range frail {
		if looksFor().MatchString(conditions) && hasWord(conditions, program) && !x.tree.lacks(program) {
			f := x.sent[0]
			f.without = []string{program}
			all = append(all, f)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(x.sources)) {
		sources := regexp.MustCompile(`(?m)(?:^|[!;&|({\s])(?:\.|source)\s[^;&|\n]*\b` + regexp.QuoteMeta(path.Base(file)))
		if filepath.IsLocal(file) && sources.MatchString(conditions) {
			all = append(all, x.sent[0].withState(explore.Field("{project}/"+filepath.ToSlash(file)), "return 1\n"))
		}
	}
	if f := x.sent[0]; f.command != "" && large().MatchString(conditions) {
		f.command += " #" + strings.Repeat("a", 100_000)
		all = append(all, f)
	}
	writes := func(f firing, _ map[int]bool) bool { return client.ToolByName(f.tool).Text != "" }
	for _, file := range slices.Sorted(maps.Keys(of)) {
		f, ok := x.furthest(file, writes)
		for _, number := range long().FindAllString(of[file], 2) {
			n, _ := strconv.Atoi(number) // digits
			f.text, f.description, f.written = strings.Repeat("zqLine = 1\n", n+1), fmt.Sprintf("%d lines", n+1), f.about().Guards == ""
			if ok {
				all = append(all, f)
			}
		}
	}
	return all
}

var (
	long     = pattern.Lazy(`\b[1-9]\d{1,3}\b`) // a number of lines
	looksFor = pattern.Lazy(`\bcommand -v\b|\bwhich\b|\bhash\b|\btype\b`)
	large    = pattern.Lazy(`\b\d{4,6}\b`) // a number of characters
)

// probes returns the probes of the next observations; none if the exploration has ended, or if nothing is observed.
func (x *exploration) probes() (all []Probe) {
	if x == nil || len(x.begin) == 0 && len(x.sent) == 0 {
		return nil
	}
	for _, o := range x.next() {
		all = append(all, x.probe(o))
	}
	if len(x.sent) == 0 && len(all) > 0 {
		all[0].observed = true // which files it looks for
	}
	return all
}

// probe returns the probe of an observation.
func (x *exploration) probe(o observation) Probe {
	c := o.asCase(x.hook)
	c.Timeout = x.patience
	if x.change != nil {
		step := &c.Steps[len(c.Steps)-1]
		step.Env, step.MatchedAs = x.change.env(step.PayloadRaw), o.tool
		if x.change.variable == "" {
			step.PayloadRaw = x.change.with(step.PayloadRaw)
		}
	}
	return Probe{Case: c, Trace: explore.Start, seen: func(outcome suites.Outcome) { x.take(o, outcome) }}
}

// take records what an observation shows.
func (x *exploration) take(of observation, o suites.Outcome) {
	if len(o.Results) == 0 {
		return
	}
	r, last := x.recordOf(o), o.Results[len(o.Results)-1]
	decides := x.reach(r, last.Effect)
	x.taken = append(x.taken, taken{of.firing, r, last.Effect})
	if of.stdin != nil || of.without != nil {
		return
	}
	for _, course := range x.courses {
		course.Take(of.tool, r)
	}
	if len(x.sent) == 0 && x.change == nil {
		x.begin = slices.Concat(x.begin, x.withVariables(), x.withFiles(of.firing, o))
	}
	x.sent = append(x.sent, of.firing)
	x.takeReads(of.firing, r)
	x.takeErrors(of.firing, r, last)
	x.read = x.read || !last.StdinUnread
	fields := of.fields(x.hook)
	if _, other := of.state[branchField]; !other && x.branch != "" {
		fields[branchField] = x.branch
	}
	x.compare(r, fields)
	x.side(of.firing, r, fields, Stopped(last.Effect))
	compared, further := x.search.Take(of.in, fields, r)
	x.compared = x.compared || compared
	x.rate(of, r, decides || !x.effects[last.Effect], further)
	x.effects[last.Effect] = true
}

// recordOf returns what a firing was observed to do in the files of the hook. One that logs much ends the exploration,
// because each firing of it would take long.
func (x *exploration) recordOf(o suites.Outcome) *explore.Record {
	const most = 8 << 20 // bytes
	size := 0
	for _, log := range o.Trace {
		size += len(log)
	}
	if size > most {
		x.inVain = mostInVain
	}
	r := explore.Read(o.Trace, o.Root)
	for _, v := range neverSet { // also in a library outside the project
		if r.Assigns(v) {
			x.assigned = append(x.assigned, v)
		}
	}
	r.Keep(func(file string) bool { return file == "" || filepath.IsLocal(file) || x.scriptOf(file) != "" })
	x.follow(r)
	for _, file := range slices.Sorted(maps.Keys(x.sources)) {
		r.Resolve(file, x.sources[file])
	}
	return r
}

// takeReads records the fields that a firing read. What the tools of an MCP server call theirs is not known.
func (x *exploration) takeReads(f firing, r *explore.Record) {
	own := x.payload(f)
	for _, read := range r.Reads {
		if ofServer(f) && strings.HasPrefix(string(read.Field), "tool_input.") {
			continue
		}
		if x.reads = append(x.reads, read); !own[read.Field] {
			x.absent[read.Field] = true
		}
	}
}

// takeErrors records the errors of a firing that nothing made up may have caused.
func (x *exploration) takeErrors(f firing, r *explore.Record, last suites.Result) {
	if f.state != nil || f.earlier != nil {
		return
	}
	if x.errors = append(x.errors, r.Errors...); x.message == nil {
		x.message = shellError().FindStringSubmatch(string(last.Stderr))
	}
}

// rate records how far a firing came: to a decision or an effect that is new, or further than others.
func (x *exploration) rate(of observation, r *explore.Record, decides, further bool) {
	derived := of.in.Text != ""
	if derived {
		x.searched++
		x.inVain++
	}
	if decides || further {
		x.inVain = 0
	}
	if further && of.in.Field.IsPath() && len(x.again) < batch {
		x.again = append(x.again, x.byOthers(of)...)
	}
	if n := x.search.Aims.Hits(r); n > 0 && !of.marked() {
		x.hits = append(x.hits, hit{of.firing, n})
	}
	switch {
	case !derived && !of.isArranged():
	case decides:
		x.deciding = append(x.deciding, of.firing)
	case further:
		x.further = append(x.further, of.firing)
	}
}

// byOthers returns an observation by the other tools that were tried and take a file, because what a hook reads of it
// may be in a field that its tool does not send.
func (x *exploration) byOthers(of observation) (all []observation) {
	done := []string{of.tool}
	for i, f := range x.sent {
		if slices.Contains(done, f.tool) || !takesFile(f.tool) || f.state != nil || f.isArranged() {
			continue
		}
		done = append(done, f.tool)
		in := explore.Input{From: i, Field: of.in.Field, Text: of.in.Text}
		sent := func(o firing) bool { return o.tool == f.tool && o.file == of.file }
		if other, ok := x.with(in); ok && !slices.ContainsFunc(x.sent, sent) {
			all = append(all, observation{other, in})
		}
	}
	return all
}

// compare records the comparisons of the input.
func (x *exploration) compare(r *explore.Record, fields map[explore.Field]string) {
	for _, c := range r.Comparisons {
		of, own := c.Of(fields)
		if script := x.scriptOf(c.File); script != "" && (own || c.Value == "") && !strings.Contains(c.Pattern, marker) {
			if why := c.Foreign(); why != "" {
				x.foreign = append(x.foreign, foreign{c, of, why, false})
			} else if why, varies := c.Misread(of, fields[of]); why != "" {
				x.foreign = append(x.foreign, foreign{c, of, why, varies})
			}
		}
		to := &x.seen
		if c.Accepts(c.Value) {
			to = &x.passed
		}
		if own && !contains(*to, c) && (to == &x.passed || !of.IsOutside()) {
			*to = append(*to, c)
		}
	}
}

// contains reports whether a comparison is in a list, whatever its value.
func contains(all []explore.Comparison, c explore.Comparison) bool {
	return slices.ContainsFunc(all, func(o explore.Comparison) bool {
		o.Value = c.Value
		return o == c
	})
}

// reach records the decisions to which a firing came, and reports whether one is new.
func (x *exploration) reach(r *explore.Record, e suites.Effect) (further bool) {
	for i, d := range x.decisions {
		x.ran[d.File] = x.ran[d.File] || r.Runs(d.File)
		if r.Reached(d) && (!d.Either || !idle(e)) {
			further = further || !x.reached[i]
			x.reached[i], x.effective[i] = true, x.effective[i] || !idle(e)
		}
	}
	return further
}

// scriptOf returns the script that an interpreter names; "" if it is none of the hook.
func (x *exploration) scriptOf(file string) string {
	for _, script := range slices.Sorted(maps.Keys(x.sources)) {
		if explore.Same(file, script) {
			return script
		}
	}
	return ""
}

// idle reports whether nothing that was sent had an effect or came to a decision.
func (x *exploration) idle() bool {
	for e := range x.effects {
		if !idle(e) {
			return false
		}
	}
	return len(x.reached) == 0
}

// idle reports whether an effect is none.
func idle(e suites.Effect) bool { return e == suites.Proceeds || e == suites.Ignored }

// beyond returns what an exploration came to and another did not, in words; "" if that is nothing.
func (x *exploration) beyond(other *exploration) string {
	for i, d := range x.decisions {
		if x.reached[i] && !other.reached[i] {
			return fmt.Sprintf("comes to %s", quote(Short(d.Statement)))
		}
	}
	for _, e := range slices.Sorted(maps.Keys(x.effects)) {
		if !idle(e) && !other.effects[e] {
			return "has the effect " + string(e)
		}
	}
	for _, t := range x.taken {
		if !idle(t.Effect) && !slices.ContainsFunc(other.taken, func(o taken) bool { return o.tool == t.tool && o.Effect == t.Effect }) {
			return fmt.Sprintf("has the effect %s for %s", t.Effect, t.tool)
		}
	}
	if at := x.search.Beyond(&other.search); at != "" {
		return "goes on to " + at
	}
	return ""
}
