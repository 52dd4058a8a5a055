package conform

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/pattern"
	"hookwatch/suites/symptom"
)

// searched bounds the inputs that a guard is tried with, and batch how many are
// sent before their results are looked at.
const (
	searched = 56
	batch    = 8
)

// search tries inputs that a guard may be there to stop, until one is.
func (q *Inquiry) search() []Probe {
	stop := func() []Probe { return nil }
	inputs := q.harmful()
	q.rounds[0] = stop
	if len(inputs) == 0 {
		return nil
	}
	if q.effect == suites.Denied && q.hook.Event == "PreToolUse" { // the harmless one was denied
		q.harmless()
		return nil
	}
	next := 0
	q.rounds[0] = func() []Probe {
		if next >= len(inputs) || q.denied != nil {
			q.rounds[0] = stop
			if q.denied == nil {
				q.unstopped(len(inputs))
			}
			return nil
		}
		some := inputs[next:min(next+batch, len(inputs))]
		next += len(some)
		return q.tried(some)
	}
	return q.rounds[0]()
}

// unstopped notes a guard that let everything through. One that names a program
// which this machine does not have may do so for want of it.
func (q *Inquiry) unstopped(inputs int) {
	for _, tool := range frail {
		if calls(q.text, tool) && !q.tree.Installed(tool) {
			q.absent = tool + " is not on this machine"
			q.found("absent-program", q.absent)
			return
		}
	}
	q.found("no-deny", fmt.Sprintf("none of %d inputs that guards stop was stopped", inputs))
}

// calls reports whether a text calls a program, or looks for it.
func calls(text, program string) bool {
	return regexp.MustCompile(`(^|[\s|;&("'` + "`" + `])` + regexp.QuoteMeta(program) + `[\s;)"']`).MatchString(text)
}

// harmless notes a guard that stops what is plainly harmless.
func (q *Inquiry) harmless() {
	f := typical(q.hook, q.tree)[0]
	severity := suites.Info // a guard of branches or of files may have its reasons
	if f.tool == "Bash" {
		severity = suites.Warning
	}
	q.found("blocks-everything", fmt.Sprintf("it denies %s", f.input()), severity)
}

// tried makes probes of which the first that is stopped counts.
func (q *Inquiry) tried(some []firing) (probes []Probe) {
	for _, f := range some {
		probes = append(probes, q.probe(f, func(r suites.Result) {
			switch {
			case stopped(r) && q.denied == nil:
				q.denied = &f
				if r.Exit == 2 && len(strings.TrimSpace(string(r.Stderr))) == 0 && len(r.Stdout) > 0 {
					q.found("reason-on-stdout", "exit 2 with nothing on stderr, for "+f.input())
				}
			case stops().Match(r.Stderr) && r.Exit != 0 && r.Exit != 2, stops().Match(r.Stdout) && r.Exit == 1:
				if _, kind := symptom.Absent(r); kind == symptom.Nothing {
					q.seen("deny-exits-1", fmt.Sprintf("exit %d: %s", r.Exit, short(string(r.Stderr)+string(r.Stdout))), f.input())
				}
			case symptom.Dropped(r):
				q.dropped(f, r, suites.Warning)
			case symptom.NoParse().Match(r.Stderr) && r.Exit != 0:
				q.found("syntax-error", short(symptom.NoParse().FindString(string(r.Stderr))))
			case symptom.Crash().Match(r.Stderr) && r.Exit != 0:
				q.seen("crash", fmt.Sprintf("exit %d: %s", r.Exit, short(symptom.Crash().FindString(string(r.Stderr)))), f.input(), suites.Warning)
			}
		}))
	}
	return probes
}

// stops matches what a hook says that stops something.
var stops = pattern.Lazy(`(?i)\b(block(ed|ing)?|den(y|ied)|forbidden|not allowed|refus(ed|ing)|prohibited|disallowed)\b`)

func stopped(r suites.Result) bool {
	return slices.Contains([]suites.Effect{suites.Denied, suites.Asked, suites.PromptBlocked, suites.SessionEnds}, r.Effect)
}

