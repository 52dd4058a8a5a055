package contract

import (
	"fmt"
	"slices"
)

// A kind is what a known key's value must be for the client to accept the output.
type kind string

const (
	aString     kind = "a string"
	aBoolean    kind = "true or false"
	anObject    kind = "an object"
	anArray     kind = "an array"
	someStrings kind = "an array of strings"
	anything    kind = "anything"
)

// topLevel are the keys of the output itself; schema of 2.1.197. Unknown keys
// are accepted and dropped without a word; observed.
var topLevel = map[string]kind{
	"continue":           aBoolean,
	"suppressOutput":     aBoolean,
	"stopReason":         aString,
	"decision":           aString,
	"reason":             aString,
	"systemMessage":      aString,
	"terminalSequence":   aString,
	"hookSpecificOutput": anObject,
}

// specific are the keys of hookSpecificOutput by event; schema of 2.1.197. An
// event that is missing here accepts no hookSpecificOutput at all.
var specific = map[string]map[string]kind{
	"PreToolUse": {
		"permissionDecision": aString, "permissionDecisionReason": aString,
		"updatedInput": anObject, "additionalContext": aString,
	},
	"UserPromptSubmit":    {"additionalContext": aString, "sessionTitle": aString, "suppressOriginalPrompt": aBoolean},
	"UserPromptExpansion": {"additionalContext": aString},
	"SessionStart": {
		"additionalContext": aString, "initialUserMessage": aString, "sessionTitle": aString,
		"watchPaths": someStrings, "reloadSkills": aBoolean,
	},
	"Setup":              {"additionalContext": aString},
	"SubagentStart":      {"additionalContext": aString},
	"Notification":       {"additionalContext": aString},
	"PostToolUseFailure": {"additionalContext": aString},
	"PostToolBatch":      {"additionalContext": aString},
	"Stop":               {"additionalContext": aString},
	"SubagentStop":       {"additionalContext": aString},
	"PostToolUse":        {"additionalContext": aString, "updatedToolOutput": anything, "updatedMCPToolOutput": anything},
	"PermissionRequest":  {"decision": anObject},
	"PermissionDenied":   {"retry": aBoolean},
	"Elicitation":        {"action": aString, "content": anObject},
	"ElicitationResult":  {"action": aString, "content": anObject},
	"CwdChanged":         {"watchPaths": someStrings},
	"FileChanged":        {"watchPaths": someStrings},
	"WorktreeCreate":     {"worktreePath": aString},
	"MessageDisplay":     {"displayContent": aString},
}

// behaviours are the keys of PermissionRequest's decision.
var behaviours = map[string]kind{
	"updatedInput": anObject, "updatedPermissions": anArray, "message": aString, "interrupt": aBoolean,
}

// invalid says why the client's validation refuses the output, or "". One bad
// value drops the whole output; observed.
func invalid(event string, output map[string]any) string {
	if reason := mistyped("", topLevel, output); reason != "" {
		return reason
	}
	if decision, given := output["decision"].(string); given && !slices.Contains([]string{"approve", "block"}, decision) {
		return fmt.Sprintf("decision %q is neither approve nor block", decision)
	}
	nested, given := output["hookSpecificOutput"].(map[string]any)
	if !given {
		return ""
	}
	return invalidSpecific(event, nested)
}

func invalidSpecific(event string, nested map[string]any) string {
	const prefix = "hookSpecificOutput."
	switch name, given := nested["hookEventName"]; {
	case !given:
		return "hookSpecificOutput has no hookEventName"
	case name != event:
		return fmt.Sprintf("hookEventName is %v, but the event is %s", name, event)
	}
	keys, accepted := specific[event]
	if !accepted {
		return event + " takes no hookSpecificOutput"
	}
	if reason := mistyped(prefix, keys, nested); reason != "" {
		return reason
	}
	decision, given := nested["permissionDecision"].(string)
	if given && event == "PreToolUse" && !slices.Contains([]string{"allow", "deny", "ask", "defer"}, decision) {
		return fmt.Sprintf("permissionDecision %q is none of allow, deny, ask and defer", decision)
	}
	if event == "PermissionRequest" {
		return invalidBehaviour(nested["decision"])
	}
	return ""
}

func invalidBehaviour(value any) string {
	decision, given := value.(map[string]any)
	if !given {
		return ""
	}
	if behaviour := decision["behavior"]; behaviour != "allow" && behaviour != "deny" {
		return fmt.Sprintf("hookSpecificOutput.decision.behavior is %v, neither allow nor deny", behaviour)
	}
	return mistyped("hookSpecificOutput.decision.", behaviours, decision)
}

// mistyped names the first known key, by name, whose value is of another kind.
// null is of no kind.
func mistyped(prefix string, keys map[string]kind, output map[string]any) string {
	names := make([]string, 0, len(output))
	for name := range output {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if want, known := keys[name]; known && !want.holds(output[name]) {
			return fmt.Sprintf("%s%s is not %s", prefix, name, want)
		}
	}
	return ""
}

func (k kind) holds(value any) bool {
	switch value := value.(type) {
	case string:
		return k == aString || k == anything
	case bool:
		return k == aBoolean || k == anything
	case map[string]any:
		return k == anObject || k == anything
	case []any:
		return k == anything || k == anArray || k == someStrings && allStrings(value)
	default:
		return k == anything
	}
}

func allStrings(values []any) bool {
	return !slices.ContainsFunc(values, func(value any) bool {
		_, ok := value.(string)
		return !ok
	})
}

// unknownKeys names the keys that the client drops without a word.
func unknownKeys(event string, output map[string]any) []string {
	var unknown []string
	for name := range output {
		if _, known := topLevel[name]; !known {
			unknown = append(unknown, name)
		}
	}
	nested, _ := output["hookSpecificOutput"].(map[string]any)
	for name := range nested {
		if _, known := specific[event][name]; !known && name != "hookEventName" {
			unknown = append(unknown, "hookSpecificOutput."+name)
		}
	}
	slices.Sort(unknown)
	return unknown
}
