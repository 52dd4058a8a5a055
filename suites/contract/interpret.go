package contract

import (
	"bytes"
	"fmt"
	"strconv"

	"hookwatch/suites"
)

// Interpret tells what a client of version v does with a hook's output for the
// event ev. The cells for PreToolUse, PostToolUse, UserPromptSubmit,
// SessionStart, Stop and SubagentStop were observed on client 2.1.197 and
// 2.1.329; other events follow what is documented for exit code 2.
func Interpret(v Version, ev string, in Output) Reading {
	form, output := readStdout(v, in.Stdout)
	c := call{version: v, in: in, form: form, output: output}
	c.nested, _ = output["hookSpecificOutput"].(map[string]any)
	event, known := EventByName(ev)
	c.event = event
	var reading Reading
	if known && event.Known(v) {
		reading = c.read()
	} else {
		reading = ignored(fmt.Sprintf("client %s has no event %q: the hook never runs", v.Profile(), ev))
	}
	reading.Decision = saidDecision(output)
	return reading
}

// A call is one output on its way to a reading.
type call struct {
	version Version
	event   Event
	in      Output
	form    form
	output  map[string]any // nil unless form is document
	nested  map[string]any // hookSpecificOutput
}

func (c call) read() Reading {
	switch {
	case c.in.NotStarted != "":
		return c.failed("the hook could not be started")
	case c.in.TimedOut:
		return c.timedOut()
	case c.in.Async || c.output["async"] == true:
		return c.background()
	}
	refused := ""
	if c.form == document {
		if refused = invalid(c.event.Name, c.output); refused == "" {
			return c.readDocument()
		}
	}
	switch {
	case c.exit2() && refused != "" && c.version.old():
		return ignored("2.1.197 drops the output, exit code 2 with it: " + refused)
	case c.exit2():
		return c.readExit2()
	case refused != "":
		return c.nonZeroOr(ignored("the client drops the whole output: " + refused))
	case c.in.Signal != "":
		return c.failed("the hook was ended by " + c.in.Signal)
	case c.in.Exit != 0:
		return c.failed(exitReason(c.in.Exit))
	default:
		return c.readText()
	}
}

func (c call) exit2() bool { return c.in.Signal == "" && c.in.Exit == 2 }

func ignored(reason string) Reading { return Reading{Effect: suites.Ignored, Reason: reason} }

func proceeds(reason string) Reading { return Reading{Effect: suites.Proceeds, Reason: reason} }

// failed is a hook that ended in an error that does not block.
func (c call) failed(reason string) Reading {
	return c.nonZeroOr(proceeds(reason + "; that blocks nothing and the model is not told"))
}

// nonZeroOr makes the exception of WorktreeCreate, which fails on any non-zero
// exit; documented.
func (c call) nonZeroOr(reading Reading) Reading {
	nonZero := c.in.NotStarted != "" || c.in.Signal != "" || c.in.Exit != 0
	if c.event.Name == "WorktreeCreate" && nonZero {
		return Reading{Effect: suites.Denied, Reason: "WorktreeCreate fails when its hook does not exit 0"}
	}
	return reading
}

func exitReason(code int) string {
	switch code {
	case 126:
		return "exit code 126: the command is not executable"
	case 127:
		return "exit code 127: the command was not found"
	default:
		return "exit code " + strconv.Itoa(code) + " is not 2"
	}
}

func (c call) timedOut() Reading {
	if c.event.Name == "PreModelSwitch" {
		return Reading{Effect: suites.Denied, Reason: "a PreModelSwitch hook that times out blocks the switch"}
	}
	return proceeds("the hook timed out: the client cancels it and goes on")
}

func (c call) background() Reading {
	if c.form == silent && c.in.Signal == "" && c.in.Exit == 0 {
		return proceeds("the hook runs in the background")
	}
	if !c.in.Async && c.in.Signal == "" && c.in.Exit == 0 && c.onlyAsync() {
		return proceeds("the hook asked to go on in the background")
	}
	return ignored("the hook runs in the background: neither exit code nor output has an effect")
}

// onlyAsync tells that the output says nothing beyond being asynchronous.
func (c call) onlyAsync() bool {
	for key := range c.output {
		if key != "async" && key != "asyncTimeout" {
			return false
		}
	}
	return true
}

// readText reads exit code 0 without a JSON object on stdout.
func (c call) readText() Reading {
	switch {
	case c.form == silent && c.event.Name == "WorktreeCreate":
		return proceeds("exit code 0 without output, but the client needs a path from a WorktreeCreate hook")
	case c.form == silent && len(bytes.TrimSpace(c.in.Stderr)) > 0:
		return proceeds("exit code 0 without output; stderr is dropped")
	case c.form == silent:
		return proceeds("exit code 0 without output")
	case c.event.Name == "WorktreeCreate":
		return proceeds("the client takes the printed path")
	case c.form == malformed:
		return ignored("stdout is not one JSON document: the client reports an error and drops it")
	case c.event.PlainStdout:
		text := string(bytes.TrimSpace(c.in.Stdout))
		return c.withContext(Reading{Effect: suites.ContextAdded, Reason: "plain stdout of " + c.event.Name + " reaches the model"},
			c.label()+" hook success: "+text)
	default:
		return ignored("stdout is not one JSON document: the client drops it and goes on")
	}
}

func (c call) withContext(reading Reading, texts ...string) Reading {
	reading.Context = append(reading.Context, texts...)
	reading.ModelSees = append(reading.ModelSees, texts...)
	return reading
}

// label names the hook as the client does to the model: "PreToolUse:Bash".
func (c call) label() string {
	if c.in.Matched == "" || c.event.MatchedOn == "" {
		return c.event.Name
	}
	return c.event.Name + ":" + c.in.Matched
}

// readExit2 reads exit code 2 where no JSON decision goes before it.
func (c call) readExit2() Reading {
	if c.event.Name == "Stop" && missingScript(c.in.Stderr) {
		return ignored("exit code 2 of an interpreter without its script: the client makes an exception for Stop")
	}
	said := "No stderr output"
	if text := bytes.TrimSpace(c.in.Stderr); len(text) > 0 {
		said = string(text)
	}
	return c.refusal("["+c.in.Command+"]: "+said, "exit code 2")
}

// refusal is what a hook's no does for the event: text is what the client has
// to say of it, why names the way in which the hook said no.
func (c call) refusal(text, why string) Reading {
	reading := Reading{Effect: c.event.exit2(c.version)}
	switch reading.Effect {
	case suites.Denied:
		reading.Reason = why + " denies " + c.event.Name
		if c.event.Name == "PreToolUse" {
			reading.ModelSees = []string{c.label() + " hook error: " + text}
		}
	case suites.ShownToModel:
		reading.Reason = why + ": the tool already ran, the model is told"
		reading.ModelSees = []string{c.label() + " hook blocking error from command \"" + c.in.Command + "\": " + text}
	case suites.AnotherTurn:
		reading.Reason = why + " keeps the model from stopping"
		reading.ModelSees = []string{"Stop hook feedback: " + text}
	case suites.PromptBlocked:
		reading.Reason = why + " blocks the prompt: the model is not asked"
	case suites.SessionEnds:
		reading.Reason = why + " ends the loop"
	default:
		reading = ignored(why + " does not block " + c.event.Name + " and the model is not told")
	}
	return reading
}
