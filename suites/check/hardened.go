package check

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/explore"
	"hookwatch/suites/pattern"
)

// planRepeated sends an input that was stopped after others again without them, because a guard may count.
func planRepeated(r *results) []Probe {
	if f := r.denied(); f != nil && f.after > 0 {
		return []Probe{r.probe(f.firing)}
	}
	return nil
}

// stops returns the input whose stop is to persist on another machine or with another input; nil without one.
func (r *results) stops() *fired {
	f, persists := r.denied(), func(again fired) bool { return stopped(again.Result) }
	if f == nil || f.after == 0 || slices.ContainsFunc(r.by["repeated"], persists) {
		return f
	}
	return nil
}

// guards reports whether there is such an input.
func guards(r *results) bool { return r.stops() != nil }

// judgeOpen judges a way in which a stopped input is let through; its note describes it.
func judgeOpen(r *results, j *judgement, f fired) {
	if lets(f.Result) {
		j.found("fails-open", f.note, suites.Warning)
	}
}

// own returns the programs that a hook calls: those by which it is started, or the others.
func (s subject) own(starts bool) []string {
	return slices.DeleteFunc(slices.Clone(frail), func(program string) bool {
		return !calls(s.text, program) || s.tree.lacks(program) || s.startedBy(program) != starts
	})
}

// planPoorer removes the programs that a guard calls, one at a time.
func planPoorer(r *results) (probes []Probe) {
	for _, program := range r.own(false) {
		f := r.stops().firing
		f.without, f.note = []string{program}, fmt.Sprintf("without %s, %s is let through", program, f.input())
		probes = append(probes, r.probe(f))
	}
	return probes
}

// judgeOwnProgram judges the programs without which no hook starts, which needs no probe.
func judgeOwnProgram(r *results, j *judgement) {
	for _, program := range r.own(true) {
		if r.stops() != nil && r.hook.Entry.OnFailure != "block" {
			j.found("fails-open", "without "+program+" it cannot start, and everything is let through", suites.Info)
		}
	}
}

// startedBy reports whether a hook's command, or the first line of the script that it starts, names
// a program.
func (s subject) startedBy(program string) bool {
	text := words(s.hook) + " "
	for _, script := range s.hook.Direct {
		if head := string(s.tree.head(script)); strings.HasPrefix(head, "#!") {
			text += strings.ReplaceAll(strings.TrimSpace(head), "/", " ") + " "
		}
	}
	return calls(text, program)
}

// planCut sends the stopped input cut short, which no client does.
func planCut(r *results) []Probe {
	p := r.probe(r.stops().firing)
	payload := string(r.stops().payload(r.hook))
	if payload == "" {
		return nil
	}
	short := strings.TrimRight(payload, "}\n ")
	p.Case.Steps[len(p.Case.Steps)-1].Stdin = &short
	return []Probe{p}
}

func judgeCut(r *results, j *judgement, f fired) {
	if lets(f.Result) {
		j.found("fails-open", r.denied().input()+" is let through when its input is cut short", suites.Info)
	}
}

// inputField returns the field in which a tool sends what was stopped: a file, or its text.
func inputField(f firing, tool string) string {
	if f.text == "" {
		return client.ToolByName(tool).Path
	}
	return client.ToolByName(tool).Text
}

// stoppedFiles returns an input that was stopped with a text in a file, and one with a file alone; less if there are none.
func (r *results) stoppedFiles() (all []fired) {
	for _, text := range []bool{false, true} {
		of := func(f fired) bool {
			return stopped(f.Result) && !f.isArranged() && f.file != "" && writesFile(f.tool) && (f.text != "") == text
		}
		stops := slices.Concat([]fired{*r.stops()}, r.by["named"], r.by["search"])
		if i := slices.IndexFunc(stops, of); i >= 0 {
			all = append(all, stops[i])
		}
	}
	return all
}

func writesFile(tool string) bool {
	return slices.Contains([]client.ToolKind{client.CreatesFile, client.EditsFile}, client.ToolByName(tool).Kind)
}

