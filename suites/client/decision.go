package client

import "hookwatch/suites"

// halt reads continue:false.
func (c call) halt() (Reading, bool) {
	if c.output["continue"] != false {
		return Reading{}, false
	}
	switch c.event.Halt {
	case "", suites.Ignored:
		return Reading{}, false
	case suites.PromptBlocked:
		return c.reading(suites.PromptBlocked, HaltPrompt), true
	case suites.Proceeds:
		return c.reading(suites.Proceeds, HaltStops), true
	}
	if c.event.Name != "PreToolUse" {
		return c.reading(c.event.Halt, HaltEnds), true
	}
	switch denied := c.saysNo() || c.exit2(); {
	case denied && c.version.old():
		return Reading{}, false
	case denied:
		return c.reading(suites.SessionEnds, HaltBesideDeny), true
	default:
		return c.reading(suites.SessionEnds, HaltAfterTool), true
	}
}

// saysNo reports a JSON decision against the action.
func (c call) saysNo() bool {
	return !c.event.IgnoresBlock && c.output["decision"] == "block" || c.of("permissionDecision") == "deny"
}

// block reads decision block and permissionDecision deny: the reason is the
// JSON's, stderr is dropped.
func (c call) block() (Reading, bool) {
	if !c.saysNo() {
		return Reading{}, false
	}
	reason := c.blockReason()
	if c.event.Name == "SessionStart" && c.version.old() && reason != "" {
		return withContext(c.reading(suites.ContextAdded, StartReason), reason), true
	}
	if c.event.Name == "PreToolUse" && c.version.old() {
		reading := c.no(JSONNo, reason)
		reading.ModelSees = nonEmpty(reason)
		if reason == "" {
			reading.ModelSees = []string{"Hook " + c.label() + " denied this tool"}
		}
		return reading, true
	}
	reading := c.no(JSONNo, reason)
	switch {
	case reason != "" || len(reading.ModelSees) == 0: // as it is
	case c.event.Told == asError || c.event.Told == asReminder:
		reading.ModelSees = []string{"Blocked by hook"}
	default:
		reading = c.no(JSONNo, "Blocked by hook")
	}
	return reading, true
}

// blockReason is the reason of whichever of the two decisions says no.
func (c call) blockReason() string {
	if c.of("permissionDecision") == "deny" {
		if reason := c.textOf("permissionDecisionReason"); reason != "" {
			return reason
		}
	}
	if c.output["decision"] == "block" {
		reason, _ := c.output["reason"].(string)
		return reason
	}
	return ""
}

// blockByExit reads exit code 2, and a failure that counts as such.
func (c call) blockByExit() (Reading, bool) {
	var reading Reading
	switch {
	case c.exit2():
		reading = c.noByExit2()
	case c.failed() && c.failuresBlock():
		reading = c.failing(Reading{})
	default:
		return Reading{}, false
	}
	return reading, reading.Effect != suites.Ignored || len(c.contexts()) == 0
}

// ask reads the questions: ask and defer.
func (c call) ask() (Reading, bool) {
	switch c.of("permissionDecision") {
	case "ask":
		reading := c.reading(suites.Asked, Asked)
		reading.ModelSees = nonEmpty(c.textOf("permissionDecisionReason"))
		return reading, true
	case "defer":
		return c.reading(suites.SessionEnds, Deferred), true
	}
	return Reading{}, false
}

// answer reads what a PermissionRequest hook answers; it goes before exit code 2.
// Observed on client 2.1.330.
func (c call) answer() (Reading, bool) {
	answer, _ := c.of("decision").(map[string]any)
	message, _ := answer["message"].(string)
	switch answer["behavior"] {
	case "allow":
		return c.reading(suites.Allowed, Granted), true
	case "deny":
		reading := c.reading(suites.Denied, Refused)
		reading.ModelSees = nonEmpty(message)
		return reading, true
	}
	return Reading{}, false
}

func (c call) approve() (Reading, bool) {
	switch {
	case c.event.Name == "PreModelSwitch" && c.of("permissionDecision") == "allow":
		return c.reading(suites.Allowed, AllowedSwitch), true
	case c.event.Name != "PreToolUse":
		return Reading{}, false
	case c.of("permissionDecision") == "allow", c.output["decision"] == "approve":
		return c.reading(suites.Allowed, Allowed), true
	}
	return Reading{}, false
}
