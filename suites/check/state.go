package check

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"hookwatch/suites"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/explore"
	"hookwatch/suites/pattern"
)

// What a hook decides may depend on more than its payload: on a variable of the environment that no client sets, on
// a file that it looks for, and on the branch of the repository. These are fields of an input, outside of the payload.

// branchField is the field of the branch.
const branchField explore.Field = "{branch}"

// branchName matches the names of branches that are tried.
var branchName = pattern.Lazy(`^\w[\w-]*(?:/\w[\w.-]*)*$`)

// asksBranch matches code that asks for the branch.
var asksBranch = pattern.Lazy(`show-current|abbrev-ref|symbolic-ref|\.git/HEAD`)

// commitID matches the name of a commit, and nothing else that a file outside of the project may contain.
var commitID = pattern.Lazy(`^[0-9a-f]+$`)

// branch returns the branch of the project and its commit; "" without them.
func (t Tree) branch() (name, commit string) {
	name, isBranch := strings.CutPrefix(strings.TrimSpace(t.read(".git/HEAD")), "ref: refs/heads/")
	if !isBranch || !branchName().MatchString(name) { // HEAD may lead anywhere
		return "", ""
	}
	ref := "refs/heads/" + name
	if commit = strings.TrimSpace(t.read(".git/" + ref)); commit == "" {
		for line := range strings.Lines(t.read(".git/packed-refs")) {
			if id, packed := strings.CutSuffix(strings.TrimSpace(line), " "+ref); packed {
				commit = id
			}
		}
	}
	if !commitID().MatchString(commit) {
		return "", ""
	}
	return name, commit
}

// creatable reports whether a firing can have a file at a slash path of the project: nothing but a file, and below
// directories only.
func (t Tree) creatable(slash string) bool {
	const longest = 255 // bytes of a name, in the file systems of Linux, macOS and Windows
	if strings.ContainsFunc(slash, unicode.IsControl) || slices.ContainsFunc(strings.Split(slash, "/"), func(name string) bool { return len(name) > longest }) {
		return false // code that an interpreter took for a file
	}
	at := t.path(slash)
	if info, err := os.Stat(at); err == nil {
		return info.Mode().IsRegular()
	}
	for at != filepath.Dir(at) {
		at = filepath.Dir(at)
		if info, err := os.Lstat(at); err == nil {
			return info.IsDir()
		}
	}
	return false
}

// with returns the firing of an input; false if the client does not fire the hook for it, or if its branch cannot be
// made next to another one.
func (x *exploration) with(in explore.Input) (firing, bool) {
	f, ok := with(x.hook, x.sent[in.From], in)
	f = x.tree.afterCall(f)
	return f, ok && (in.Field != branchField || f.commit == "" || x.tree.creatable(".git/refs/heads/"+in.Text))
}

// onAnotherBranch returns the first firings, on another branch, if the name of the present one passed a comparison:
// what a hook does otherwise may be behind that.
func (x *exploration) onAnotherBranch() (all []observation) {
	const other = "feature/x"
	passes := func(c explore.Comparison) bool {
		_, own := c.Of(map[explore.Field]string{branchField: x.branch})
		return own
	}
	done := func(f firing) bool { return f.state[branchField] != "" }
	if x.branch == "" || x.branch == other || slices.ContainsFunc(x.sent, done) || !slices.ContainsFunc(x.passed, passes) {
		return nil
	}
	for i, f := range x.sent {
		if f.state != nil || f.isArranged() {
			continue
		}
		in := explore.Input{From: i, Field: branchField, Text: other}
		if on, ok := x.with(in); ok {
			all = append(all, observation{on, in})
		}
	}
	return all
}

// marker begins the text that such a field has first, by which comparisons with it are found.
const marker = "zq_"

// withState returns a firing with another text in such a field.
func (f firing) withState(field explore.Field, text string) firing {
	f.state = withText(f.state, field, text)
	return f
}

// marked reports whether a variable was set only to be found.
func (f firing) marked() bool { return !maps.Equal(f.state, f.unmarked().state) }

// leavesState reports whether a file or the branch is another one after the firing.
func (f firing) leavesState() bool {
	for field := range f.state {
		if field[0] != '$' {
			return true
		}
	}
	return false
}

// unmarked returns the firing without such variables. A file may matter whatever it contains.
func (f firing) unmarked() firing {
	f.state = maps.Clone(f.state)
	maps.DeleteFunc(f.state, func(field explore.Field, text string) bool {
		return field[0] == '$' && strings.HasPrefix(text, marker)
	})
	if len(f.state) == 0 {
		f.state = nil
	}
	return f
}