// planOtherTools sends a stopped file or text by the other tools that write files, and by those of which the hook reads
// a field that they do not send, if the matcher accepts them and the hook does not name the field in which they send
// it. A hook that names the field may let them do it on purpose. If no matcher accepts them, it sends a stopped text
// again for a file that they write.
func planOtherTools(r *results) (probes []Probe) {
	for _, denied := range r.stoppedFiles() {
		for _, tool := range tools {
			f, field := denied.firing, inputField(denied.firing, tool)
			accepts := func(h discover.Hook) bool { return h.Event == f.event && h.Matches(tool) }
			otherFile := tool == "NotebookEdit" && path.Ext(f.file) != ".ipynb"
			misses := r.exploration.misses(tool, field)
			switch {
			case tool == f.tool, field == "", otherFile && f.text == "": // the client refuses such a file before hooks run
				continue
			case writesFile(tool) && f.text != "" && !slices.ContainsFunc(r.tree.hooks(), accepts):
				f.note = tool
			case !r.hook.Matches(tool), !misses && (!writesFile(tool) || strings.Contains(r.text, field)):
				continue
			default:
				f.tool = tool
			}
			if otherFile {
				f.file, f.written = "src/hookwatch_example.ipynb", true
			}
			if f.passes(r.hook) {
				probes = append(probes, r.probe(f))
			}
		}
	}
	return probes
}

// misses reports whether firings for a tool were seen to read a field that it does not send, and not its own.
func (x *exploration) misses(tool, own string) (misses bool) {
	if x == nil {
		return false
	}
	for _, t := range x.taken {
		sent := map[explore.Field]bool(nil)
		for _, read := range t.Reads {
			name, ofInput := strings.CutPrefix(string(read.Field), "tool_input.")
			if !ofInput || t.tool != tool {
				continue
			} else if name == own {
				return false
			}
			if sent == nil {
				sent = x.payload(t.firing)
			}
			misses = misses || !sent[read.Field]
		}
	}
	return misses
}

func judgeOtherTools(r *results, j *judgement, f fired) {
	same := func(o fired) bool { return o.text == f.text && (f.text != "" || o.file == f.file) }
	all := r.stoppedFiles()
	denied := all[max(0, slices.IndexFunc(all, same))]
	switch {
	case f.note != "" && stopped(f.Result):
		j.seen("uncovered-tool", fmt.Sprintf("%s is stopped, and matcher %q leaves out %s, which writes the same text as tool_input.%s", denied.input(), r.hook.Matcher, f.note, inputField(f.firing, f.note)), f.input(), suites.Warning)
	case f.note == "" && lets(f.Result):
		what := fmt.Sprintf("%s is stopped, the same by %s is not: the hook does not read tool_input.%s", denied.input(), f.tool, inputField(denied.firing, f.tool))
		found := FindingOf("unread-tool", r.hook.ID, r.placeOfField(inputField(denied.firing, denied.tool)), what)
		found.Input = f.input()
		j.addOnce(found)
	}
}

// placeOfField returns the place at which a script of the hook names a field, or that of the hook.
func (s subject) placeOfField(name string) suites.Position {
	for _, script := range s.hook.Scripts {
		code := s.tree.read(script)
		if at := strings.Index(code, name); name != "" && at >= 0 {
			return place(script, code, at)
		}
	}
	return s.hook.Source
}

// planMention sends a commit whose message mentions the stopped command, another commit, and the command with a remark.
func planMention(r *results) []Probe {
	mention, remark, plain := r.stops().firing, r.stops().firing, r.stops().firing
	if mention.tool != "Bash" {
		return nil
	}
	mention.command = "git commit -m \"never " + strings.NewReplacer(`"`, "", "$", "", "`", "").Replace(mention.command) + "\""
	remark.command, remark.note = remark.command+" # x", "remark"
	plain.command, plain.note = "git commit -m hello", "plain"
	return r.probes([]firing{mention, remark, plain})
}

func judgeMention(r *results, j *judgement, f fired) {
	anyCommit := slices.ContainsFunc(r.by["mention"], func(o fired) bool { return o.note == "plain" && stopped(o.Result) })
	if f.note == "" && stopped(f.Result) && !anyCommit {
		j.found("false-alarm", fmt.Sprintf("it stops %s", f.input()))
	}
}

// forms returns what means the same as an input that was stopped: a command with something harmless before or after it,
// or with the words of SQL in another case; a text with others around it, or with a token that its service could issue.
func forms(f firing) (all []firing) {
	set := func(made string) {
		o := f
		if o.command = made; f.tool != "Bash" {
			o.command, o.text, o.description = f.command, made, Short(made)
		}
		if o.note = f.input(); o.command != f.command || o.text != f.text {
			all = append(all, o)
		}
	}
	switch {
	case f.tool == "Bash":
		set("true && " + f.command)
		set(f.command + " && true")
		set(statement().ReplaceAllStringFunc(f.command, func(words string) string {
			if lower := strings.ToLower(words); lower != words {
				return lower
			}
			return strings.ToUpper(words)
		}))
		set(issued(f.command))
	case f.text != "" && f.description != "":
		set("x " + f.text + " x")
		set(issued(f.text))
	}
	return all
}

