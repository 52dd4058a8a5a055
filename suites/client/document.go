package client

import (
	"bytes"
	"encoding/json"
	"strings"

	"hookwatch/suites"
)

// readDocument reads one valid JSON object. It is heeded whatever the exit code
// is; exit code 2 is a no of its own beside it. Observed; the reference of about
// 2.1.199 says otherwise.
func (c call) readDocument() Reading {
	for _, step := range []func(call) (Reading, bool){
		call.halt, call.answer, call.block, call.blockByExit, call.ask, call.rewrite, call.approve,
	} {
		if reading, done := step(c); done {
			return c.addContext(c.alsoRewritten(reading))
		}
	}
	if reading := c.addContext(Reading{}); reading.Effect != "" {
		return reading
	}
	if c.failed() {
		return c.failing(c.nothingHeeded())
	}
	return c.nothingHeeded()
}

// nothingHeeded reads an object in which the client finds nothing to act on.
func (c call) nothingHeeded() Reading {
	unknown := c.unknownKeys()
	reading := c.ignored(NoEffect)
	switch {
	case has(c.output, "decision"):
		reading.Cause.Value = saidDecision(c.output)
	case len(unknown) > 0:
		reading.Cause.Kind, reading.Cause.Key = UnknownKeys, strings.Join(unknown, ", ")
	case c.event.LosesContext && c.textOf("additionalContext") != "":
		reading.Cause.Kind = ContextLost
	case c.output["continue"] == false && c.event.Halt == suites.Ignored:
		reading.Cause.Kind = HaltIgnored
	case c.output["continue"] == false:
		reading.Cause.Kind = HaltUnknown
	case c.of("retry") == true:
		return c.proceeds(Retry)
	default:
		return c.proceeds(Nothing)
	}
	return reading
}

// indented are the lines of JSON as the client shows it to the model.
func indented(stdout []byte) (lines []string) {
	var b bytes.Buffer
	if json.Indent(&b, trim(stdout), "", "") != nil {
		return nil
	}
	return strings.Split(b.String(), "\n")
}

// readRefused reads an object that the client's validation refuses.
func (c call) readRefused(cause Cause) Reading {
	reading := Reading{Effect: suites.Ignored, Cause: cause}
	switch {
	case c.exit2() && c.version.old() && !(c.event.KeepsExit2 && cause.Kind == OtherName):
		reading.Cause.Kind = Exit2Dropped
		if cause.Key == "" {
			reading.Cause.Key = "hookSpecificOutput"
		}
		return reading
	case c.exit2() && cause.Kind == OtherName && c.event.PassesOtherName && !c.failuresBlock():
		reading.Cause.Kind = OtherNameAtExit
		return reading
	case c.exit2() && cause.Kind == OtherName && c.event.Told == asError:
		return c.no(Exit2, "["+c.in.Entry.Command+"]: blocked (exit 2); its output could not be processed")
	case c.exit2():
		return c.noByExit2()
	default:
		return c.failing(reading)
	}
}
