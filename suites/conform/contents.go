package conform

import (
	"fmt"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/pattern"
)

// contents judges the text of the scripts that hooks run.
func (t Tree) contents() (all []Finding) {
	var seen []string
	for _, h := range t.hooks() {
		for _, s := range h.Scripts {
			if !slices.Contains(seen, s) && isCode(s) {
				seen = append(seen, s)
				for _, f := range append(judgeText(h, s, t.read(s)), t.misspelt(h, s)...) {
					all = append(all, f.forEvent(h.Event))
				}
			}
		}
	}
	return all
}

// misspelt judges variables that a shell script reads under a name that nothing sets.
func (t Tree) misspelt(h discover.Hook, name string) (all []Finding) {
	if !strings.HasSuffix(name, ".sh") {
		return nil
	}
	var others []string
	for _, s := range h.Scripts {
		if s != name && strings.HasSuffix(s, ".sh") {
			others = append(others, t.read(s))
		}
	}
	code := t.read(name)
	for _, m := range Misspellings(code, others...) {
		f := FindingOf("unset-variable", h.ID, place(name, code, m.At), fmt.Sprintf("%s reads %s, which nothing sets; it sets %s", name, m.Name, m.Meant), suites.Warning)
		f.Effect, f.Remedy = "it is empty, unless the environment happens to have it", "read "+m.Meant
		all = append(all, f)
	}
	return all
}

func isCode(s string) bool {
	return !slices.ContainsFunc([]string{".json", ".md", ".yaml", ".yml", ".toml", ".txt"}, func(end string) bool { return strings.HasSuffix(s, end) })
}

func judgeText(h discover.Hook, name, text string) (all []Finding) {
	hook := h.ID
	code := withoutComments(text)
	for _, v := range Variables(code, strings.HasSuffix(name, ".sh")) {
		all = append(all, FindingOf("unset-variable", hook, place(name, code, v.At), name+" reads "+v.Name+", which is never set", suites.Warning))
	}
	for _, u := range Certain(code) {
		if h.Event == "PostToolUseFailure" && u.Meant == "tool_response" {
			u.Meant = "error" // a call that failed has no response
		}
		all = append(all, misread(hook, misreading{name, code, u}))
	}
	if !strings.HasSuffix(name, ".sh") {
		return all
	}
	if strings.Contains(code, "claude") {
		if at := startsClient().FindStringIndex(code); at != nil {
			all = append(all, FindingOf("starts-client", hook, place(name, code, at[0]), name+" runs claude"))
		}
	}
	if at := notPortable().FindStringIndex(code); at != nil {
		all = append(all, FindingOf("not-portable", hook, place(name, code, at[0]), name+" uses "+strings.Trim(code[at[0]:at[1]], "\n ;&|('\"")))
	}
	return all
}

// A misreading is a script's use of a field that the client sends under another name.
type misreading struct {
	script string
	code   string
	use    Use
}

// misread says that a script reads a field in vain.
func misread(hook string, m misreading) Finding {
	f := FindingOf("unknown-field", hook, place(m.script, m.code, m.use.At), m.script+" reads "+m.use.Name+"; the client sends "+m.use.Meant)
	f.Remedy = "read " + m.use.Meant
	return f
}

// notPortable are options and programs of GNU alone.
var notPortable = pattern.Lazy(`(?m)\bgrep\s+-[a-zA-Z]*P|\bsed\s+-i\s+['"s]|\bdate\s+(?:-d|--date)|(?:^|[;&|]|[^(]\()\s*(?:timeout\s+(?:-[a-zA-Z-]|[\d"$])|(?:flock|tac)\s)`)

// startsClient is a shell's call of the client.
var startsClient = pattern.Lazy(`(?m)(^|[;&|(]|\$\()\s*(exec |timeout \d+\w? |nohup )*claude\s+(-p|--print)\b`)

func place(name, text string, at int) suites.Position {
	line := strings.Count(text[:at], "\n") + 1
	return suites.Position{File: name, Line: line, Column: at - strings.LastIndexByte(text[:at], '\n')}
}
