package conform

import (
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// A Field is read under one name and sent under another.
type Field struct {
	Name, Meant string
	// seen reports whether a use needs proof that the client's field is meant.
	seen seen
}

type seen int

const (
	never    seen = iota // a common name elsewhere: proved only if the hook does more with the field
	filtered             // certain only in filters of the input, because programs may use the name for values of their own
	anywhere
)

var fields = []Field{
	{"tool_result", "tool_response", anywhere}, {"tool_output", "tool_response", anywhere}, {"toolResult", "tool_response", never}, {"output", "tool_response", never}, {"result", "tool_response", never},
	{"user_prompt", "prompt", anywhere}, {"user_message", "prompt", never}, {"userPrompt", "prompt", never}, {"user_input", "prompt", never}, {"message", "prompt", never},
	{"toolName", "tool_name", anywhere}, {"tool", "tool_name", never},
	{"toolInput", "tool_input", anywhere}, {"tool_args", "tool_input", never}, {"parameters", "tool_input", never}, {"params", "tool_input", never},
	{"hookEventName", "hook_event_name", anywhere}, {"hook_event", "hook_event_name", never}, {"event_name", "hook_event_name", never}, {"hook_name", "hook_event_name", never},
	{"sessionId", "session_id", anywhere}, {"working_directory", "cwd", never}, {"transcriptPath", "transcript_path", never},
	{"agent_name", "agent_type", filtered}, {"subagent_name", "agent_type", filtered}, {"subagent_type", "agent_type", never},
}

// A Use is a place at which a text reads a field, as an offset.
type Use struct {
	Field
	At int
}

// Certain returns the fields that a text certainly reads under a wrong name, one for each intended
// field.
func Certain(code string) (out []Use) {
	for _, u := range uses(code) {
		if u.seen == filtered && !strings.Contains(code[max(0, u.At-200):u.At], "jq ") {
			continue
		}
		if elsewhere(code, u.At) {
			continue
		}
		if u.seen != never && !slices.ContainsFunc(out, func(o Use) bool { return o.Meant == u.Meant }) {
			out = append(out, u)
		}
	}
	return out
}

// elsewhere reports whether the value read at an offset is not the hook's input: a jq filter of a
// file or of its lines, or, if a program parses stdin, a value that does not come from it.
func elsewhere(code string, at int) bool {
	begin := strings.LastIndexByte(code[:at], '\n') + 1
	line, _, _ := strings.Cut(code[begin:], "\n")
	if strings.Contains(line, "jq ") {
		return ofFile().MatchString(line)
	}
	inputs := ofInput().FindAllStringSubmatch(code, -1)
	m := receiver().FindStringSubmatch(code[begin:at])
	if len(inputs) == 0 || m == nil {
		return false
	}
	return !slices.ContainsFunc(inputs, func(in []string) bool { return in[1] == m[1] })
}

var (
	// ofFile matches a line in which jq reads a file, or the output of tail, grep or cat for one.
	ofFile = pattern.Lazy(`\b(?:tail|head|tac|grep|cat)\s[^|]*[$/.][^|]*\|\s*jq\b|\bjq\b[^|<]*['"]\s+"?[$./~][\w{./]|\bjq\b[^|]*[^<]<\s+"?[$./~]`)
	// ofInput matches an assignment of a program's parsed standard input.
	ofInput = pattern.Lazy(`(\w+)\s*(?::[^=\n]+)?=\s*(?:json\.loads?\(\s*(?:sys\.stdin|raw|data|text|stdin|input|payload|content)|JSON\.parse\(\s*(?:fs\.readFileSync\((?:0|['"]/dev/stdin)|require\(|raw|data|text|stdin|input|payload|buf|chunks))`)
	// receiver matches the name before a field that is read.
	receiver = pattern.Lazy(`(\w+)(?:\.get\(["']|\[["']|\.)$`)
)

// Sent returns the fields that a text may read under a wrong name and that the client sends in a
// payload under the intended name.
func Sent(code string, payload json.RawMessage) (out []Use) {
	sent := map[string]json.RawMessage{}
	_ = json.Unmarshal(payload, &sent) // a payload that is not an object has no fields
	for _, u := range uses(code) {
		_, known := sent[u.Name]
		if _, there := sent[u.Meant]; there && !known {
			out = append(out, u)
		}
	}
	return out
}

// uses returns the fields that a text reads under a wrong name and never under the client's,
// because a text that tries both names is correct.
func uses(code string) (out []Use) {
	for _, f := range fields {
		if !strings.Contains(code, f.Name) {
			continue // most texts: skip the costly expression
		}
		reads := regexp.MustCompile(`jq [^\n]*?[\s'"(|,{\[:]\.` + f.Name + `\b|\.get\(["']` + f.Name + `["']|\[["']` + f.Name + `["']\]|\b(?:input|data|payload|event)\.` + f.Name + `\b`)
		at := reads.FindStringIndex(code)
		if at == nil || regexp.MustCompile(`["'.]`+f.Meant+`\b`).MatchString(code) {
			continue
		}
		out = append(out, Use{f, at[0] + strings.LastIndex(code[at[0]:at[1]], f.Name)})
	}
	return out
}

// WithUses returns a payload with additional copies of fields, under the names by which they are
// read.
func WithUses(payload json.RawMessage, all []Use) json.RawMessage {
	return edited(payload, func(sent map[string]any) {
		for _, u := range all {
			sent[u.Name] = sent[u.Meant]
		}
	})
}

// edited returns a payload after a change of its fields; one that is not an object remains as it is.
func edited(payload json.RawMessage, change func(sent map[string]any)) json.RawMessage {
	var sent map[string]any
	if json.Unmarshal(payload, &sent) != nil || sent == nil {
		return payload
	}
	change(sent)
	text, err := json.Marshal(sent)
	if err != nil {
		return payload
	}
	return text
}

// neverSet are variables that hook authors read and no observed client sets.
var neverSet = []string{
	"CLAUDE_TOOL_INPUT", "CLAUDE_TOOL_NAME", "CLAUDE_TOOL_OUTPUT", "CLAUDE_FILE_PATH", "CLAUDE_FILE_PATHS", "CLAUDE_NOTIFICATION",
	"CLAUDE_TOOL_RESULT", "CLAUDE_TOOL_INPUT_FILE_PATH", "CLAUDE_TOOL_INPUT_COMMAND", "CLAUDE_USER_PROMPT", "CLAUDE_HOOK_EVENT", "TOOL_INPUT", "TOOL_NAME", "TOOL_SUCCESS", "TOOL_EXIT_CODE",
}

// NeverSet reports whether a variable is in the list, or is made of a field's name, such as
// CLAUDE_TOOL_INPUT_FILE_PATH and TOOL_INPUT_command.
func NeverSet(variable string) bool {
	return slices.Contains(neverSet, variable) || fieldVariable().MatchString(variable)
}

var fieldVariable = pattern.Lazy(`^(CLAUDE_)?TOOL_(INPUT|RESULT|RESPONSE|OUTPUT)_\w+$`)

// A Variable is a place at which a text reads a variable, as an offset.
type Variable struct {
	Name string
	At   int
}

// Variables returns the variables of a script that neither a client nor the script sets. Names that
// do not refer to the client are only looked for in shell scripts.
func Variables(code string, shell bool) (out []Variable) {
	for _, v := range neverSet {
		if !strings.Contains(code, v) || strings.HasPrefix(v, "TOOL_") && !shell {
			continue // most scripts: skip the costly expression
		}
		uses := regexp.MustCompile(`\$(\{` + v + `\}|` + v + `\b)|environ(\.get\(|\[)["']` + v + `["']\]?\)?|process\.env\.` + v + `\b`)
		at := uses.FindStringIndex(code)
		if at == nil || regexp.MustCompile(`(?m)(^|[\s;])`+v+`=`).MatchString(code) || shell && maySet(code, v) {
			continue
		}
		out = append(out, Variable{v, at[0]})
	}
	return out
}

// maySet reports whether a shell script may set a variable otherwise than by an assignment: by read, a
// loop or the like, or in text that is not part of it.
func maySet(code, variable string) bool {
	script, err := shell.Read(code)
	if err != nil {
		return false
	}
	set := map[string]bool{}
	sources := slices.ContainsFunc(script.Commands, func(c *shell.Command) bool { return c.Name() == "." || c.Name() == "source" })
	return !assignsIn(script, set) || sources || set[variable]
}

// TraceScripts is the variable, with its value, that makes bash scripts print their commands to
// stderr.
var TraceScripts = map[string]string{"SHELLOPTS": "xtrace"}

var traced = pattern.Lazy(`^\++ (.*)$`)

// idle are words of the shell that have no effect by themselves.
var idle = []string{"for", "case", "export", "local", "declare", "readonly", "read", "set", "shift", "[", "[[", "test", "((", "true", ":", "return", "exit", "break", "echo", "printf"}

// BeyondTrace returns the first command of a trace whose first word does not occur in another
// trace; "" if there is none.
func BeyondTrace(trace, other string) string {
	known := append(words(other), idle...)
	for _, line := range commands(trace) {
		if word, _, _ := strings.Cut(line, " "); !strings.Contains(word, "=") && !slices.Contains(known, word) {
			return line
		}
	}
	return ""
}

func commands(trace string) (out []string) {
	for line := range strings.Lines(trace) {
		if m := traced().FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			out = append(out, m[1])
		}
	}
	return out
}

