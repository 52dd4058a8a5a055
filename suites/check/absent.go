package check

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/pattern"
)

// inTree returns a path that a hook named as a slash path of the tree, and reports whether it is in
// the tree. It also recognizes the names that sandboxes have for the tree.
func (s subject) inTree(name string) (string, bool) {
	for _, root := range []string{s.tree.Root + "/", cmp.Or(s.tree.At, s.tree.Root) + "/", "/tmp/home/.claude/"} {
		if _, after, ok := strings.Cut(name, root); ok {
			return after, true
		}
	}
	if outside().MatchString(name) {
		return "", false
	}
	return strings.TrimPrefix(name, "./"), true
}

var outside = pattern.Lazy(`^(?:/|~|\.\.)`)

// judgeAbsent judges a hook that did not find something.
func (j *judgement) judgeAbsent(r *results, f suites.Result, name string, kind client.MissingKind) {
	file, by := client.FindMissingFile(f)
	slash, inside := j.of.inTree(by)
	named := judgeBackslashes(j.of.tree.site(j.of.hook))
	switch {
	case file != "" && inside:
		j.ends = true // the file that loads it exists, so it is not a missing build product
		f := lost(j.of.hook, file)
		f.What += ", which " + slash + " loads"
		j.add(f)
	case len(named) > 0: // the finding about the registration
		j.absent, j.ends = named[0].What, true
	case kind == client.MissingProgram && slices.Contains(powerShells, name):
		j.lacksPowerShell(name, f.Effect, "the hook fails to start, and ")
	case kind == client.MissingProgram:
		j.lacks(name + " is not on this machine")
	case kind == client.MissingNetwork:
		j.lacks("it wants the network, which probes do not have")
	case kind == client.MissingModule && strings.TrimLeft(name, "/.") == name:
		j.judgePackage(name, client.Loaders(f))
		j.judgeUninstalled(f, name)
	default:
		j.judgeLostFile(r, name)
	}
}

// manifests are the files in which a project declares its packages.
var manifests = []string{"package.json", "requirements.txt", "requirements-dev.txt", "pyproject.toml", "Pipfile", "Gemfile", "deno.json", "uv.lock", "setup.py"}

// judgePackage judges a hook that lacks a package which some of its files load. A package that the
// project declares only has to be installed; any other exists only on its author's machine, and the
// hook does nothing elsewhere.
func (j *judgement) judgePackage(name string, loaders []string) {
	severity := suites.Warning
	if slices.Contains([]suites.Effect{suites.Denied, suites.PromptBlocked}, j.of.about().Exit2) {
		severity = suites.Error
	}
	by, near := j.of.localModule(name, loaders)
	switch {
	case !strings.HasPrefix(name, "_") && j.of.declares(name, loaders): // no package has such a name
		j.lacks("its package " + name + " is not installed")
	case by != "":
		j.ends = true
		f := FindingOf("script-missing", j.of.hook.ID, suites.Position{File: by}, by+" loads "+name+", which does not exist"+near)
		f.Effect = j.of.about().Fill("it ends with an error: {proceeds} as if there were no hook")
		j.add(f)
	default:
		j.absent, j.ends = "its package "+name+" is not installed", true
		j.found("absent-package", j.absent+", and nothing declares it", severity)
	}
}

// judgeUninstalled judges a guard that lets everything through until a package that its project declares is installed.
func (j *judgement) judgeUninstalled(r suites.Result, name string) {
	declared := func(f Finding) bool { return f.Rule == "absent-program" }
	switch text := j.of.text; {
	case j.of.about().Guards == "", !j.has(declared), !lets(r), !namesDecision(text), installs().MatchString(text):
	default:
		f := j.about("fails-open", "until its package "+name+" is installed it cannot start, and everything is let through")
		f.Remedy = "deny if the package cannot be loaded, or use none: no clone has it"
		j.addOnce(f)
	}
}

