package conform

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
)

// batch is the number of inputs sent before their results are examined. They share an environment
// because making one costs as much as running many hooks.
const batch = 4

// explored fires the hook observed, with inputs that pass its comparisons.
func (q *Inquiry) explored() []Probe {
	if len(q.usual) == 0 || q.missing != "" || client.InBackground(q.took) || q.absent != "" {
		return nil
	}
	if q.exploration = newExploration(q.subject, nil); q.exploration == nil {
		return nil
	}
	return q.observations(q.exploration)
}

// observations returns the next firings of an exploration, until it ends.
func (q *Inquiry) observations(x *exploration) (probes []Probe) {
	for _, o := range x.next() {
		probes = append(probes, x.probe(o))
	}
	if len(probes) > 0 {
		q.then(func() []Probe {
			if len(x.sent) == 0 {
				return nil // nothing is observed
			}
			return q.observations(x)
		})
	}
	return probes
}

// search tries inputs that a guard may exist to stop: those that came furthest in the exploration, each of which may
// be another rule with faults of its own, and usual ones until one is stopped.
func (q *Inquiry) search() (probes []Probe) {
	inputs := q.harmful()
	if q.effect == suites.Denied && q.about().Guards == client.Calls && len(inputs) > 0 { // the harmless call was denied
		if q.hook.If == "" {
			return q.harmless()
		}
		q.denied = &q.usual[0] // an entry that stops everything its condition accepts may intend that
		return nil
	}
	if x := q.exploration; x != nil && x.compared {
		explored := slices.Concat(x.deciding, x.further)
		for some := range slices.Chunk(explored[:min(len(explored), mostAgain)], batch) {
			probes = append(probes, q.tried(some)...)
		}
		inputs = inputs[:min(len(inputs), batch)]
	}
	const fewest = 8
	if q.missing != "" || client.InBackground(q.took) { // it can hardly do its work, or its refusal has no effect
		inputs = inputs[:min(len(inputs), fewest)]
	}
	q.then(func() []Probe { return q.inBatches(inputs) })
	return probes
}

// inBatches tries usual inputs until one is stopped, a batch in a round.
func (q *Inquiry) inBatches(rest []firing) []Probe {
	if q.denied != nil || len(rest) == 0 || q.about().Guards == "" {
		return nil
	}
	some := rest[:min(batch, len(rest))]
	q.then(func() []Probe { return q.inBatches(rest[len(some):]) })
	return q.tried(some)
}

// changed explores a hook that does nothing again with each field that it reads under another name than the
// client's, and with each variable that nothing sets. If it then does more, it waits for that.
func (q *Inquiry) changed() (probes []Probe) {
	x := q.exploration
	if x == nil || len(x.sent) == 0 || q.denied != nil || !x.idle() {
		return nil
	}
	for _, a := range x.alternatives() {
		other := newExploration(q.subject, &a)
		q.rounds = slices.Insert(q.rounds, 0, func() []Probe { return q.observations(other) }, func() []Probe {
			more := other.beyond(x)
			switch {
			case more == "":
			case a.variable != "":
				q.found("unset-variable", fmt.Sprintf("it reads $%s, which is never set; if it is set, it %s", a.variable, more))
			default:
				for _, f := range x.misread(&a, more) {
					q.once(f)
				}
			}
			return nil
		})
	}
	return nil
}

// concluded records what the exploration shows, at the end of all firings.
func (q *Inquiry) concluded() []Probe {
	stopped, x := q.denied != nil, q.exploration
	if x == nil || len(x.sent) == 0 {
		q.unproven()
		return nil
	}
	faulty := slices.ContainsFunc(q.findings, func(f Finding) bool { return f.Severity == suites.Error })
	all := slices.Concat(x.misread(nil, ""), x.misreadPatterns(stopped))
	if x.compared || !faulty {
		all = append(all, x.unreached(stopped)...)
	}
	if guards := q.about().Guards != "" && !stopped && !faulty && !client.InBackground(q.took); guards && (len(x.decisions) > 0 || namesDecision(q.text)) {
		all = append(all, x.swallowed()...)
	}
	for _, f := range all {
		q.once(f)
	}
	return nil
}

