package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
	"unique"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// A scope is what a suite may say for all of its cases and a case for itself.
type scope struct {
	hook, event, tool, category string
	registered                  string
	timeout                     time.Duration
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

// A stepForm is a step as written: nothing of its case is filled in.
type stepForm struct {
	suites.Step
	payload map[string]any
}

// A caseForm is a case as written, over the scope of its suite.
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

// A suiteForm is a suite as written.
type suiteForm struct {
	scope
	suite, agent string
	appliesTo    []string
	cases        *yaml.Node
}

var scopeFields = []field[scope]{
	{"hook", func(r *reader, k string, n *yaml.Node, s *scope) { s.hook = r.hookPath(k, n) }},
	{"registered", func(r *reader, k string, n *yaml.Node, s *scope) { s.registered = r.matching(k, n, oneLine, wantLine) }},
	{"event", func(r *reader, k string, n *yaml.Node, s *scope) { s.event = r.event(k, n) }},
	{"tool", func(r *reader, k string, n *yaml.Node, s *scope) { s.tool = r.tool(k, n) }},
	{"category", func(r *reader, k string, n *yaml.Node, s *scope) { s.category = r.matching(k, n, oneLine, wantLine) }},
	{"timeout", func(r *reader, k string, n *yaml.Node, s *scope) { s.timeout = r.duration(k, n, time.Millisecond) }},
	{"layer", func(r *reader, k string, n *yaml.Node, s *scope) { s.layer = suites.Layer(r.whole(k, n, 1, 2)) }},
	{"serial", func(r *reader, k string, n *yaml.Node, s *scope) { s.serial = r.Truth(k, n) }},
	{"env", func(r *reader, k string, n *yaml.Node, s *scope) { s.env = r.variables(k, n, s.env) }},
	{"unset", func(r *reader, k string, n *yaml.Node, s *scope) { s.unset = r.variableNames(k, n) }},
	{"cwd", func(r *reader, k string, n *yaml.Node, s *scope) { s.cwd = r.matching(k, n, oneLine, wantLine) }},
	{"gates", func(r *reader, k string, n *yaml.Node, s *scope) { s.gates = r.gates(k, n) }},
	// What a suite says is a statement about every one of its cases.
	{"verify", func(r *reader, k string, n *yaml.Node, s *scope) {
		s.verify = append(s.verify[:len(s.verify):len(s.verify)], r.texts(k, n)...)
	}},
	{"absent_tools", func(r *reader, k string, n *yaml.Node, s *scope) { s.absentTools = r.texts(k, n) }},
	{"programs", func(r *reader, k string, n *yaml.Node, s *scope) { s.programs = r.programs(k, n) }},
	{"project", func(r *reader, k string, n *yaml.Node, s *scope) { s.project = r.project(k, n) }},
}

var suiteFields = append(lift(scopeFields, func(s *suiteForm) *scope { return &s.scope }), []field[suiteForm]{
	{"suite", func(r *reader, k string, n *yaml.Node, s *suiteForm) {
		s.suite = r.name(k, n, suiteName, "at most 100 small letters, digits and -")
	}},
	{"agent", func(r *reader, k string, n *yaml.Node, s *suiteForm) { s.agent = r.name(k, n, fileName, wantName) }},
	{"applies_to", func(r *reader, k string, n *yaml.Node, s *suiteForm) {
		r.List(k, n, func(item *yaml.Node) { s.appliesTo = append(s.appliesTo, r.localPath(k, item)) })
	}},
	{"cases", func(_ *reader, _ string, n *yaml.Node, s *suiteForm) { s.cases = n }},
}...)

// firingFields are the keys of a step that a case without steps has as well.
var firingFields = []field[stepForm]{
	{"command", func(r *reader, k string, n *yaml.Node, s *stepForm) { s.Command = r.text(k, n) }},
	{"file_path", func(r *reader, k string, n *yaml.Node, s *stepForm) { s.FilePath = r.text(k, n) }},
	{"payload", func(r *reader, k string, n *yaml.Node, s *stepForm) { s.payload, s.Payload = r.payload(k, n) }},
	{"payload_raw", func(r *reader, k string, n *yaml.Node, s *stepForm) { s.payload, s.PayloadRaw = r.payload(k, n) }},
	{"stdin", func(r *reader, k string, n *yaml.Node, s *stepForm) { v := r.AnyText(k, n); s.Stdin = &v }},
	{"args", func(r *reader, k string, n *yaml.Node, s *stepForm) {
		r.List(k, n, func(c *yaml.Node) { s.Args = append(s.Args, r.AnyText(k, c)) })
	}},
	{"fixtures", func(r *reader, k string, n *yaml.Node, s *stepForm) {
		r.List(k, n, func(c *yaml.Node) { s.Fixtures = append(s.Fixtures, r.fixture(c)) })
	}},
	{"delegate", func(r *reader, k string, n *yaml.Node, s *stepForm) {
		r.List(k, n, func(c *yaml.Node) { s.Delegate = append(s.Delegate, r.answer(k, c)) })
	}},
	{"expect", func(r *reader, k string, n *yaml.Node, s *stepForm) {
		decode(r, k, expectFields, n, &s.Expect)
		r.expectation(k, n, &s.Expect)
	}},
}

var stepFields = append(firingFields[:len(firingFields):len(firingFields)], []field[stepForm]{
	{"event", func(r *reader, k string, n *yaml.Node, s *stepForm) { s.Event = r.event(k, n) }},
	{"tool", func(r *reader, k string, n *yaml.Node, s *stepForm) { s.Tool = r.tool(k, n) }},
	{"hook", func(r *reader, k string, n *yaml.Node, s *stepForm) { s.Hook = r.hookPath(k, n) }},
	{"registered", func(r *reader, k string, n *yaml.Node, s *stepForm) {
		s.Registered = r.matching(k, n, oneLine, wantLine)
	}},
	{"env", func(r *reader, k string, n *yaml.Node, s *stepForm) { s.Env = r.variables(k, n, nil) }},
}...)

var caseFields = append(append(
	lift(scopeFields, func(c *caseForm) *scope { return &c.scope }),
	lift(firingFields, func(c *caseForm) *stepForm { return &c.stepForm })...), []field[caseForm]{
	{"id", func(r *reader, k string, n *yaml.Node, c *caseForm) { c.id = r.name(k, n, fileName, wantName) }},
	{"name", func(r *reader, k string, n *yaml.Node, c *caseForm) { c.name = r.matching(k, n, oneLine, wantLine) }},
	{"summary", func(r *reader, k string, n *yaml.Node, c *caseForm) { c.summary = r.text(k, n) }},
	{"control", func(r *reader, k string, n *yaml.Node, c *caseForm) {
		c.control = r.matching(k, n, control, "an ID, or suite/ID")
	}},
	{"contradicts", func(r *reader, k string, n *yaml.Node, c *caseForm) { c.contradicts = r.text(k, n) }},
	{"chain", func(r *reader, k string, n *yaml.Node, c *caseForm) { c.chain = r.Truth(k, n) }},
	{"repo", func(r *reader, k string, n *yaml.Node, c *caseForm) {
		c.repo = &suites.Repo{}
		decode(r, k, repoFields, n, c.repo)
	}},
	{"server", func(r *reader, k string, n *yaml.Node, c *caseForm) {
		r.List(k, n, func(item *yaml.Node) { c.server = append(c.server, r.route(item)) })
	}},
	{"check", func(r *reader, k string, n *yaml.Node, c *caseForm) { c.check = r.check(k, n) }},
	{"steps", func(r *reader, k string, n *yaml.Node, c *caseForm) {
		r.List(k, n, func(item *yaml.Node) { c.steps = append(c.steps, r.step(item)) })
		if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
			r.Add(n, "steps: must not be empty", "")
		}
	}},
}...)

