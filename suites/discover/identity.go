package discover

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"path/filepath"
	"strings"

	"hookwatch/suites/client"
)

// identify makes a hook's ID: what a person recognises it by, and a hash of what
// makes it this hook. Neither its place among others nor the machine's paths
// count, nor do white space, quotes and the order of a matcher's names.
func identify(scope string, hook Hook, body string) string {
	matches := hook.Matcher
	if names := client.MatcherNames(matches); names != nil {
		matches = strings.Join(names, "|")
	}
	parts := append([]string{scope, hook.Event, matches, hook.Type, hook.If, normalise(hook.Command, hook.Root), body}, hook.Args...)
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hook.Event + "-" + hook.shortName() + "-" + hex.EncodeToString(sum[:4])
}

// normalise writes a command in one way: the project's own path as the variable
// that stands for it, no quotes, single spaces.
func normalise(command, root string) string {
	const variable = "$CLAUDE_PROJECT_DIR"
	command = strings.NewReplacer(
		root+string(filepath.Separator), variable+"/", "${CLAUDE_PROJECT_DIR}", variable, `"`, "", "'", "",
	).Replace(command)
	return strings.Join(strings.Fields(command), " ")
}

// scopeName names a settings file in an ID: by its path in the project, and by
// its last two elements when it lies outside, so that no home directory counts.
func scopeName(name string) string {
	if !filepath.IsAbs(filepath.FromSlash(name)) {
		return name
	}
	return "outside:" + path.Join(path.Base(path.Dir(name)), path.Base(name))
}
