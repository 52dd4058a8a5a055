package verdict

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"hookwatch/suites"
)

// judgeChange compares what happened to the files that the path names, which may
// be a pattern, with what is expected: one of them for a change, all for none.
func judgeChange(add addFunc, e suites.FileExpectation, changes []suites.Change) {
	var met []string
	for _, c := range changes {
		if !matchesPath(e.Path, c.Path) {
			continue
		}
		if c.Kind == e.Change {
			return
		}
		met = append(met, string(c.Kind)+" "+c.Path)
	}
	switch {
	case e.Change == suites.Untouched && len(met) == 0:
	case len(met) == 0:
		add("file "+e.Path, "untouched", string(e.Change))
	case e.Change == suites.Untouched:
		add("file "+e.Path, atMost(met, 3), "untouched")
	default:
		add("file "+e.Path, atMost(met, 3), string(e.Change))
	}
}

// matchesPath compares a template with a changed path. The names of directories
// in braces are no alternatives.
func matchesPath(template, path string) bool {
	if !strings.HasPrefix(template, "{") && !strings.HasPrefix(template, "/") && !strings.HasPrefix(template, "~") {
		template = "{tmp}/" + template
	}
	pattern := strings.NewReplacer("{", `\{`, "}", `\}`).Replace(template)
	ok, err := doublestar.Match(pattern, strings.TrimSuffix(path, "/"))
	return err == nil && ok
}

func atMost(items []string, n int) string {
	if len(items) > n {
		items = append(items[:n:n], "...")
	}
	return strings.Join(items, ", ")
}

type addFunc func(field, got, want string)
