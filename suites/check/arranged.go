package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/explore"
	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// What a hook decides may also depend on the answer of a program, and on what it or another hook wrote down before.
// Such a firing is arranged: programs of its own answer in it, or other firings come before it in its environment.

// An earlier firing is of the same hook, or of another one of the project.
type earlier struct {
	hook discover.Hook
	firing
}

// answering are programs by whose answer hooks decide, because they judge code or tell the state of something.
var answering = []string{
	"git", "gh", "npm", "npx", "pnpm", "yarn", "bun", "tsc", "eslint", "prettier", "biome", "jest", "vitest", "ruff", "black", "flake8", "mypy", "pyright",
	"pytest", "bandit", "go", "gofmt", "golangci-lint", "cargo", "rustfmt", "make", "shellcheck", "gitleaks", "semgrep", "docker", "curl", "codex", "gemini",
}

// answerOf matches the field of a program's output, with its exit code and name.
var answerOf = pattern.Lazy(`^\{(\d) (.+)\}$`)

// programs returns the programs that answer in a firing.
func (f firing) programs() (all []suites.Program) {
	for _, field := range slices.Sorted(maps.Keys(f.state)) {
		m := answerOf().FindStringSubmatch(string(field))
		if m == nil {
			continue
		}
		text := "printf '%s\\n' " + shell.Quote(f.state[field]) + "\nexit " + m[1] + "\n"
		if m[2] == "git" { // which also tells where the repository is
			text = "for word do case $word in diff|diff-index|diff-files|status|ls-files) found=1;; --quiet|--exit-code) [ -z \"$found\" ] || exit 1;; esac; done\n" +
				"if [ -z \"$found\" ]; then PATH=${PATH#*:}; exec git \"$@\"; fi\n" + text
		}
		all = append(all, suites.Program{Name: m[2], Script: text})
	}
	return all
}

// isArranged reports whether something was arranged for a firing.
func (f firing) isArranged() bool { return f.earlier != nil || len(f.programs()) > 0 }

// arrangement describes what was arranged, with a space before; "" if nothing was.
func (f firing) arrangement() (text string) {
	for _, field := range slices.Sorted(maps.Keys(f.state)) {
		if m := answerOf().FindStringSubmatch(string(field)); m != nil {
			text += fmt.Sprintf(" if %s prints %q%s", m[2], Short(f.state[field]), map[bool]string{true: " and fails"}[m[1] != "0"])
		}
	}
	switch n := len(f.earlier); {
	case n == 0:
	case f.earlier[0].session != f.session:
		text += " after the same in another session"
	case f.earlier[0].event != f.event || f.earlier[0].tool != f.tool:
		text += " after " + f.earlier[0].event + " " + f.earlier[0].input()
	default:
		text += fmt.Sprintf(", sent %d times", n+1)
	}
	return text
}

// calls returns the steps of a case that fire what comes before a firing.
func (f firing) calls(h discover.Hook) (all []suites.Step) {
	for _, e := range f.earlier {
		step := e.asCase(e.hook).Steps[0]
		if e.hook.ID != h.ID {
			step.Registered = e.hook.ID
		}
		all = append(all, step)
	}
	return all
}

// arrange returns firings by which a hook may come to the decisions that are left although no input does: those that
// came closest to them, with the files that it looks for, with answers of the programs that it calls, in another session,
// repeated, and after hooks that write a file which it names. To a hook without decisions programs answer that they fail:
// what it says then may be lost.
func (x *exploration) arrange() (all []firing) {
	const repeated, others = 5, 3
	text := ""
	for _, file := range slices.Sorted(maps.Keys(x.sources)) {
		text += string(x.sources[file]) + "\n"
	}
	text = withoutComments(text)
	decides := len(x.decisions) > 0
	for _, base := range x.closest() {
		for _, file := range slices.Sorted(maps.Keys(x.files)) {
			if base.state[file] == "" && decides {
				all = append(all, base.withState(file, x.files[file]))
			}
		}
		for _, exit := range []string{"1", "0"} {
			f := base
			for _, program := range answering {
				if calls(text, program) && (exit == "1" || decides) && (program != "git" || exit == "0") {
					f = f.withState(explore.Field("{"+exit+" "+program+"}"), marker+program)
				}
			}
			if f.isArranged() {
				all = append(all, f)
			}
		}
		if !decides {
			continue
		}
		f, before := base, base
		if before.session = "hookwatch-other"; writes().MatchString(text) {
			for _, calls := range [][]earlier{{{x.hook, before}}, slices.Repeat([]earlier{{x.hook, base}}, repeated)} {
				f.earlier = calls
				all = append(all, f)
			}
		}
		for _, o := range x.writers(text, others) {
			f.earlier = []earlier{{o, typical(o, x.tree)[0]}}
			all = append(all, f)
		}
	}
	return all
}

// writes matches code that writes a file.
var writes = pattern.Lazy(`>>?\s*["']?(?:\$|/tmp)|\b(?:touch|mkdir|tee|flock)\b|[wW]riteFile|appendFile|\.write|\bopen\([^)]*["'][wax]`)

// stateFile matches the names of files in which hooks write something down.
var stateFile = pattern.Lazy(`[\w-]{3,}\.(?:jsonl?|txt|log|lock|flag|state|pid|marker|tmp)\b`)

// writers returns other hooks of the project that name a file which a text names and the project does not have.
func (x *exploration) writers(text string, most int) (all []discover.Hook) {
	names := slices.DeleteFunc(stateFile().FindAllString(text, -1), func(name string) bool {
		return exists(x.tree.path(name)) || exists(x.tree.path(".claude/"+name))
	})
	for _, o := range x.tree.hooks() {
		if len(all) == most || o.ID == x.hook.ID || o.Client != "" || len(typical(o, x.tree)) == 0 || !subjectOf(x.tree, o).runs() {
			continue
		}
		theirs := subjectOf(x.tree, o).text
		shared := func(name string) bool { return strings.Contains(theirs, name) }
		if slices.ContainsFunc(names, shared) && writes().MatchString(theirs) {
			all = append(all, o)
		}
	}
	return all
}

// closest returns for each script with decisions that are left, at most two, the firing that came closest to one of
// them: to where all left the way to it, and otherwise as far as possible. Without decisions it is the one that came as
// far as possible.
func (x *exploration) closest() (all []firing) {
	for _, file := range slices.Sorted(maps.Keys(x.courses)) {
		left := map[int]bool{} // the lines where
		for i, d := range x.decisions {
			if cut, near := x.courses[file].Cut(d.Line); d.File == file && !x.reached[i] && near && !cut.Plain {
				left[cut.Line] = true
			}
		}
		came := func(_ firing, lines map[int]bool) bool {
			return len(x.decisions) == 0 || slices.ContainsFunc(slices.Collect(maps.Keys(left)), func(line int) bool { return lines[line] })
		}
		if f, ok := x.furthest(file, came); ok && len(all) < 2 {
			all = append(all, f)
		}
	}
	return all
}

// furthest returns the firing that ran most lines of a script, of those that are accepted.
func (x *exploration) furthest(file string, accepts func(firing, map[int]bool) bool) (best firing, ok bool) {
	most := 0
	for _, t := range x.taken {
		lines := x.courses[file].Lines(t.Record)
		if t.stdin == nil && t.without == nil && len(lines) > most && accepts(t.firing, lines) {
			best, most = t.firing, len(lines)
		}
	}
	return best, most > 0
}
