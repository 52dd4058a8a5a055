package catalog

import (
	"encoding/json"
	"maps"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
)

// A scope contains the keys that a suite may set for all of its cases and a case for itself.
type scope struct {
	client                      string
	hook, event, tool, category string
	registered                  string
	timeout, budget             time.Duration
	layer                       suites.Layer
	serial                      bool
	env                         map[string]string
	unset                       []string
	cwd                         string
	gates                       []suites.Gate
	verify                      []string
	absentTools                 []string
	programs                    []suites.Program
	project                     *suites.ProjectOverride
}

// A stepForm is a step as written, without values of its case.
type stepForm struct {
	suites.Step
	payload map[string]any
	blank   bool // the command is empty, which is none in a Step
}

// A caseForm is a case as written, over the scope of its suite. A suite and a step have some of
// its keys.
type caseForm struct {
	scope
	stepForm
	id, name, summary    string
	control, contradicts string
	chain                bool
	repo                 *suites.Repo
	server               []suites.Route
	check                *suites.Check
	steps                []stepForm
}

// A suiteForm is a suite as written: its values for all cases, and its own keys.
type suiteForm struct {
	caseForm
	suite, agent string
	appliesTo    []string
	cases        *yaml.Node
}

// places is the set of places where a key is allowed.
type places uint8

const (
	inSuite places = 1 << iota
	inCase
	inStep
	inCheck  // in a case that checks instead of firing a hook
	anywhere = inSuite | inCase | inStep
)

// The tables are set by setTables, because most commands read no suite and a case contains
// steps, whose keys are in the same table.
var (
	fields                 []field[caseForm]
	caseFields, stepFields []field[caseForm]
	suiteFields            []field[suiteForm]
)

