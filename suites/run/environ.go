package run

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/process"
)

// passed are the variables of the caller that hooks get as they are.
var passed = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TZ"}

// secret are the names of variables that nobody gets unless listed.
var secret = []string{"*_KEY", "*_TOKEN", "*_SECRET", "*_PASSWORD", "*_CREDENTIALS"}

// Environment picks from the caller's environment what hooks may see: a short
// list, in which nothing looks like a secret, and the names that the person lists.
func Environment(caller []string, list []string) []string {
	var env []string
	for _, kv := range caller {
		name, _, ok := strings.Cut(kv, "=")
		switch {
		case !ok || name == "":
		case slices.Contains(list, name):
			env = append(env, kv)
		case matches(name, passed) && !matches(name, secret):
			env = append(env, kv)
		}
	}
	return env
}

func matches(name string, globs []string) bool {
	return slices.ContainsFunc(globs, func(g string) bool {
		ok, err := path.Match(g, name)
		return err == nil && ok
	})
}

// templates are what a case's texts may name of its surroundings.
var templates = []string{"{tmp}", "{project}", "{override}", "{session}", "{server}", "{port}", "{path}"}

// environ makes the environment that all steps of the case share, and what the
// templates stand for.
func (s *sandbox) environ() {
	address, port := "", ""
	if s.server != nil {
		address, port = s.server.Address(), s.server.Port()
	}
	search := s.searched
	if len(s.c.Surroundings().Programs) > 0 {
		search = s.programs() + string(filepath.ListSeparator) + search
	}
	s.named = []string{
		"{tmp}", s.tmp,
		"{project}", s.root,
		"{override}", s.project(),
		"{session}", s.number,
		"{server}", address,
		"{port}", port,
		"{path}", search,
	}
	s.expand = strings.NewReplacer(s.named...)
	set := map[string]string{
		"PATH":               search,
		"TMPDIR":             s.tmp,
		"CLAUDE_PROJECT_DIR": s.project(),
		"HOOK_SESSION_PID":   s.number,
		"HOOK_GUARD_PID":     s.number,
	}
	if s.o.EmptyHome || s.c.Layer == suites.Live {
		set["HOME"] = filepath.Join(s.dir, "home")
	}
	s.env = process.With(process.With(s.o.Env, set), s.expanded(s.c.Env))
}

func (s *sandbox) expanded(vars map[string]string) map[string]string {
	out := make(map[string]string, len(vars))
	for k, v := range vars {
		out[k] = s.expand.Replace(v)
	}
	return out
}

// variables are the settings of env by name; the last of a name counts.
func variables(env []string) map[string]string {
	set := make(map[string]string, len(env))
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		set[name] = value
	}
	return set
}
