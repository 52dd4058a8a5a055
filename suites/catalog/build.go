package catalog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unique"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/pattern"
)

func (r *reader) suite(root *yaml.Node) suites.Suite {
	f := suiteForm{caseForm: caseForm{scope: scope{layer: suites.Direct}}}
	decode(r, "the file", suiteFields, root, &f)
	r.contradictions(root)
	r.require(root, "a suite", "suite", "cases")
	s := suites.Suite{Name: f.suite, Agent: f.agent, AppliesTo: f.appliesTo, At: r.At(root)}
	if s.Agent == "" && s.Name != "" {
		s.Agent = s.Name + "-agent"
	}
	if f.cases == nil {
		return s
	}
	s.Cases = r.cases(f.cases, &s, f.scope)
	r.some("cases", f.cases)
	return s
}

// cases converts the items of a list to cases, in parallel on all processors.
func (r *reader) cases(list *yaml.Node, s *suites.Suite, defaults scope) []suites.Case {
	var items []*yaml.Node
	r.List("cases", list, func(n *yaml.Node) {
		for _, row := range r.rows(n) {
			items = append(items, r.eachClient(row)...)
		}
	})
	all := make([]suites.Case, len(items))
	share := max(256, len(items)/runtime.GOMAXPROCS(0)+1)
	var readers []*reader
	var wg sync.WaitGroup
	for from := 0; from < len(items); from += share {
		part := newReader(r.File)
		part.data = r.data
		readers = append(readers, part)
		wg.Go(func() {
			for i := from; i < min(from+share, len(items)) && !part.IsFull(); i++ {
				all[i] = part.testCase(items[i], s, defaults)
			}
		})
	}
	wg.Wait()
	for _, part := range readers {
		r.Problems = append(r.Problems, part.Problems...)
	}
	all = slices.DeleteFunc(all, func(c suites.Case) bool { return c.ID == "" })
	matchControls(all)
	compact(all)
	return all
}

// matchControls makes the control of a case for one client the case of the same client, if the control
// is a case for several.
func matchControls(all []suites.Case) {
	has := map[string]bool{}
	for i := range all {
		has[all[i].ID] = true
	}
	for i := range all {
		c := &all[i]
		if own := c.Control + "-" + cmp.Or(c.Client, clients.Claude); c.Control != "" && !has[c.Control] && has[own] {
			c.Control = own
			c.Digest = digest(c)
		}
	}
}

func (r *reader) testCase(n *yaml.Node, s *suites.Suite, defaults scope) suites.Case {
	before := len(r.Problems)
	f := caseForm{scope: defaults}
	decode(r, "a case", caseFields, n, &f)
	if n.Kind != yaml.MappingNode {
		return suites.Case{}
	}
	r.require(n, "a case", "id", "name")
	r.contradictions(n)
	if f.repo != nil {
		f.project = nil // the repository is the project
	}
	f.fires(lookup(n, "hook") != nil)
	c := suites.Case{
		Suite: s.Name, Agent: s.Agent, ID: f.id, Name: f.name, Category: f.category, Summary: f.summary,
		Layer: f.layer, Hook: f.hook, Client: f.client, Chain: f.chain, Registered: f.registered, Serial: f.serial, Timeout: f.timeout, Budget: f.budget,
		Gates: f.gates, Control: f.control, Contradicts: f.contradicts,
		Verify: f.verify, Env: f.env, Project: f.project, Repo: f.repo, At: r.At(n),
	}
	around := suites.CaseEnv{AbsentTools: f.absentTools, Programs: f.programs, Unset: f.unset, Cwd: f.cwd, Server: f.server}
	if c.Check = f.check; c.Check != nil {
		r.refuseFiring(n)
		// The suite's settings for firing hooks do not apply to a check.
		c.Timeout, c.Budget, c.Gates, c.Env, c.Project = 0, 0, nil, nil, nil
		around.AbsentTools, around.Programs = nil, nil
		c.Steps = checkSteps(c.Check)
		c.Summary = cmp.Or(c.Summary, c.Check.Summary())
	} else {
		c.Steps = r.steps(n, &f, defaults)
		r.checkFirable(n, &c, before)
		c.Summary = cmp.Or(c.Summary, f.defaultSummary(c.Steps[0].Event))
	}
	c.CaseEnv = around.OrNil()
	c.Digest = digest(&c)
	return c
}

// fires removes the defaults of the suite that the case overrides, so that it fires exactly one
// thing.
func (f *caseForm) fires(ownHook bool) {
	switch {
	case f.chain || f.check != nil:
		f.hook, f.registered = "", ""
	case ownHook:
		f.registered = ""
	case f.registered != "":
		f.hook = ""
	}
}

// steps returns the steps of a case with the values that the case sets for all of them.
func (r *reader) steps(n *yaml.Node, f *caseForm, defaults scope) []suites.Step {
	if len(f.steps) == 0 {
		f.steps = []stepForm{f.stepForm}
	}
	// A payload contains its event and tool; only keys next to it have priority over them.
	own := func(key, value string) string {
		if lookup(n, key) == nil {
			return ""
		}
		return value
	}
	steps := make([]suites.Step, len(f.steps))
	for i, form := range f.steps {
		step := form.Step
		if form.blank {
			step.Payload = form.blankPayload()
		}
		event, _ := form.payload["hook_event_name"].(string)
		tool, _ := form.payload["tool_name"].(string)
		step.Event = cmp.Or(step.Event, own("event", f.event), event, defaults.event)
		step.Tool = cmp.Or(step.Tool, own("tool", f.tool), tool, defaults.tool)
		steps[i] = step
	}
	return steps
}

