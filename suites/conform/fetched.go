package conform

import (
	"path"
	"strings"

	"hookwatch/suites/pattern"
)

// fetches matches a command that starts with a package by name, which a launcher
// looks for in the tree and then fetches.
var fetches = pattern.Lazy(`^\s*(?:npx|bunx|pnpm dlx)\s+(?:(?:-y|--yes|-q|--quiet|--silent)\s+)*(@?[\w./-]+)`)

// fetched is a package that a hook's command would have to fetch before anything
// runs: probes have no network, and the launcher's own waiting says nothing.
func (q *Inquiry) fetched() string {
	m := fetches().FindStringSubmatch(q.hook.Command)
	if m == nil {
		return ""
	}
	for _, place := range []string{"node_modules/.bin/" + path.Base(m[1]), "node_modules/" + m[1]} {
		if exists(q.tree.path(place)) {
			return ""
		}
	}
	if name := path.Base(m[1]); strings.HasPrefix(m[1], ".") || q.tree.Installed(name) {
		return ""
	}
	return m[1]
}
