package contract

import (
	"strings"
	"unicode/utf16"

	"hookwatch/suites"
)

// readDocument reads one valid JSON object. It is heeded whatever the exit code
// is; exit code 2 is a no of its own beside it.
func (c call) readDocument() Reading {
	for _, step := range []func(call) (Reading, bool){
		call.halt, call.block, call.blockByExit, call.permission, call.rewrite, call.approve,
	} {
		if reading, done := step(c); done {
			return c.addContext(reading)
		}
	}
	if reading := c.addContext(Reading{}); reading.Effect != "" {
		return reading
	}
	return c.nonZeroOr(c.nothingHeeded())
}

// halt reads continue:false.
func (c call) halt() (Reading, bool) {
	if c.output["continue"] != false {
		return Reading{}, false
	}
	switch c.event.Name {
	case "PreToolUse":
		denied := c.saysNo() || c.exit2()
		if denied && c.version.old() {
			return Reading{}, false
		}
		if denied {
			return Reading{Effect: suites.SessionEnds, Reason: "continue:false beside a deny ends the session"}, true
		}
		return Reading{Effect: suites.SessionEnds, Reason: "continue:false: the tool still runs, then the session ends"}, true
	case "PostToolUse", "Stop":
		return Reading{Effect: suites.SessionEnds, Reason: "continue:false ends the session"}, true
	case "UserPromptSubmit":
		return Reading{Effect: suites.PromptBlocked, Reason: "continue:false stops before the model is asked"}, true
	case "SessionStart", "SubagentStop":
		return ignored("continue:false has no effect on " + c.event.Name), true
	default:
		return Reading{}, false
	}
}

// saysNo reports a JSON decision against the action.
func (c call) saysNo() bool {
	return c.output["decision"] == "block" || c.event.Name == "PreToolUse" && c.nested["permissionDecision"] == "deny"
}

// block reads decision block and permissionDecision deny: the reason is the
// JSON's, stderr is dropped.
func (c call) block() (Reading, bool) {
	if !c.saysNo() {
		return Reading{}, false
	}
	if c.event.Name == "SessionStart" {
		return c.blockedStart(), true
	}
	reason := c.blockReason()
	reading := c.refusal(reason, "the JSON decision")
	switch {
	case reason == "" && c.event.Name == "PreToolUse" && c.version.old():
		reading.ModelSees = []string{"Hook " + c.label() + " denied this tool"}
	case reason == "" && len(reading.ModelSees) > 0 && c.event.Name != "Stop" && c.event.Name != "SubagentStop":
		reading.ModelSees = []string{"Blocked by hook"}
	case c.event.Name == "PreToolUse" && c.version.old():
		reading.ModelSees = []string{reason}
	}
	return reading, true
}

// blockReason is the reason of whichever of the two decisions says no.
func (c call) blockReason() string {
	if c.nested["permissionDecision"] == "deny" {
		if reason, _ := c.nested["permissionDecisionReason"].(string); reason != "" {
			return reason
		}
	}
	if c.output["decision"] == "block" {
		reason, _ := c.output["reason"].(string)
		return reason
	}
	return ""
}

// blockedStart reads block on SessionStart, which nothing blocks: 2.1.197 hands
// the reason to the model, 2.1.329 does not.
func (c call) blockedStart() Reading {
	reason := c.blockReason()
	if c.version.old() && reason != "" {
		return c.withContext(Reading{Effect: suites.ContextAdded, Reason: "SessionStart cannot be blocked; 2.1.197 hands the reason to the model"}, reason)
	}
	return ignored("SessionStart cannot be blocked and the model is not told")
}

func (c call) blockByExit() (Reading, bool) {
	if !c.exit2() {
		return Reading{}, false
	}
	reading := c.readExit2()
	return reading, reading.Effect != suites.Ignored || len(c.contexts()) == 0
}

// permission reads the questions: ask and defer of PreToolUse, and the answer
// that a PermissionRequest hook gives.
func (c call) permission() (Reading, bool) {
	switch c.event.Name {
	case "PreToolUse":
		reason, _ := c.nested["permissionDecisionReason"].(string)
		switch c.nested["permissionDecision"] {
		case "ask":
			return Reading{Effect: suites.Asked, ModelSees: nonEmpty(reason), Reason: "permissionDecision ask: without a person to ask, the tool is denied"}, true
		case "defer":
			return Reading{Effect: suites.SessionEnds, Reason: "permissionDecision defer ends the run at once"}, true
		}
	case "PermissionRequest":
		answer, _ := c.nested["decision"].(map[string]any)
		message, _ := answer["message"].(string)
		switch answer["behavior"] {
		case "allow":
			return Reading{Effect: suites.Allowed, Reason: "the hook grants the permission, if nobody answered before it"}, true
		case "deny":
			return Reading{Effect: suites.Denied, ModelSees: nonEmpty(message), Reason: "the hook refuses the permission, if nobody answered before it"}, true
		}
	}
	return Reading{}, false
}

