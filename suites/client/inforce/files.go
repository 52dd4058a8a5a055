package inforce

import (
	"encoding/json"
	"strings"
)

// The names of hooks: one with a mistake, one beside it, and one of another event.
const (
	wrong = "wrong"
	kept  = "kept"
	last  = "last"
)

// hook is one without a mistake; more are keys besides.
func hook(name string, more string) string {
	command, err := json.Marshal(Command(name))
	if err != nil { // text always encodes
		return ""
	}
	return `{"type":"command","command":` + string(command) + more + `}`
}

// file is a settings file with groups of an event, and a hook of SessionEnd.
func file(event, groups string) string {
	return `{"hooks":{"` + event + `":[` + groups + `],"SessionEnd":[{"hooks":[` + hook(last, "") + `]}]}}`
}

func group(hooks ...string) string { return `{"hooks":[` + strings.Join(hooks, ",") + `]}` }

// Files are the measured settings files.
func Files() []File {
	all := append(wrongHooks(), wrongGroups()...)
	return append(append(all, wrongFiles()...), harmless()...)
}

// under are files with a mistake under each kind of event: under PreToolUse and
// PermissionRequest it costs the file, elsewhere itself on newer clients only.
func under(title, groups string, rest ...string) (all []File) {
	for _, event := range []string{"PreToolUse", "PermissionRequest"} {
		all = append(all, File{event + " " + title, file(event, groups), nil, nil})
	}
	for _, event := range []string{"PostToolUse", "Stop"} {
		all = append(all, File{event + " " + title, file(event, groups), nil, rest})
	}
	return all
}

func wrongHooks() (all []File) {
	without := func(key string) string { return strings.Replace(hook(wrong, ""), key, `"x":`, 1) }
	for _, row := range []struct{ title, hook string }{
		{"timeout is text", hook(wrong, `,"timeout":"5"`)},
		{"timeout is 0", hook(wrong, `,"timeout":0`)},
		{"no type", without(`"type":`)},
		{"unknown type", strings.Replace(hook(wrong, ""), `"command"`, `"script"`, 1)},
		{"no command", without(`"command":`)},
		{"unknown shell", hook(wrong, `,"shell":"zsh"`)},
		{"statusMessage is a number", hook(wrong, `,"statusMessage":1`)},
		{"mcp_tool without server", `{"type":"mcp_tool","tool":"t"}`},
		{"http with a bad url", `{"type":"http","url":"not a url"}`},
	} {
		all = append(all, under(row.title, group(row.hook, hook(kept, "")), kept, last)...)
	}
	unknown := under("unknown onFailure", group(hook(wrong, `,"onFailure":"deny"`), hook(kept, "")), kept, last)
	for i := range unknown {
		unknown[i].Old = []string{kept, last, wrong} // which has no such key
	}
	return append(all, unknown...)
}

func wrongGroups() (all []File) {
	matcher := func(value string) string { return `{"matcher":` + value + `,"hooks":[` + hook(kept, "") + `]}` }
	for _, row := range []struct{ title, group string }{
		{"flat", hook(kept, "")},
		{"matcher null", matcher("null")},
		{"matcher is a list", matcher(`["Bash"]`)},
		{"matcher is an object", matcher("{}")},
	} {
		all = append(all, under(row.title, row.group, last)...)
	}
	return all
}

// beside is a good file with one setting more.
func beside(setting string) string {
	return strings.Replace(file("Stop", group(hook(kept, ""))), "{", "{"+setting+",", 1)
}

// wrongFiles are dropped for what is not in an entry.
func wrongFiles() (all []File) {
	good := file("Stop", group(hook(kept, "")))
	both := []string{kept, last}
	for _, row := range []struct{ title, event string }{
		{"PreToolUse is an object", `"PreToolUse":{"hooks":[]}`},
		{"an unknown event with PreToolUse hooks", `"hooks":{"PreToolUse":[` + group(hook(wrong, "")) + `]}`},
	} {
		all = append(all, File{row.title, strings.Replace(good, `"Stop":`, row.event+`,"Stop":`, 1), both, nil})
	}
	for _, row := range []struct {
		event, value string
		newer        []string
	}{
		{"PreToolUse", "null", both}, {"PreToolUse", `"x"`, nil}, {"PreToolUse", "{}", nil}, {"PreToolUse", "1", nil},
		{"PermissionRequest", "null", both}, {"PermissionRequest", `"x"`, nil}, {"PermissionRequest", "{}", nil}, {"PermissionRequest", "1", nil},
		{"PostToolUse", "null", both}, {"PostToolUse", `"x"`, both}, {"SubagentStop", "null", both}, {"SubagentStop", "1", both},
	} {
		content := strings.Replace(good, `{"hooks":{`, `{"hooks":{"`+row.event+`":`+row.value+`,`, 1)
		all = append(all, File{row.event + " is " + strings.Trim(row.value, `"`), content, both, row.newer})
	}
	for _, row := range []struct{ title, content string }{
		{"wrong model", beside(`"model":1`)},
		{"wrong statusLine", beside(`"statusLine":"x"`)},
		{"statusLine of a wrong type", beside(`"statusLine":{"type":"text"}`)},
		{"wrong outputStyle", beside(`"outputStyle":[]`)},
		{"wrong cleanupPeriodDays", beside(`"cleanupPeriodDays":"30"`)},
		{"cleanupPeriodDays is 0", beside(`"cleanupPeriodDays":0`)},
		{"wrong includeCoAuthoredBy", beside(`"includeCoAuthoredBy":"no"`)},
		{"wrong allowedHttpHookUrls", beside(`"allowedHttpHookUrls":"x"`)},
		{"wrong permissions", beside(`"permissions":"x"`)},
		{"trailing comma", strings.Replace(good, "]}}", "],}}", 1)},
		{"comment", "// why\n" + good},
	} {
		all = append(all, File{row.title, row.content, nil, nil})
	}
	return append(all, File{"disableAllHooks", beside(`"disableAllHooks":true`), nil, nil})
}

// harmless are files of which all goes on but what is named.
func harmless() []File {
	both := []string{kept, last}
	return []File{
		{"extra keys", beside(`"new":1`), both, both},
		{"extra keys of a hook", file("PreToolUse", `{"extra":1,"hooks":[`+hook(kept, `,"extra":[]`)+`]}`), both, both},
		{"UTF-8 BOM", "\ufeff" + file("Stop", group(hook(kept, ""))), both, both},
		{"a bad permission rule", beside(`"permissions":{"deny":["Bash(("]}`), both, both},
		{"an unknown event", file("Whatever", group(hook(wrong, ""))), []string{last}, []string{last}},
		{"an event that is an object", strings.Replace(file("PostToolUse", group(hook(kept, ""))), `{"PostToolUse"`, `{"Stop":{"hooks":[]},"PostToolUse"`, 1), both, both},
		{"lower-case event", file("stop", group(hook(wrong, ""))), []string{last}, []string{last}},
		{"once", file("Stop", group(hook(kept, `,"once":true`))), both, both},
		{"timeout of 5000", file("Stop", group(hook(kept, `,"timeout":5000`))), both, both},
		{"good settings", beside(`"model":"opus","statusLine":{"type":"command","command":"x"},"outputStyle":"x","cleanupPeriodDays":1,"includeCoAuthoredBy":true,"allowedHttpHookUrls":["x"]`), both, both},
	}
}
