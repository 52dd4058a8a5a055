package catalog

import (
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
)

// Write gives a suite as a file that Load makes the same suite of. Nothing is left
// to a default: each case says all that holds for it. With ascii all else is escaped.
func Write(s suites.Suite, ascii bool) ([]byte, error) {
	var file object
	file.text("suite", s.Name)
	file.text("agent", s.Agent)
	file.texts("applies_to", s.AppliesTo)
	var cases []*yaml.Node
	for i := range s.Cases {
		cases = append(cases, caseNode(&s.Cases[i]))
	}
	file.add("cases", list(cases))
	return yaml.Dump(file.node(), yaml.WithIndent(2), yaml.WithLineWidth(100), yaml.WithUnicode(!ascii))
}

func caseNode(c *suites.Case) *yaml.Node {
	var o object
	o.text("id", c.ID)
	o.text("name", c.Name)
	o.text("category", c.Category)
	o.text("summary", c.Summary)
	if c.Check != nil {
		o.add("check", checkNode(c.Check))
	} else {
		firingKeys(&o, c)
	}
	o.text("contradicts", c.Contradicts)
	o.texts("verify", c.Verify)
	return o.node()
}

// firingKeys adds how a hook is fired.
func firingKeys(o *object, c *suites.Case) {
	if c.Registered == "" {
		o.text("hook", c.Hook)
	}
	o.text("registered", c.Registered)
	o.truth("chain", c.Chain)
	o.add("layer", number(strconv.Itoa(int(c.Layer))))
	o.truth("serial", c.Serial)
	o.duration("timeout", c.Timeout)
	addList(o, "gates", c.Gates, gateNode)
	around := c.WantedEnv()
	o.texts("absent_tools", around.AbsentTools)
	addList(o, "programs", around.Programs, programNode)
	o.text("control", c.Control)
	o.named("env", c.Env)
	o.texts("unset", around.Unset)
	o.text("cwd", around.Cwd)
	if c.Project != nil {
		var p object
		p.named("files", c.Project.Files)
		o.add("project", p.node())
	}
	if c.Repo != nil {
		o.add("repo", repoNode(c.Repo))
	}
	addList(o, "server", around.Server, routeNode)
	if len(c.Steps) == 1 && c.Steps[0].Hook == "" && c.Steps[0].Registered == "" && c.Steps[0].Env == nil {
		stepKeys(o, &c.Steps[0])
		return
	}
	addList(o, "steps", c.Steps, func(s *suites.Step) *yaml.Node {
		var step object
		stepKeys(&step, s)
		return step.node()
	})
}

func stepKeys(o *object, s *suites.Step) {
	o.text("event", s.Event)
	o.text("tool", s.Tool)
	if s.Registered == "" {
		o.text("hook", s.Hook)
	}
	o.text("registered", s.Registered)
	o.named("env", s.Env)
	addList(o, "delegate", s.Delegate, answerNode)
	addList(o, "args", s.Args, func(arg *string) *yaml.Node { return scalar(*arg) })
	o.text("command", s.Command)
	o.text("file_path", s.FilePath)
	if len(s.Payload) > 0 {
		o.add("payload", jsonNode(s.Payload))
	}
	if len(s.PayloadRaw) > 0 {
		o.add("payload_raw", jsonNode(s.PayloadRaw))
	}
	if s.Stdin != nil {
		o.add("stdin", scalar(*s.Stdin))
	}
	addList(o, "fixtures", s.Fixtures, fixtureNode)
	if e := expectNode(&s.Expect); len(e.Content) > 0 {
		o.add("expect", e)
	}
}

func fixtureNode(f *suites.Fixture) *yaml.Node {
	var o object
	o.text("path", f.Path)
	o.add("content", scalar(f.Content))
	if f.Mode != 0 {
		o.add("mode", number(fmt.Sprintf("%#o", f.Mode)))
	}
	o.duration("age", f.Age)
	o.truth("fill", f.Fill)
	return o.node()
}

