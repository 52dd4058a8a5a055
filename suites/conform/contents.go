package conform

import (
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// A field that the event does not have, and the one that was meant.
var unknownFields = []struct{ name, meant string }{
	{"tool_result", "tool_response"}, {"tool_output", "tool_response"}, {"user_prompt", "prompt"}, {"toolName", "tool_name"},
	{"toolInput", "tool_input"}, {"hookEventName", "hook_event_name"}, {"sessionId", "session_id"},
}

// contents judges the text of the scripts that hooks run.
func (t Tree) contents() (all []Finding) {
	var seen []string
	for _, h := range t.hooks() {
		for _, s := range h.Scripts {
			if !slices.Contains(seen, s) && isCode(s) {
				seen = append(seen, s)
				all = append(all, judgeText(h.ID, s, t.read(s))...)
			}
		}
	}
	return all
}

func isCode(s string) bool {
	return !slices.ContainsFunc([]string{".json", ".md", ".yaml", ".yml", ".toml", ".txt"}, func(end string) bool { return strings.HasSuffix(s, end) })
}

func judgeText(hook, name, text string) (all []Finding) {
	code := withoutComments(text)
	for _, v := range neverSet {
		if !strings.Contains(code, v) {
			continue // most scripts: an expression costs more
		}
		uses := regexp.MustCompile(`\$(\{` + v + `\}|` + v + `\b)|environ(\.get\(|\[)["']` + v + `["']\]?\)?|process\.env\.` + v + `\b`)
		at := uses.FindStringIndex(code)
		if at == nil || regexp.MustCompile(`(?m)(^|[\s;])`+v+`=`).MatchString(code) || strings.HasPrefix(v, "TOOL_") && !strings.HasSuffix(name, ".sh") {
			continue
		}
		all = append(all, found("unset-variable", hook, place(name, code, at[0]), name+" reads "+v+", which is never set", suites.Warning))
	}
	for _, f := range unknownFields {
		if !strings.Contains(code, f.name) {
			continue
		}
		reads := regexp.MustCompile(`jq [^\n]*'[^'\n]*\.` + f.name + `\b|\.get\(["']` + f.name + `["']|\[["']` + f.name + `["']\]|(?:input|data|payload|event)\.` + f.name + `\b`)
		at := reads.FindStringIndex(code)
		if at == nil || regexp.MustCompile(`\b`+f.meant+`\b`).MatchString(code) {
			continue // it tries both
		}
		all = append(all, found("unknown-field", hook, place(name, code, at[0]), name+" reads "+f.name+"; the client sends "+f.meant))
	}
	if at := startsClient().FindStringIndex(code); at != nil && strings.HasSuffix(name, ".sh") {
		all = append(all, found("starts-client", hook, place(name, code, at[0]), name+" runs claude"))
	}
	if at := notPortable().FindStringIndex(code); at != nil && strings.HasSuffix(name, ".sh") {
		all = append(all, found("not-portable", hook, place(name, code, at[0]), name+" uses "+strings.Trim(code[at[0]:at[1]], "\n ;&|('\"")))
	}
	return all
}

// notPortable are options and programs of GNU alone.
var notPortable = pattern.Lazy(`(?m)\bgrep\s+-[a-zA-Z]*P|\bsed\s+-i\s+['"s]|\bdate\s+(?:-d|--date)|(^|[;&|(])\s*(?:timeout|flock|tac)\s`)

// startsClient is a shell's call of the client.
var startsClient = pattern.Lazy(`(?m)(^|[;&|(]|\$\()\s*(exec |timeout \d+\w? |nohup )*claude\s+(-p|--print)\b`)

// withoutComments blanks lines that are comments, so that places stay.
func withoutComments(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if s := strings.TrimSpace(l); strings.HasPrefix(s, "#") || strings.HasPrefix(s, "//") {
			lines[i] = strings.Repeat(" ", len(l))
		}
	}
	return strings.Join(lines, "\n")
}

func place(name, text string, at int) suites.Position {
	line := strings.Count(text[:at], "\n") + 1
	return suites.Position{File: name, Line: line, Column: at - strings.LastIndexByte(text[:at], '\n')}
}