func setTables() {
	fields = []field[caseForm]{
		key("id", "Identifies the case in its suite, for good.", named, func(c *caseForm) *string { return &c.id }).in(inCase | inCheck),
		key("name", "What the case is called.", line, func(c *caseForm) *string { return &c.name }).in(inCase | inCheck),
		key("category", "What kind of case it is.", line, func(c *caseForm) *string { return &c.category }).in(inSuite | inCase | inCheck),
		key("summary", "What goes in, for people; the command, file path or event when left out.", text, func(c *caseForm) *string { return &c.summary }).in(inCase | inCheck),
		key("check", "", optional(check), func(c *caseForm) **suites.Check { return &c.check }).in(inCase | inCheck),
		key("hook", "", hookPath, func(c *caseForm) *string { return &c.hook }).in(anywhere),
		key("registered", "", registered, func(c *caseForm) *string { return &c.registered }).in(anywhere),
		key("chain", "Fire every hook registered for the event, as the client does.", truth, func(c *caseForm) *bool { return &c.chain }).in(inCase),
		key("layer", "1 runs the hook directly, 2 lets the real client fire it: a skip where none is installed.", layer, func(c *caseForm) *suites.Layer { return &c.layer }).in(inSuite | inCase),
		key("client", "The client whose behaviour counts, and whose payload and variables the hook gets; Claude Code when left out.", clientName, func(c *caseForm) *string { return &c.client }).in(inSuite | inCase),
		key("serial", "Run while no other case does.", truth, func(c *caseForm) *bool { return &c.serial }).in(inSuite | inCase),
		key("timeout", "The longest that a step of the case may take, at most 10m.", timeout, func(c *caseForm) *time.Duration { return &c.timeout }).in(inSuite | inCase),
		key("budget", "The longest that a hook may take for a step: a case whose hook takes longer fails.", timeout, func(c *caseForm) *time.Duration { return &c.budget }).in(inSuite | inCase),
		key("gates", "Tools without which the case says nothing, looked for where checks of them look; absent, it is a skip unless the policy is fail.", list(gate), func(c *caseForm) *[]suites.Gate { return &c.gates }).in(inSuite | inCase),
		key("absent_tools", "Tools hidden from PATH while the case runs.", texts, func(c *caseForm) *[]string { return &c.absentTools }).in(inSuite | inCase),
		key("programs", "Programs of the case's own, before all others in PATH: scripts, or what only says something and ends.", programs, func(c *caseForm) *[]suites.Program { return &c.programs }).in(inSuite | inCase),
		key("control", "The case that must fail or block for this one to prove anything: ID, or SUITE/ID.", matching(controlName, "an ID, or suite/ID"), func(c *caseForm) *string { return &c.control }).in(inCase),
		key("env", "Environment variables; a case's are laid over its suite's.", environment, func(c *caseForm) *map[string]string { return &c.env }).in(anywhere),
		key("unset", "Environment variables that hooks do not get, even if something sets them.", variables, func(c *caseForm) *[]string { return &c.unset }).in(inSuite | inCase),
		key("cwd", "The directory in which hooks start, templates as in file_path; from the project's root.", line, func(c *caseForm) *string { return &c.cwd }).in(inSuite | inCase),
		key("project", "A temporary project directory of the case's own.", optional(projectMapping.form()), func(c *caseForm) **suites.ProjectOverride { return &c.project }).in(inSuite | inCase),
		key("repo", "", optional(repoMapping.form()), func(c *caseForm) **suites.Repo { return &c.repo }).in(inCase),
		key("server", "Answers of a server on loopback; the first that matches.", list(routeMapping.form()), func(c *caseForm) *[]suites.Route { return &c.server }).in(inCase),
		key("event", "", event, func(c *caseForm) *string { return &c.event }).in(anywhere),
		key("tool", "", tool, func(c *caseForm) *string { return &c.tool }).in(anywhere),
		key("delegate", "What the scripted model answers a client that the hook itself starts, one after the other; then it says that it is done. Needs layer 2.", list(answerMapping.form()), func(c *caseForm) *[]suites.Answer { return &c.Delegate }).in(inCase | inStep),
		key("args", "Arguments of the script, which is run directly; templates as in file_path.", list(anyText), func(c *caseForm) *[]string { return &c.Args }).in(inCase | inStep),
		key("command", "tool_input.command", command, step).in(inCase | inStep),
		key("file_path", "tool_input.file_path; {tmp}, {project} and {override} stand for directories, {session} for the process in HOOK_SESSION_PID and HOOK_GUARD_PID.", text, func(c *caseForm) *string { return &c.FilePath }).in(inCase | inStep),
		key("payload", "Fields over those that the client would send; null leaves one out.", payload(func(s *stepForm) *json.RawMessage { return &s.Payload }), step).in(inCase | inStep),
		key("payload_raw", "The whole object that the hook gets, instead of what the client would send.", payload(func(s *stepForm) *json.RawMessage { return &s.PayloadRaw }), step).in(inCase | inStep),
		key("stdin", "Raw text instead of a payload.", optional(anyText), func(c *caseForm) **string { return &c.Stdin }).in(inCase | inStep),
		key("fixtures", "Files written before the step.", list(fixtureMapping.form()), func(c *caseForm) *[]suites.Fixture { return &c.Fixtures }).in(inCase | inStep),
		key("expect", "", expectation, func(c *caseForm) *suites.Expectation { return &c.Expect }).in(inCase | inStep),
		key("steps", "Firings that share a sandbox and a session.", some(list(stepMapping())), func(c *caseForm) *[]stepForm { return &c.steps }).in(inCase),
		key("contradicts", "The document that says otherwise than what was observed.", text, func(c *caseForm) *string { return &c.contradicts }).in(inCase | inCheck),
		key("verify", "Markers, such as \"FILE §SECTION\"; a case's are added to its suite's.", appendToSuite(texts), func(c *caseForm) *[]string { return &c.verify }).in(inSuite | inCase | inCheck),
	}
	caseFields, stepFields = keysOf(inCase), keysOf(inStep)
	suiteFields = append([]field[suiteForm]{
		key("suite", "The suite's name.", matching(suiteName, "at most 100 small letters, digits and -"), func(s *suiteForm) *string { return &s.suite }),
		key("agent", "Names the record files; SUITE-agent when left out.", named, func(s *suiteForm) *string { return &s.agent }),
		key("applies_to", "Files without which the suite is none of the project's.", list(localPath), func(s *suiteForm) *[]string { return &s.appliesTo }),
	}, append(lift(keysOf(inSuite), func(s *suiteForm) *caseForm { return &s.caseForm }),
		key("cases", "The cases.", cases, func(s *suiteForm) **yaml.Node { return &s.cases }))...)
}

