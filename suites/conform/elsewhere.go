package conform

import (
	"fmt"
	"regexp"
	"strings"

	"hookwatch/suites"
)

// emptyRepository is one in which nothing was committed yet, as GIT_DIR.
var emptyRepository = map[string]string{
	"HEAD": "ref: refs/heads/main\n", "config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
	"objects/info/.keep": "", "refs/.keep": "",
}

// elsewhere sends what is stopped where something is otherwise than usual: no commit, no
// variable that the script reads, an input that is cut short. Probes have no network, so
// a deny that was found does without it. What the client never does is worth a remark
// only, one for a hook.
func (q *Inquiry) elsewhere() (probes []Probe) {
	var weak []string
	remark := func(p Probe, where string) {
		p.take = []func(suites.Result){func(r suites.Result) {
			if lets(r) {
				weak = append(weak, where)
			}
		}}
		probes = append(probes, p)
	}
	for _, variable := range []string{"CLAUDE_PROJECT_DIR", "HOME"} {
		if !reads(q.text, variable) || reads(q.hook.Command, variable) { // then nothing would start
			continue
		}
		p := q.probe(*q.denied, nil)
		p.around(func(s *suites.Surroundings) { s.Unset = []string{variable} })
		remark(p, "without "+variable)
	}
	p := q.probe(*q.denied, nil)
	if payload := string(p.Case.Steps[0].PayloadRaw); payload != "" {
		cut := strings.TrimRight(payload, "}\n ")
		p.Case.Steps[0].Stdin = &cut
		remark(p, "when its input is cut short")
	}
	if calls(q.text, "git") {
		probes = append(probes, q.uncommitted())
	}
	q.rounds = append(q.rounds, func() []Probe {
		q.rounds[0] = func() []Probe { return nil }
		if len(weak) > 0 {
			q.found("fails-open", fmt.Sprintf("%s is let through %s", q.denied.input(), strings.Join(weak, ", and ")), suites.Info)
		}
		return nil
	})
	return probes
}

// uncommitted sends what is stopped in a repository without any commit. A guard of
// commits and branches may have its reasons to let the first one through.
func (q *Inquiry) uncommitted() Probe {
	severity := suites.Warning
	if strings.HasPrefix(q.denied.command, "git ") {
		severity = suites.Info
	}
	p := q.probe(*q.denied, func(r suites.Result) {
		if lets(r) {
			q.found("fails-open", fmt.Sprintf("%s is let through in a repository without commits", q.denied.input()), severity)
		}
	})
	step := &p.Case.Steps[0]
	for name, content := range emptyRepository {
		step.Fixtures = append(step.Fixtures, suites.Fixture{Path: "{tmp}/empty.git/" + name, Content: content})
	}
	step.Env = map[string]string{"GIT_DIR": "{tmp}/empty.git"}
	return p
}

// reads reports whether a text uses a variable of the environment.
func reads(text, name string) bool {
	return strings.Contains(text, name) && regexp.MustCompile(`\$\{?`+name+`\b|environ(\.get\(|\[)["']`+name+`["']|getenv\(["']`+name+`|process\.env\.`+name+`\b`).MatchString(text)
}
