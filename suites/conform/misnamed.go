package conform

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites/pattern"
)

// A Field is read under one name and sent under another.
type Field struct {
	Name, Meant string
	// seen reports whether a use needs proof that the client's field is meant.
	seen seen
}

type seen int

const (
	never    seen = iota // a common name elsewhere: proved only if the hook does more with the field
	filtered             // certain only in filters of the input, because programs may use the name for values of their own
	anywhere
)

var fields = []Field{
	{"tool_result", "tool_response", anywhere}, {"tool_output", "tool_response", anywhere}, {"toolResult", "tool_response", never}, {"output", "tool_response", never}, {"result", "tool_response", never},
	{"user_prompt", "prompt", anywhere}, {"user_message", "prompt", never}, {"userPrompt", "prompt", never}, {"user_input", "prompt", never}, {"message", "prompt", never},
	{"toolName", "tool_name", anywhere}, {"tool", "tool_name", never},
	{"toolInput", "tool_input", anywhere}, {"tool_args", "tool_input", never}, {"parameters", "tool_input", never}, {"params", "tool_input", never},
	{"hookEventName", "hook_event_name", anywhere}, {"hook_event", "hook_event_name", never}, {"event_name", "hook_event_name", never}, {"hook_name", "hook_event_name", never},
	{"sessionId", "session_id", anywhere}, {"working_directory", "cwd", never}, {"transcriptPath", "transcript_path", never},
	{"agent_name", "agent_type", filtered}, {"subagent_name", "agent_type", filtered}, {"subagent_type", "agent_type", never},
}

// A Use is a place at which a text reads a field, as an offset.
type Use struct {
	Field
	At int
}

// Certain returns the fields that a text certainly reads under a wrong name, one for each intended
// field.
func Certain(code string) (out []Use) {
	for _, u := range uses(code) {
		if u.seen == filtered && !strings.Contains(code[max(0, u.At-200):u.At], "jq ") {
			continue
		}
		if elsewhere(code, u.At) {
			continue
		}
		if u.seen != never && !slices.ContainsFunc(out, func(o Use) bool { return o.Meant == u.Meant }) {
			out = append(out, u)
		}
	}
	return out
}

// elsewhere reports whether the value read at an offset is not the hook's input: a jq filter of a
// file or of its lines, or, if a program parses stdin, a value that does not come from it.
func elsewhere(code string, at int) bool {
	begin := strings.LastIndexByte(code[:at], '\n') + 1
	line, _, _ := strings.Cut(code[begin:], "\n")
	if strings.Contains(line, "jq ") {
		return ofFile().MatchString(line)
	}
	inputs := ofInput().FindAllStringSubmatch(code, -1)
	m := receiver().FindStringSubmatch(code[begin:at])
	if len(inputs) == 0 || m == nil {
		return false
	}
	return !slices.ContainsFunc(inputs, func(in []string) bool { return in[1] == m[1] })
}

var (
	// ofFile matches a line in which jq reads a file, or the output of tail, grep or cat for one.
	ofFile = pattern.Lazy(`\b(?:tail|head|tac|grep|cat)\s[^|]*[$/.][^|]*\|\s*jq\b|\bjq\b[^|<]*['"]\s+"?[$./~][\w{./]|\bjq\b[^|]*[^<]<\s+"?[$./~]`)
	// ofInput matches an assignment of a program's parsed standard input.
	ofInput = pattern.Lazy(`(\w+)\s*(?::[^=\n]+)?=\s*(?:json\.loads?\(\s*(?:sys\.stdin|raw|data|text|stdin|input|payload|content)|JSON\.parse\(\s*(?:fs\.readFileSync\((?:0|['"]/dev/stdin)|require\(|raw|data|text|stdin|input|payload|buf|chunks))`)
	// receiver matches the name before a field that is read.
	receiver = pattern.Lazy(`(\w+)(?:\.get\(["']|\[["']|\.)$`)
)

// Sent returns the fields that a text may read under a wrong name and that the client sends in a
// payload under the intended name.
func Sent(code string, payload json.RawMessage) (out []Use) {
	sent := map[string]json.RawMessage{}
	_ = json.Unmarshal(payload, &sent) // a payload that is not an object has no fields
	for _, u := range uses(code) {
		_, known := sent[u.Name]
		if _, there := sent[u.Meant]; there && !known {
			out = append(out, u)
		}
	}
	return out
}