// keysOf returns the fields that are allowed in a place.
func keysOf(in places) (some []field[caseForm]) {
	for _, f := range fields {
		if f.places&in != 0 {
			some = append(some, f)
		}
	}
	return some
}

func step(c *caseForm) *stepForm { return &c.stepForm }

// cases keeps its node unread, because cases are read in parallel.
var cases = form[*yaml.Node]{
	read:  func(_ *reader, _ string, n *yaml.Node, v **yaml.Node) { *v = n },
	write: func(v **yaml.Node) *yaml.Node { return *v },
	schema: func(d *definitions) string {
		return `"type": "array", "minItems": 1, "items": {` + d.refer("case", func() string { return caseSchema(d) }) + `}`
	},
}

// caseSchema returns the schema of a case, including the table (each) that expands it to
// several.
func caseSchema(d *definitions) string {
	var names []string
	for _, f := range caseFields {
		names = append(names, f.name)
	}
	each := field[caseForm]{name: "each", schema: func(d *definitions) string {
		return describe("A table: the case once for each row, which says what it says differently. The row's id and name come after the case's.",
			`"type": "array", "minItems": 1, "items": {`+d.refer("row", func() string {
				return describe("The keys of a case that differ, and an id.",
					`"type": "object", "required": ["id"], "properties": {"id": {`+named.schema(d)+`}}, "propertyNames": {"enum": `+quote(names)+`}`)
			})+`}`)
	}}
	several := field[caseForm]{name: "clients", schema: func(d *definitions) string {
		return describe("Clients: the case once for each, whose name comes after the id and the name of the case.",
			`"type": "array", "minItems": 1, "uniqueItems": true, "items": {`+clientName.schema(d)+`}`)
	}}
	return objectSchema(d, append(caseFields[:len(caseFields):len(caseFields)], each, several), []string{"id", "name"},
		`"if": {"required": ["each"]}, "else": {"oneOf": [{"required": ["expect"]}, {"required": ["steps"]}, {"required": ["check"]}]},`+"\n    "+together(inCase))
}

// stepMapping returns the form of a step, which has some of the keys of a case.
func stepMapping() form[stepForm] {
	return form[stepForm]{
		read: func(r *reader, _ string, n *yaml.Node, s *stepForm) {
			var c caseForm
			decode(r, "a step", stepFields, n, &c)
			r.contradictions(n)
			*s = c.stepForm
			s.Event, s.Tool, s.Hook, s.Registered, s.Env = c.event, c.tool, c.hook, c.registered, c.env
		},
		write: func(s *stepForm) *yaml.Node {
			c := caseForm{stepForm: *s}
			c.copyStep()
			return encodeFields(stepFields, &c)
		},
		schema: func(d *definitions) string {
			return d.refer("step", func() string { return objectSchema(d, stepFields, nil, together(inStep)) })
		},
	}
}

// copyStep sets the keys that a case shares with its step to the values of the step.
func (f *caseForm) copyStep() {
	f.event, f.tool, f.registered = f.Event, f.Tool, f.Registered
	f.env = f.Env
	if f.registered == "" {
		f.hook = f.Hook
	}
}

// payload is the object that a hook receives, or a part of it. Its values are kept as well
// because a case's event and tool may come from them.
func payload(at func(*stepForm) *json.RawMessage) form[stepForm] {
	return form[stepForm]{
		read:   func(r *reader, name string, n *yaml.Node, s *stepForm) { s.payload, *at(s) = r.payload(name, n) },
		write:  func(s *stepForm) *yaml.Node { return jsonNode(*at(s)) },
		empty:  func(s *stepForm) bool { return len(*at(s)) == 0 },
		schema: constant(`"type": "object"`),
	}
}

// command is the command of a tool call. An empty one is a field of the payload.
var command = form[stepForm]{
	read: func(r *reader, name string, n *yaml.Node, s *stepForm) {
		s.Command = r.command(name, n)
		s.blank = s.Command == "" && n.ShortTag() == "!!str"
	},
	write:  func(s *stepForm) *yaml.Node { return scalar(s.Command) },
	empty:  func(s *stepForm) bool { return s.Command == "" },
	schema: anyText.schema,
}

