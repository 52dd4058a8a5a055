//go:build unix

package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestConfigKeys checks the properties of keys that scripts and cases use or not.
func TestConfigKeys(t *testing.T) {
	t.Parallel()
	const document = `{"$schema": "x", "_comment": "y",
  "mode": "a",
  "rules": {"one": true, "two": [1, 2]},
  "gone": {"deep": {"est": 1}}
}`
	explicit := guard + "jq -r '.mode, .rules.one' hooks/config.json\n"
	whole := guard + "# est\njq -c . hooks/config.json | grep \"$one\" rules_two mode\n"
	all := "config.json:2 mode, config.json:3 rules.one, config.json:3 rules.two, config.json:4 gone.deep.est"
	tests := map[string]struct{ script, cases, unread, uncovered string }{
		"no script at all":        {guard, "expect: {exit: 0}", all, all},
		"filters that spell out":  {explicit, "expect: {exit: 0}", "config.json:3 rules.two, config.json:4 gone.deep.est", all},
		"a script that reads all": {whole, "expect: {exit: 0}", "config.json:4 gone.deep.est", all},
		"a case that sets": {explicit, `project: {files: {hooks/config.json: '{"mode": 1, "rules": {"two": []}, "gone": {"deep": true}}'}}, expect: {exit: 0}`,
			"config.json:3 rules.two, config.json:4 gone.deep.est", "config.json:3 rules.one, config.json:4 gone.deep.est"},
		"a fixture that sets": {explicit, `fixtures: [{path: '{project}/hooks/config.json', content: '{"gone": {"deep": {"est": {"more": 1}}}}'}], expect: {exit: 0}`,
			"config.json:3 rules.two, config.json:4 gone.deep.est", "config.json:2 mode, config.json:3 rules.one, config.json:3 rules.two"},
		"a torn one sets nothing": {explicit, `project: {files: {hooks/config.json: '{"mode": 1'}}, expect: {exit: 0}`,
			"config.json:3 rules.two, config.json:4 gone.deep.est", all},
		"a marker for it, or the object around": {explicit, `verify: [hooks/config.json §mode, hooks/config.json §deep], expect: {exit: 0}`,
			"config.json:3 rules.two, config.json:4 gone.deep.est", "config.json:3 rules.one, config.json:3 rules.two"},
		"a marker for what is further up": {explicit, `verify: [hooks/config.json §gone, hooks/config.json], expect: {exit: 0}`,
			"config.json:3 rules.two, config.json:4 gone.deep.est", all},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newProjectFiles(t, map[string]string{
				"hooks/guard.sh": tt.script, "hooks/config.json": document, "suites/s.yaml": oneCase("A1", tt.cases),
			})
			var unread, uncovered []string
			for _, k := range ConfigKeys(s.Load(Filter{})) {
				at := fmt.Sprintf("%s:%d %s", strings.TrimPrefix(k.File, "hooks/"), k.Line, k.Key)
				if !k.Read {
					unread = append(unread, at)
				}
				if !k.Covered {
					uncovered = append(uncovered, at)
				}
			}
			for what, pair := range map[string][2]string{"unread": {tt.unread, sortedKeys(unread)}, "uncovered": {tt.uncovered, sortedKeys(uncovered)}} {
				if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
					t.Errorf("%s: -want +got\n%s", what, diff)
				}
			}
		})
	}
}

// sortedKeys sorts places by their lines.
func sortedKeys(at []string) string {
	slices.Sort(at)
	return strings.Join(at, ", ")
}

func TestHasWord(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"tsgo": true, "a.tsgo ": true, "is_tsgo_on": true, "tsgolint": false, "xtsgo tsgo2": false, "tsgolint tsgo": true, "": false, "TSGO": false,
	} {
		if got := hasWord(text, "tsgo"); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