func words(trace string) (out []string) {
	for _, line := range commands(trace) {
		word, _, _ := strings.Cut(line, " ")
		out = append(out, word)
	}
	return out
}

// An Alternative is another name for a part of the payload, as a hook may write it: for a tool, for
// a field anywhere in the payload, or for a variable of the environment.
type Alternative struct {
	Name, Meant string
	Kind        AlternativeKind
}

// An AlternativeKind is the kind of thing that an alternative names.
type AlternativeKind int

// The kinds of alternatives.
const (
	AField AlternativeKind = iota
	ATool
	AVariable
)

// alternativeNames are the names by which hooks look for parts of a tool's input, or for a prompt,
// by their places in the payload. The same name may be right for other tools, so it is only proved
// wrong if the hook does more with it.
var alternativeNames = map[string][]string{
	"tool_input.command":   {"cmd", "command_line", "script", "bash_command", "commands"},
	"tool_input.file_path": {"path", "filePath", "filepath", "file", "filename", "file_name", "target_file"},
	"tool_input":           {"input", "args", "arguments", "parameters", "params", "tool_args", "toolInput"},
	"tool_name":            {"tool", "toolName", "name"},
	"prompt":               {"user_prompt", "userPrompt", "user_message", "message", "text", "content", "input", "query"},
}

