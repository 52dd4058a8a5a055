package conform

import (
	"path"
	"strings"

	"hookwatch/suites"
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
		q.lacks("its package " + name + " is not installed")
	case symptom.File:
		q.lostFile(name)
	}
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
	if !inside || exists(q.tree.path(slash)) {
		q.lacks(name + " is not there")
		return
	}
	q.broken = true
	for _, f := range q.tree.missing(q.hook, slash) {
		if q.findings == nil || f.Severity == suites.Error {
			q.findings = append(q.findings, f)
		}
	}
}