// installs matches the start of programs that install missing packages by themselves.
var installs = pattern.Lazy(`(?m)(?:^#!.*[/ ]|(?:^|[\s;&|])(?:/\S+/)?)(?:uvx?|bunx?|deno|npx|pnpm)\b`)

// localModule returns the file of the tree that loads a Python module of the tree's own which does not
// exist: one whose name begins with _, or is nearly that of a module next to the file, which near describes.
func (s subject) localModule(name string, loaders []string) (by, near string) {
	for _, loader := range loaders {
		slash, inside := s.inTree(loader)
		real, err := s.tree.Reader.Resolve(s.tree.path(path.Dir(slash)))
		if err != nil || !inside || path.Ext(slash) != ".py" {
			continue
		}
		entries, _ := os.ReadDir(real)
		var modules []string
		for _, e := range entries {
			if module := strings.TrimSuffix(e.Name(), ".py"); e.IsDir() || module != e.Name() {
				modules = append(modules, module)
			}
		}
		modules = slices.DeleteFunc(modules, func(module string) bool { return module+".py" == path.Base(slash) })
		switch near = pattern.Nearest(name, modules); {
		case near != "":
			return slash, "; there is " + near
		case strings.HasPrefix(name, "_"):
			return slash, ""
		}
	}
	return "", ""
}

// declares reports whether a package is named in a manifest in or above the directory of a script
// of the hook or of a file that loads it, or in the script itself in uv's format.
func (s subject) declares(name string, loaders []string) bool {
	named := packageName(name)
	inScript := regexp.MustCompile(`(?im)^#.*` + regexp.QuoteMeta(named)) // in uv's format
	if fetches().MatchString(s.hook.Command) || inScript.MatchString(s.text) {
		return true
	}
	files := append([]string{"."}, s.hook.Scripts...)
	for _, loader := range loaders {
		slash, _ := s.inTree(loader)
		files = append(files, cmp.Or(slash, loader))
	}
	return slices.ContainsFunc(files, func(file string) bool { return s.tree.manifestAbove(file, named) })
}

// manifestAbove reports whether a manifest in the directory of a file, or in one above it, names a
// package. The file is a slash path of the tree or, elsewhere, an absolute path.
func (t Tree) manifestAbove(file, name string) bool {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		for _, m := range manifests {
			text := t.read(path.Join(dir, m))
			if path.IsAbs(dir) { // for the user's own hooks
				data, _ := t.Reader.Anywhere().ReadFile(filepath.FromSlash(path.Join(dir, m)), scriptAtMost)
				text = string(data)
			}
			if strings.Contains(strings.ToLower(text), name) {
				return true
			}
		}
		if dir == "." || dir == "/" {
			return false
		}
	}
}

// packageName returns the package of a module: its first part, or the first two if it has a scope.
// Packages of Python often have a dash for the module's underscore, so only the first word counts.
func packageName(module string) string {
	parts := strings.Split(module, "/")
	if strings.HasPrefix(module, "@") && len(parts) > 1 {
		return strings.ToLower(parts[0] + "/" + parts[1])
	}
	first, _, _ := strings.Cut(parts[0], ".")
	word, _, _ := strings.Cut(first, "_")
	return strings.ToLower(word)
}