// order is the order in which they are tried.
var order = []string{"tool_input.command", "tool_input.file_path", "tool_input", "tool_name", "prompt"}

// mostAlternatives is the maximum number tried for one hook.
const mostAlternatives = 4

// Alternatives returns the names in a hook's code that may be meant for a tool's name or for a
// field of its input; for prompts, tool is empty.
func Alternatives(code, tool string) (out []Alternative) {
	quoted := func(name string) bool {
		return regexp.MustCompile(`["'\s|(=]` + regexp.QuoteMeta(name) + `["'\s|)\]]`).MatchString(code)
	}
	if lower := strings.ToLower(tool); tool != "" && quoted(lower) {
		out = append(out, Alternative{Name: lower, Meant: tool, Kind: ATool})
	}
	for _, name := range neverSet {
		if regexp.MustCompile(`\b`+name+`\b`).MatchString(code) && len(out) < mostAlternatives {
			out = append(out, Alternative{Name: name, Meant: "JSON on stdin", Kind: AVariable})
		}
	}
	for _, meant := range order {
		if (meant == "prompt") != (tool == "") {
			continue
		}
		for _, name := range alternativeNames[meant] {
			if len(out) < mostAlternatives && strings.Contains(code, name) && readsMember(code, name) {
				out = append(out, Alternative{Name: name, Meant: meant})
			}
		}
	}
	return out
}

// readsMember reports whether code reads a part of a value by a name. Members of an imported
// module, as in os.path.join, do not count because they are not parts of the payload.
func readsMember(code, name string) bool {
	quoted := regexp.QuoteMeta(name)
	if regexp.MustCompile(`\.get\(["']` + quoted + `["']|\[["']` + quoted + `["']\]|[{,]\s*` + quoted + `\s*[,}]`).MatchString(code) {
		return true
	}
	for _, m := range regexp.MustCompile(`(\w*)\??\.`+quoted+`\b(?:[^(]|$)`).FindAllStringSubmatch(code, -1) {
		if m[1] == "" || !imports(code, m[1]) {
			return true
		}
	}
	return false
}

