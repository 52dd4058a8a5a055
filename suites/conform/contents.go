package conform

import (
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/conform/intent"
	"hookwatch/suites/pattern"
)

// A field that the event does not have, and the one that was meant; own where programs
// may well call something of their own so, which only filters of the input do not.
var unknownFields = []struct {
	name, meant string
	own         bool
}{
	{"tool_result", "tool_response", false}, {"tool_output", "tool_response", false}, {"user_prompt", "prompt", false},
	{"toolName", "tool_name", false}, {"toolInput", "tool_input", false}, {"hookEventName", "hook_event_name", false},
	{"sessionId", "session_id", false}, {"agent_name", "agent_type", true}, {"subagent_name", "agent_type", true},
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
	code := intent.WithoutComments(text)
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
	var meant []string
	for _, f := range unknownFields {
		if !strings.Contains(code, f.name) {
			continue
		}
		reads := `jq [^\n]*'[^'\n]*\.` + f.name + `\b`
		if !f.own {
			reads += `|\.get\(["']` + f.name + `["']|\[["']` + f.name + `["']\]|(?:input|data|payload|event)\.` + f.name + `\b`
		}
		at := regexp.MustCompile(reads).FindStringIndex(code)
		if at == nil || regexp.MustCompile(`\b`+f.meant+`\b`).MatchString(code) || slices.Contains(meant, f.meant) {
			continue // it tries both, or that was said
		}
		meant = append(meant, f.meant)
		all = append(all, found("unknown-field", hook, place(name, code, at[0]), name+" reads "+f.name+"; the client sends "+f.meant))
		all[len(all)-1].Remedy = "read " + f.meant
	}
	if !strings.HasSuffix(name, ".sh") {
		return all
	}
	if strings.Contains(code, "claude") {
		if at := startsClient().FindStringIndex(code); at != nil {
			all = append(all, found("starts-client", hook, place(name, code, at[0]), name+" runs claude"))
		}
	}
	if at := notPortable().FindStringIndex(code); at != nil {
		all = append(all, found("not-portable", hook, place(name, code, at[0]), name+" uses "+strings.Trim(code[at[0]:at[1]], "\n ;&|('\"")))
	}
	return all
}

// notPortable are options and programs of GNU alone.
var notPortable = pattern.Lazy(`(?m)\bgrep\s+-[a-zA-Z]*P|\bsed\s+-i\s+['"s]|\bdate\s+(?:-d|--date)|(^|[;&|(])\s*(?:timeout|flock|tac)\s`)

// startsClient is a shell's call of the client.
var startsClient = pattern.Lazy(`(?m)(^|[;&|(]|\$\()\s*(exec |timeout \d+\w? |nohup )*claude\s+(-p|--print)\b`)

func place(name, text string, at int) suites.Position {
	line := strings.Count(text[:at], "\n") + 1
	return suites.Position{File: name, Line: line, Column: at - strings.LastIndexByte(text[:at], '\n')}
}
