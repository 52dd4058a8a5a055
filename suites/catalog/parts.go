package catalog

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

var timeout = func() form[time.Duration] {
	f := duration(time.Millisecond)
	schema := f.schema
	f.schema = func(d *definitions) string { return schema(d) + `, "pattern": "[1-9]"` }
	return f
}()

var projectMapping = mapping[suites.ProjectOverride]{fields: []field[suites.ProjectOverride]{
	key("files", "", files, func(p *suites.ProjectOverride) *map[string]string { return &p.Files }),
}}

var repoMapping = mapping[suites.Repo]{name: "repo", doc: "A git repository built as the case's project.", fields: []field[suites.Repo]{
	key("branch", "", line, func(p *suites.Repo) *string { return &p.Branch }),
	key("commit", "", files, func(p *suites.Repo) *map[string]string { return &p.Commit }),
	key("stage", "", files, func(p *suites.Repo) *map[string]string { return &p.Stage }),
	key("modify", "", files, func(p *suites.Repo) *map[string]string { return &p.Modify }),
	key("delete", "", list(localPath), func(p *suites.Repo) *[]string { return &p.Delete }),
	key("worktree", "The project is a linked work tree, on a branch of this name.", line, func(p *suites.Repo) *string { return &p.Worktree }),
	key("merge", "Files of another branch whose merge is begun; one that commit has as well is in conflict.", files, func(p *suites.Repo) *map[string]string { return &p.Merge }),
}}

var routeMapping = mapping[suites.Route]{name: "route", label: "server", initial: suites.Route{Status: 200}, fields: []field[suites.Route]{
	key("method", "", matching(methodName, "a method such as POST"), func(t *suites.Route) *string { return &t.Method }),
	key("path", "Pattern over the URL's path.", urlPattern, func(t *suites.Route) *string { return &t.Path }),
	key("contains", "Text that the request's body must hold.", text, func(t *suites.Route) *string { return &t.Contains }),
	key("status", "", writeEmpty(addDefault("200", whole[int](100, 599))), func(t *suites.Route) *int { return &t.Status }),
	key("reply", "", writeEmpty(anyText), func(t *suites.Route) *string { return &t.Reply }),
	key("delay", "", duration(0), func(t *suites.Route) *time.Duration { return &t.Delay }),
}}

var urlPattern = ofText(text.schema, func(r *reader, name string, n *yaml.Node) string {
	v := r.text(name, n)
	if hint := pattern.GlobHint(v); hint != "" {
		r.Wrong(n, name, "a valid pattern", hint)
	}
	return v
})

func addDefault[V any](value string, f form[V]) form[V] {
	schema := f.schema
	f.schema = func(d *definitions) string { return schema(d) + `, "default": ` + value }
	return f
}

var fixtureMapping = mapping[suites.Fixture]{
	name: "fixture", label: "fixtures", a: "a fixture", required: []string{"path"},
	fields: []field[suites.Fixture]{
		key("path", "", text, func(f *suites.Fixture) *string { return &f.Path }),
		key("content", "", writeEmpty(anyText), func(f *suites.Fixture) *string { return &f.Content }),
		key("mode", "", permissions, func(f *suites.Fixture) *uint32 { return &f.Mode }),
		key("age", "How long ago the file was last changed, 1s to 175200h.", ofDuration((*reader).age), func(f *suites.Fixture) *time.Duration { return &f.Age }),
		key("fill", "The content holds templates as file_path does, and {now} and {now-15m}: seconds since 1970.", truth, func(f *suites.Fixture) *bool { return &f.Fill }),
	},
	check: func(r *reader, _ string, n *yaml.Node, f *suites.Fixture) {
		if !f.Fill {
			return
		}
		if _, err := suites.Moments(f.Content, time.Time{}); err != nil {
			r.Add(lookup(n, "content"), "content: "+err.Error(), "")
		}
	},
}

