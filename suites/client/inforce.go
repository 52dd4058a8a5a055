package client

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// The names of hooks: one with a mistake, one beside it, and one of another event.
const (
	wrongFile = "wrong"
	keptFile  = "kept"
	last      = "last"
)

// hook is one without a mistake; more are keys besides.
func hook(name string, more string) string {
	command, err := json.Marshal(InForceCommand(name))
	if err != nil { // text always encodes
		return ""
	}
	return `{"type":"command","command":` + string(command) + more + `}`
}

// groupsFile is a settings file with groups of an event, and a hook of SessionEnd.
func groupsFile(event, groups string) string {
	return `{"hooks":{"` + event + `":[` + groups + `],"SessionEnd":[{"hooks":[` + hook(last, "") + `]}]}}`
}

func group(hooks ...string) string { return `{"hooks":[` + strings.Join(hooks, ",") + `]}` }

// Files are the measured settings files.
func Files() []InForceFile {
	all := append(wrongHooks(), wrongGroups()...)
	return append(append(all, wrongFiles()...), harmless()...)
}

// under are files with a mistake under each kind of event: under PreToolUse and
// PermissionRequest it costs the file, elsewhere itself on newer clients only.
func under(title, groups string, rest ...string) (all []InForceFile) {
	for _, event := range []string{"PreToolUse", "PermissionRequest"} {
		all = append(all, InForceFile{event + " " + title, groupsFile(event, groups), nil, nil})
	}
	for _, event := range []string{"PostToolUse", "Stop"} {
		all = append(all, InForceFile{event + " " + title, groupsFile(event, groups), nil, rest})
	}
	return all
}

func wrongHooks() (all []InForceFile) {
	without := func(key string) string { return strings.Replace(hook(wrongFile, ""), key, `"x":`, 1) }
	for _, row := range []struct{ title, hook string }{
		{"timeout is text", hook(wrongFile, `,"timeout":"5"`)},
		{"timeout is 0", hook(wrongFile, `,"timeout":0`)},
		{"no type", without(`"type":`)},
		{"unknown type", strings.Replace(hook(wrongFile, ""), `"command"`, `"script"`, 1)},
		{"no command", without(`"command":`)},
		{"unknown shell", hook(wrongFile, `,"shell":"zsh"`)},
		{"statusMessage is a number", hook(wrongFile, `,"statusMessage":1`)},
		{"mcp_tool without server", `{"type":"mcp_tool","tool":"t"}`},
		{"http with a bad url", `{"type":"http","url":"not a url"}`},
	} {
		all = append(all, under(row.title, group(row.hook, hook(keptFile, "")), keptFile, last)...)
	}
	unknown := under("unknown onFailure", group(hook(wrongFile, `,"onFailure":"deny"`), hook(keptFile, "")), keptFile, last)
	for i := range unknown {
		unknown[i].Old = []string{keptFile, last, wrongFile} // which has no such key
	}
	return append(all, unknown...)
}

