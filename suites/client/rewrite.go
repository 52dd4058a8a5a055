package client

import (
	"strings"

	"hookwatch/suites"
)

// rewrite reads the keys that replace what the client has.
func (c call) rewrite() (Reading, bool) {
	switch {
	case c.of("updatedInput") != nil:
		return c.rewriteInput(), true
	case c.of("updatedToolOutput") != nil:
		return c.rewriteOutput("updatedToolOutput", toolByName(c.matched).takes(c.of("updatedToolOutput")), OutputShape)
	case c.of("updatedMCPToolOutput") != nil:
		return c.rewriteOutput("updatedMCPToolOutput", c.matched == "" || strings.HasPrefix(c.matched, "mcp__"), MCPOutput)
	case c.of("displayContent") != nil:
		return c.reading(suites.Rewritten, DisplayRewritten), true
	case c.of("action") == "accept":
		return c.reading(suites.Rewritten, Answered), true
	case c.of("action") != nil:
		return c.reading(suites.Denied, Declined), true
	}
	return Reading{}, false
}

// alsoRewritten is a no that comes too late to keep the tool from running, in an output
// that replaces the tool's result: the client does both.
func (c call) alsoRewritten(no Reading) Reading {
	if no.Effect != suites.ShownToModel {
		return no
	}
	reading, done := c.rewrite()
	if !done || reading.Effect != suites.Rewritten {
		return no
	}
	reading.ModelSees = no.ModelSees
	return reading
}

// rewriteInput replaces the tool's whole input, which then has to be a whole one.
func (c call) rewriteInput() Reading {
	input, _ := c.of("updatedInput").(map[string]any)
	lacking := toolByName(c.matched).lacks(input)
	reading := c.reading(suites.Denied, InputIncomplete)
	reading.Cause.Key, reading.Cause.Value = lacking, c.matched
	switch {
	case len(input) == 0:
		reading.Cause.Kind = InputEmpty
	case lacking == "":
		return c.reading(suites.Rewritten, InputRewritten)
	}
	if lacking != "" {
		reading.ModelSees = []string{"The required parameter `" + lacking + "` is missing"}
	}
	return reading
}

// rewriteOutput replaces what the tool returned, where the client takes it; done
// tells that nothing else in the output is left to be read.
func (c call) rewriteOutput(key string, taken bool, otherwise Kind) (reading Reading, done bool) {
	kind, effect := OutputRewritten, suites.Rewritten
	if !taken {
		kind, effect = otherwise, suites.Ignored
	}
	reading = c.reading(effect, kind)
	reading.Cause.Key, reading.Cause.Value = key, c.matched
	return reading, taken || len(c.contexts()) == 0
}
