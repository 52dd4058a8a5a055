package conform

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/explore"
	"hookwatch/suites/pattern"
)

// The bounds of an exploration: firings, and those in a row that came no further. They do not depend on
// time, so that the result is the same on a busy machine.
const (
	mostExplored = 48
	mostInVain   = 20
	mostAgain    = 16 // inputs that are fired again, to be judged
)

// An exploration fires inputs that pass the comparisons of a hook, until its decisions are reached. Its firings
// are not judged, because observation changes the environment: those that decide are fired again.
type exploration struct {
	hook      discover.Hook
	patience  time.Duration
	change    *alternative // in each payload; nil for what the client sends
	search    explore.Search
	decisions []explore.Decision
	sources   map[string][]byte // of the scripts
	assigned  []string          // variables of neverSet that the hook was seen to set
	read      bool              // it was seen to read its input
	begin     []firing
	sent      []firing
	asked     bool         // without an input
	reached   map[int]bool // decisions, by index
	deciding  []firing     // that reached a decision first, or had an effect that no other had
	further   []firing     // that came to another statement, or past another comparison
	effects   map[suites.Effect]bool
	ran       map[string]bool      // scripts that were seen to run
	inVain    int                  // firings since one came further
	compared  bool                 // the hook compared its input
	seen      []explore.Comparison // of its input, each place and pattern once; the last that failed
	passed    []explore.Comparison // in the same way, those that some input passed
	foreign   []foreign            // comparisons whose pattern is written in another syntax
	reads     []explore.FieldRead
	errors    []explore.Failure
	message   []string // the parts of the first error that a shell reported
}

// A foreign is a comparison whose pattern is written in another syntax, with the reason.
type foreign struct {
	explore.Comparison
	of  explore.Field
	why string
}

// An observation is a firing that is observed, and the input that it was made from.
type observation struct {
	firing
	in explore.Input
}

// newExploration returns the exploration of a hook; nil if its scripts cannot be observed.
func newExploration(s subject, change *alternative) *exploration {
	x := &exploration{
		hook: s.hook, patience: s.patience(), change: change, sources: map[string][]byte{},
		reached: map[int]bool{}, effects: map[suites.Effect]bool{}, ran: map[string]bool{},
	}
	for _, script := range s.hook.Scripts {
		src := []byte(s.tree.read(script))
		if hidesTrace().Match(src) {
			return nil
		}
		if explore.Observes(script, src) {
			x.sources[script] = src
			x.decisions = append(x.decisions, explore.Decisions(script, src)...)
		}
	}
	x.begin = typical(s.hook, s.tree)
	if len(x.sources) == 0 || len(x.begin) == 0 {
		return nil
	}
	// One that no list of harmless inputs names, because a hook may end at once for a usual one.
	f := x.begin[len(x.begin)-1]
	f.command = command(f.tool, "zqCmd --zqOption zqValue")
	if takesFile(f.tool) {
		f.file = "zqDir/zqFile.zq"
	}
	if f.passes(s.hook) {
		x.begin = append(x.begin, f)
	}
	x.search.Usual = map[explore.Field][]string{"tool_input.command": badCommands, "tool_input.file_path": badFiles, "tool_input.notebook_path": badFiles, "prompt": badPrompts}
	return x
}

// complete reports whether no decision is left.
func (x *exploration) complete() bool { return len(x.reached) == len(x.decisions) }

// next returns what to fire next; none if the exploration has ended.
func (x *exploration) next() (all []observation) {
	for _, f := range x.begin {
		all = append(all, observation{firing: f})
	}
	x.begin = nil
	for len(all) == 0 && x.compared && len(x.sent) < mostExplored && x.inVain < mostInVain {
		next := x.search.Next(batch, x.complete())
		if len(next) == 0 {
			break
		}
		for _, in := range next {
			if f, ok := with(x.hook, x.sent[in.From], in); ok {
				all = append(all, observation{f, in})
			}
		}
	}
	if len(all) == 0 && !x.complete() && !x.asked { // some decide if the input is none
		x.asked = true
		for _, stdin := range []string{"", "{}", "{"} {
			f := x.sent[0]
			f.stdin = &stdin
			all = append(all, observation{firing: f})
		}
	}
	return all
}