// blankPayload returns the payload of a step whose command is empty.
func (s *stepForm) blankPayload() json.RawMessage {
	payload := maps.Clone(s.payload)
	if payload == nil {
		payload = map[string]any{}
	}
	input, _ := payload["tool_input"].(map[string]any)
	input = maps.Clone(input)
	if input == nil {
		input = map[string]any{}
	}
	input["command"], payload["tool_input"] = "", input
	text, _ := json.Marshal(payload) // it was read from a document
	return text
}

// appendToSuite appends to the suite's value instead of replacing it, because that applies to each of
// its cases.
func appendToSuite(f form[[]string]) form[[]string] {
	read := f.read
	f.read = func(r *reader, name string, n *yaml.Node, v *[]string) {
		var own []string
		read(r, name, n, &own)
		*v = append((*v)[:len(*v):len(*v)], own...)
	}
	return f
}

// Pairs of keys that exclude each other, with hints.
var exclusive = []struct{ a, b, hint string }{
	{"steps", "command", "put it into a step"},
	{"steps", "file_path", "put it into a step"},
	{"steps", "payload", "put it into a step"},
	{"steps", "payload_raw", "put it into a step"},
	{"steps", "stdin", "put it into a step"},
	{"steps", "args", "put them into a step"},
	{"steps", "delegate", "put it into a step"},
	{"steps", "fixtures", "put them into a step"},
	{"steps", "expect", "put it into a step"},
	{"payload_raw", "command", "it is all that the hook gets: put it into tool_input"},
	{"payload_raw", "file_path", "it is all that the hook gets: put it into tool_input"},
	{"payload_raw", "payload", "it is all that the hook gets; payload is laid over what the client would send"},
	{"stdin", "command", "stdin is all the hook gets"},
	{"stdin", "file_path", "stdin is all the hook gets"},
	{"stdin", "payload", "stdin is all the hook gets"},
	{"stdin", "payload_raw", "stdin is all the hook gets"},
	{"repo", "project", "put the files into the repo's commit"},
	{"chain", "hook", "a chain fires every hook registered for the event"},
	{"chain", "registered", "a chain fires every hook registered for the event"},
	{"registered", "hook", "the registered command says which script runs"},
}

// contradictions reports keys of a case or step that exclude each other, at the later of the
// two.
func (r *reader) contradictions(n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		return
	}
	for _, x := range exclusive {
		a, b := lookup(n, x.a), lookup(n, x.b)
		if a == nil || b == nil || x.a == "chain" && a.Value != "true" {
			continue
		}
		if b.Line < a.Line || b.Line == a.Line && b.Column < a.Column {
			b = a
		}
		r.Add(b, x.b+" cannot be combined with "+x.a, x.hint)
	}
}

// refuseFiring reports keys that fire a hook in a case that checks.
func (r *reader) refuseFiring(n *yaml.Node) {
	for _, f := range caseFields {
		if at := lookup(n, f.name); at != nil && f.places&inCheck == 0 {
			r.Add(at, f.name+" cannot be combined with check", "a check fires no hook")
		}
	}
}

// together returns the members of a schema that forbid combinations of keys in a place.
func together(in places) string {
	allowed := map[string]places{}
	for _, f := range fields {
		allowed[f.name] = f.places
	}
	var rules []string
	for _, x := range exclusive {
		if allowed[x.a]&allowed[x.b]&in == 0 {
			continue
		}
		rule := `"required": ` + quote([]string{x.a, x.b})
		if x.a == "chain" {
			rule += `, "properties": {"chain": {"const": true}}`
		}
		rules = append(rules, `{"not": {`+rule+`}}`)
	}
	for _, f := range fields {
		if in == inCase && f.places&inCase != 0 && f.places&inCheck == 0 {
			rules = append(rules, `{"not": {"required": `+quote([]string{"check", f.name})+`}}`)
		}
	}
	return "\"allOf\": [\n      " + strings.Join(rules, ",\n      ") + "\n    ]"
}
