package check

import (
	"fmt"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/explore"
	"hookwatch/suites/pattern"
)

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

// assignsState reports whether a variable of a condition is assigned something other than the input, or what a
// function returns, which may be.
func (x *exploration) assignsState(file string, cut explore.Cut) bool {
	for line := range strings.Lines(string(x.sources[file])) {
		for _, m := range assigned().FindAllStringSubmatch(line, -1) {
			if hasWord(cut.Text, m[1]) && (byState().MatchString(line) || calling().MatchString(line)) {
				return true
			}
		}
	}
	return calling().MatchString(cut.Text)
}

// calling matches a call of a function, or its exit code.
var calling = pattern.Lazy(`=\$\?|(?:=|\bif\b|\bnot\b|!)\s*\(?\s*(?:await\s+)?[a-zA-Z_][\w.]*\(`)

// readFor returns the read of the field that was assigned to a variable of a condition; false if none is known.
func (x *exploration) readFor(file string, cut explore.Cut) (explore.FieldRead, bool) {
	lines := strings.Split(string(x.sources[file]), "\n")
	for _, r := range x.reads {
		if x.scriptOf(r.File) != file || r.Line > len(lines) || r.Line == cut.Line {
			continue
		}
		for _, m := range assigned().FindAllStringSubmatch(lines[r.Line-1], -1) {
			if hasWord(cut.Text, m[1]) {
				return r, true
			}
		}
	}
	return explore.FieldRead{}, false
}

// assigned matches assignments to a variable.
var assigned = pattern.Lazy(`(\w+)\s*(?::[^=]*)?=(?:[^=>]|$)`)

var (
	ofProgram = pattern.Lazy(`^if\s+__name__\s*==|\brequire\.main\b`) // what a module does if it is the program
	tries     = pattern.Lazy(`^try\b`)
)

// findUnreached returns findings about the decisions to which no input came. stopped reports that a plain firing
// stopped something.
func (x *exploration) findUnreached(stopped bool) (all []Finding) {
	guards, _ := client.EventByName(x.hook.Event)
	dead := guards.Guards != "" && len(x.reached) == 0 && !stopped
	reported := map[string]bool{} // one for each script that ends before its decisions
	for i, d := range x.decisions {
		if x.reached[i] || !x.ran[d.File] {
			continue
		}
		cut, near := x.courses[d.File].Cut(d.Line)
		library, unread := !slices.Contains(x.hook.Scripts, d.File), !x.compared && !x.read
		if !near && (library || !dead || !unread || x.dependsOnState()) || library && ofProgram().MatchString(cut.Text) {
			continue // nothing calls it here
		}
		at := suites.Position{File: d.File, Line: d.Line}
		what, severity := fmt.Sprintf("%s was not reached by %d inputs", quote(Short(d.Statement)), len(x.sent)), suites.Info
		switch {
		case !near:
			what, severity = what+": nothing calls the function that it is in", suites.Warning
		case cut.Plain:
			what, severity = fmt.Sprintf("%s is never reached: line %d ends the script before it", quote(Short(d.Statement)), cut.Line), suites.Warning
		case tries().MatchString(cut.Text) && !cut.Ends:
			what += fmt.Sprintf(": it is for an error in what begins at line %d", cut.Line)
		case cut.Ends:
			what += fmt.Sprintf(": all ended at line %d, %s", cut.Line, quote(Short(cut.Text)))
		case cut.Line != d.Line:
			what += fmt.Sprintf(": it waits for line %d, %s", cut.Line, quote(Short(cut.Text)))
		}
		event := x.courses[d.File].EventOf(d)
		c, known := x.before(d, cut)
		if known {
			what += fmt.Sprintf(", which compares %s with %s", quote(Short(c.Value)), quote(Short(c.Written())))
		}
		field, read := x.readFor(d.File, cut)
		switch state := byState().MatchString(cut.Text + "\n" + d.Statement); {
		case !near, cut.Plain, tries().MatchString(cut.Text):
		case event != "" && !x.runsFor(event, d.File):
			what, severity = what+fmt.Sprintf("; it names the event %s, and the hook is for %s", event, x.hook.Event), suites.Warning
		case dead && !known && x.absent[field.Field] && !x.payload(x.sent...)[field.Field]:
			what += fmt.Sprintf("; no input had %s", field.Field)
		case dead && (known || !state && (read || !x.read || !x.assignsState(d.File, cut))):
			severity = suites.Warning // it may be dead
		case state || !x.compared:
			continue // no input can make it so
		}
		if unread {
			what += "; it never reads its input, which is JSON on stdin"
		}
		key := fmt.Sprint(d, cut.Line)
		if !near || cut.Ends || !x.compared {
			key = d.File
		}
		if reported[key] {
			continue
		}
		reported[key] = true
		f := FindingOf("unreached", x.hook.ID, at, what, severity)
		if !near {
			f.Remedy = "read the call as JSON from stdin, and call the function with it"
		}
		all = append(all, f)
	}
	return all
}

