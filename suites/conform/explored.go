package conform

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

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

// An exploration fires inputs that pass the comparisons of a hook, until its decisions are reached.
type exploration struct {
	search    explore.Search
	decisions []explore.Decision
	sources   map[string][]byte // of the scripts
	reached   map[int]bool      // decisions, by index
	sent      []firing
	deciding  []firing // that reached a decision first, or had an effect that no other had
	further   []firing // that came to another statement, or past another comparison
	effects   map[suites.Effect]bool
	ran       map[string]bool      // scripts that were seen to run
	inVain    int                  // firings since one came further
	compared  bool                 // the hook compared its input
	decided   bool                 // some input was deciding
	seen      []explore.Comparison // of its input, each place and pattern once; the last that failed
	passed    []explore.Comparison // in the same way, those that some input passed
}

// explored begins the exploration of a hook whose scripts have decisions that can be observed. Its
// firings are not judged, because observation changes the environment: those that decide are fired again.
func (q *Inquiry) explored() []Probe {
	if len(q.usual) == 0 || q.missing != "" || client.InBackground(q.took) || q.absent != "" {
		return nil
	}
	x := &exploration{sources: map[string][]byte{}, reached: map[int]bool{}, effects: map[suites.Effect]bool{}, ran: map[string]bool{}}
	for _, s := range q.hook.Scripts {
		src := []byte(q.tree.read(s))
		x.sources[s] = src
		if hidesTrace().Match(src) {
			return nil
		}
		x.decisions = append(x.decisions, explore.Decisions(s, src)...)
	}
	if len(x.decisions) == 0 {
		return nil
	}
	q.exploration = x
	q.then(func() []Probe { return q.explore() })
	var probes []Probe
	for _, f := range q.usual {
		probes = append(probes, q.observed(f, explore.Input{}))
	}
	// One that no list of harmless inputs names, because a hook may end at once for a usual one.
	f := q.usual[len(q.usual)-1]
	f.command = command(f.tool, "zqCmd --zqOption zqValue")
	if takesFile(f.tool) {
		f.file = "zqDir/zqFile.zq"
	}
	if f.passes(q.hook) {
		probes = append(probes, q.observed(f, explore.Input{}))
	}
	return probes
}

// explore returns the next firings of the exploration.
func (q *Inquiry) explore() (probes []Probe) {
	x := q.exploration
	for len(probes) == 0 && x.compared && len(x.sent) < mostExplored && x.inVain < mostInVain {
		next := x.search.Next(batch, len(x.reached) == len(x.decisions))
		if len(next) == 0 {
			break
		}
		for _, in := range next {
			if f, ok := q.with(x.sent[in.From], in); ok {
				probes = append(probes, q.observed(f, in))
			}
		}
	}
	if len(probes) > 0 {
		q.then(func() []Probe { return q.explore() })
	} else if len(x.reached) < len(x.decisions) { // some decide if the input is none
		for _, stdin := range []string{"", "{}", "{"} {
			f := q.usual[0]
			f.stdin = &stdin
			probes = append(probes, q.observed(f, explore.Input{}))
		}
	}
	return probes
}

// observed returns a probe that records what a hook compares.
func (q *Inquiry) observed(f firing, in explore.Input) Probe {
	c := f.asCase(q.hook)
	c.Timeout = q.patience()
	return Probe{Case: c, Trace: explore.Start, seen: func(o suites.Outcome) {
		if len(o.Results) == 0 {
			return
		}
		x := q.exploration
		const most = 8 << 20 // bytes that a hook is observed to log; it takes long to log more
		size := 0
		for _, log := range o.Trace {
			size += len(log)
		}
		if size > most {
			x.inVain = mostInVain
		}
		r := explore.Read(o.Trace)
		r.Keep(func(file string) bool { return file == "" || strings.HasPrefix(file, o.Root) || x.has(file) })
		for _, file := range slices.Sorted(maps.Keys(x.sources)) {
			r.Resolve(file, x.sources[file])
		}
		if f.stdin != nil {
			x.reach(r, o.Results[0].Effect)
			return
		}
		x.sent = append(x.sent, f)
		fields := f.fields(q)
		q.patterns(r, fields)
		x.compare(r, fields)
		compared, further := x.search.Take(in, fields, r)
		x.compared = x.compared || compared
		decides := !x.effects[o.Results[0].Effect]
		x.effects[o.Results[0].Effect] = true
		decides = x.reach(r, o.Results[0].Effect) || decides
		if x.inVain++; decides || further {
			x.inVain = 0
		}
		if decides && in.Text != "" {
			x.deciding = append(x.deciding, f)
		} else if further && in.Text != "" {
			x.further = append(x.further, f)
		}
	}}
}