func (r *reader) step(n *yaml.Node) stepForm {
	var s stepForm
	decode(r, "a step", stepFields, n, &s)
	r.contradictions(n)
	return s
}

// compact moves what stays of many cases out of what their reading leaves behind:
// their steps into one list, their texts into one text. Else each small text
// would keep a page of what is not needed any more.
func compact(cases []suites.Case) {
	n := 0
	for i := range cases {
		n += len(cases[i].Steps)
		cases[i].Hook = unique.Make(cases[i].Hook).Value()
	}
	steps := make([]suites.Step, 0, n)
	for i := range cases {
		from := len(steps)
		steps = append(steps, cases[i].Steps...)
		cases[i].Steps = steps[from:len(steps):len(steps)]
	}
	var all strings.Builder
	size := 0
	texts(cases, func(s *string) { size += len(*s) })
	all.Grow(size)
	texts(cases, func(s *string) { all.WriteString(*s) })
	rest := all.String()
	texts(cases, func(s *string) { *s, rest = rest[:len(*s)], rest[len(*s):] })
}

// texts hands over the texts that most cases have, in their order.
func texts(cases []suites.Case, do func(*string)) {
	for i := range cases {
		c := &cases[i]
		do(&c.ID)
		do(&c.Name)
		do(&c.Category)
		do(&c.Summary)
		for j := range c.Steps {
			do(&c.Steps[j].Command)
			do(&c.Steps[j].FilePath)
		}
	}
}

// digest hashes what a case does and expects, twelve hexadecimal digits. What
// it is called, where it stands and which documents it cites do not change what
// its verdict means, so they are left out.
func digest(c *suites.Case) string {
	d := *c
	d.Name, d.Summary, d.Contradicts, d.Verify, d.Agent = "", "", "", nil, ""
	d.At, d.Digest = suites.Position{}, ""
	sum := sha256.Sum256(encode(&d))
	return hex.EncodeToString(sum[:6])
}

var (
	suiteName = pattern.Lazy(`^[a-z0-9-]+$`)
	fileName  = pattern.Lazy(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	control   = pattern.Lazy(`^([a-z0-9-]+/)?[A-Za-z0-9][A-Za-z0-9._-]*$`)
	oneLine   = pattern.Lazy(`^[^\r\n]+$`)
)

// nameLimit is how long the name of a suite or of a file may be, and the ID of a case, of
// which files are named; in bytes.
const nameLimit = 100

const (
	wantName  = "at most 100 letters, digits, dots, _ and -"
	wantEvent = "an event's name such as PreToolUse"
	wantLine  = "a single line"
)

// What a check may say. A place is a name, a file, or one of a few runners with
// the tool: no other program is ever started.
var (
	toolName      = pattern.Lazy(`^[A-Za-z0-9][A-Za-z0-9._+-]*$`)
	placeForm     = pattern.Lazy(`^((npx|bunx|pnpm exec|uv run) [A-Za-z0-9][A-Za-z0-9._+-]*|[^\s-]\S*)$`)
	versionNumber = pattern.Lazy(`^[0-9]+(\.[0-9]+)*$`)
	keyPath       = pattern.Lazy(`^[^.\s]+(\.[^.\s]+)*$`)
)
