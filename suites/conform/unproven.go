package conform

import (
	"fmt"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

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

// shellSaid matches an error that a shell itself reports about a script.
var shellSaid = pattern.Lazy(`(?m)^([^\s:]+): (?:line )?(\d+): (.+)$`)

// unproven looks for the reason why a guard stopped none of these inputs. It first sends the
// representative inputs unchanged, because the search may not have reached all of them: a guard
// that stops one needs no explanation.
func (q *Inquiry) unproven(inputs []firing) []Probe {
	done := func() []Probe { return nil }
	likeliest := q.representative(inputs)
	q.rounds[0] = func() []Probe {
		q.rounds[0] = done
		if q.denied != nil {
			q.rounds = append(q.rounds, q.hardened)
			return nil
		}
		q.rounds = append(q.rounds, func() []Probe {
			q.rounds[0] = done
			if !slices.ContainsFunc(q.findings, func(f Finding) bool { return slices.Contains(explained, f.Rule) }) {
				q.found("no-deny", fmt.Sprintf("none of %d inputs that guards stop was stopped", len(inputs)))
			}
			return nil
		})
		return append(q.renamed(likeliest), q.witnessed(likeliest))
	}
	return q.tried(likeliest)
}

// representative returns the likeliest inputs, and some that call a program named in the hook's
// text in other ways than the text has.
func (q *Inquiry) representative(inputs []firing) []firing {
	out := slices.Clone(inputs[:min(len(inputs), batch)])
	others := q.ranked()[firstSaid]
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
	p.Case.Env = map[string]string{"PYTHONPATH": "{tmp}/witness", "NODE_OPTIONS": "--require={tmp}/witness/witness.cjs"}
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
	if m := shellSaid().FindStringSubmatch(string(r.Stderr)); first == "" && m != nil {
		first = fmt.Sprintf("%s (%s:%s)", m[3], m[1], m[2])
	}
	if first == "" {
		return
	}
	q.seen("swallowed-error", "it stops nothing, and hides an error of its own: "+Short(withoutPlaces(first)), f.input())
}

// places matches the directory of a file, which has another name in every run.
var places = pattern.Lazy(`(?:/[^\s/'":()]+)+/`)

func withoutPlaces(text string) string { return places().ReplaceAllString(text, "") }

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
			p.Case.Steps[i].PayloadRaw = name.Beside(p.Case.Steps[i].PayloadRaw)
		}
		probes = append(probes, p)
	}
	return probes
}
