package conform

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
)

// An Alternative is another name for a part of the payload, as a hook may write it: for a tool, for
// a field anywhere in the payload, or for a variable of the environment.
type Alternative struct {
	Name, Meant string
	Kind        AlternativeKind
}

// An AlternativeKind is the kind of thing that an alternative names.
type AlternativeKind int

// The kinds of alternatives.
const (
	AField AlternativeKind = iota
	ATool
	AVariable
)

// alternativeNames are the names by which hooks look for parts of a tool's input, or for a prompt,
// by their places in the payload. The same name may be right for other tools, so it is only proved
// wrong if the hook does more with it.
var alternativeNames = map[string][]string{
	"tool_input.command":   {"cmd", "command_line", "script", "bash_command", "commands"},
	"tool_input.file_path": {"path", "filePath", "filepath", "file", "filename", "file_name", "target_file"},
	"tool_input":           {"input", "args", "arguments", "parameters", "params", "tool_args", "toolInput"},
	"tool_name":            {"tool", "toolName", "name"},
	"prompt":               {"user_prompt", "userPrompt", "user_message", "message", "text", "content", "input", "query"},
}

// order is the order in which they are tried.
var order = []string{"tool_input.command", "tool_input.file_path", "tool_input", "tool_name", "prompt"}

// mostAlternatives is the maximum number tried for one hook.
const mostAlternatives = 4

// Alternatives returns the names in a hook's code that may be meant for a tool's name or for a
// field of its input; for prompts, tool is empty.
func Alternatives(code, tool string) (out []Alternative) {
	quoted := func(name string) bool {
		return regexp.MustCompile(`["'\s|(=]` + regexp.QuoteMeta(name) + `["'\s|)\]]`).MatchString(code)
	}
	if lower := strings.ToLower(tool); tool != "" && quoted(lower) {
		out = append(out, Alternative{Name: lower, Meant: tool, Kind: ATool})
	}
	for _, name := range neverSet {
		if regexp.MustCompile(`\b`+name+`\b`).MatchString(code) && len(out) < mostAlternatives {
			out = append(out, Alternative{Name: name, Meant: "JSON on stdin", Kind: AVariable})
		}
	}
	for _, meant := range order {
		if (meant == "prompt") != (tool == "") {
			continue
		}
		for _, name := range alternativeNames[meant] {
			if len(out) < mostAlternatives && strings.Contains(code, name) && readsMember(code, name) {
				out = append(out, Alternative{Name: name, Meant: meant})
			}
		}
	}
	return out
}

// readsMember reports whether code reads a part of a value by a name. Members of an imported
// module, as in os.path.join, do not count because they are not parts of the payload.
func readsMember(code, name string) bool {
	quoted := regexp.QuoteMeta(name)
	if regexp.MustCompile(`\.get\(["']` + quoted + `["']|\[["']` + quoted + `["']\]|[{,]\s*` + quoted + `\s*[,}]`).MatchString(code) {
		return true
	}
	for _, m := range regexp.MustCompile(`(\w*)\??\.`+quoted+`\b(?:[^(]|$)`).FindAllStringSubmatch(code, -1) {
		if m[1] == "" || !imports(code, m[1]) {
			return true
		}
	}
	return false
}

// imports reports whether code in Python or JavaScript imports a module under this name.
func imports(code, name string) bool {
	return regexp.MustCompile(`(?m)^\s*(?:import\s+(?:[^\n]*[\s,{*])?|from\s+\S+\s+import\s+(?:[^\n]*[\s,(])?)` + name + `\b|\b` + name + `\s*=\s*(?:await\s+)?(?:require|import)\(`).MatchString(code)
}

// Changes reports whether adding the alternative changes the hook's input.
func (a Alternative) Changes(payload json.RawMessage) bool {
	for _, value := range a.Set(payload) {
		return value != ""
	}
	var sent, with any
	if json.Unmarshal(payload, &sent) != nil || json.Unmarshal(a.Beside(payload), &with) != nil {
		return false
	}
	return !reflect.DeepEqual(sent, with)
}

// Set returns the variable with the value that its name suggests: the whole input of the tool, or a
// part of the payload. It is nil if a is not a variable.
func (a Alternative) Set(payload json.RawMessage) map[string]string {
	var sent struct {
		Tool   string         `json:"tool_name"`
		Input  map[string]any `json:"tool_input"`
		Prompt string         `json:"prompt"`
	}
	if a.Kind != AVariable || json.Unmarshal(payload, &sent) != nil {
		return nil
	}
	input, err := json.Marshal(sent.Input)
	value := string(input)
	text := func(key string) string { s, _ := sent.Input[key].(string); return s }
	switch {
	case err != nil:
		return nil
	case strings.HasSuffix(a.Name, "NAME"):
		value = sent.Tool
	case strings.Contains(a.Name, "PROMPT"):
		value = sent.Prompt
	case strings.Contains(a.Name, "FILE"):
		value = text("file_path")
	case strings.HasSuffix(a.Name, "COMMAND"):
		value = text("command")
	}
	return map[string]string{a.Name: value}
}

// Beside returns a payload with the alternative: a field next to the client's, or the name of the
// tool in place of the client's.
func (a Alternative) Beside(payload json.RawMessage) json.RawMessage {
	var all map[string]any
	if json.Unmarshal(payload, &all) != nil {
		return payload
	}
	switch a.Kind {
	case AVariable:
		return payload
	case ATool:
		all["tool_name"] = a.Name
	}
	place, key := all, a.Meant
	if outer, inner, nested := strings.Cut(a.Meant, "."); nested {
		key = inner
		place, _ = all[outer].(map[string]any)
	}
	if value, sent := place[key]; sent && a.Kind == AField {
		place[a.Name] = value
	}
	text, err := json.Marshal(all)
	if err != nil {
		return payload
	}
	return text
}
