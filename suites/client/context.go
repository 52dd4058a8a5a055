package client

import (
	"unicode/utf16"

	"hookwatch/suites"
)

// maxContext is the length, in UTF-16 units, above which the client replaces
// additionalContext by a preview and the path of a file.
const maxContext = 10_000

// contexts are what the hook hands to the model beside its decision.
func (c call) contexts() []string {
	if c.event.LosesContext {
		return nil
	}
	text := c.textOf("additionalContext")
	if len(utf16.Encode([]rune(text))) > maxContext {
		text = "persisted-output"
	}
	return append(nonEmpty(text), nonEmpty(c.textOf("initialUserMessage"))...)
}

// addContext adds that to a reading. Without a decision, it is the effect.
func (c call) addContext(reading Reading) Reading {
	texts := c.contexts()
	if len(texts) == 0 {
		return reading
	}
	switch {
	case reading.Effect == suites.PromptBlocked, reading.Effect == suites.SessionEnds, reading.Cause.Kind == HaltStops:
		return reading // the model is not asked again
	}
	switch reading.Effect {
	case "":
		reading = c.contextAlone()
	case suites.Ignored:
		reading = c.reading(suites.ContextAdded, ContextToModel)
	default: // the decision stands, and the context comes with it
	}
	return withContext(reading, texts...)
}

func (c call) contextAlone() Reading {
	switch {
	case c.textOf("initialUserMessage") != "":
		return c.reading(suites.AnotherTurn, FirstMessage)
	case c.event.Name == "Stop" || c.event.Name == "SubagentStop":
		return c.reading(suites.AnotherTurn, ContextTurn)
	default:
		return c.reading(suites.ContextAdded, ContextToModel)
	}
}