// unproven records a guard that stopped nothing, in a language whose decisions are not observed. If it names a
// program that this machine lacks, that may be the reason.
func (q *Inquiry) unproven() {
	found := func(f Finding) bool { return f.Rule == "let-through" || f.Severity == suites.Error }
	if len(q.usual) == 0 || q.about().Guards == "" || q.denied != nil || client.InBackground(q.took) || !namesDecision(q.text) || slices.ContainsFunc(q.findings, found) {
		return // nothing can show that it stops anything
	}
	if q.missing != "" {
		q.absent = q.missing + " is not on this machine"
		q.found("absent-program", q.absent)
		return
	}
	q.found("no-deny", "none of the inputs that guards stop was stopped")
}

// harmless sends a guard that stops a plainly harmless call the same call again, in the same
// session. If it lets the second call through, as a gate that explains something once does, it
// blocks nothing.
func (q *Inquiry) harmless() []Probe {
	f := typical(q.hook, q.tree)[0]
	p := q.probe(f, func(suites.Result) {})
	p.and(q.probe(f, func(r suites.Result) {
		if lets(r) {
			q.found("blocks-everything", fmt.Sprintf("it denies %s once, and lets the same call through after that", f.input()), suites.Info)
			q.findings[len(q.findings)-1].Effect = "the agent has to make its first call again"
			return
		}
		severity := suites.Info // a guard of branches or of files may intend it
		if slices.Contains(shells, f.tool) {
			severity = suites.Warning
		}
		q.found("blocks-everything", fmt.Sprintf("it denies %s", f.input()), severity)
	}))
	return []Probe{p}
}

// tried returns a probe of several inputs, in which the first stopped input counts.
func (q *Inquiry) tried(some []firing) []Probe {
	var all Probe
	for i, f := range some {
		one := q.probe(f, func(r suites.Result) {
			harmless := q.harmlessLike(f)
			switch {
			case stopped(r) && q.denied == nil:
				q.denied, q.after = &f, i
				if r.Exit == 2 && len(strings.TrimSpace(string(r.Stderr))) == 0 && len(r.Stdout) > 0 {
					q.found("reason-on-stdout", "exit 2 with nothing on stderr, for "+f.input())
				}
			case stopped(r):
			default:
				q.reacted(f, harmless, r)
				q.rewritten(f, r)
			}
		})
		if i == 0 {
			all = one
		} else {
			all.and(one)
		}
	}
	return []Probe{all}
}

// reacted judges a hook's behavior on an input that it did not stop.
func (q *Inquiry) reacted(f firing, harmless *suites.Result, r suites.Result) {
	_, kind := client.MissingIn(r)
	switch {
	case r.NotStarted != "" || r.TimedOut:
	case r.Exit != 0 && kind != client.MissingNothing: // it did not come to a decision
	case q.failed(f.input(), r, suites.Warning):
	default:
		q.dropped(f, harmless, r)
	}
}

// harmlessLike returns the hook's result for the harmless input of the same shape, or nil.
func (q *Inquiry) harmlessLike(f firing) *suites.Result {
	for i, u := range q.usual {
		if u.tool == f.tool {
			return &q.did[i]
		}
	}
	return nil
}

// hardened checks whether a deny persists on another machine or with another input. If the deny
// came after other inputs, it must first be repeated without them, because a guard may count.
func (q *Inquiry) hardened() []Probe {
	switch {
	case q.denied == nil:
		return nil
	case q.after == 0:
		return q.altered()
	}
	return []Probe{q.probe(*q.denied, func(r suites.Result) {
		if stopped(r) {
			q.rounds = append(q.rounds, q.altered)
		}
	})}
}

// altered sends the stopped input with fewer programs, and with additions.
func (q *Inquiry) altered() (probes []Probe) {
	probes = slices.Concat(q.poorer(), q.elsewhere(), q.translated(), q.otherTools())
	if q.denied.tool != "Bash" {
		return probes
	}
	mention := *q.denied
	mention.command = "git commit -m \"never " + strings.NewReplacer(`"`, "", "$", "", "`", "").Replace(q.denied.command) + "\""
	probes = append(probes, q.probe(mention, func(r suites.Result) {
		if stopped(r) && !strings.Contains(q.denied.command, "commit") {
			q.found("false-alarm", fmt.Sprintf("it stops %s", mention.input()))
		}
	}))
	remark := *q.denied
	remark.command += " # x"
	return append(probes, q.probe(remark, func(r suites.Result) {
		if stopped(r) {
			q.rounds = append(q.rounds, q.disguised)
		}
	}))
}