// answerMapping is the form of an answer of the scripted model: a call, or text.
var answerMapping = mapping[suites.Answer]{
	fields: []field[suites.Answer]{
		key("tool", "", tool, func(a *suites.Answer) *string { return &a.Tool }),
		key("input", "Of the tool; templates as in file_path.", jsonObject, func(a *suites.Answer) *json.RawMessage { return &a.Input }),
		key("text", "", writeEmpty(anyText), func(a *suites.Answer) *string { return &a.Text }).unless(func(a *suites.Answer) bool { return a.Tool != "" }),
		key("delay", "Before the answer comes.", duration(time.Millisecond), func(a *suites.Answer) *time.Duration { return &a.Delay }),
	},
	rules: `"oneOf": [{"required": ["tool", "input"], "not": {"required": ["text"]}}, {"required": ["text"], "not": {"anyOf": [{"required": ["tool"]}, {"required": ["input"]}]}}]`,
	check: func(r *reader, _ string, n *yaml.Node, _ *suites.Answer) {
		if n.Kind != yaml.MappingNode {
			return
		}
		tool, text := lookup(n, "tool"), lookup(n, "text")
		switch {
		case tool != nil && text != nil:
			r.Add(text, "text cannot be combined with tool", "an answer calls a tool, or says something")
		case tool == nil && text == nil:
			r.Add(n, "an answer needs tool or text", "such as {tool: Edit, input: {...}}, or {text: done}")
		case (tool == nil) != (lookup(n, "input") == nil):
			r.Add(n, "tool and input go together", "")
		}
	},
}

// shellOwn are commands that sh and bash execute themselves, without starting a program.
var shellOwn = strings.Fields(`alias bg bind break builtin caller cd command compgen complete compopt
	continue declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history
	jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift
	shopt source suspend test time times trap true type typeset ulimit umask unalias unset wait`)

var programMapping = mapping[suites.Program]{
	a: "a program", required: []string{"name"},
	fields: []field[suites.Program]{
		key("name", "No command of the shell's own.", programName, func(p *suites.Program) *string { return &p.Name }),
		key("script", "Run by /bin/sh unless its first line names another; templates as in file_path.", text, func(p *suites.Program) *string { return &p.Script }),
		key("stdout", "What it says instead.", anyText, func(p *suites.Program) *string { return &p.Stdout }),
		key("stderr", "", anyText, func(p *suites.Program) *string { return &p.Stderr }),
		key("exit", "", whole[int](0, maxExit), func(p *suites.Program) *int { return &p.Exit }),
	},
	rules: `"not": {"required": ["script"], "anyOf": [{"required": ["stdout"]}, {"required": ["stderr"]}, {"required": ["exit"]}]}`,
	check: func(r *reader, name string, n *yaml.Node, p *suites.Program) {
		for _, k := range []string{"stdout", "stderr", "exit"} {
			if at := lookup(n, k); at != nil && p.Script != "" {
				r.Add(at, k+" cannot be combined with script", "the script sets it")
			}
		}
		if at := lookup(n, "name"); at != nil && slices.Contains(shellOwn, p.Name) {
			r.Add(at, name+": "+p.Name+" is the shell's own", "no hook in sh or bash starts a program of that name")
		}
	},
}

var programName = func() form[string] {
	f := matching(toolName, wantProgram)
	schema := f.schema
	f.schema = func(d *definitions) string { return schema(d) + `, "not": {"enum": ` + quote(shellOwn) + `}` }
	return f
}()

// programs are a case's own, with unique names.
var programs = func() form[[]suites.Program] {
	f := list(programMapping.form())
	read := f.read
	f.read = func(r *reader, name string, n *yaml.Node, v *[]suites.Program) {
		read(r, name, n, v)
		for i, p := range *v {
			at := lookup(n.Content[i], "name")
			if at != nil && !slices.Contains(shellOwn, p.Name) && slices.ContainsFunc((*v)[:i], func(other suites.Program) bool { return other.Name == p.Name }) {
				r.Add(at, name+": "+p.Name+" is duplicated", "")
			}
		}
	}
	return f
}()

var gateMapping = mapping[suites.Gate]{
	name: "gate", a: "a gate", required: []string{"tool"}, initial: suites.Gate{Policy: suites.GateSkip},
	fields: []field[suites.Gate]{
		key("tool", "", line, func(g *suites.Gate) *string { return &g.Tool }),
		key("policy", "", choice(words(suites.GateSkip, suites.GateFail)), func(g *suites.Gate) *suites.GatePolicy { return &g.Policy }),
		key("min_version", "An older tool makes the case a skip; one that does not tell its version does not.", matching(versionNumber, `a version such as "2.12.0"`), func(g *suites.Gate) *string { return &g.MinVersion }),
	},
}

// gate is a tool: its name, or a mapping with its policy.
var gate = func() form[suites.Gate] {
	f := gateMapping.form()
	read, schema := f.read, f.schema
	f.read = func(r *reader, name string, n *yaml.Node, g *suites.Gate) {
		if n.Kind == yaml.MappingNode {
			read(r, name, n, g)
			return
		}
		*g = suites.Gate{Policy: suites.GateSkip, Tool: r.matching(name, n, oneLine, wantLine)}
	}
	f.schema = func(d *definitions) string { return `"anyOf": [{` + line.schema(d) + `}, {` + schema(d) + `}]` }
	return f
}()