// apply sets the variables and files of a firing.
func (f firing) apply(step *suites.Step) {
	for _, field := range slices.Sorted(maps.Keys(f.state)) {
		if answerOf().MatchString(string(field)) {
			continue // which programs gives
		} else if field == branchField {
			if ref := "refs/heads/" + f.state[field]; f.commit != "" {
				step.Fixtures = append(step.Fixtures, suites.Fixture{Path: "{project}/.git/" + ref, Content: f.commit + "\n"}, suites.Fixture{Path: "{project}/.git/HEAD", Content: "ref: " + ref + "\n"})
			}
		} else if name, variable := strings.CutPrefix(string(field), "$"); variable {
			if step.Env == nil {
				step.Env = map[string]string{}
			}
			step.Env[name] = f.state[field]
		} else {
			step.Fixtures = append(step.Fixtures, suites.Fixture{Path: string(field), Content: f.state[field]})
		}
	}
}

// stateText describes the variables, files and branch of a firing, with a space before; "" if there are none.
func (f firing) stateText() (text string) {
	for _, field := range slices.Sorted(maps.Keys(f.state)) {
		word := map[bool]string{true: " with ", false: " and "}[text == ""]
		if field == branchField || answerOf().MatchString(string(field)) {
			continue
		}
		if name, variable := strings.CutPrefix(string(field), "$"); variable {
			text += word + name + "=" + Short(f.state[field])
		} else if text += word + strings.TrimPrefix(string(field), "{project}/"); !strings.HasPrefix(f.state[field], marker) {
			text += fmt.Sprintf(" (%q)", Short(f.state[field]))
		}
	}
	if name := f.state[branchField]; name != "" {
		text += " on branch " + name
	}
	return text
}

// stateAtMost is the number of variables, and of files, that are tried.
const stateAtMost = 4

// ofSystem matches variables that a shell, the system or a client sets.
var ofSystem = pattern.Lazy(`^(?:BASH_.*|COMP_.*|CLAUDE_.*|XDG_.*|LC_.*|HOST_?NAME|PATH|HOME|USER|SHELL|TERM|TMPDIR|PWD|LANG|EPOCH.*|PYTHON.*|NODE_.*)$`)

// withVariables returns typical firings with the variables that the scripts read and neither they nor the system set;
// none if there are no such variables.
func (x *exploration) withVariables() (all []firing) {
	state, set, text := map[explore.Field]string{}, clients.Variables(), ""
	for _, file := range slices.Sorted(maps.Keys(x.sources)) {
		text += string(x.sources[file]) + "\n"
	}
	for _, v := range variables(text) {
		switch {
		case len(state) == stateAtMost, ofSystem().MatchString(v.Name), NeverSet(v.Name), slices.Contains(set, v.Name), assigns(text, v.Name):
		default:
			state[explore.Field("$"+v.Name)] = marker + strings.ToLower(v.Name)
		}
	}
	for _, f := range typical(x.hook, x.tree) {
		if f.state = state; len(state) > 0 {
			all = append(all, f)
		}
	}
	return all
}

// withFiles returns firings with a file each that the hook looked for by a name in its scripts and did not find.
func (x *exploration) withFiles(f firing, o suites.Outcome) (all []firing) {
	for _, a := range o.Accesses {
		name, err := filepath.Rel(o.Project, a.Path)
		if err != nil || !filepath.IsLocal(name) || !a.Input() || len(all) == stateAtMost || !x.tree.creatable(filepath.ToSlash(name)) {
			continue
		}
		slash := filepath.ToSlash(name)
		at := x.tree.path(slash)
		beside, _ := os.ReadDir(filepath.Dir(at)) // none if there is no such directory

		// A directory, in which it looks for something else.
		parent := func(other suites.Access) bool {
			return strings.HasPrefix(other.Path, a.Path+string(filepath.Separator))
		}
		// As lib.js, for which require("lib") looks, and for package.json.
		module := func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), path.Base(slash)+".") }
		if exists(at) || slices.ContainsFunc(o.Accesses, parent) || slices.ContainsFunc(beside, module) || strings.HasPrefix(slash, ".git/") || path.Base(slash) == "package.json" || !x.names(path.Base(slash)) {
			continue
		}
		text := marker + "file\n"
		if path.Ext(slash) == ".json" {
			text = "{}\n"
		}
		field := explore.Field("{project}/" + slash)
		x.files = withText(x.files, field, text)
		all = append(all, f.withState(field, text))
	}
	return all
}

// names reports whether a script has a name of at least four characters.
func (x *exploration) names(name string) bool {
	for _, text := range x.sources {
		if len(name) > 3 && strings.Contains(string(text), name) {
			return true
		}
	}
	return false
}