// imports reports whether code in Python or JavaScript imports a module under this name.
func imports(code, name string) bool {
	return regexp.MustCompile(`(?m)^\s*(?:import\s+(?:[^\n]*[\s,{*])?|from\s+\S+\s+import\s+(?:[^\n]*[\s,(])?)` + name + `\b|\b` + name + `\s*=\s*(?:await\s+)?(?:require|import)\(`).MatchString(code)
}

// Changes reports whether adding the alternative changes the hook's input.
func (a Alternative) Changes(payload json.RawMessage) bool {
	for _, value := range a.Set(payload) {
		return value != ""
	}
	var sent, with any
	if json.Unmarshal(payload, &sent) != nil || json.Unmarshal(a.With(payload), &with) != nil {
		return false
	}
	return !reflect.DeepEqual(sent, with)
}

// Set returns the variable with the value that its name suggests: the whole input of the tool, or a
// part of the payload. It is nil if a is not a variable.
func (a Alternative) Set(payload json.RawMessage) map[string]string {
	var sent struct {
		Tool   string         `json:"tool_name"`
		Input  map[string]any `json:"tool_input"`
		Prompt string         `json:"prompt"`
	}
	if a.Kind != AVariable || json.Unmarshal(payload, &sent) != nil {
		return nil
	}
	input, err := json.Marshal(sent.Input)
	value := string(input)
	text := func(key string) string { s, _ := sent.Input[key].(string); return s }
	switch {
	case err != nil:
		return nil
	case strings.HasSuffix(a.Name, "NAME"):
		value = sent.Tool
	case strings.Contains(a.Name, "PROMPT"):
		value = sent.Prompt
	case strings.Contains(a.Name, "FILE"):
		value = text("file_path")
	case strings.HasSuffix(a.Name, "COMMAND"):
		value = text("command")
	}
	return map[string]string{a.Name: value}
}

// With returns a payload with the alternative: a field next to the client's, or the name of the
// tool in place of the client's.
func (a Alternative) With(payload json.RawMessage) json.RawMessage {
	if a.Kind == AVariable {
		return payload
	}
	return edited(payload, func(sent map[string]any) {
		place, key := sent, a.Meant
		if outer, inner, nested := strings.Cut(a.Meant, "."); nested {
			key = inner
			place, _ = sent[outer].(map[string]any)
		}
		value, known := place[key]
		switch {
		case a.Kind == ATool:
			sent["tool_name"] = a.Name
		case a.Kind == AField && known:
			place[a.Name] = value
		}
	})
}

// A Misspelt variable is read under a name that nothing sets, and set under a nearly equal one.
type Misspelt struct {
	Variable
	Meant string
}

// Misspellings returns the misspelt variables of a shell script, each once. others are scripts that
// it may load, which may set some. A script that does not parse or that computes names has none.
func Misspellings(code string, others ...string) (out []Misspelt) {
	set := map[string]bool{}
	var script *shell.Script
	for _, text := range append(others, code) {
		var err error
		if script, err = shell.Read(text); err != nil || !setsIn(script, set) {
			return nil
		}
	}
	names := slices.Sorted(maps.Keys(set))
	for _, p := range script.Parameters {
		if p.Name == "" || p.Op != "" || p.Indirect || set[p.Name] {
			continue
		}
		known := slices.ContainsFunc(out, func(m Misspelt) bool { return m.Name == p.Name })
		if i := slices.IndexFunc(names, func(n string) bool { return nearly(p.Name, n) }); i >= 0 && !known {
			out = append(out, Misspelt{Variable{p.Name, p.Start}, names[i]})
		}
	}
	return out
}

// setters are commands whose words are names that they set.
var setters = []string{"read", "mapfile", "readarray", "getopts", "unset"}

// setsIn adds the variables that a script sets or gives a value where it reads them. It returns false if
// not all assignments are known.
func setsIn(s *shell.Script, set map[string]bool) bool {
	for _, p := range s.Parameters {
		if p.Op != "" {
			set[p.Name] = true // the operator may provide a value
		}
	}
	return assignsIn(s, set)
}