// statement matches the words with which a statement of SQL begins that removes something.
var statement = pattern.Lazy(`(?i)\b(?:drop\s+(?:table|database|schema|user|index)|truncate\s+table|delete\s+from)\b`)

// tokens are beginnings of the tokens of services, with the number of characters that follow, as their documentation
// and gitleaks have them.
var tokens = map[string]int{
	"ghp_": 36, "gho_": 36, "ghu_": 36, "ghs_": 36, "github_pat_": 82, "AKIA": 16, "glpat-": 20, "npm_": 36, "hf_": 34, "AIza": 35, "sk-ant-api03-": 95, "sk_live_": 24,
}

// token matches such a token, or a text that only begins so; its last group is empty if the token ends there.
var token = pattern.Lazy(`\b(` + strings.Join(slices.Sorted(maps.Keys(tokens)), "|") + `)[\w-]*([^\s"',;.)]?)`)

// issued returns a text whose tokens are as long as their services make them.
func issued(text string) string {
	return token().ReplaceAllStringFunc(text, func(found string) string {
		m := token().FindStringSubmatch(found)
		if m[2] != "" {
			return found // no service issues that
		}
		begin := m[1]
		letters := "Q7ZK2M9XW4T8VJ3R6PYB5NHD"
		if begin != "AKIA" {
			letters = "q7ZkM2x9Wt4T8vJr3R6pYb5NhDc"
		}
		return begin + strings.Repeat(letters, 8)[:tokens[begin]]
	})
}

// planAlike sends what was stopped in other forms, where a pattern accepts one and not the other. Each may be another
// rule, and the ways around a guard are searched for with one.
func planAlike(r *results) []Probe {
	var all []firing
	for _, f := range slices.Concat([]fired{*r.stops()}, r.by["named"], r.by["search"]) {
		if !stopped(f.Result) || f.isArranged() || strings.ContainsAny(f.command, "\n#") {
			continue
		}
		for _, other := range forms(f.firing) {
			first := len(all) == 0
			known := func(o firing) bool { return o.command == other.command && o.text == other.text }
			if (first || r.exploration.anchors(cmp.Or(f.command, f.text), cmp.Or(other.command, other.text))) && !slices.ContainsFunc(all, known) {
				all = append(all, other)
			}
		}
	}
	if len(all) < 2 {
		return nil
	}
	return r.batches(upTo(all, mostAgain))
}

// anchors reports whether a comparison accepted a text, and would not accept another one.
func (x *exploration) anchors(text, other string) bool {
	return x != nil && slices.ContainsFunc(x.passed, func(c explore.Comparison) bool { return c.Accepts(text) && !c.Accepts(other) })
}

// anchorRank returns 0 for a command that passed a comparison which does not accept it in another form, otherwise 1.
func (x *exploration) anchorRank(f firing) int {
	if slices.ContainsFunc(forms(f), func(o firing) bool { return x.anchors(cmp.Or(f.command, f.text), cmp.Or(o.command, o.text)) }) {
		return 0
	}
	return 1
}

func judgeAlike(r *results, j *judgement, f fired) {
	known := func(o Finding) bool { return o.Rule == "bypass" }
	if first := r.by["alike"][0]; stopped(first.Result) && lets(f.Result) && !j.has(known) { // else the search for ways around it finds that
		j.found("bypass", fmt.Sprintf("%s is stopped, %s is not", f.note, f.input()), suites.Warning)
	}
}

// stopsRemark reports whether the stopped command is stopped with a remark behind it, too.
func stopsRemark(r *results) bool {
	return slices.ContainsFunc(r.by["mention"], func(f fired) bool { return f.note == "remark" && stopped(f.Result) })
}

// planDisguised sends the stopped command with more text behind and before it.
func planDisguised(r *results) []Probe {
	long, late, quoted := r.stops().firing, r.stops().firing, r.stops().firing
	long.note = long.input() + " with 200 KB of comment behind it is let through"
	long.command += strings.Repeat("\n# aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 5000)
	quoted.note = quoted.input() + " with a comment that has quotes is let through"
	quoted.command += " # it's \"quoted\" \\n $(x) é"
	late.note = late.input() + " is let through behind a long command"
	late.command = "echo " + strings.Repeat("a", 1000) + " && " + late.command
	return r.probes([]firing{long, late, quoted})
}