func wrongGroups() (all []InForceFile) {
	matcher := func(value string) string { return `{"matcher":` + value + `,"hooks":[` + hook(keptFile, "") + `]}` }
	for _, row := range []struct{ title, group string }{
		{"flat", hook(keptFile, "")},
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
	return strings.Replace(groupsFile("Stop", group(hook(keptFile, ""))), "{", "{"+setting+",", 1)
}

// wrongFiles are dropped for what is not in an entry.
func wrongFiles() (all []InForceFile) {
	good := groupsFile("Stop", group(hook(keptFile, "")))
	both := []string{keptFile, last}
	for _, row := range []struct{ title, event string }{
		{"PreToolUse is an object", `"PreToolUse":{"hooks":[]}`},
		{"an unknown event with PreToolUse hooks", `"hooks":{"PreToolUse":[` + group(hook(wrongFile, "")) + `]}`},
	} {
		all = append(all, InForceFile{row.title, strings.Replace(good, `"Stop":`, row.event+`,"Stop":`, 1), both, nil})
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
		all = append(all, InForceFile{row.event + " is " + strings.Trim(row.value, `"`), content, both, row.newer})
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
		all = append(all, InForceFile{row.title, row.content, nil, nil})
	}
	return append(all, InForceFile{"disableAllHooks", beside(`"disableAllHooks":true`), nil, nil})
}

// harmless are files of which all goes on but what is named.
func harmless() []InForceFile {
	both := []string{keptFile, last}
	return []InForceFile{
		{"extra keys", beside(`"new":1`), both, both},
		{"extra keys of a hook", groupsFile("PreToolUse", `{"extra":1,"hooks":[`+hook(keptFile, `,"extra":[]`)+`]}`), both, both},
		{"UTF-8 BOM", "\ufeff" + groupsFile("Stop", group(hook(keptFile, ""))), both, both},
		{"a bad permission rule", beside(`"permissions":{"deny":["Bash(("]}`), both, both},
		{"an unknown event", groupsFile("Whatever", group(hook(wrongFile, ""))), []string{last}, []string{last}},
		{"an event that is an object", strings.Replace(groupsFile("PostToolUse", group(hook(keptFile, ""))), `{"PostToolUse"`, `{"Stop":{"hooks":[]},"PostToolUse"`, 1), both, both},
		{"lower-case event", groupsFile("stop", group(hook(wrongFile, ""))), []string{last}, []string{last}},
		{"once", groupsFile("Stop", group(hook(keptFile, `,"once":true`))), both, both},
		{"timeout of 5000", groupsFile("Stop", group(hook(keptFile, `,"timeout":5000`))), both, both},
		{"good settings", beside(`"model":"opus","statusLine":{"type":"command","command":"x"},"outputStyle":"x","cleanupPeriodDays":1,"includeCoAuthoredBy":true,"allowedHttpHookUrls":["x"]`), both, both},
	}
}

// A InForceMatcher is the matcher of a hook, and a value that it is compared with.
type InForceMatcher struct {
	Event, Matcher, Value string
	Runs                  bool
}

// ID names the row.
func (m InForceMatcher) ID() string {
	id := "5/" + m.Event + "/matcher-" + strconv.Quote(m.Matcher)
	if m.Value != "" {
		id += "-on-" + m.Value
	}
	return id
}

// Predicted is whether hookwatch has the hook run.
func (m InForceMatcher) Predicted() bool { return Match(m.Event, m.Matcher, m.Value) }

// A InForceFile is a settings file. Old, of 2.1.197, and Newer, of 2.1.330, are the names of those
// of its hooks that run, once every event for which it has some has come.
type InForceFile struct {
	Title, Content string
	Old, Newer     []string
}

// On are the hooks that were seen to run on a version.
func (f InForceFile) On(v Version) []string {
	if v.Profile() == V197 {
		return f.Old
	}
	return f.Newer
}

// ID names the row.
func (f InForceFile) ID() string {
	return "5/settings/" + strings.ReplaceAll(strings.ReplaceAll(f.Title, "/", ""), " ", "-")
}

// Predicted are the hooks of the file that hookwatch has run on a version.
func (f InForceFile) Predicted(v Version) (names []string) {
	read, _ := ParseOn(v, "settings.json", []byte(f.Content))
	if read.DisableAllHooks.Line != 0 {
		return nil
	}
	for _, e := range read.Entries {
		_, name, _ := strings.Cut(e.Command, says)
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// The command of a hook notes its name in a file of the project.
const (
	Ran  = "ran"
	says = "; echo >>\"$CLAUDE_PROJECT_DIR\"/" + Ran + " "
)

// InForceCommand is that of the hook of a name.
func InForceCommand(name string) string { return "cat >/dev/null" + says + name }

// Matchers are the measured lines about matchers.
func Matchers() []InForceMatcher {
	const tool, say = "PreToolUse", "mcp__demo__ask"
	return []InForceMatcher{
		{tool, "", "Bash", true},
		{tool, "*", "Bash", true},
		{tool, "Edit|Bash", "Bash", true},
		{tool, "Edit , Bash ", "Bash", true},
		{tool, "Bas.", "Bash", true},
		{tool, "BASH", "Bash", false},
		{tool, "(", "Bash", false},
		{tool, "(?i:bash)", "Bash", true},
		{tool, "(?i)bash", "Bash", false},
		{tool, "Bash", "Bash", true},
		{tool, "Bash|Edit", "Bash", true},
		{tool, "Bash | Edit", "Bash", true},
		{tool, "Bash,Edit", "Bash", true},
		{tool, " Bash", "Bash", true},
		{tool, "^Bash$", "Bash", true},
		{tool, "ash$", "Bash", true},
		{tool, "B.*", "Bash", true},
		{tool, "Bash*", "Bash", true},
		{tool, "bash", "Bash", false},
		{tool, "Bas", "Bash", false},
		{tool, "Ba", "Bash", false},
		{tool, "Bash(echo *)", "Bash", false},
		{tool, "Bash(*)", "Bash", false},
		{tool, "[", "Bash", false},
		{tool, `tool == "Bash"`, "Bash", false},
		{tool, "/Bash/", "Bash", false},
		{tool, "!Edit", "Bash", false},
		{tool, "^(?!Bash$).*", "Bash", false},
		{tool, "^(?!Bash$).*", "Read", true},
		{tool, "Task", "Bash", false},
		{tool, "Task", "Agent", true},
		{tool, "^Task$", "Agent", true},
		{tool, "Tas.*", "Agent", true},
		{tool, "Bash|Task", "Agent", true},
		{tool, "KillShell", "TaskStop", true},
		{tool, "KillBash", "TaskStop", true},
		{tool, "ListPeers", "ListAgents", true},
		{tool, "mcp__demo__.*", say, true},
		{tool, "mcp__.*", say, true},
		{tool, "mcp__*", say, true},
		{tool, say, say, true},
		{tool, "mcp__demo", say, false},
		{"SubagentStart", "Task", "general-purpose", false},
		{"SubagentStart", "general-purpose", "general-purpose", true},
		{"Stop", "Bash", "", true},
		{"UserPromptSubmit", "[", "", true},
		{"SessionStart", "startup", "startup", true},
		{"SessionStart", "start", "startup", false},
		{"SessionStart", "Startup", "startup", false},
		{"StopFailure", "zzz,unknown", "unknown", false},
		{"StopFailure", "zzz|unknown", "unknown", true},
		{"StopFailure", " unknown ", "unknown", false},
		{"StopFailure", "zzz | unknown", "unknown", false},
		{"StopFailure", "zzz| unknown", "unknown", false},
		{"StopFailure", "*", "unknown", true},
		{"preToolUse", "*", "Bash", false},
	}
}