var checkMapping = mapping[suites.Check]{
	name: "check", initial: suites.Check{Need: suites.NeedExpected},
	doc: "What the case looks at on the machine or in the project, instead of firing a hook; nothing is run but a tool's --version.",
	fields: []field[suites.Check]{
		key("tool", "", matching(toolName, wantProgram), func(c *suites.Check) *string { return &c.Tool }),
		key("need", "What a tool's absence means: required and expected fail, a required one keeps other suites from running as well; optional is a skip; advisory never fails.",
			addDefault(`"expected"`, choice(words(suites.Needs...))), func(c *suites.Check) *suites.Need { return &c.Need }).unless(func(c *suites.Check) bool { return c.Tool == "" }),
		key("places", "Where the tool is looked for, in order: a name in PATH, a file, or a runner with the tool. Its name when left out.",
			some(list(matching(placeForm, "a name, a file, or one of npx, bunx, pnpm exec and uv run with the tool"))), func(c *suites.Check) *[]string { return &c.Places }),
		key("minimum", "The lowest version that will do.", matching(versionNumber, wantVersion), func(c *suites.Check) *string { return &c.Minimum }),
		key("file", "A file that must exist.", checkedFile, func(c *suites.Check) *string { return &c.File }),
		key("named_by", "", optional(namedByMapping.form()), func(c *suites.Check) **suites.KeyPath { return &c.NamedBy }),
		key("key", "A key that the JSON in the file must have, dotted.", keys, func(c *suites.Check) *string { return &c.Key }),
		key("equals", "What the key must hold.", jsonValue, func(c *suites.Check) *json.RawMessage { return &c.Equals }),
		key("registered", "", optional(registrationMapping.form()), func(c *suites.Check) **suites.Registration { return &c.Registered }),
	},
	rules: `"oneOf": [{"required": ["tool"]}, {"required": ["file"]}, {"required": ["registered"]}],
    "dependentRequired": {"need": ["tool"], "places": ["tool"], "minimum": ["tool"], "named_by": ["file"], "key": ["file"], "equals": ["key"]}`,
}

var namedByMapping = mapping[suites.KeyPath]{
	name: "named_by", doc: "A key of a JSON file whose value, where it is set, names the file instead.", required: []string{"file", "key"},
	fields: []field[suites.KeyPath]{
		key("file", "", checkedFile, func(p *suites.KeyPath) *string { return &p.File }),
		key("key", "", keys, func(p *suites.KeyPath) *string { return &p.Key }),
	},
}

var registrationMapping = mapping[suites.Registration]{
	name: "registered", doc: "A hook that must fire on the event for each name of the matcher, whatever else it fires for.", required: []string{"event", "hook"},
	fields: []field[suites.Registration]{
		key("event", "", event, func(g *suites.Registration) *string { return &g.Event }),
		key("matcher", "", matching(nameList, "names joined by |"), func(g *suites.Registration) *string { return &g.Matcher }),
		key("hook", "", hookPath, func(g *suites.Registration) *string { return &g.Hook }),
	},
}

// subjects are the keys of which a check has exactly one. goingWith are the keys that are
// allowed only with one of them.
var (
	subjects  = []string{"tool", "file", "registered"}
	goingWith = []struct{ key, with string }{
		{"need", "tool"}, {"places", "tool"}, {"minimum", "tool"},
		{"named_by", "file"}, {"key", "file"}, {"equals", "key"},
	}
)

// check is the check of a case that fires no hook.
var check = func() form[suites.Check] {
	f := checkMapping.form()
	read := f.read
	f.read = func(r *reader, name string, n *yaml.Node, c *suites.Check) {
		before := len(r.Problems)
		read(r, name, n, c)
		if n.Kind == yaml.MappingNode {
			r.completeCheck(name, n, c, len(r.Problems) > before)
		}
	}
	return f
}()

// completeCheck reports invalid combinations of keys; flawed reports whether one of them has a
// problem already.
func (r *reader) completeCheck(name string, n *yaml.Node, c *suites.Check, flawed bool) {
	var first string
	for _, s := range subjects {
		at := lookup(n, s)
		switch {
		case at == nil:
		case first == "":
			first = s
		default:
			r.Add(at, name+": "+s+" cannot be combined with "+first, "write a case for each")
		}
	}
	if first == "" && !flawed {
		r.Add(n, "a check needs one of "+strings.Join(subjects, ", "), "such as check: {tool: jq}")
	}
	for _, g := range goingWith {
		at := lookup(n, g.key)
		if at != nil && lookup(n, g.with) == nil && (first != "" || !flawed) {
			r.Add(at, name+": "+g.key+" goes with "+g.with, "")
		}
	}
	if c.Tool != "" && len(c.Places) == 0 {
		c.Places = []string{c.Tool}
	}
}

