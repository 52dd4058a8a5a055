package client

import (
	"strings"

	"hookwatch/suites"
)

// readText reads exit code 0 without a JSON object on stdout.
func (c call) readText() Reading {
	switch {
	case c.form == silent && len(trim(c.in.Stderr)) > 0:
		return c.proceeds(StderrDropped)
	case c.form == silent:
		return c.proceeds(Silent)
	case c.in.Entry.Type == "http":
		return c.failing(c.ignored(HTTPText))
	case c.form == malformed:
		return c.failing(c.ignored(NotOneDocument))
	case c.event.Plain == "":
		return c.ignored(TextDropped)
	default:
		return withContext(c.reading(suites.ContextAdded, TextToModel), c.tells(c.event.Plain, string(trim(c.in.Stdout)))...)
	}
}

// readPath reads the output of a WorktreeCreate hook that exits 0. What stdout
// holds is taken for a path where it could be one: whether there is such a
// directory the output does not say.
func (c call) readPath() Reading {
	path := string(trim(c.in.Stdout))
	reading := c.reading(suites.Denied, WorktreeNoPath)
	switch {
	case path == "":
		reading.Cause.Value = "empty"
	case path[0] == '{':
		reading.Cause.Value = "JSON"
	case strings.ContainsAny(path, "\n\r") || !strings.ContainsAny(path, `/\`):
		reading.Cause.Value = "no path of a directory"
		if !strings.ContainsAny(path, "\n\r") {
			reading.ModelSees = []string{path}
		}
	default:
		return c.proceeds(WorktreePath)
	}
	return reading
}

// readCondition reads the answer of a prompt or agent hook.
func (c call) readCondition() Reading {
	ok, given := c.output["ok"].(bool)
	reason, _ := c.output["reason"].(string)
	switch {
	case c.failed():
		return c.ended()
	case !given:
		return c.ignored(ConditionText)
	case ok:
		return c.proceeds(ConditionOK)
	case c.in.Entry.Type == "agent":
		return c.no(ConditionNotOK, "Agent hook condition was not met: "+reason)
	case c.conditionEnds():
		return c.reading(suites.SessionEnds, ConditionEnds)
	default:
		return c.no(ConditionNotOK, reason)
	}
}

// conditionEnds reports whether a prompt hook's "not ok" ends the session:
// observed on client 2.1.330 for these events; 2.1.197 denied.
func (c call) conditionEnds() bool {
	tool := c.event.Name == "PreToolUse" || c.event.Name == "PostToolUse"
	return tool && !c.in.Entry.ContinueOnBlock && !c.version.old()
}