// assignsIn adds the variables that a script sets. It returns false if not all assignments are known.
func assignsIn(s *shell.Script, set map[string]bool) bool {
	for _, a := range s.Assigns {
		set[a.Name] = true
	}
	for _, l := range s.Loops {
		set[l.Name] = true
	}
	for _, name := range s.Arithmetic {
		set[name] = true // it may be set there
	}
	for _, c := range s.Commands {
		switch name := c.Name(); {
		case name == "eval" || name == "printf" && len(c.Args) > 1 && c.Args[1].Bare() == "-v":
			return false
		case slices.Contains(setters, name):
			for _, word := range c.Args[1:] {
				set[word.Bare()] = true
			}
		}
	}
	return true
}

// nearly reports whether two names differ in only one letter, or only in case.
func nearly(a, b string) bool {
	const shortest = 5
	if len(a) < shortest || len(b) < shortest || strings.HasPrefix(a, "CLAUDE_") {
		return false
	}
	if strings.EqualFold(a, b) {
		return true
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return len(b)-len(a) == 1 && a[i:] == b[i+1:] || len(a) == len(b) && i < len(a) && a[i+1:] == b[i+1:]
}

// misread returns the fields of a payload that scripts of a hook read under wrong names.
func (q *Inquiry) misread(payload json.RawMessage) (out []misreading) {
	for _, s := range q.hook.Scripts {
		code := withoutComments(q.tree.read(s))
		for _, u := range Sent(code, payload) {
			out = append(out, misreading{s, code, u})
		}
	}
	return out
}

// misnamed runs a hook that reads fields under wrong names with the client's payload, and with each
// of these fields added to it. If the hook then does more, it meant that field.
func (q *Inquiry) misnamed() []Probe {
	all := q.subjects()
	if len(all) == 0 || q.effect != suites.Proceeds {
		return nil // its current form has an effect
	}
	found := q.misread(q.probe(all[0], nil).Case.Steps[0].PayloadRaw)
	if len(found) == 0 {
		return nil
	}
	sent := make([]suites.Result, len(all))
	probes := []Probe{q.each(all, nil, func(i int, r suites.Result) { sent[i] = r })}
	for _, m := range found {
		probes = append(probes, q.each(all, []Use{m.use}, func(i int, r suites.Result) { q.compare(all[i], m, sent[i], r) }))
	}
	return probes
}

// each runs a hook for several subjects in the same environment.
func (q *Inquiry) each(all []firing, with []Use, take func(int, suites.Result)) (p Probe) {
	for i, f := range all {
		one := q.probe(f, func(r suites.Result) { take(i, r) })
		step := &one.Case.Steps[0]
		step.PayloadRaw, step.Env = WithUses(step.PayloadRaw, with), TraceScripts
		if i == 0 {
			p = one
		} else {
			p.and(one)
		}
	}
	return p
}

// compare judges a hook by its results with and without a field.
func (q *Inquiry) compare(f firing, m misreading, sent, with suites.Result) {
	answers := func(r suites.Result) bool { return strings.TrimSpace(string(r.Stdout)) != "" || r.Exit == 2 }
	more := ""
	switch next := BeyondTrace(string(with.Stderr), string(sent.Stderr)); {
	case sent.Exit != 0 || answers(sent) || sent.TimedOut:
		return // its current form has an effect
	case answers(with):
		more = "says " + strings.TrimSpace(string(with.Stdout))
	case next != "":
		more = "goes on to " + next
	default:
		return
	}
	all := misread(q.hook.ID, m)
	all.Input, all.Printed = f.input(), Short("nothing; with "+m.use.Name+" in its input it "+more)
	if !slices.ContainsFunc(q.findings, func(o Finding) bool { return o.Where.File == m.script && o.Remedy == all.Remedy }) {
		q.findings = append(q.findings, all)
	}
}

// subjects returns typical firings, and for events of agents also one for each agent that the tree
// defines.
func (q *Inquiry) subjects() []firing {
	if q.about().MatchedOn != "agent_type" {
		return typical(q.hook, q.tree)
	}
	var out []firing
	for _, name := range q.tree.agents(q.hook.PluginRoot) {
		if q.hook.Matches(name) && len(out) < batch*2 {
			out = append(out, firing{event: q.hook.Event, value: name, agent: name})
		}
	}
	return append(typical(q.hook, q.tree), out...)
}