// checkSteps returns the step that gives a check's record the same fields as other records.
func checkSteps(c *suites.Check) []suites.Step {
	return []suites.Step{{Expect: suites.Expectation{Exit: exits[:1:1], Decision: c.Decision()}}}
}

const maxExit = 255

// exits contains the exit codes that cases expect, so that all cases share them.
var exits = func() (all [maxExit + 1]int) {
	for i := range all {
		all[i] = i
	}
	return all
}()

var expectMapping = mapping[suites.Expectation]{
	name: "expect", doc: "What the step must do; keys that are left out are not checked.",
	fields: []field[suites.Expectation]{
		key("exit", "The exit code, or several of which any will do.", exitCodes, func(e *suites.Expectation) *[]int { return &e.Exit }),
		key("decision", "", line, func(e *suites.Expectation) *string { return &e.Decision }),
		key("effect", "", choice(words(suites.Effects...)), func(e *suites.Expectation) *suites.Effect { return &e.Effect }),
		key("sound", "The hook starts, does not crash, and prints nothing that the client ignores.", onlyTrue("leave it out"), func(e *suites.Expectation) *bool { return &e.Sound }),
		key("stdout", "", stream, func(e *suites.Expectation) **suites.TextExpectation { return &e.Stdout }),
		key("stderr", "", stream, func(e *suites.Expectation) **suites.TextExpectation { return &e.Stderr }),
		key("jq", "A filter over the parsed stdout that must give true.", ofText(text.schema, (*reader).filter), func(e *suites.Expectation) *string { return &e.JQ }),
		key("hook_fired", "Whether the client fires the hook, of layer 2, where it must if nothing is said.", optional(truth), func(e *suites.Expectation) **bool { return &e.HookFired }),
		key("model_sees", "Texts that must reach the model.", textOrTexts, func(e *suites.Expectation) *[]string { return &e.ModelSees }),
		key("files", "", list(fileMapping.form()), func(e *suites.Expectation) *[]suites.FileExpectation { return &e.Files }),
	},
	rules: `"minProperties": 1, "not": {"required": ["jq", "stdout"], "properties": {"stdout": {"required": ["empty"]}}}`,
	check: (*reader).expectation,
}

// expectation is omitted if nothing is expected.
var expectation = func() form[suites.Expectation] {
	f := expectMapping.form()
	f.empty = func(e *suites.Expectation) bool { return len(f.write(e).Content) == 0 }
	return f
}()

var exitCodes = func() form[[]int] {
	one, several := whole[int](0, maxExit), some(list(whole[int](0, maxExit)))
	return form[[]int]{
		read: func(r *reader, name string, n *yaml.Node, v *[]int) {
			if n.Kind == yaml.SequenceNode {
				several.read(r, name, n, v)
				return
			}
			code := r.whole(name, n, 0, maxExit)
			*v = exits[code : code+1 : code+1]
		},
		write: func(v *[]int) *yaml.Node {
			if len(*v) == 1 {
				return one.write(&(*v)[0])
			}
			return several.write(v)
		},
		empty:  several.empty,
		schema: func(d *definitions) string { return `"anyOf": [{` + one.schema(d) + `}, {` + several.schema(d) + `}]` },
	}
}()

var streamMapping = mapping[suites.TextExpectation]{
	name: "stream",
	fields: []field[suites.TextExpectation]{
		key("contains", "", textOrTexts, func(t *suites.TextExpectation) *[]string { return &t.Contains }),
		key("matches", "", patterns, func(t *suites.TextExpectation) *[]string { return &t.Matches }),
		key("absent", "", textOrTexts, func(t *suites.TextExpectation) *[]string { return &t.Absent }),
		key("empty", "", onlyTrue(`leave it out; text is asked for by matches: "."`), func(t *suites.TextExpectation) *bool { return &t.Empty }),
	},
	rules: `"allOf": [{"not": {"required": ["empty", "contains"]}}, {"not": {"required": ["empty", "matches"]}}]`,
	check: func(r *reader, name string, n *yaml.Node, t *suites.TextExpectation) {
		if t.Empty && len(t.Contains)+len(t.Matches) > 0 {
			r.Add(n, name+": empty cannot be combined with contains or matches", "keep one of them")
		}
	},
}

