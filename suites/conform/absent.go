package conform

import (
	"regexp"
	"strings"

	"hookwatch/suites"
)

// What the streams of a hook say of something that is not there. The first group
// is its name.
var (
	noProgram = []*regexp.Regexp{
		regexp.MustCompile(`(?m)(?:^|[:\s])([\w.+-]+): (?:command )?not found\b`),
		regexp.MustCompile(`(?m)env: [‘'"]?([\w.+-]+)[’'"]?: No such file`),
		regexp.MustCompile(`exec: "?([\w.+-]+)"?: executable file not found`),
		regexp.MustCompile(`spawn ([\w.+-]+) ENOENT`),
		regexp.MustCompile(`No such file or directory: '([\w.+-]+)'`),
	}
	noModule = []*regexp.Regexp{
		regexp.MustCompile(`Cannot find (?:module|package) '([^']+)'`),
		regexp.MustCompile(`No module named '?([\w.]+)`),
		regexp.MustCompile(`cannot load such file -- (\S+)`),
		regexp.MustCompile(`Module not found "([^"]+)"`),
	}
	noNetwork = regexp.MustCompile(`(?i)ENOTFOUND|EAI_AGAIN|getaddrinfo|name resolution|could not resolve host|network is unreachable|ECONNREFUSED|connection refused|fetch failed|dns error|failed to (?:fetch|download|connect)|failed to lookup address`)
	noFile    = regexp.MustCompile(`(?m)(?:^|[:\s'"])((?:/|\./|\.\./|~/)[^\s:'"]+)['"]?: (?:not found|No such file or directory)|can't open (?:file )?'?([^\s:']+)'?`)
)

// absentThing names what a hook did not find, and of which kind it is.
func absentThing(r suites.Result) (name, kind string) {
	text := string(r.Stderr) + "\n" + string(r.Stdout)
	for _, re := range noProgram {
		if m := re.FindStringSubmatch(text); m != nil && !strings.Contains(m[1], "line") {
			return m[1], "program"
		}
	}
	if m := noFile.FindStringSubmatch(string(r.Stderr)); m != nil {
		return m[1] + m[2], "file"
	}
	for _, re := range noModule {
		if m := re.FindStringSubmatch(text); m != nil {
			return m[1], "module"
		}
	}
	if noNetwork.MatchString(text) {
		return "the network", "network"
	}
	return "", ""
}

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
func (q *Inquiry) gone(name, kind string) {
	switch kind {
	case "program":
		q.lacks(name + " is not on this machine")
	case "network":
		q.lacks("it wants the network, which probes do not have")
	case "module":
		if strings.HasPrefix(name, "/") || strings.HasPrefix(name, ".") {
			q.lostFile(name)
			return
		}
		q.lacks("its package " + name + " is not installed")
	case "file":
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
	slash, inside := q.inTree(name)
	if !inside || exists(q.tree.path(slash)) {
		q.lacks(name + " is not there")
		return
	}
	q.broken = true
	for _, f := range q.tree.missing(q.hook, slash) {
		if q.findings == nil || f.Severity == Error {
			q.findings = append(q.findings, f)
		}
	}
}