// otherTools sends the stopped file or text by the other tools that write files, if the matcher accepts
// them and the hook does not name the field in which they send it. A hook that names the field may let
// them do it on purpose.
func (q *Inquiry) otherTools() (probes []Probe) {
	field := func(tool string) string {
		if q.denied.text == "" {
			return client.ToolNamed(tool).Path
		}
		return client.ToolNamed(tool).Text
	}
	writers := slices.Concat(client.ToolNames(client.CreatesFile), client.ToolNames(client.EditsFile))
	if q.denied.file == "" || !slices.Contains(writers, q.denied.tool) {
		return nil
	}
	for _, tool := range writers {
		if tool == q.denied.tool || field(tool) == "" || !q.hook.Matches(tool) || strings.Contains(q.text, field(tool)) {
			continue
		}
		f := *q.denied
		f.tool = tool
		if f.tool == "NotebookEdit" && path.Ext(f.file) != ".ipynb" {
			if f.text == "" {
				continue // of another file the client refuses it before hooks run
			}
			f.file, f.written = "src/hookwatch_example.ipynb", true
		}
		if !f.passes(q.hook) {
			continue
		}
		probes = append(probes, q.probe(f, func(r suites.Result) {
			if lets(r) {
				what := fmt.Sprintf("%s is stopped, the same by %s is not: the hook does not read tool_input.%s", q.denied.input(), tool, field(tool))
				found := FindingOf("unread-tool", q.hook.ID, q.readsField(field(q.denied.tool)), what)
				found.Input = f.input()
				q.once(found)
			}
		}))
	}
	return probes
}

// readsField returns the place at which a script of the hook names a field, or that of the hook.
func (q *Inquiry) readsField(name string) suites.Position {
	for _, script := range q.hook.Scripts {
		code := q.tree.read(script)
		if at := strings.Index(code, name); name != "" && at >= 0 {
			return place(script, code, at)
		}
	}
	return q.hook.Source
}

// poorer removes the programs that a guard calls, one at a time. Removing its own interpreter needs
// no probe, because then no hook starts.
func (q *Inquiry) poorer() (probes []Probe) {
	for _, tool := range frail {
		switch {
		case !calls(q.text, tool) || !q.tree.Installed(tool):
		case !q.startedBy(tool):
			f := *q.denied
			f.without = []string{tool}
			probes = append(probes, q.still(f, "fails-open", fmt.Sprintf("without %s, %s is let through", tool, f.input())))
		case q.hook.Entry.OnFailure != "block":
			q.found("fails-open", "without "+tool+" it cannot start, and everything is let through", suites.Info)
		}
	}
	return probes
}

// startedBy reports whether a hook's command, or the first line of the script that it starts, names
// a program.
func (q *Inquiry) startedBy(program string) bool {
	text := q.hook.Command + " " + strings.Join(q.hook.Args, " ") + " "
	for _, s := range q.hook.Direct {
		if head := string(q.tree.head(s)); strings.HasPrefix(head, "#!") {
			text += strings.Replace(strings.TrimSpace(head), "/", " ", -1) + " "
		}
	}
	return calls(text, program)
}

// disguised sends the stopped input with more text behind it.
func (q *Inquiry) disguised() (probes []Probe) {
	long := *q.denied
	long.command += strings.Repeat("\n# aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 5000)
	probes = append(probes, q.still(long, "fails-open", fmt.Sprintf("%s with 200 KB of comment behind it is let through", q.denied.input())))
	quoted := *q.denied
	quoted.command += " # it's \"quoted\" \\n $(x) é"
	probes = append(probes, q.still(quoted, "fails-open", fmt.Sprintf("%s with quotes behind it is let through", q.denied.input())))
	return probes
}

// still returns a probe that must be stopped like the one before.
func (q *Inquiry) still(f firing, rule, what string) Probe {
	return q.probe(f, func(r suites.Result) {
		if lets(r) {
			q.found(rule, what)
		}
	})
}