// runsFor reports whether the hook's command, or another one with a script, is registered for an event.
func (x *exploration) runsFor(event, script string) bool {
	return event == x.hook.Event || slices.ContainsFunc(x.tree.hooks(), func(o discover.Hook) bool {
		return o.Event == event && (o.Command == x.hook.Command || slices.Contains(o.Scripts, script))
	})
}

// findIneffective returns the finding about a decision that the hook came to without an effect each time.
func (x *exploration) findIneffective() []Finding {
	guards, _ := client.EventByName(x.hook.Event)
	for i, d := range x.decisions {
		if guards.Guards == "" || !x.reached[i] || x.effective[i] || !d.Exits() || d.Either {
			continue
		}
		on := slices.IndexFunc(x.taken, func(t taken) bool { return t.Reached(d) && t.stdin == nil })
		if on < 0 {
			continue
		}
		f := FindingOf("ineffective", x.hook.ID, suites.Position{File: d.File, Line: d.Line}, fmt.Sprintf("it comes to %s, and the client goes on all the same", quote(Short(d.Statement))))
		f.Input = x.taken[on].input()
		return []Finding{f}
	}
	return nil
}

// before returns the last comparison that was seen at a decision or at the condition before it, and that none passed.
func (x *exploration) before(d explore.Decision, cut explore.Cut) (c explore.Comparison, known bool) {
	if cut.Ends && passesAt(x.passed, d.File, cut.Line) {
		return c, false
	}
	for _, s := range x.seen {
		if at := s.Line == cut.Line || s.Line == d.Line; at && explore.Same(s.File, d.File) && !contains(x.passed, s) {
			c, known = s, true
		}
	}
	return c, known
}

// passesAt reports whether a comparison at a line was passed.
func passesAt(passed []explore.Comparison, file string, line int) bool {
	return slices.ContainsFunc(passed, func(c explore.Comparison) bool { return c.Line == line && explore.Same(c.File, file) })
}

// sides are the inputs that the comparisons of a line accepted and rejected, by whether they were stopped.
type sides struct {
	accepted, rejected map[bool]firing
	pattern            string // that accepted one
}

// hazardous matches inputs that a list of what is allowed hardly has.
var hazardous = pattern.Lazy(`--force|--hard|prune|privileged|\.env\b|id_rsa|\.pem$|\.key$|secret|credential|` + ruinousPattern)

func (f firing) hazardous() bool { return hazardous().MatchString(f.command + f.file) }

// side records what was done about an input at the lines that compared it.
func (x *exploration) side(f firing, r *explore.Record, fields map[explore.Field]string, stopped bool) {
	accepted := map[suites.Position]string{}
	for _, c := range r.Comparisons {
		if _, own := c.Of(fields); own {
			at := suites.Position{File: x.scriptOf(c.File), Line: c.Line}
			if accepted[at] += ""; c.Accepts(c.Value) {
				accepted[at] = c.Written()
			}
		}
	}
	for at, pattern := range accepted {
		s, known := x.sides[at]
		if !known {
			s = &sides{accepted: map[bool]firing{}, rejected: map[bool]firing{}}
			x.sides[at] = s
		}
		if pattern == "" {
			if !s.rejected[stopped].hazardous() {
				s.rejected[stopped] = f
			}
		} else if !s.accepted[stopped].hazardous() {
			s.accepted[stopped], s.pattern = f, pattern
		}
	}
}

// findInverted returns findings about lines that reject all that is stopped and accept all that is let through, which
// is hazardous.
func (x *exploration) findInverted() (all []Finding) {
	for at, s := range x.sides {
		stops, only := s.rejected[true]
		if lets := s.accepted[false]; at.File != "" && only && len(s.accepted)+len(s.rejected) == 2 && lets.hazardous() && !stops.hazardous() {
			all = append(all, FindingOf("inverted-condition", x.hook.ID, at, fmt.Sprintf("it stops %s, and lets %s through, which %s matches", stops.input(), lets.input(), quote(Short(s.pattern)))))
		}
	}
	return all
}
