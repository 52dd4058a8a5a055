package check

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/discover"
	"hookwatch/suites/pattern"
)

// Call returns a case that makes the client fire a hook. It sets only the fields that the client
// does not decide itself. The case is nil if the hook's matcher accepts no known value.
//
// A guard gets an input that its text names; own reports that, because another hook's call proves
// nothing about it.
func Call(t Tree, h discover.Hook) (c *suites.Case, own bool) {
	all := typical(h, t)
	if len(all) == 0 {
		return nil, false
	}
	f := all[0]
	if f.tool == "Bash" && h.If == "" {
		f.command = cmp.Or(f.about().Command, f.command)
	}
	s := subjectOf(t, h)
	safe := func(f firing) bool { return s.wordRank(f) == 0 && !ruinous().MatchString(f.command) } // to a client a hook may let it run
	all = s.harmful()
	guards := h.If == "" && f.about().Guards == client.Calls
	if i := slices.IndexFunc(all, safe); guards && i >= 0 && h.WhyNotRun() == "" {
		f, own = all[i], true
	}
	if f.about().MatchedOn == commandName && (h.Matcher == "" || h.Matcher == "*") {
		f.value = "example"
	}
	return f.asCall(t, h), own
}

// commandName is the field that matchers are compared with of the event that a project's command triggers.
const commandName = "command_name"

// ruinous matches commands that are never sent to a client, even with isolation.
var ruinous = pattern.Lazy(ruinousPattern)

const ruinousPattern = `\brm\b|\bdd\b|mkfs|/dev/|:\(\)|chmod -R|shutdown|\beval\b|\|\s*sh\b`

// conditional returns a harmless firing that the hook's `if` accepts, made of the text of the rule;
// usual is a firing for hooks without it.
func conditional(h discover.Hook, usual firing) firing {
	rule := discover.ReadCondition(h.If)
	tool, about := rule.Tool, rule.Text
	if !h.Matches(tool) {
		return usual
	}
	f := firing{event: h.Event, tool: tool, file: usual.file}
	words := strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(about, "*"), ":"))
	about = strings.NewReplacer(":*", " example", "**/", "", "**", "example", "*", "example").Replace(about)
	switch {
	case slices.Contains(shells, tool):
		f.command = about
		if words == "git commit" && strings.HasSuffix(about, " example") {
			f.command = "git commit -m \"feat: add an example\""
		}
	case takesFile(tool) && about != "":
		f.file = strings.TrimPrefix(about, "/") // with two slashes it is an absolute path
	}
	return f
}

// callFile is the file of a call if the project has no known file.
const callFile = "{tmp}/example.py"

func (f firing) asCall(t Tree, h discover.Hook) *suites.Case {
	step := suites.Step{Event: f.event, Tool: f.tool, Command: f.command}
	c := &suites.Case{Suite: "live", ID: h.ID, Layer: suites.Live, AskedLive: true, Chain: true}
	if h.Scope.IsForeign() {
		c.Repo = &suites.Repo{Branch: "main", Commit: example}
	}
	if takesFile(f.tool) {
		step.FilePath = "{override}/" + cmp.Or(f.file, exampleFile)
		switch content := example[strings.TrimPrefix(step.FilePath, "{override}/")]; {
		case h.Scope.IsForeign(): // a file of the example already exists
			step.Fixtures = []suites.Fixture{{Path: step.FilePath, Content: cmp.Or(content, example[exampleFile])}}
		case !exists(t.path(f.file)), f.about().Outside:
			step.FilePath = path.Join(path.Dir(callFile), path.Base(cmp.Or(f.file, callFile)))
			step.Fixtures = []suites.Fixture{{Path: step.FilePath, Content: example[exampleFile]}}
		}
	}
	if f.about().MatchedOn == commandName {
		step.Fixtures = []suites.Fixture{{Path: "{override}/.claude/commands/" + f.value + ".md", Content: "say hello\n"}}
	}
	if f.tool == "Skill" {
		step.Fixtures = []suites.Fixture{{Path: "{override}/.claude/skills/example/SKILL.md", Content: "---\nname: example\ndescription: an example\n---\nsay hello\n"}}
	}
	if over := f.decided(h.Matcher); len(over) > 0 {
		step.Payload, _ = json.Marshal(over) // text always encodes
	}
	c.Steps = []suites.Step{step}
	return c
}

// decided returns the part of the payload that the user or the model decides. For hooks that accept
// any value, the client's usual value is used.
func (f firing) decided(matcher string) map[string]any {
	about := f.about()
	over := map[string]any{}
	switch {
	case client.ToolByName(f.tool).Harmless != nil:
		over["tool_input"] = client.ToolByName(f.tool).Harmless
	case about.Guards == client.Prompts:
		over["prompt"] = f.prompt
	case about.MatchedOn == commandName:
		over[about.MatchedOn] = f.value
	case about.Tool, about.MatchedOn == "":
	case !slices.Contains([]string{"", "*"}, matcher), about.MatchedOn == "notification_type" && f.value == about.Usual: // its other values need a user
		over[about.MatchedOn] = f.value
	}
	return over
}

// badPrompts contain secrets, which guards of prompts look for.
var badPrompts = []string{"my key is sk-ant-REDACTED", "AKIAIOSFODNN7EXAMPLE", "password=hunter2"}

// attributed is a commit whose message names an agent as an author.
const attributed = "git commit -m \"fix: x\n\nCo-Authored-By: Claude <noreply@anthropic.com>\""

// badCommands are commands that guards usually stop.
var badCommands = []string{
	"rm -rf /", "rm -rf ~", "rm -rf .", "git push --force", "git push --force origin main", "git push origin main", "git commit --no-verify -m x", "git reset --hard HEAD~1",
	"git clean -fdx", "git checkout -- .", "git branch -D main", "curl http://127.0.0.1/x | sh", "sudo rm -rf /var", "chmod -R 777 /", "dd if=/dev/zero of=/dev/sda", "mkfs.ext4 /dev/sda",
	":(){ :|:& };:", "cat .env", "cat ~/.ssh/id_rsa", "pip install requests", "npm install left-pad", "npx cowsay", "python -m pip install x",
	"rm tests/test_example.py", "grep -r foo .", "find . -name x", "git commit -m x", "git commit -m \"wip\"", attributed, "git add .", "gh pr merge 1", "gh pr create --title x --body y", "docker system prune -af", "kubectl delete ns prod", "terraform destroy -auto-approve",
	"DROP TABLE users;", "psql -c 'DROP TABLE users'", "eval \"$(curl -s http://127.0.0.1)\"", "sed -i s/a/b/ src/example.py",
}

// badFiles are files that guards usually protect from agents.
var badFiles = []string{
	".env", "/etc/passwd", ".git/config", "package-lock.json", "secrets.json", "id_rsa", ".claude/settings.json", "node_modules/x/index.js",
	"/tmp/outside.txt", "migrations/0001_initial.py", "poetry.lock", "credentials.json", "dist/app.js", "server.pem", "CLAUDE.md", ".github/workflows/ci.yml",
}

// stopped reports whether the client is kept from its action.
func stopped(r suites.Result) bool { return clients.Stops(r.Effect) }

// lets reports whether a hook that could run does not stop an input that it should.
func lets(r suites.Result) bool { return !stopped(r) && r.NotStarted == "" && !r.TimedOut }
