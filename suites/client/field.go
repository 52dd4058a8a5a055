package client

import "slices"

// A ValueKind is what a known key's value must be for the client to accept it.
type ValueKind string

// The kinds of values.
const (
	AString     ValueKind = "a string"
	ABoolean    ValueKind = "true or false"
	AnObject    ValueKind = "an object"
	AnArray     ValueKind = "an array"
	SomeStrings ValueKind = "an array of strings"
	Anything    ValueKind = "anything"
	ADuration   ValueKind = "a number above zero"
	ACount      ValueKind = "a whole number from 1 on"
	AnAddress   ValueKind = "a URL"
)

// A Field is a key that the client accepts in a hook's output.
type Field struct {
	Name     string
	Kind     ValueKind
	Values   []string // one of these, where it is a word of a list
	Fields   []Field  // of an object whose keys are checked
	Since    Version  // first version that knows it; "" is all
	Required bool     // of the object that it is in
}

// topFields are the keys of the output itself; schema of 2.1.197. Unknown keys
// are accepted and dropped without a word; observed.
var topFields = []Field{
	{Name: "continue", Kind: ABoolean},
	{Name: "suppressOutput", Kind: ABoolean},
	{Name: "stopReason", Kind: AString},
	{Name: "decision", Kind: AString, Values: []string{"approve", "block"}},
	{Name: "reason", Kind: AString},
	{Name: "systemMessage", Kind: AString},
	{Name: "terminalSequence", Kind: AString},
	{Name: "hookSpecificOutput", Kind: AnObject},
}

// asyncFields are the keys of the other form of output, by which a hook goes on
// in the background.
var asyncFields = []Field{{Name: "async", Kind: ABoolean}, {Name: "asyncTimeout", Kind: Anything}}

var (
	context  = Field{Name: "additionalContext", Kind: AString}
	title    = Field{Name: "sessionTitle", Kind: AString}
	watched  = Field{Name: "watchPaths", Kind: SomeStrings}
	suppress = Field{Name: "suppressOriginalPrompt", Kind: ABoolean}
	because  = Field{Name: "permissionDecisionReason", Kind: AString}
	answers  = []Field{
		{Name: "action", Kind: AString, Values: []string{"accept", "decline", "cancel"}}, {Name: "content", Kind: AnObject},
	}
)

func permission(words ...string) Field {
	return Field{Name: "permissionDecision", Kind: AString, Values: words}
}

func newer(f Field) Field {
	f.Since = V329
	return f
}

// specificFields are the keys of hookSpecificOutput by event; schema of 2.1.197,
// and those that are newer observed on client 2.1.330. An event that is missing
// here accepts no hookSpecificOutput at all.
var specificFields = map[string][]Field{
	"PreToolUse": {
		permission("allow", "deny", "ask", "defer"), because, {Name: "updatedInput", Kind: AnObject}, context,
		newer(Field{Name: "permissionDisplay", Kind: Anything}),
	},
	"UserPromptSubmit":    {context, title, suppress},
	"UserPromptExpansion": {context, newer(suppress)},
	"SessionStart": {
		context, {Name: "initialUserMessage", Kind: AString}, title, watched, {Name: "reloadSkills", Kind: ABoolean},
	},
	"Setup":              {context},
	"SubagentStart":      {context},
	"Notification":       {context},
	"PostToolUseFailure": {context},
	"PostToolBatch":      {context},
	"Stop":               {context},
	"SubagentStop":       {context},
	"PostToolUse": {
		context, {Name: "updatedToolOutput", Kind: Anything}, {Name: "updatedMCPToolOutput", Kind: Anything},
		newer(Field{Name: "classifierContext", Kind: Anything}),
	},
	"PermissionRequest": {{Name: "decision", Kind: AnObject, Fields: []Field{
		{Name: "behavior", Kind: AString, Values: []string{"allow", "deny"}, Required: true},
		{Name: "updatedInput", Kind: AnObject}, {Name: "updatedPermissions", Kind: AnArray},
		{Name: "message", Kind: AString}, {Name: "interrupt", Kind: ABoolean},
	}}},
	"PermissionDenied":  {{Name: "retry", Kind: ABoolean}},
	"Elicitation":       answers,
	"ElicitationResult": answers,
	"CwdChanged":        {watched},
	"FileChanged":       {watched},
	"WorktreeCreate":    {{Name: "worktreePath", Kind: AString}},
	"MessageDisplay":    {{Name: "displayContent", Kind: AString}},
	"PreModelSwitch":    {newer(permission("allow", "deny", "ask")), newer(because)},
	"PostModelSwitch":   {newer(context)},
}

// TopFields lists the keys of the output itself.
func TopFields() []Field { return slices.Clone(topFields) }

// AsyncFields lists those of an output by which a hook goes on in the background.
func AsyncFields() []Field { return slices.Clone(asyncFields) }

// SpecificFields lists the keys of hookSpecificOutput that a client of version v
// accepts from a hook of the event.
func SpecificFields(v Version, event string) []Field {
	return slices.DeleteFunc(slices.Clone(specificFields[event]), func(f Field) bool { return !v.Since(f.Since) })
}

// fieldNamed finds a field by its name.
func fieldNamed(fields []Field, name string) (Field, bool) {
	at := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
	if at < 0 {
		return Field{}, false
	}
	return fields[at], true
}

// Holds reports whether a decoded JSON value is of the kind. null is of no kind
// but anything.
func (k ValueKind) Holds(value any) bool {
	switch value := value.(type) {
	case string:
		return k == AString || k == Anything
	case bool:
		return k == ABoolean || k == Anything
	case map[string]any:
		return k == AnObject || k == Anything
	case []any:
		return k == Anything || k == AnArray || k == SomeStrings && allStrings(value)
	default:
		return k == Anything
	}
}

func allStrings(values []any) bool {
	return !slices.ContainsFunc(values, func(value any) bool {
		_, ok := value.(string)
		return !ok
	})
}