// stream is the expectation for stdout or stderr; an empty one is the same as none.
var stream = func() form[*suites.TextExpectation] {
	f := optional(streamMapping.form())
	read := f.read
	f.read = func(r *reader, name string, n *yaml.Node, v **suites.TextExpectation) {
		if read(r, name, n, v); (*v).IsZero() {
			*v = nil
		}
	}
	f.empty = func(v **suites.TextExpectation) bool { return (*v).IsZero() }
	return f
}()

var fileMapping = mapping[suites.FileExpectation]{
	name: "expected_file", label: "files", a: "a file", required: []string{"path"},
	fields: []field[suites.FileExpectation]{
		key("path", "", text, func(f *suites.FileExpectation) *string { return &f.Path }),
		key("absent", "", truth, func(f *suites.FileExpectation) *bool { return &f.Absent }),
		key("change", "What the case did to the file by then. The path may be a pattern: one of the files, or with none all of them.",
			choice(words(suites.Created, suites.Changed, suites.Deleted, suites.Untouched)), func(f *suites.FileExpectation) *suites.ChangeKind { return &f.Change }),
		key("contains", "", textOrTexts, func(f *suites.FileExpectation) *[]string { return &f.Text.Contains }),
		key("matches", "", patterns, func(f *suites.FileExpectation) *[]string { return &f.Text.Matches }),
		key("lacks", "", textOrTexts, func(f *suites.FileExpectation) *[]string { return &f.Text.Absent }),
	},
	rules: `"if": {"required": ["absent"], "properties": {"absent": {"const": true}}},
    "then": {"not": {"anyOf": [{"required": ["contains"]}, {"required": ["matches"]}, {"required": ["lacks"]}, {"required": ["change"]}]}},
    "dependentSchemas": {"change": {"not": {"anyOf": [{"required": ["contains"]}, {"required": ["matches"]}, {"required": ["lacks"]}]}}}`,
	check: func(r *reader, _ string, n *yaml.Node, f *suites.FileExpectation) {
		if f.Absent && !f.Text.IsZero() {
			r.Add(n, "files: absent cannot be combined with contains, matches or lacks", "keep one of them")
		}
		if f.Change != "" && (f.Absent || !f.Text.IsZero()) {
			r.Add(n, "files: change cannot be combined with absent, contains, matches or lacks", "give the content an entry of its own")
		}
	},
}

// expectation checks combinations of keys.
func (r *reader) expectation(name string, n *yaml.Node, e *suites.Expectation) {
	if n.Kind == yaml.MappingNode && len(n.Content) == 0 {
		r.Add(n, name+": must not be empty", "such as {exit: 0}")
	}
	empty := e.Stdout != nil && e.Stdout.Empty
	if empty && e.JQ != "" && n.Kind == yaml.MappingNode {
		r.Add(lookup(n, "jq"), name+": jq cannot be combined with an empty stdout", "keep one of them")
	}
}

// expectsNothing reports whether an expectation accepts every outcome.
func expectsNothing(e *suites.Expectation) bool {
	return e.Exit == nil && !e.Sound && e.Decision == "" && e.Effect == "" && e.Stdout.IsZero() && e.Stderr.IsZero() &&
		e.JQ == "" && len(e.ModelSees)+len(e.Files) == 0
}

// patterns reads regular expressions, one or a list.
func (r *reader) patterns(name string, n *yaml.Node) []string {
	items := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		items = n.Content
	}
	v := r.textOrTexts(name, n)
	for i := range v {
		flaw := r.checkOnce(name+" "+v[i], func() error { return suites.CheckExpression(suites.PatternExpression, v[i]) })
		if flaw != "" {
			r.Add(items[i], name+": no valid regular expression: "+strings.TrimPrefix(flaw, "error parsing regexp: "), "")
		}
	}
	return v
}

func (r *reader) filter(name string, n *yaml.Node) string {
	v := r.text(name, n)
	flaw := r.checkOnce(name+" "+v, func() error { return suites.CheckExpression(suites.FilterExpression, v) })
	if v != "" && flaw != "" {
		r.Add(n, name+": no valid filter: "+flaw, "")
	}
	return v
}

// checkOnce checks a text only once, because a file may repeat it many times.
func (r *reader) checkOnce(text string, check func() error) (flaw string) {
	flaw, known := r.checked[text]
	if known {
		return flaw
	}
	if err := check(); err != nil {
		flaw = err.Error()
	}
	if r.checked == nil {
		r.checked = map[string]string{}
	}
	r.checked[text] = flaw
	return flaw
}