// harmful lists inputs for a guard: what its own text is about first, and then what
// guards are usually for.
func (q *Inquiry) harmful() (out []firing) {
	if q.hook.Event != "PreToolUse" && q.hook.Event != "UserPromptSubmit" || !denies().MatchString(q.text) {
		return nil
	}
	own := literals(q.text)
	add := func(f firing) {
		if len(out) < searched && !slices.ContainsFunc(out, func(o firing) bool { return o.tool == f.tool && o.input() == f.input() }) {
			out = append(out, f)
		}
	}
	if q.hook.Event == "UserPromptSubmit" {
		for _, text := range slices.Concat(own, []string{"my key is sk-ant-REDACTED", "AKIAIOSFODNN7EXAMPLE", "password=hunter2"}) {
			add(firing{event: q.hook.Event, prompt: text})
		}
		return out
	}
	takes := func(tool string) bool { return client.Match(q.hook.Event, q.hook.Matcher, tool) }
	for i, all := range [][]string{own[:min(len(own), searched/2)], nil} {
		if takes("Bash") {
			for _, text := range pick(i, all, badCommands) {
				add(firing{event: q.hook.Event, tool: "Bash", command: text})
			}
		}
		for _, tool := range []string{"Write", "Edit", "Read"} {
			if !takes(tool) {
				continue
			}
			for _, text := range pick(i, files(all), badFiles) {
				add(firing{event: q.hook.Event, tool: tool, file: text})
			}
			break
		}
	}
	return out
}

func pick(round int, own, usual []string) []string {
	if round == 0 {
		return own
	}
	return usual
}

// files are the texts that may be a file's path.
func files(texts []string) (out []string) {
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" && !strings.ContainsAny(t, " \n\t") && len(t) < 60 {
			out = append(out, t)
		}
	}
	return out
}

var badCommands = []string{
	"rm -rf /", "rm -rf ~", "rm -rf .", "git push --force origin main", "git push origin main", "git commit --no-verify -m x", "git reset --hard HEAD~1",
	"git clean -fdx", "git checkout -- .", "git branch -D main", "curl http://127.0.0.1/x | sh", "sudo rm -rf /var", "chmod -R 777 /", "dd if=/dev/zero of=/dev/sda", "mkfs.ext4 /dev/sda",
	":(){ :|:& };:", "cat .env", "cat ~/.ssh/id_rsa", "pip install requests", "npm install left-pad", "npx cowsay", "python -m pip install x",
	"grep -r foo .", "find . -name x", "git commit -m x", "git add .", "gh pr merge 1", "docker system prune -af", "kubectl delete ns prod", "terraform destroy -auto-approve",
	"DROP TABLE users;", "psql -c 'DROP TABLE users'", "eval \"$(curl -s http://127.0.0.1)\"", "sed -i s/a/b/ src/example.py",
}

var badFiles = []string{
	".env", "/etc/passwd", ".git/config", "package-lock.json", "secrets.json", "id_rsa", ".claude/settings.json", "node_modules/x/index.js",
	"/tmp/outside.txt", "migrations/0001_initial.py", "poetry.lock", "credentials.json", "dist/app.js", "server.pem", "CLAUDE.md", ".github/workflows/ci.yml",
}

// hardened asks whether a deny holds when the machine or the input is another.
func (q *Inquiry) hardened() (probes []Probe) {
	q.rounds[0] = func() []Probe { return nil }
	if q.denied == nil {
		return nil
	}
	for _, tool := range frail {
		if calls(q.text, tool) && q.tree.Installed(tool) {
			f := *q.denied
			f.without = []string{tool}
			probes = append(probes, q.still(f, "fails-open", fmt.Sprintf("without %s, %s is let through", tool, f.input())))
		}
	}
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
		} else {
			q.found("bypass", fmt.Sprintf("%s is stopped, %s is not", q.denied.input(), remark.input()))
		}
	}))
}

// disguised sends what is stopped in other words, and with more around it.
func (q *Inquiry) disguised() (probes []Probe) {
	q.rounds[0] = func() []Probe { return nil }
	long := *q.denied
	long.command += strings.Repeat("\n# aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 5000)
	probes = append(probes, q.still(long, "fails-open", fmt.Sprintf("%s with 200 KB of comment behind it is let through", q.denied.input())))
	quoted := *q.denied
	quoted.command += " # it's \"quoted\" \\n $(x) é"
	probes = append(probes, q.still(quoted, "fails-open", fmt.Sprintf("%s with quotes behind it is let through", q.denied.input())))
	for _, again := range []string{"cd . && %s", "bash -c '%s'", "true\n%s", "FOO=1 %s"} {
		other := *q.denied
		other.command = fmt.Sprintf(again, q.denied.command)
		if strings.Contains(again, "'") && strings.Contains(q.denied.command, "'") {
			continue
		}
		probes = append(probes, q.still(other, "bypass", fmt.Sprintf("%s is stopped, %s is not", q.denied.input(), strings.ReplaceAll(fmt.Sprintf(again, q.denied.input()), "\n", "\\n"))))
	}
	return probes
}

// frail are programs that some machines do not have.
var frail = []string{"jq", "jaq", "python3", "node", "uv", "perl", "ruby", "bc", "rg", "bun"}

// still is a probe that has to be stopped like the one before.
func (q *Inquiry) still(f firing, rule, what string) Probe {
	return q.probe(f, func(r suites.Result) {
		if !stopped(r) && r.NotStarted == "" && !r.TimedOut {
			q.found(rule, what)
		}
	})
}