// judgeLostFile judges a file that was not found: a file of the tree is missing, any other may exist on
// another machine.
func (j *judgement) judgeLostFile(r *results, name string) {
	j.ends = true
	slash, inside := j.of.inTree(name)
	at := j.of.tree.site(j.of.hook)
	switch {
	case j.of.hook.Scope == discover.InUser && strings.Contains(j.of.hook.Command, path.Base(name)) && !exists(name):
		j.add(lost(j.of.hook, name)) // it would be installed in the place that was checked
		return
	case strings.HasPrefix(cmp.Or(j.of.tree.At, j.of.tree.Root), name+" "):
		j.absent = "the shell takes a path with a space in it apart" // the command has a finding of its own
		return
	case byPercent().MatchString(name):
		j.absent = "its command names a variable that shells do not know"
		return
	case len(judgeRoot(at))+len(judgeHomePath(at)) > 0:
		j.absent = "it names a directory of another machine or project" // a finding of its own
		return
	case !inside || exists(j.of.tree.path(slash)):
		j.absent = name + " is not there"
		if slices.ContainsFunc(r.hidden, func(h string) bool { return strings.HasSuffix(name, strings.TrimPrefix(h, "~")) }) {
			j.absent = name + " is hidden from hooks here"
			return // it has a finding of its own
		}
		why := "it is outside of what is checked"
		switch {
		case inside:
			why = "the hook looks for it in another directory"
		case path.IsAbs(name) && exists(name):
			why = "it is in a directory that is private to each hook here, and empty"
		}
		j.found("script-missing", j.absent+": "+why, suites.Info)
		return
	}
	at.script, at.event = slash, client.Event{}
	for _, f := range judgeMissing(at) {
		if f = at.complete("script-missing", f); j.findings == nil || f.Severity == suites.Error {
			j.add(f)
		}
	}
}

// lookedUp is the directory in which a probe records the absent programs that a hook calls.
const lookedUp = "{tmp}/looked-up/"

// planAbsent runs a hook whose text names programs that this machine lacks, with stand-ins that only
// record that they were called. A called program is absent; one that is only named in a message, or
// behind a condition that is false, does not count.
func planAbsent(r *results) []Probe {
	names := r.absentOf(frail)
	if len(names) == 0 {
		return nil
	}
	p := r.probe(r.first().firing)
	p.standIns(names, 127)
	return []Probe{p}
}

// absentOf returns the programs that the hook calls or looks up and this machine lacks.
func (s subject) absentOf(programs []string) (names []string) {
	for _, program := range programs {
		if s.tree.lacks(program) && calls(s.text, program) {
			names = include(names, program)
		}
	}
	return names
}

// standIns adds programs that record that they were called and exit with a code.
func (p Probe) standIns(names []string, exit int) {
	step := &p.Case.Steps[0]
	step.Fixtures = append(step.Fixtures, suites.Fixture{Path: lookedUp + ".keep"})
	p.around(func(s *suites.CaseEnv) {
		for _, name := range names {
			s.Programs = append(s.Programs, suites.Program{Name: name, Script: fmt.Sprintf(": >'%s%s'\nexit %d\n", lookedUp, name, exit)})
			step.Expect.Files = append(step.Expect.Files, suites.FileExpectation{Path: lookedUp + name})
		}
	})
}

// calledOf returns the first program that was called in a probe with stand-ins.
func calledOf(names []string, r suites.Result) string {
	for _, name := range names {
		if _, called := r.Files[lookedUp+name]; called {
			return name
		}
	}
	return ""
}

// missed matches messages of scripts about a program that they did not find.
var missed = pattern.Lazy(`(?i)\b([a-z][\w.+-]*)(?: is| was)?(?: command)? not (?:found|installed|available)`)

// lookups match the names of programs that a script looks up, or starts from Node.
var lookups = pattern.Lazy(`(?:\bcommand -v|\bwhich|\bhash|\btype -P|\bwhich\(|\bwhich["'],\s*\[|\b(?:spawn|execFile)(?:Sync)?\()\s*["']?([A-Za-z][\w.+-]*)`)

// needsAbsentProgram reports whether a hook failed, or stopped something harmless, and looks up programs that this machine
// lacks.
func (s subject) needsAbsentProgram(f fired) bool {
	usual := f.Exit == 0 && !stopped(f.Result)
	return !usual && len(s.absentFor(f.Result)) > 0
}

