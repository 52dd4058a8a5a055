package conform

import (
	"maps"
	"path"
	"strings"

	"hookwatch/suites/pattern"
)

// promptly makes package managers end at their first request. Probes have no network: without it
// npm retries for over a minute, as it does for each of many packages, and pip for ten seconds.
// The variables change nothing of what is found or installed without a request.
var promptly = map[string]string{
	"npm_config_offline": "true", // npm, npx and pnpm
	"PIP_RETRIES":        "0",
	"UV_HTTP_RETRIES":    "0",
}

// hastened adds these variables to a probe's, which go first.
func (p Probe) hastened() {
	env := maps.Clone(promptly)
	maps.Copy(env, p.Case.Env)
	p.Case.Env = env
}

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