// rewrite reads the keys that replace what the client has.
func (c call) rewrite() (Reading, bool) {
	rewritten := func(reason string) (Reading, bool) {
		return Reading{Effect: suites.Rewritten, Reason: reason}, true
	}
	switch {
	case has(c.nested, "updatedInput"):
		return rewritten("updatedInput replaces the tool's whole input")
	case has(c.nested, "updatedToolOutput"):
		if !shapedLike(c.in.Matched, c.nested["updatedToolOutput"]) {
			return ignored("updatedToolOutput does not have the shape of the tool's own output"), len(c.contexts()) == 0
		}
		return rewritten("updatedToolOutput replaces what the tool returned")
	case has(c.nested, "updatedMCPToolOutput"):
		if c.in.Matched != "" && !strings.HasPrefix(c.in.Matched, "mcp__") {
			return ignored("updatedMCPToolOutput has no effect on " + c.in.Matched), len(c.contexts()) == 0
		}
		return rewritten("updatedMCPToolOutput replaces what the tool returned")
	case has(c.nested, "displayContent"):
		return rewritten("displayContent replaces what is shown")
	case has(c.nested, "action"):
		return rewritten("the hook answers in the person's place")
	}
	return Reading{}, false
}

// shapedLike reports whether a replaced tool output is one that the client
// takes. Only Bash's shape was observed; for other tools a bare string is refused.
func shapedLike(tool string, value any) bool {
	fields, isObject := value.(map[string]any)
	if tool == "Bash" {
		return isObject && has(fields, "stdout") && has(fields, "stderr") && has(fields, "interrupted") && has(fields, "isImage")
	}
	_, isList := value.([]any)
	return isObject || isList
}

func (c call) approve() (Reading, bool) {
	if c.event.Name != "PreToolUse" {
		return Reading{}, false
	}
	if c.nested["permissionDecision"] == "allow" || c.output["decision"] == "approve" {
		return Reading{Effect: suites.Allowed, Reason: "the tool runs and nobody is asked"}, true
	}
	return Reading{}, false
}

// addContext adds what the hook hands to the model beside its decision. Without
// a decision, that is the effect.
func (c call) addContext(reading Reading) Reading {
	texts := c.contexts()
	if len(texts) == 0 {
		return reading
	}
	switch reading.Effect {
	case suites.PromptBlocked, suites.SessionEnds:
		return reading // the model is not asked again
	case "":
		reading.Effect, reading.Reason = suites.ContextAdded, "additionalContext reaches the model"
		if c.event.Name == "Stop" || c.event.Name == "SubagentStop" {
			reading.Effect, reading.Reason = suites.AnotherTurn, "additionalContext on "+c.event.Name+" forces another turn"
		}
		if has(c.nested, "initialUserMessage") {
			reading.Effect, reading.Reason = suites.AnotherTurn, "initialUserMessage adds a turn before the prompt"
		}
	case suites.Ignored:
		reading.Effect = suites.ContextAdded
	default: // the decision stands, and the context comes with it
	}
	return c.withContext(reading, texts...)
}

// maxContext is the length, in UTF-16 units, above which the client replaces
// additionalContext by a preview and the path of a file.
const maxContext = 10_000

func (c call) contexts() []string {
	var texts []string
	for _, key := range []string{"additionalContext", "initialUserMessage"} {
		text, _ := c.nested[key].(string)
		if key == "additionalContext" && len(utf16.Encode([]rune(text))) > maxContext {
			text = "persisted-output"
		}
		texts = append(texts, nonEmpty(text)...)
	}
	return texts
}

// nothingHeeded reads an object in which the client finds nothing to act on.
func (c call) nothingHeeded() Reading {
	unknown := unknownKeys(c.event.Name, c.output)
	switch {
	case has(c.output, "decision"):
		return ignored("decision " + saidDecision(c.output) + " has no effect on " + c.event.Name)
	case len(unknown) > 0:
		return ignored("the client does not know " + strings.Join(unknown, ", ") + " and drops it without a word")
	case c.output["continue"] == false:
		return ignored("continue:false is not known to have an effect on " + c.event.Name)
	case c.nested["retry"] == true:
		return proceeds("the model may try the denied call again")
	default:
		return proceeds("nothing in the output changes what happens")
	}
}

func has(fields map[string]any, key string) bool {
	_, present := fields[key]
	return present
}

func nonEmpty(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}