// planEquipped runs such a hook with a stand-in for each of the programs, and for all of them: if it then ends
// differently, it failed only because they are absent.
func planEquipped(r *results) (probes []Probe) {
	for _, f := range r.usual() {
		if !r.needsAbsentProgram(f) {
			continue
		}
		names := r.absentFor(f.Result)
		for i := range len(names) + 1 {
			of := names
			if i < len(names) {
				of = names[i : i+1]
			}
			one := f.firing
			one.note = strings.Join(of, " ")
			p := r.probe(one)
			p.standIns(of, 0)
			probes = append(probes, p)
		}
	}
	return probes
}

func judgeEquipped(r *results, j *judgement) {
	with := r.by["equipped"]
	for _, f := range r.usual() {
		if !r.needsAbsentProgram(f) {
			continue
		}
		n := min(len(with), len(r.absentFor(f.Result))+1)
		otherwise := func(one fired) bool { return endsOtherwise(f.Result, one.Result) }
		if i := slices.IndexFunc(with[:n], otherwise); i >= 0 {
			of := strings.Fields(with[i].note)
			j.lacks(cmp.Or(calledOf(of, with[i].Result), of[0]) + " is not on this machine")
			return
		}
		with, j.on = with[n:], &f
		j.judgeEnd(f)
	}
}

// absentFor returns the programs whose absence may explain this result: those named in the hook's
// messages, then those in its text.
func (s subject) absentFor(r suites.Result) (names []string) {
	const most = 5
	for _, m := range missed().FindAllStringSubmatch(string(r.Stderr), -1) {
		if name := strings.ToLower(m[1]); s.tree.lacks(name) {
			names = include(names, name) // even if its script was not read
		}
	}
	programs := slices.Clone(frail)
	for _, m := range lookups().FindAllStringSubmatch(withoutComments(s.text), -1) {
		programs = append(programs, m[1])
	}
	for _, name := range s.absentOf(programs) {
		names = include(names, name)
	}
	return upTo(names, most)
}

// endsOtherwise reports whether a hook ended differently with a program: with another exit code, or
// without its former last line.
func endsOtherwise(r, with suites.Result) bool {
	if with.NotStarted != "" || with.TimedOut {
		return false
	}
	last := withoutDigits(lastLine(r.Stderr))
	return with.Exit != r.Exit || stopped(with) != stopped(r) || !strings.Contains(withoutDigits(string(with.Stderr)), last)
}

// withoutDigits removes the parts that differ between runs: times, numbers of processes and
// sandboxes.
func withoutDigits(text string) string {
	return digits().ReplaceAllString(sandboxes().ReplaceAllString(text, ""), "")
}

var digits = pattern.Lazy(`[0-9]+`)

// promptly makes package managers end at their first request because probes have no network.
// Otherwise npm retries for over a minute, for each of many packages, and pip for ten seconds. The
// variables do not affect packages that are found or installed without a request.
var promptly = map[string]string{
	"npm_config_offline": "true", // npm, npx and pnpm
	"PIP_RETRIES":        "0",
	"UV_HTTP_RETRIES":    "0",
}

// Hasten adds these variables to a case's own, which take precedence.
func Hasten(c *suites.Case) {
	env := maps.Clone(promptly)
	maps.Copy(env, c.Env)
	c.Env = env
}

// fetches matches a command that starts with a package by name, which a launcher looks up in the
// tree and then downloads.
var fetches = pattern.Lazy(`^\s*(?:npx|bunx|pnpm dlx)\s+(?:(?:-y|--yes|-q|--quiet|--silent)\s+)*(@?[\w./-]+)`)

// packageToFetch returns the package that a hook's command must download before anything runs, or "". Such
// a hook is not run because probes have no network and the launcher's waiting proves nothing.
func (s subject) packageToFetch() string {
	m := fetches().FindStringSubmatch(s.hook.Command)
	if m == nil {
		return ""
	}
	name := path.Base(m[1])
	switch {
	case strings.HasPrefix(m[1], "."), !s.tree.lacks(name), exists(s.tree.path("node_modules/.bin/" + name)), exists(s.tree.path("node_modules/" + m[1])):
		return ""
	}
	return m[1]
}