// compare records the comparisons of the input.
func (x *exploration) compare(r *explore.Record, fields map[explore.Field]string) {
	for _, c := range r.Comparisons {
		to := &x.seen
		if c.Accepts(c.Value) {
			to = &x.passed
		}
		if _, own := c.Of(fields); own && !contains(*to, c) {
			*to = append(*to, c)
		}
	}
}

// contains reports whether a comparison is in a list, whatever its value.
func contains(all []explore.Comparison, c explore.Comparison) bool {
	return slices.ContainsFunc(all, func(o explore.Comparison) bool {
		return o.Line == c.Line && o.File == c.File && o.Op == c.Op && o.Pattern == c.Pattern
	})
}

// reach records the decisions to which a firing came, and reports whether one is new.
func (x *exploration) reach(r *explore.Record, e suites.Effect) (further bool) {
	for i, d := range x.decisions {
		x.ran[d.File] = x.ran[d.File] || r.Runs(d.File)
		if !x.reached[i] && r.Reached(d) && (!d.Either || e != suites.Proceeds && e != suites.Ignored) {
			x.reached[i], further = true, true
		}
	}
	return further
}

// has reports whether a file has the name of one of the scripts.
func (x *exploration) has(file string) bool {
	for s := range x.sources {
		if explore.Same(file, s) {
			return true
		}
	}
	return false
}

// hidesTrace matches what ends the log of bash, or writes into it.
var hidesTrace = pattern.Lazy(`\bPS4=|BASH_XTRACEFD|\bset \+(?:x|o xtrace)|>&?97\b|\b97>`)

// fixed are the fields that the client alone decides.
var fixed = []string{"cwd", "hook_event_name", "permission_mode", "effort"}

