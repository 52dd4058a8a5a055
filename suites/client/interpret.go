package client

import (
	"hookwatch/suites"
)

// Interpret tells what a client of version v does with a hook's output for the
// event. It looks at nothing but its arguments.
func Interpret(v Version, event string, in Output) Reading {
	c := call{version: v, in: in, matched: in.Matched}
	c.form, c.output = readStdout(v, in.Stdout)
	if c.form == asyncMore && v.old() && !c.exit2() { // taken for text unless it blocks; observed
		c.form, c.output = plain, nil
	}
	c.nested, _ = c.output["hookSpecificOutput"].(map[string]any)
	about, known := EventByName(event)
	c.event = about
	if c.matched == "" {
		c.matched = about.MatcherValue(in.Payload)
	}
	var reading Reading
	if known && about.Known(v) {
		if reading = c.read(); in.Dropped == "" {
			reading = c.reported(reading)
		}
	} else {
		reading = c.ignored(NoEvent)
		reading.Cause.Value = event
	}
	reading.Decision = saidDecision(c.output)
	return reading
}

func (c call) read() Reading {
	entry := c.in.Entry
	switch {
	case c.in.Dropped != "":
		reading := c.ignored(EntryDropped)
		reading.Cause.Value = c.in.Dropped
		return reading
	case entry.If != "" && !c.event.Tool:
		return c.ignored(NeverRuns)
	case c.in.TimedOut && c.event.TimeoutBlocks && !entry.Async:
		return c.reading(suites.Denied, TimeoutBlocks)
	case c.in.NotStarted != "", c.in.TimedOut:
		return c.ended()
	case entry.AsyncRewake && c.exit2():
		return c.noByExit2()
	case entry.Async, entry.AsyncRewake, c.output["async"] == true:
		return c.background()
	case c.asksModel():
		return c.readCondition()
	case c.event.Name == "WorktreeCreate" && entry.Type != "http" && !c.failed():
		return c.readPath()
	case entry.Type == "http" && c.failed():
		return c.ended()
	default:
		return c.readOutput()
	}
}

// readOutput reads stdout as far as it is JSON, then the exit code, then text.
func (c call) readOutput() Reading {
	if c.form == document {
		if cause, ok := c.invalid(); !ok {
			return c.readRefused(cause)
		}
		return c.readDocument()
	}
	switch {
	case c.exit2():
		return c.noByExit2()
	case c.failed():
		return c.ended()
	default:
		return c.readText()
	}
}

// background reads a hook for which the client does not wait.
func (c call) background() Reading {
	quiet := c.form == silent || !c.in.Entry.Async && !c.in.Entry.AsyncRewake && c.onlyAsync()
	if quiet && c.in.Signal == "" && c.in.Exit == 0 {
		return c.proceeds(Background)
	}
	return c.ignored(TooLate)
}

// onlyAsync tells that the output says nothing beyond being asynchronous.
func (c call) onlyAsync() bool {
	for key := range c.output {
		if _, known := fieldNamed(asyncFields, key); !known {
			return false
		}
	}
	return c.form == document
}