// uses returns the fields that a text reads under a wrong name and never under the client's,
// because a text that tries both names is correct.
func uses(code string) (out []Use) {
	for _, f := range fields {
		if !strings.Contains(code, f.Name) {
			continue // most texts: skip the costly expression
		}
		reads := regexp.MustCompile(`jq [^\n]*?[\s'"(|,{\[:]\.` + f.Name + `\b|\.get\(["']` + f.Name + `["']|\[["']` + f.Name + `["']\]|\b(?:input|data|payload|event)\.` + f.Name + `\b`)
		at := reads.FindStringIndex(code)
		if at == nil || regexp.MustCompile(`["'.]`+f.Meant+`\b`).MatchString(code) {
			continue
		}
		out = append(out, Use{f, at[0] + strings.LastIndex(code[at[0]:at[1]], f.Name)})
	}
	return out
}

// WithUses returns a payload with additional copies of fields, under the names by which they are
// read.
func WithUses(payload json.RawMessage, all []Use) json.RawMessage {
	sent := map[string]json.RawMessage{}
	if json.Unmarshal(payload, &sent) != nil {
		return payload
	}
	for _, u := range all {
		sent[u.Name] = sent[u.Meant]
	}
	text, err := json.Marshal(sent)
	if err != nil {
		return payload
	}
	return text
}

// neverSet are variables that hook authors read and no observed client sets.
var neverSet = []string{
	"CLAUDE_TOOL_INPUT", "CLAUDE_TOOL_NAME", "CLAUDE_TOOL_OUTPUT", "CLAUDE_FILE_PATH", "CLAUDE_FILE_PATHS", "CLAUDE_NOTIFICATION",
	"CLAUDE_TOOL_RESULT", "CLAUDE_TOOL_INPUT_FILE_PATH", "CLAUDE_TOOL_INPUT_COMMAND", "CLAUDE_USER_PROMPT", "CLAUDE_HOOK_EVENT", "TOOL_INPUT", "TOOL_NAME", "TOOL_SUCCESS", "TOOL_EXIT_CODE",
}

// NeverSet reports whether a variable is in the list, or is made of a field's name, such as
// CLAUDE_TOOL_INPUT_FILE_PATH and TOOL_INPUT_command.
func NeverSet(variable string) bool {
	return slices.Contains(neverSet, variable) || fieldVariable().MatchString(variable)
}

var fieldVariable = pattern.Lazy(`^(CLAUDE_)?TOOL_(INPUT|RESULT|RESPONSE|OUTPUT)_\w+$`)

// A Variable is a place at which a text reads a variable, as an offset.
type Variable struct {
	Name string
	At   int
}

// Variables returns the variables of a script that neither a client nor the script sets. Names that
// do not refer to the client are only looked for in shell scripts.
func Variables(code string, shell bool) (out []Variable) {
	for _, v := range neverSet {
		if !strings.Contains(code, v) || strings.HasPrefix(v, "TOOL_") && !shell {
			continue // most scripts: skip the costly expression
		}
		uses := regexp.MustCompile(`\$(\{` + v + `\}|` + v + `\b)|environ(\.get\(|\[)["']` + v + `["']\]?\)?|process\.env\.` + v + `\b`)
		at := uses.FindStringIndex(code)
		if at == nil || regexp.MustCompile(`(?m)(^|[\s;])`+v+`=`).MatchString(code) {
			continue
		}
		out = append(out, Variable{v, at[0]})
	}
	return out
}

// TraceScripts is the variable, with its value, that makes bash scripts print their commands to
// stderr.
var TraceScripts = map[string]string{"SHELLOPTS": "xtrace"}

var traced = pattern.Lazy(`^\++ (.*)$`)

// idle are words of the shell that have no effect by themselves.
var idle = []string{"for", "case", "export", "local", "declare", "readonly", "read", "set", "shift", "[", "[[", "test", "((", "true", ":", "return", "exit", "break", "echo", "printf"}

// BeyondTrace returns the first command of a trace whose first word does not occur in another
// trace; "" if there is none.
func BeyondTrace(trace, other string) string {
	known := append(words(other), idle...)
	for _, line := range commands(trace) {
		if word, _, _ := strings.Cut(line, " "); !strings.Contains(word, "=") && !slices.Contains(known, word) {
			return line
		}
	}
	return ""
}

func commands(trace string) (out []string) {
	for line := range strings.Lines(trace) {
		if m := traced().FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			out = append(out, m[1])
		}
	}
	return out
}

func words(trace string) (out []string) {
	for _, line := range commands(trace) {
		word, _, _ := strings.Cut(line, " ")
		out = append(out, word)
	}
	return out
}