// fields returns the texts of a firing that the model or the user decides.
func (f firing) fields(q *Inquiry) map[explore.Field]string {
	var sent map[string]any
	if json.Unmarshal(f.asCase(q.hook).Steps[0].PayloadRaw, &sent) != nil {
		return nil // the client does not have the event
	}
	for name := range sent {
		if _, varies := client.Varying[name]; varies || slices.Contains(fixed, name) || name == f.about().MatchedOn && !f.about().Tool {
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
func (q *Inquiry) with(f firing, in explore.Input) (firing, bool) {
	tool := client.ToolNamed(f.tool)
	switch name := strings.TrimPrefix(string(in.Field), "tool_input."); {
	case in.Field == "tool_name":
		if !slices.Contains(tools, in.Text) || !q.hook.Matches(in.Text) {
			return f, false
		}
		f.tool, f.over = in.Text, nil
		if f.command = command(f.tool, f.command); f.command == "" {
			f.command = command(f.tool, "echo hello")
		}
	case in.Field == "prompt" && f.about().Guards == client.Prompts:
		f.prompt = in.Text
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
		f.over = maps.Clone(f.over)
		if f.over == nil {
			f.over = map[explore.Field]string{}
		}
		f.over[in.Field] = in.Text
		f.description = fmt.Sprintf("%s %q", in.Field, Short(in.Text))
	}
	return f, f.passes(q.hook)
}

// override sets texts of a payload.
func override(payload json.RawMessage, over map[explore.Field]string) json.RawMessage {
	if len(over) == 0 {
		return payload
	}
	return edited(payload, func(sent map[string]any) {
		for field, text := range over {
			in, path := sent, strings.Split(string(field), ".")
			for _, name := range path[:len(path)-1] {
				in, _ = in[name].(map[string]any)
			}
			if in != nil {
				in[path[len(path)-1]] = text
			}
		}
	})
}

// unreached records the decisions to which no input came.
func (q *Inquiry) unreached() []Probe {
	x := q.exploration
	if x == nil {
		return nil
	}
	if !x.compared {
		q.uncompared()
		return nil
	}
	for i, d := range x.decisions {
		if x.reached[i] || !x.ran[d.File] {
			continue
		}
		what, severity := fmt.Sprintf("%q was not reached by %d inputs", Short(d.Statement), len(x.sent)), suites.Info
		if d.After > 0 {
			q.once(FindingOf("unreached", q.hook.ID, suites.Position{File: d.File, Line: d.Line}, fmt.Sprintf("%q is never reached: line %d ends the script before it", Short(d.Statement), d.After), suites.Warning))
			continue
		}
		if d.Condition != "" && d.At != d.Line {
			what += fmt.Sprintf(": it waits for line %d, %q", d.At, Short(d.Condition))
		}
		if c, known := x.before(d); known {
			what += fmt.Sprintf(", which compares %q with %q", Short(c.Value), Short(c.Written()))
			if why := c.Relative(); why != "" {
				what, severity = what+": "+why, suites.Warning
			} else if q.about().Guards != "" && len(x.reached) == 0 && q.denied == nil {
				severity = suites.Warning // it may be dead
			}
		}
		if severity == suites.Info && (byState().MatchString(d.Condition) || byState().MatchString(d.Statement)) {
			continue // no input can make it so
		}
		q.once(FindingOf("unreached", q.hook.ID, suites.Position{File: d.File, Line: d.Line}, what, severity))
	}
	return nil
}

// byState matches conditions on something other than the input.
var byState = pattern.Lazy(`(?:\[|test)\s+!?\s*-[efdrs]\s|existsSync|exists\(|is_file\(|\$\(git\b|\bgit (?:rev-parse|branch --|status|diff|symbolic-ref|config)|environ|process\.env|\$\{[A-Z_]+:-|\bcurl\b|subprocess|execSync|spawn`)

// uncompared records a guard that came to no decision and was not seen to compare anything of its input,
// unless something else may make it decide.
func (q *Inquiry) uncompared() {
	x := q.exploration
	if q.about().Guards == "" || len(x.reached) > 0 || q.denied != nil || byState().MatchString(q.text) || len(q.findings) > 0 && slices.ContainsFunc(q.findings, func(f Finding) bool { return f.Severity == suites.Error }) {
		return
	}
	if d := x.decisions[0]; x.ran[d.File] {
		what := fmt.Sprintf("none of its decisions is reached, the first being %q, and it compares nothing of its input", Short(d.Statement))
		q.once(FindingOf("unreached", q.hook.ID, suites.Position{File: d.File, Line: d.Line}, what, suites.Warning))
	}
}

// before returns the last comparison that was seen at the condition of a decision.
func (x *exploration) before(d explore.Decision) (c explore.Comparison, known bool) {
	for _, s := range x.seen {
		if explore.Same(s.File, d.File) && (s.Line == d.At || s.Line == d.Line) && !contains(x.passed, s) {
			c, known = s, true
		}
	}
	return c, known
}

// patterns records the comparisons of the input whose pattern is written in another syntax.
func (q *Inquiry) patterns(r *explore.Record, fields map[explore.Field]string) {
	for _, c := range r.Comparisons {
		of, own := c.Of(fields)
		if c.Value != "" && !own {
			continue
		}
		for _, file := range slices.Sorted(maps.Keys(q.exploration.sources)) {
			if !explore.Same(c.File, file) {
				continue
			}
			if why := c.Misread(of, fields[of]); why != "" {
				what := fmt.Sprintf("it looks for %q: %s", Short(c.Written()), why)
				q.once(FindingOf("misread-pattern", q.hook.ID, suites.Position{File: file, Line: c.Line}, what))
			}
		}
	}
}

// Explore fires a hook with inputs that pass its comparisons, and returns calls with those that came to
// a decision, then those that came further than others; nil if its scripts cannot be observed. fire
// runs a probe; after an error the result is what was found until then.
func Explore(t Tree, h discover.Hook, fire func(Probe) (suites.Outcome, error)) (all []Try, err error) {
	q := Ask(t, h)
	if h.NotRun() != "" || q.absent != "" || h.Client != "" {
		return nil, nil
	}
	q.usual = typical(h, t)
	q.rounds = []func() []Probe{q.explored}
	for probes := q.Next(); len(probes) > 0 && err == nil; probes = q.Next() {
		for _, p := range probes {
			var o suites.Outcome
			if o, err = fire(p); err != nil {
				break
			}
			q.Take(p, o)
		}
	}
	if q.exploration == nil {
		return nil, nil
	}
	deciding := q.exploration.deciding
	for i, f := range slices.Concat(deciding, q.exploration.further) {
		t := Try{Case: f.asCase(h), Input: f.input(), Decides: i < len(deciding)}
		t.Case.Timeout = 0 // so that the registered timeout applies
		if f.description == "" {
			t.Sent = Input{Tool: f.tool, Command: f.command, File: f.file, Prompt: f.prompt}
		}
		all = append(all, t)
	}
	return all, err
}