func answerNode(a *suites.Answer) *yaml.Node {
	var o object
	o.text("tool", a.Tool)
	if len(a.Input) > 0 {
		o.add("input", jsonNode(a.Input))
	}
	if a.Tool == "" {
		o.add("text", scalar(a.Text))
	}
	o.duration("delay", a.Delay)
	return o.node()
}

func programNode(p *suites.Program) *yaml.Node {
	var o object
	o.text("name", p.Name)
	o.text("script", p.Script)
	o.text("stdout", p.Stdout)
	o.text("stderr", p.Stderr)
	if p.Exit != 0 {
		o.add("exit", number(strconv.Itoa(p.Exit)))
	}
	return o.node()
}

func expectNode(e *suites.Expectation) *yaml.Node {
	var o object
	if e.Exit != nil {
		o.add("exit", number(strconv.Itoa(*e.Exit)))
	}
	o.text("decision", e.Decision)
	o.text("effect", string(e.Effect))
	o.truth("sound", e.Sound)
	for _, stream := range []struct {
		key  string
		text *suites.TextExpectation
	}{{"stdout", e.Stdout}, {"stderr", e.Stderr}} {
		if !stream.text.IsZero() {
			var t object
			t.texts("contains", stream.text.Contains)
			t.texts("matches", stream.text.Matches)
			t.texts("absent", stream.text.Absent)
			t.truth("empty", stream.text.Empty)
			o.add(stream.key, t.node())
		}
	}
	o.text("jq", e.JQ)
	if e.HookFired != nil {
		o.add("hook_fired", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(*e.HookFired)})
	}
	o.texts("model_sees", e.ModelSees)
	addList(&o, "files", e.Files, expectedFileNode)
	return o.node()
}

func expectedFileNode(f *suites.FileExpectation) *yaml.Node {
	var o object
	o.text("path", f.Path)
	o.truth("absent", f.Absent)
	o.text("change", string(f.Change))
	o.texts("contains", f.Text.Contains)
	o.texts("matches", f.Text.Matches)
	o.texts("lacks", f.Text.Absent)
	return o.node()
}

func gateNode(g *suites.Gate) *yaml.Node {
	var o object
	o.text("tool", g.Tool)
	o.text("policy", string(g.Policy))
	o.text("min_version", g.MinVersion)
	return o.node()
}

func repoNode(r *suites.Repo) *yaml.Node {
	var o object
	o.text("branch", r.Branch)
	o.named("commit", r.Commit)
	o.named("stage", r.Stage)
	o.named("modify", r.Modify)
	o.texts("delete", r.Delete)
	o.text("worktree", r.Worktree)
	o.named("merge", r.Merge)
	return o.node()
}

func routeNode(t *suites.Route) *yaml.Node {
	var o object
	o.text("method", t.Method)
	o.text("path", t.Path)
	o.text("contains", t.Contains)
	o.add("status", number(strconv.Itoa(t.Status)))
	o.add("reply", scalar(t.Reply))
	o.duration("delay", t.Delay)
	return o.node()
}

func checkNode(c *suites.Check) *yaml.Node {
	var o object
	if c.Tool != "" {
		o.text("tool", c.Tool)
		o.text("need", string(c.Need))
	}
	o.texts("places", c.Places)
	o.text("minimum", c.Minimum)
	o.text("file", c.File)
	if c.NamedBy != nil {
		var by object
		by.text("file", c.NamedBy.File)
		by.text("key", c.NamedBy.Key)
		o.add("named_by", by.node())
	}
	o.text("key", c.Key)
	if len(c.Equals) > 0 {
		o.add("equals", jsonNode(c.Equals))
	}
	if g := c.Registered; g != nil {
		var r object
		r.text("event", g.Event)
		r.text("matcher", g.Matcher)
		r.text("hook", g.Hook)
		o.add("registered", r.node())
	}
	return o.node()
}
