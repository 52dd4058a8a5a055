package conform

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
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
	if h.If == "" {
		if named, ok := Ask(t, h).namedInput(); ok {
			f, own = named, true
		}
	}
	if f.about().MatchedOn == commandName && (h.Matcher == "" || h.Matcher == "*") {
		f.value = "example"
	}
	return f.asCall(t, h), own
}

// Fields that matchers are compared with: of an event that a project's command triggers, and of one
// whose other values need a user.
const (
	commandName      = "command_name"
	notificationType = "notification_type"
)

// namedInput returns the likeliest input that a guard's text names and that is safe to send to a
// client, because a hook that allows it lets it run.
func (q *Inquiry) namedInput() (firing, bool) {
	if q.about().Guards != client.Calls || q.hook.NotRun() != "" {
		return firing{}, false
	}
	ranked := q.ranked()
	for _, f := range slices.Concat(ranked[allWords], ranked[ownInput]) {
		if !ruinous().MatchString(f.command) {
			return f, true
		}
	}
	return firing{}, false
}

// ruinous matches commands that are never sent to a client, even with isolation.
var ruinous = pattern.Lazy(`\brm\b|\bdd\b|mkfs|/dev/|:\(\)|chmod -R|shutdown|\beval\b|\|\s*sh\b`)

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
		if usual := harmlessArguments[words]; usual != "" && strings.HasSuffix(about, " example") {
			f.command = words + " " + usual
		}
	case takesFile(tool) && about != "":
		f.file = strings.TrimPrefix(about, "/") // with two slashes it is an absolute path
	}
	return f
}

// harmlessArguments are usual arguments of commands that entries are limited to.
var harmlessArguments = map[string]string{"git commit": "-m \"feat: add an example\""}

// callFile is the file of a call if the project has no known file.
const callFile = "{tmp}/example.py"