// hasAny reports whether a mapping has one of the keys, or a misspelling of one.
func hasAny(n *yaml.Node, keys ...string) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if pattern.Nearest(n.Content[i].Value, keys) != "" {
			return true
		}
	}
	return false
}

// checkFirable reports a case that cannot run or expects nothing; before is the number of problems
// before the case.
func (r *reader) checkFirable(n *yaml.Node, c *suites.Case, before int) {
	hook, event, silent := true, true, true
	for i := range c.Steps {
		s := &c.Steps[i]
		registered := c.Chain || cmp.Or(s.Registered, c.Registered) != ""
		if registered && s.Hook == "" && len(s.Args) > 0 {
			r.Add(n, "args cannot be combined with chain or registered", "registered commands have arguments of their own")
		}
		if len(s.Delegate) > 0 && c.Layer != suites.Live {
			r.Add(n, "delegate needs layer: 2", "in layer 1 the hook starts the claude of its PATH: provide one with programs")
		}
		hook = hook && (registered || cmp.Or(s.Hook, c.Hook) != "")
		event = event && s.Event != ""
		silent = silent && expectsNothing(&s.Expect)
	}
	if !hook && lookup(n, "hook") == nil {
		r.Add(n, "a case needs a hook", "give it or its suite one, name a registered one, or say chain: true")
	}
	if !event && lookup(n, "event") == nil {
		r.Add(n, "a case needs an event", "give it or its suite one, such as event: PreToolUse")
	}
	// A problem in an expectation may be the reason why it is empty.
	if silent && (len(r.Problems) == before || !hasAny(n, "expect", "steps")) {
		r.Add(n, "a case needs an expectation", "such as expect: {exit: 0}")
	}
}

// defaultSummary returns the subject of the first step.
func (f *caseForm) defaultSummary(event string) string {
	first := f.steps[0]
	input, _ := first.payload["tool_input"].(map[string]any)
	command, _ := input["command"].(string)
	file, _ := input["file_path"].(string)
	prompt, _ := first.payload["prompt"].(string)
	return cmp.Or(first.Command, first.FilePath, command, file, prompt, event)
}

// compact copies the remaining data of many cases out of the data of their parsing: their steps
// into one list, their texts into one text. Otherwise each small text would keep a page of
// unneeded data in memory.
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
	eachText(cases, func(s *string) { size += len(*s) })
	all.Grow(size)
	eachText(cases, func(s *string) { all.WriteString(*s) })
	rest := all.String()
	eachText(cases, func(s *string) { *s, rest = rest[:len(*s)], rest[len(*s):] })
}

// eachText calls do for the texts that most cases have, in a fixed order.
func eachText(cases []suites.Case, do func(*string)) {
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

// digest returns the hash of the actions and expectations of a case in twelve hexadecimal
// digits: the fields listed here, as encoding/json encodes them. The name, position and cited
// documents are left out because they do not change the meaning of its verdict. A field that is
// empty in most cases needs omitempty, because a new digest makes every case of every project
// run again.
func digest(c *suites.Case) string {
	sum := sha256.Sum256(encode(&suites.Case{
		Suite: c.Suite, ID: c.ID, Category: c.Category, Layer: c.Layer, Client: c.Client, Chain: c.Chain, Serial: c.Serial,
		Hook: c.Hook, Registered: c.Registered, Timeout: c.Timeout, Budget: c.Budget, Patient: c.Patient, Gates: c.Gates, Control: c.Control,
		Faults: c.Faults, Env: c.Env, Project: c.Project, Repo: c.Repo, CaseEnv: c.CaseEnv, Check: c.Check, Steps: c.Steps,
	}))
	return hex.EncodeToString(sum[:6])
}

// Append returns the text by which a suite file gets the cases of s. Existing is the file's text;
// the result starts the file if it is empty, and must be appended to it otherwise.
func Append(existing string, s suites.Suite) (string, error) {
	text, err := Write(s, false)
	if err != nil || existing == "" {
		return string(text), err
	}
	indent, start, err := Continue(existing)
	own, _ := listIndent(string(text))
	_, cases, _ := strings.Cut(string(text), "cases:\n")
	for line := range strings.Lines(cases) {
		start += indent + strings.TrimPrefix(line, own)
	}
	return start, err
}

// Continue returns the indentation of the cases of a suite file that gets more of them, and the
// text to write before these.
func Continue(existing string) (indent, start string, err error) {
	if existing == "" {
		return "  ", "", nil
	}
	indent, ok := listIndent(existing)
	if !ok {
		return "", "", errors.New("its last key is not cases, with each case in lines below it: name a new file")
	}
	if !strings.HasSuffix(existing, "\n") {
		start = "\n"
	}
	return indent, start, nil
}

// Next returns the first number for IDs with a prefix that a suite file has none above of.
func Next(existing, prefix string) int {
	next := 1
	for _, m := range regexp.MustCompile(`\bid: "?`+prefix+`(\d+)`).FindAllStringSubmatch(existing, -1) {
		if n, err := strconv.Atoi(m[1]); err == nil {
			next = max(next, n+1)
		}
	}
	return next
}

// listIndent returns the indentation of the items below cases, if that is the last key of a file.
func listIndent(text string) (indent string, ok bool) {
	last, first := "", ""
	for line := range strings.Lines(text) {
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == "" || trimmed[0] == '#':
		case line[0] != ' ' && line[0] != '-':
			last, first = trimmed, ""
		case first == "":
			first = line
		}
	}
	indent, _, ok = strings.Cut(first, "- ")
	return indent, ok && last == "cases:" && strings.TrimSpace(indent) == ""
}
