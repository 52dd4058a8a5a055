package conform

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/symptom"
)

// inTree reports whether a path that a hook named lies in what is judged, and gives
// it as a slash path. Sandboxes have names of their own for the tree.
func (q *Inquiry) inTree(name string) (string, bool) {
	for _, root := range []string{q.tree.Root + "/", "/tmp/home/.claude/"} {
		if i := strings.Index(name, root); i >= 0 {
			return name[i+len(root):], true
		}
	}
	if strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~") || strings.HasPrefix(name, "..") {
		return "", false
	}
	return strings.TrimPrefix(name, "./"), true
}

// gone judges a hook that did not find something.
func (q *Inquiry) gone(r suites.Result, name string, kind symptom.Kind) {
	if file, by := symptom.Unloaded(r); file != "" {
		if slash, inside := q.inTree(by); inside {
			q.broken = true // what loads it is there: it was not left to be built
			f := lost(q.hook, file)
			f.What += ", which " + slash + " loads"
			q.findings = append(q.findings, f)
			return
		}
	}
	switch kind {
	case symptom.Program:
		q.lacks(name + " is not on this machine")
	case symptom.Network:
		q.lacks("it wants the network, which probes do not have")
	case symptom.Module:
		if strings.HasPrefix(name, "/") || strings.HasPrefix(name, ".") {
			q.lostFile(name)
			return
		}
		q.unpacked(name, symptom.Loaders(r))
	case symptom.File:
		q.lostFile(name)
	}
}

// manifests are the files in which a project declares the packages that it needs.
var manifests = []string{"package.json", "requirements.txt", "requirements-dev.txt", "pyproject.toml", "Pipfile", "Gemfile", "deno.json", "uv.lock", "setup.py"}

// unpacked judges a hook without a package that some files of it load. One that the project declares has
// only to be installed; another is on no machine but its author's, and the hook does nothing.
func (q *Inquiry) unpacked(name string, loaders []string) {
	if q.declares(name, loaders) {
		q.lacks("its package " + name + " is not installed")
		return
	}
	q.absent, q.broken = "its package "+name+" is not installed", true
	severity := suites.Warning
	if about, _ := client.EventByName(q.hook.Event); about.Exit2 == suites.Denied || about.Exit2 == suites.PromptBlocked {
		severity = suites.Error
	}
	q.found("absent-package", q.absent+", and nothing declares it", severity)
}

// declares reports whether a manifest next to a script of the hook or to a file that loads a
// package, or above it, names the package, or the script does itself as uv has it.
func (q *Inquiry) declares(name string, loaders []string) bool {
	named := packageName(name)
	if fetches().MatchString(q.hook.Command) {
		return true
	}
	for line := range strings.Lines(q.text) { // dependencies that a script declares as uv has it
		if strings.HasPrefix(line, "#") && strings.Contains(strings.ToLower(line), named) {
			return true
		}
	}
	files := append([]string{"."}, q.hook.Scripts...)
	for _, loader := range loaders {
		slash, _ := q.inTree(loader)
		files = append(files, cmp.Or(slash, loader))
	}
	return slices.ContainsFunc(files, func(file string) bool { return q.tree.manifestAbove(file, named) })
}

// manifestAbove reports whether a manifest in the directory of a file, or in one above it, names
// a package. The file is a slash path of the tree or, elsewhere, an absolute one.
func (t Tree) manifestAbove(file, name string) bool {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		for _, m := range manifests {
			text := ""
			if path.IsAbs(dir) { // as of the user's own hooks
				data, _ := t.Reader.Anywhere().ReadFile(filepath.FromSlash(path.Join(dir, m)), scriptAtMost)
				text = string(data)
			} else {
				text = t.read(path.Join(dir, m))
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

// packageName is the package of a module: its first part, of a scope the first two. Packages of
// Python often have a dash where the module has an underscore, so only the first word counts.
func packageName(module string) string {
	parts := strings.Split(module, "/")
	if strings.HasPrefix(module, "@") && len(parts) > 1 {
		return strings.ToLower(parts[0] + "/" + parts[1])
	}
	first, _, _ := strings.Cut(parts[0], ".")
	word, _, _ := strings.Cut(first, "_")
	return strings.ToLower(word)
}

// lacks notes why a hook was not judged.
func (q *Inquiry) lacks(what string) {
	q.absent, q.broken = what, true
	q.found("absent-program", what)
}

// lostFile judges a file that was not there: one of the tree is missing, all else
// may be there on another machine.
func (q *Inquiry) lostFile(name string) {
	if q.hook.Scope == discover.InUser && strings.Contains(q.hook.Command, path.Base(name)) && !exists(name) {
		q.broken = true // installed where it is looked at
		q.findings = append(q.findings, lost(q.hook, name))
		return
	}
	slash, inside := q.inTree(name)
	switch {
	case strings.HasPrefix(q.tree.Root, name+" "):
		q.absent, q.broken = "the shell takes a path with a space in it apart", true // which its command is told for
		return
	case byPercent().MatchString(name):
		q.absent, q.broken = "its command names a variable that shells do not know", true
		return
	}
	if len(q.tree.wrongRoot(q.hook))+len(q.tree.homePath(q.hook)) > 0 {
		q.absent, q.broken = "it names a directory of another machine or project", true // which is a finding of its own
		return
	}
	if !inside || exists(q.tree.path(slash)) {
		q.absent, q.broken = name+" is not there", true
		q.found("script-missing", q.absent+": it is outside of what is checked", suites.Info)
		return
	}
	q.broken = true
	for _, f := range q.tree.missing(q.hook, slash) {
		if q.findings == nil || f.Severity == suites.Error {
			q.findings = append(q.findings, f)
		}
	}
}