// probes returns the probes of the next observations; none if the exploration has ended, or if nothing is observed.
func (x *exploration) probes() (all []Probe) {
	if x == nil || len(x.begin) == 0 && len(x.sent) == 0 {
		return nil
	}
	for _, o := range x.next() {
		all = append(all, x.probe(o))
	}
	return all
}

// probe returns the probe of an observation.
func (x *exploration) probe(o observation) Probe {
	c := o.asCase(x.hook)
	c.Timeout = x.patience
	if x.change != nil {
		step := &c.Steps[0]
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
	const most = 8 << 20 // bytes that a hook is observed to log; it takes long to log more
	size := 0
	for _, log := range o.Trace {
		size += len(log)
	}
	if size > most {
		x.inVain = mostInVain
	}
	r := explore.Read(o.Trace)
	r.Keep(func(file string) bool { return file == "" || strings.HasPrefix(file, o.Root) || x.scriptOf(file) != "" })
	for _, file := range slices.Sorted(maps.Keys(x.sources)) {
		r.Resolve(file, x.sources[file])
	}
	for _, v := range neverSet {
		if r.Assigns(v) {
			x.assigned = append(x.assigned, v)
		}
	}
	effect := o.Results[0].Effect
	further := x.reach(r, effect)
	if of.stdin != nil {
		return
	}
	x.sent = append(x.sent, of.firing)
	x.read = x.read || !o.Results[0].StdinUnread
	x.reads, x.errors = append(x.reads, r.Reads...), append(x.errors, r.Errors...)
	if x.message == nil {
		x.message = shellError().FindStringSubmatch(string(o.Results[0].Stderr))
	}
	fields := of.fields(x.hook)
	x.compare(r, fields)
	compared, beyond := x.search.Take(of.in, fields, r)
	x.compared = x.compared || compared
	decides := further || !x.effects[effect]
	x.effects[effect] = true
	if x.inVain++; decides || beyond {
		x.inVain = 0
	}
	switch {
	case of.in.Text == "":
	case decides:
		x.deciding = append(x.deciding, of.firing)
	case beyond:
		x.further = append(x.further, of.firing)
	}
}

// compare records the comparisons of the input.
func (x *exploration) compare(r *explore.Record, fields map[explore.Field]string) {
	for _, c := range r.Comparisons {
		of, own := c.Of(fields)
		if script := x.scriptOf(c.File); script != "" && (own || c.Value == "") {
			if why := c.Misread(of, fields[of]); why != "" {
				x.foreign = append(x.foreign, foreign{explore.Comparison{File: script, Line: c.Line, Op: c.Op, Pattern: c.Written()}, of, why})
			}
		}
		to := &x.seen
		if c.Accepts(c.Value) {
			to = &x.passed
		}
		if own && !contains(*to, c) {
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
		if !x.reached[i] && r.Reached(d) && (!d.Either || !idle(e)) {
			x.reached[i], further = true, true
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
			return fmt.Sprintf("comes to %q", Short(d.Statement))
		}
	}
	for _, e := range slices.Sorted(maps.Keys(x.effects)) {
		if !other.effects[e] {
			return "ends so: " + string(e)
		}
	}
	if at := x.search.Beyond(&other.search); at != "" {
		return "goes on to " + at
	}
	return ""
}

// alternatives returns inputs that may explain why the hook does nothing: fields that it reads under other names
// than the client's, and variables that its scripts name and the client does not set.
func (x *exploration) alternatives() (all []alternative) {
	const most = 4
	for _, m := range x.misreadings() {
		if !m.sure {
			all = append(all, alternative{name: m.Field, meant: m.meant})
		}
	}
	for _, v := range neverSet {
		read, set := false, slices.Contains(x.assigned, v)
		for _, src := range x.sources {
			read, set = read || reads(string(src), v), set || assigns(string(src), v)
		}
		if read && !set {
			all = append(all, alternative{variable: v})
		}
	}
	return all[:min(len(all), most)]
}

// payload returns the fields of the payloads that were sent.
func (x *exploration) payload() map[explore.Field]bool {
	all := map[explore.Field]bool{}
	var add func(value any, at string)
	add = func(value any, at string) {
		inner, _ := value.(map[string]any)
		for name, v := range inner {
			all[explore.Field(at+name)] = true
			add(v, at+name+".")
		}
	}
	for _, f := range x.sent {
		var sent map[string]any
		if json.Unmarshal(f.asCase(x.hook).Steps[0].PayloadRaw, &sent) == nil {
			add(sent, "")
		}
	}
	return all
}

// misreadings returns the fields that the hook reads under wrong names. What an MCP server's tools call theirs is
// not known.
func (x *exploration) misreadings() []misreading {
	ofServer := func(f firing) bool { return strings.HasPrefix(f.tool, "mcp__") }
	return slices.DeleteFunc(misreadings(x.reads, x.payload()), func(m misreading) bool {
		return strings.HasPrefix(string(m.Field), "tool_input.") && slices.ContainsFunc(x.sent, ofServer)
	})
}

// findMisreadFields returns the findings about fields that are read under other names than the client's: those that need
// no proof, and the one that an exploration with that field went beyond this one, if more is not "".
func (x *exploration) findMisreadFields(proved *alternative, more string) (all []Finding) {
	sent := x.payload()
	for _, m := range x.misreadings() {
		script := x.scriptOf(m.File)
		switch {
		case script == "":
		case proved != nil && proved.name == m.Field:
			all = append(all, m.finding(x.hook, script, "; if the field is sent, it "+more, sent))
		case m.sure && proved == nil:
			all = append(all, m.finding(x.hook, script, "", sent))
		}
	}
	return all
}

// hidesTrace matches what ends the log of bash, or writes into it.
var hidesTrace = pattern.Lazy(`\bPS4=|BASH_XTRACEFD|\bset \+(?:x|o xtrace)|>&?97\b|\b97>`)

// byState matches conditions on something other than the input.
var byState = pattern.Lazy(`(?:\[|test)\s+!?\s*-[efdrs]\s|existsSync|exists\(|is_file\(|\$\(git\b|\bgit (?:rev-parse|branch --|status|diff|symbolic-ref|config)|environ|process\.env|\$\{[A-Z_]+:-|\bcurl\b|subprocess|execSync|spawn`)

// dependsOnState reports whether a script may decide by something other than the input.
func (x *exploration) dependsOnState() bool {
	for _, src := range x.sources {
		if byState().Match(src) {
			return true
		}
	}
	return false
}

// findUnreached returns findings about the decisions to which no input came. stopped reports that a plain firing
// stopped something.
func (x *exploration) findUnreached(stopped bool) (all []Finding) {
	guards, _ := client.EventByName(x.hook.Event)
	dead := guards.Guards != "" && len(x.reached) == 0 && !stopped
	if !x.compared {
		return x.findIdleGuard(dead)
	}
	for i, d := range x.decisions {
		if x.reached[i] || !x.ran[d.File] {
			continue
		}
		at := suites.Position{File: d.File, Line: d.Line}
		if d.After > 0 {
			all = append(all, FindingOf("unreached", x.hook.ID, at, fmt.Sprintf("%q is never reached: line %d ends the script before it", Short(d.Statement), d.After), suites.Warning))
			continue
		}
		what, severity := fmt.Sprintf("%q was not reached by %d inputs", Short(d.Statement), len(x.sent)), suites.Info
		if d.Condition != "" && d.At != d.Line {
			what += fmt.Sprintf(": it waits for line %d, %q", d.At, Short(d.Condition))
		}
		if c, known := x.before(d); known {
			what += fmt.Sprintf(", which compares %q with %q", Short(c.Value), Short(c.Written()))
			if why := c.Relative(); why != "" {
				what, severity = what+": "+why, suites.Warning
			} else if dead {
				severity = suites.Warning // it may be dead
			}
		}
		if severity == suites.Info && byState().MatchString(d.Condition+"\n"+d.Statement) {
			continue // no input can make it so
		}
		all = append(all, FindingOf("unreached", x.hook.ID, at, what, severity))
	}
	return all
}

// findIdleGuard returns the finding about a guard that came to no decision and was not seen to compare anything of
// its input, unless something else may make it decide.
func (x *exploration) findIdleGuard(dead bool) []Finding {
	if !dead || len(x.decisions) == 0 || !x.ran[x.decisions[0].File] || x.dependsOnState() {
		return nil
	}
	d := x.decisions[0]
	what := fmt.Sprintf("none of its decisions is reached, the first being %q, and it ", Short(d.Statement))
	if x.read {
		what += "compares nothing of its input"
	} else {
		what += "never reads its input, which is JSON on stdin"
	}
	return []Finding{FindingOf("unreached", x.hook.ID, suites.Position{File: d.File, Line: d.Line}, what, suites.Warning)}
}

// before returns the last comparison that was seen at the condition of a decision.
func (x *exploration) before(d explore.Decision) (c explore.Comparison, known bool) {
	for _, s := range x.seen {
		if at := s.Line == d.At || s.Line == d.Line; at && explore.Same(s.File, d.File) && !contains(x.passed, s) {
			c, known = s, true
		}
	}
	return c, known
}

// findMisreadPatterns returns the findings about comparisons whose pattern is written in another syntax. A comparison
// of the tool's name keeps a guard that does nothing from its work.
func (x *exploration) findMisreadPatterns(stopped bool) (all []Finding) {
	for _, c := range x.foreign {
		at := suites.Position{File: c.File, Line: c.Line}
		if dead := !stopped && x.idle(); dead && c.of == "tool_name" && c.Op != explore.Regexp {
			all = append(all, FindingOf("misnamed-tool", x.hook.ID, at, fmt.Sprintf("it looks for the tool %q; %s", c.Pattern, c.why)))
			continue
		}
		all = append(all, FindingOf("misread-pattern", x.hook.ID, at, fmt.Sprintf("it looks for %q: %s", Short(c.Pattern), c.why)))
	}
	return all
}

// shellError matches an error that a shell itself reports about a script.
var shellError = pattern.Lazy(`(?m)^([^\s:]+): (?:line )?(\d+): (.+)$`)

// places matches the directory of a file, which has another name in every run.
var places = pattern.Lazy(`(?:/[^\s/'":()]+)+/`)

// findHiddenError returns the finding about a guard that does nothing and hides an error of its own.
func (x *exploration) findHiddenError() []Finding {
	what, at, severity := "", x.hook.Source, suites.Warning
	for _, e := range x.errors {
		if script := x.scriptOf(e.File); script != "" {
			what, at = e.What, suites.Position{File: script, Line: e.Line}
			break
		}
	}
	if m := x.message; what == "" && m != nil {
		what = fmt.Sprintf("%s (%s:%s)", m[3], m[1], m[2])
		if strings.HasSuffix(m[3], "not found") { // which is no matter of the input
			severity = suites.Error
		}
	}
	if what == "" {
		return nil
	}
	return []Finding{FindingOf("swallowed-error", x.hook.ID, at, "it stops nothing, and hides an error of its own: "+Short(places().ReplaceAllString(what, "")), severity)}
}

// fixed are the fields that the client alone decides.
var fixed = []string{"cwd", "hook_event_name", "permission_mode", "effort"}

// fields returns the texts of a firing that the model or the user decides.
func (f firing) fields(h discover.Hook) map[explore.Field]string {
	var sent map[string]any
	if json.Unmarshal(f.asCase(h).Steps[0].PayloadRaw, &sent) != nil {
		return nil // the client does not have the event
	}
	if !f.about().Tool {
		delete(sent, f.about().MatchedOn)
	}
	for name := range sent {
		if _, varies := client.Varying[name]; varies || slices.Contains(fixed, name) {
			delete(sent, name)
		}
	}
	all := map[explore.Field]string{}
	leaves(sent, "", all)
	for field, text := range all {
		all[field] = strings.TrimPrefix(text, "{override}/")
	}
	return all
}

// leaves adds the texts in a JSON value by their path.
func leaves(value any, at string, all map[explore.Field]string) {
	switch v := value.(type) {
	case string:
		all[explore.Field(at)] = v
	case map[string]any:
		for name, inner := range v {
			leaves(inner, strings.TrimPrefix(at+"."+name, "."), all)
		}
	}
}

// with returns a firing with another text in a field; false if the client does not fire the hook for it.
func with(h discover.Hook, f firing, in explore.Input) (firing, bool) {
	tool := client.ToolNamed(f.tool)
	switch name := strings.TrimPrefix(string(in.Field), "tool_input."); {
	case in.Field == "tool_name":
		if !slices.Contains(tools, in.Text) || !h.Matches(in.Text) {
			return f, false
		}
		f.tool, f.over = in.Text, nil
		if f.command = command(f.tool, f.command); f.command == "" {
			f.command = command(f.tool, "echo hello")
		}
	case in.Field == "prompt" && f.about().Guards == client.Prompts:
		f.prompt = in.Text
	case in.Field == "last_assistant_message": // it is in the transcript, too
		f.text, f.description = in.Text, Short(in.Text)
	case name == "command" && f.command != "":
		f.command = in.Text
	case name == tool.Path && name != "":
		f.file, f.written = in.Text, f.written && f.text != ""
		if strings.ContainsAny(f.file, "\x00") {
			return f, false
		}
	case name == tool.Text && name != "":
		f.text, f.description = in.Text, Short(in.Text)
		f.written = f.about().Guards == ""
	default:
		over := map[explore.Field]string{in.Field: in.Text}
		for field, text := range f.over {
			if field != in.Field {
				over[field] = text
			}
		}
		f.over = over
		f.description = fmt.Sprintf("%s %q", in.Field, Short(in.Text))
	}
	return f, f.passes(h)
}

// override sets texts of a payload.
func override(payload json.RawMessage, over map[explore.Field]string) json.RawMessage {
	if len(over) == 0 {
		return payload
	}
	return edited(payload, func(sent map[string]any) {
		for field, text := range over {
			if in, name := placeOf(field, sent); in != nil {
				in[name] = text
			}
		}
	})
}

// placeOf returns the object of a payload that has a field, nil if there is none, and the field's name in it.
func placeOf(field explore.Field, sent map[string]any) (in map[string]any, name string) {
	path := strings.Split(string(field), ".")
	for _, outer := range path[:len(path)-1] {
		sent, _ = sent[outer].(map[string]any)
	}
	return sent, path[len(path)-1]
}

// Explore fires a hook with inputs that pass its comparisons, and returns calls with those that came to
// a decision, then those that came further than others; nil if its scripts cannot be observed. fire
// runs a probe; after an error the result is what was found until then.
func Explore(t Tree, h discover.Hook, fire func(Probe) (suites.Outcome, error)) (all []Try, err error) {
	s := subjectOf(t, h)
	if h.NotRun() != "" || s.packageToFetch() != "" || h.Client != "" {
		return nil, nil
	}
	x := newExploration(s, nil)
	if x == nil {
		return nil, nil
	}
	for next := x.probes(); len(next) > 0 && err == nil; next = x.probes() {
		for _, p := range next {
			var o suites.Outcome
			if o, err = fire(s.prepare(p)); err != nil {
				break
			}
			if o.NotRun == nil {
				p.seen(o)
			}
		}
	}
	for i, f := range slices.Concat(x.deciding, x.further) {
		t := Try{Case: f.asCase(h), Input: f.input(), Decides: i < len(x.deciding)}
		t.Case.Timeout = 0 // so that the registered timeout applies
		if f.description == "" {
			t.Sent = f.asInput()
		}
		all = append(all, t)
	}
	return all, err
}