func (f firing) asCall(t Tree, h discover.Hook) *suites.Case {
	step := suites.Step{Event: f.event, Tool: f.tool, Command: f.command}
	c := &suites.Case{Suite: "live", ID: h.ID, Layer: suites.Live, AskedLive: true, Chain: true}
	if h.Scope.Foreign() {
		c.Repo = &suites.Repo{Branch: "main", Commit: example}
	}
	if takesFile(f.tool) {
		step.FilePath = "{override}/" + cmp.Or(f.file, exampleFile)
		content, known := example[strings.TrimPrefix(step.FilePath, "{override}/")]
		switch {
		case h.Scope.Foreign() && !known:
			step.Fixtures = []suites.Fixture{{Path: step.FilePath, Content: example[exampleFile]}}
		case h.Scope.Foreign():
			step.Fixtures = []suites.Fixture{{Path: step.FilePath, Content: content}} // it already exists
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
	case client.ToolNamed(f.tool).Harmless != nil:
		over["tool_input"] = client.ToolNamed(f.tool).Harmless
	case about.Guards == client.Prompts:
		over["prompt"] = f.prompt
	case about.MatchedOn == commandName:
		over[about.MatchedOn] = f.value
	case !about.Tool && about.MatchedOn != "" && (matcher != "" && matcher != "*" || about.MatchedOn == notificationType && f.value == about.Usual):
		over[about.MatchedOn] = f.value
	}
	return over
}

// isCommand reports whether a literal looks like a command: it starts with the name of a program,
// or has an option.
func isCommand(text string) bool {
	return commandStart().MatchString(text)
}

var commandStart = pattern.Lazy(`^(?:sudo |\S+ +--?\w|DROP |(?:rm|mv|cp|dd|git|gh|curl|wget|npm|npx|yarn|pnpm|bun|node|deno|pip3?|uv|poetry|conda|python3?|docker|podman|kubectl|helm|terraform|aws|gcloud|az|chmod|chown|mkfs|cat|less|head|tail|grep|rg|find|sed|awk|eval|bash|sh|zsh|ssh|scp|rsync|nc|psql|mysql|mongo|redis-cli|kill|pkill|killall|shutdown|reboot|crontab|systemctl|tee|ln|shred|truncate|env|printenv|export|echo|printf|source|cargo|go|make|brew|apt|apt-get|tofu|pulumi|su|touch|mkdir|xargs|base64|openssl|history|ls|cd)(?:$| ))`)

// isPath reports whether a literal looks like the name of a file.
func isPath(text string) bool {
	return strings.ContainsAny(text, "./") && !strings.HasSuffix(text, "/")
}

// files returns the texts that may be a path of a file. Spaces that replace wildcards of a pattern
// become letters in a path.
func files(texts []string) (out []string) {
	for _, t := range texts {
		t = strings.TrimSpace(t)
		if first, _, more := strings.Cut(t, " "); more && strings.ContainsAny(first, "./") {
			t = strings.ReplaceAll(t, " ", "x")
		}
		if t != "" && !strings.ContainsAny(t, " \n\t(){};|<>\"'") && len(t) < 60 {
			out = append(out, t)
		}
	}
	return out
}

// badPrompts contain secrets, which guards of prompts look for.
var badPrompts = []string{"my key is sk-ant-REDACTED", "AKIAIOSFODNN7EXAMPLE", "password=hunter2"}

// attributed is a commit whose message names an agent as an author.
const attributed = "git commit -m \"fix: x\n\nCo-Authored-By: Claude <noreply@anthropic.com>\""

// badCommands are commands that guards usually stop.
var badCommands = []string{
	"rm -rf /", "rm -rf ~", "rm -rf .", "git push --force origin main", "git push origin main", "git commit --no-verify -m x", "git reset --hard HEAD~1",
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
func stopped(r suites.Result) bool {
	return slices.Contains([]suites.Effect{suites.Denied, suites.Asked, suites.PromptBlocked, suites.SessionEnds}, r.Effect)
}

// lets reports whether a hook that could run does not stop an input that it should.
func lets(r suites.Result) bool { return !stopped(r) && r.NotStarted == "" && !r.TimedOut }

// A guard that stops nothing may exist to stop something else. Or it fails by itself and hides
// that: it catches every error, or discards the messages of its programs. Or it waits for another
// tool or field than the client sends. It is run once more with the likeliest inputs to find the
// reason.

// thrown is the file in which errors are recorded that a hook catches or discards.
const thrown = "{tmp}/thrown"

// These record errors of a hook's own code that it may catch. In Python and in Node these are
// errors that a correct program rarely makes, not those of a file or a package that may be absent.
const (
	thrownPython = `import sys
_seen = []
def _line(frame, event, arg):
    if event == 'exception' and isinstance(arg[1], BaseException) and not any(arg[1] is e for e in _seen):
        _seen.append(arg[1])
        if issubclass(arg[0], (NameError, AttributeError, TypeError, LookupError)) or arg[0].__name__ == 'JSONDecodeError':
            with open('` + thrown + `', 'a') as f:
                f.write('%s: %s (%s:%d)\n' % (arg[0].__name__, ' '.join(str(arg[1]).split()), frame.f_code.co_filename, frame.f_lineno))
    return _line
def _call(frame, event, arg):
    name = frame.f_code.co_filename
    own = not name.startswith(('<', sys.base_prefix + '/', sys.prefix + '/')) and '-packages/' not in name and name != __file__
    return _line if own else None
sys.settrace(_call)
`
	thrownNode = `const fs = require('fs'), { Session } = require('inspector');
const s = new Session();
s.connect();
s.on('Debugger.paused', ({ params: { data } }) => {
  const [first, ...rest] = String((data || {}).description || '').split('\n');
  const calls = rest.filter(l => /^\s+at /.test(l)), own = l => l && !l.includes('/node_modules/') && l.match(/(?:[(\s]|file:\/\/)(\/[^()]*:\d+):\d+\)?$/);
  const at = own(calls[0]) || /JSON|ERR_INVALID_ARG_TYPE|Cannot find module '[.\/]/.test(first) && own(calls.find(own));
  if (at && /^(Reference|Type|Range|Syntax)Error\b|^Error: Cannot find module /.test(first)) fs.appendFileSync('` + thrown + `', first + ' (' + at[1] + ')\n');
});
s.post('Debugger.enable');
s.post('Debugger.setPauseOnExceptions', { state: 'all' });
`
)

// misused are programs to which hooks pass their input, with the exit codes of a wrong filter,
// expression or option.
var misused = map[string]string{"jq": "2 | 3 | 5", "jaq": "2 | 3 | 5", "grep": "2", "sed": "1", "awk": "2"}

// misusedScript returns a stand-in that calls the real program, and records wrong calls except
// those with an absent file.
func misusedScript(program string) string {
	return `d=${0%/*}; p=; IFS=:; for x in $PATH; do [ "$x" = "$d" ] || p=$p${p:+:}$x; done; unset IFS; PATH=$p
e='{tmp}/said-'$$
` + program + ` "$@" 2>"$e"; s=$?
cat "$e" >&2
case $s in ` + misused[program] + `) grep -q 'No such file\|Is a directory' "$e" || { printf '` + program + ` ends with %s: ' $s; head -n 1 "$e"; } >>'` + thrown + `';; esac
exit $s
`
}

// shellError matches an error that a shell itself reports about a script.
var shellError = pattern.Lazy(`(?m)^([^\s:]+): (?:line )?(\d+): (.+)$`)

// unproven looks for the reason why a guard stopped none of these inputs. It first sends the
// representative inputs unchanged, because the search may not have reached all of them: a guard
// that stops one needs no explanation.
func (q *Inquiry) unproven(inputs []firing) []Probe {
	likeliest := q.representative(inputs)
	q.then(func() []Probe {
		if q.denied != nil {
			q.rounds = append(q.rounds, q.hardened)
			return nil
		}
		q.rounds = append(q.rounds, func() []Probe {
			if !slices.ContainsFunc(q.findings, func(f Finding) bool { return slices.Contains(explained, f.Rule) }) {
				q.found("no-deny", fmt.Sprintf("none of %d inputs that guards stop was stopped", len(inputs)))
			}
			return nil
		})
		return append(q.renamed(likeliest), q.witnessed(likeliest))
	})
	return q.tried(likeliest)
}

// representative returns the likeliest inputs, and some that call a program named in the hook's
// text in other ways than the text has.
func (q *Inquiry) representative(inputs []firing) []firing {
	out := slices.Clone(inputs[:min(len(inputs), batch)])
	others := q.ranked()[firstWord]
	for _, f := range others[:min(len(others), batch)] {
		if !slices.ContainsFunc(out, func(o firing) bool { return o.input() == f.input() }) {
			out = append(out, f)
		}
	}
	return out
}

// explained are the rules that explain why a guard stops nothing.
var explained = []string{"swallowed-error", "misnamed-tool", "unknown-field", "unset-variable"}

// witnessed runs a hook with the programs that record its caught errors.
func (q *Inquiry) witnessed(inputs []firing) Probe {
	p := q.each(inputs, nil, func(i int, r suites.Result) {
		if i == len(inputs)-1 {
			q.swallowed(inputs[0], r)
		}
	})
	p.around(func(s *suites.CaseEnv) {
		for program := range misused {
			if calls(q.text, program) && q.tree.Installed != nil && q.tree.Installed(program) {
				s.Programs = append(s.Programs, suites.Program{Name: program, Script: misusedScript(program)})
			}
		}
		slices.SortFunc(s.Programs, func(a, b suites.Program) int { return strings.Compare(a.Name, b.Name) })
	})
	p.Case.Env = q.loading("{tmp}/witness", "witness.cjs")
	for i := range p.Case.Steps {
		p.Case.Steps[i].Env = nil // no trace of the shell
	}
	p.Case.Steps[0].Fixtures = append(p.Case.Steps[0].Fixtures,
		suites.Fixture{Path: "{tmp}/witness/sitecustomize.py", Content: thrownPython, Fill: true},
		suites.Fixture{Path: "{tmp}/witness/witness.cjs", Content: thrownNode, Fill: true})
	last := &p.Case.Steps[len(p.Case.Steps)-1]
	last.Expect.Files = []suites.FileExpectation{{Path: thrown}}
	return p
}

// swallowed judges the recorded errors, and the errors of a shell that continued.
func (q *Inquiry) swallowed(f firing, r suites.Result) {
	first, _, _ := strings.Cut(strings.TrimSpace(string(r.Files[thrown])), "\n")
	severity := suites.Warning
	if m := shellError().FindStringSubmatch(string(r.Stderr)); first == "" && m != nil {
		first = fmt.Sprintf("%s (%s:%s)", m[3], m[1], m[2])
		if strings.HasSuffix(m[3], ": not found") || strings.HasSuffix(m[3], ": command not found") { // which is no matter of the input
			severity = suites.Error
		}
	}
	if first == "" {
		return
	}
	q.seen("swallowed-error", "it stops nothing, and hides an error of its own: "+Short(places().ReplaceAllString(first, "")), f.input(), severity)
}

// places matches the directory of a file, which has another name in every run.
var places = pattern.Lazy(`(?:/[^\s/'":()]+)+/`)

// renamed sends the inputs with the hook's own name for the tool or for a field. If it stops them
// only then, it waits for a value that the client never sends.
func (q *Inquiry) renamed(inputs []firing) (probes []Probe) {
	var code string
	var known []string // reported without proof
	for _, s := range q.hook.Scripts {
		text := withoutComments(q.tree.read(s))
		code += text + "\n"
		for _, u := range Certain(text) {
			known = append(known, u.Name)
		}
		for _, v := range Variables(text, strings.HasSuffix(s, ".sh")) {
			known = append(known, v.Name)
		}
	}
	for _, name := range Alternatives(code, inputs[0].tool) {
		if slices.Contains(known, name.Name) {
			continue
		}
		var changed []firing // an unchanged input proves nothing
		for _, f := range inputs {
			if name.Changes(q.probe(f, nil).Case.Steps[0].PayloadRaw) {
				changed = append(changed, f)
			}
		}
		if len(changed) == 0 {
			continue
		}
		taken := false // one input is enough
		p := q.each(changed, nil, func(i int, r suites.Result) {
			if taken || !stopped(r) {
				return
			}
			taken = true
			input := changed[i].input()
			switch name.Kind {
			case ATool:
				q.found("misnamed-tool", fmt.Sprintf("it looks for the tool %q, and stops %s then; the client sends %q", name.Name, input, changed[i].tool))
			case AVariable:
				q.found("unset-variable", fmt.Sprintf("it reads $%s, which is never set, and stops %s if it is", name.Name, input))
			default:
				q.found("unknown-field", fmt.Sprintf("it reads %s, and stops %s if that is sent; the client sends %s", name.Name, input, name.Meant))
			}
		})
		for i := range p.Case.Steps {
			p.Case.Steps[i].Env = name.Set(p.Case.Steps[i].PayloadRaw)
			p.Case.Steps[i].MatchedAs = changed[i].tool
			p.Case.Steps[i].PayloadRaw = name.With(p.Case.Steps[i].PayloadRaw)
		}
		probes = append(probes, p)
	}
	return probes
}
