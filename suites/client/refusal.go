package client

import (
	"cmp"
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// withoutEffect maps each kind of refusal to the kind for events at which it has no effect.
var withoutEffect = map[Kind]Kind{
	Exit2: Exit2Ignored, FailureBlocks: Exit2Ignored, JSONNo: JSONNoIgnored, ConditionNotOK: JSONNoIgnored,
}

// refusal returns the effect of a hook's refusal on the event: text is the client's message, kind the
// way in which the hook refused.
func (c call) refusal(kind Kind, text string) Reading {
	reading := c.newReading(c.event.Exit2, kind)
	if kind == FailureBlocks && c.event.Failure != "" {
		reading.Effect = c.event.Failure
	}
	reading.Cause.Effect = reading.Effect
	if reading.Effect == suites.Ignored {
		reading.Cause.Kind = withoutEffect[kind]
		return reading
	}
	reading.ModelSees = c.message(c.event.RefusalFormat, text)
	return reading
}

// refusalByExit2 reads exit code 2 if no JSON decision precedes it.
func (c call) refusalByExit2() Reading {
	if c.pardons() {
		return c.ignore(MissingScript)
	}
	text := string(trim(c.in.Stderr))
	if text == "" && (c.event.Reports == ofCompact || c.event.AnyFailure) {
		return c.silentRefusal()
	}
	return c.refusal(Exit2, "["+c.in.Entry.Command+"]: "+cmp.Or(text, "No stderr output"))
}

// silentRefusal reads exit code 2 without stderr at an event for which the client substitutes no text of
// its own: the model is sent nothing. If a message to the model is all that exit code 2 causes
// there, it has no effect.
func (c call) silentRefusal() Reading {
	reading := c.refusal(Exit2, "")
	reading.ModelSees = nil
	if reading.Effect == suites.ShownToModel {
		reading.Effect, reading.Cause.Kind, reading.Cause.Effect = suites.Ignored, Exit2Ignored, suites.Ignored
	}
	return reading
}

// noScript matches the text by which the client recognizes an interpreter whose script does not
// exist. Any program that prints it counts; observed on client 2.1.330.
var noScript = pattern.Lazy(`(?i)no such file|can't open`)

// pardons reports whether the client takes exit code 2 for a missing script.
func (c call) pardons() bool {
	pardons := c.event.PardonsNoScript || c.event.PardonsPlugin && c.in.Entry.Plugin
	return pardons && c.form == silent && noScript().Match(c.in.Stderr)
}

// readFailure returns the reading of a failure: a refusal if the entry or the event makes failures
// block, and otherwise unchanged if not.
func (c call) readFailure(otherwise Reading) Reading {
	switch {
	case c.failuresBlock():
		reading := c.refusal(FailureBlocks, c.failureText())
		if c.rejects() && len(reading.ModelSees) > 0 { // observed on client 2.1.332
			reading.ModelSees = append(reading.ModelSees, indent(c.in.Stdout)...)
			if text := string(trim(c.in.Stderr)); c.hasFailed() && text != "" {
				reading.ModelSees = append(reading.ModelSees, text)
			}
		}
		return reading
	case c.event.AnyFailure && c.event.Exit2 == suites.Denied:
		reading := otherwise // because a defect of the output is the more precise cause
		reading.Effect = suites.Denied
		if c.hasFailed() {
			reading = c.newReading(suites.Denied, AnyFailure)
		}
		if text := trim(c.in.Stderr); len(text) > 0 {
			reading.ModelSees = c.message(c.event.RefusalFormat, string(text))
		}
		return reading
	default:
		return otherwise
	}
}

// failureText returns the client's message for a failure that blocks; observed on client 2.1.330.
func (c call) failureText() string {
	how, more := "failed", ""
	switch text := trim(c.in.Stderr); {
	case c.in.TimedOut:
		how = "timed out"
	case c.rejects():
		more = "\nHook JSON output validation failed"
	case len(text) > 0:
		more = "\n" + string(text)
	case c.hasFailed() && c.in.Signal == "" && slices.Contains([]string{"", "command"}, c.in.Entry.Type):
		more = "\nNo stderr output"
	}
	name := c.in.Entry.Command
	if c.in.Entry.Type == "http" {
		name = c.in.Entry.URL
	}
	return "[" + name + "]: " + how + `; blocking because onFailure is "block"` + more
}

// readSilentFailure reads a hook that failed and printed nothing that the client uses.
func (c call) readSilentFailure() Reading {
	kind := ExitCode
	switch {
	case c.in.NotStarted != "":
		kind = NotStarted
	case c.in.TimedOut:
		kind = TimedOut
	case c.in.Signal != "":
		kind = Killed
	case c.in.Entry.Type == "http":
		return c.readFailure(c.ignore(HTTPStatus))
	case c.in.Exit == 126:
		kind = NotExecutable
	case c.in.Exit == 127:
		kind = NotFound
	}
	return c.readFailure(c.proceeds(kind))
}

// addReport adds the client's report to the model to a reading without another effect.
func (c call) addReport(r Reading) Reading {
	quiet := r.Effect == suites.Ignored || r.Effect == suites.Proceeds
	finished := c.in.hasExit() && !c.in.Entry.InBackground()
	if c.event.Reports == "" || !quiet || !finished {
		return r
	}
	effect, texts := suites.ShownToModel, c.report()
	if len(texts) == 0 {
		return r
	}
	if c.rejects() { // the refusal is the cause
		r.Effect, r.ModelSees, r.Cause.Effect = effect, texts, effect
		return r
	}
	if c.event.Plain != "" && !c.hasFailed() {
		effect = suites.ContextAdded // because the model takes it as an instruction while it compacts
	}
	out := c.newReading(effect, Reported)
	out.ModelSees = texts
	return out
}

// report returns the texts that the model receives. For a refused output they are the lines that
// the client makes of it.
func (c call) report() []string {
	errs := string(trim(c.in.Stderr))
	message, _ := c.output["systemMessage"].(string)
	compact := c.event.Reports == ofCompact
	switch {
	case c.rejects() && c.hasFailed() && compact && !c.version.isOld():
		return append(indent(c.in.Stdout), errs)
	case c.rejects():
		return indent(c.in.Stdout)
	case !compact && message != "":
		return []string{message}
	case c.form == malformed && compact && !c.hasFailed(), c.form == document && !compact: // a malformed output is an error, and /model uses only the keys of an object
		return nil
	case c.hasFailed() && errs != "" && compact:
		return c.message(c.event.Reports, "failed: "+errs)
	case c.hasFailed() && errs != "":
		return []string{errs}
	case !c.hasFailed() && compact && len(trim(c.in.Stdout)) > 0:
		return c.message(c.event.Reports, "completed successfully: "+string(trim(c.in.Stdout)))
	default:
		return nil
	}
}

// rejects reports whether the client rejects the output. For the report of /compact, an output that
// names another event is accepted.
func (c call) rejects() bool {
	if c.form != document {
		return false
	}
	cause, ok := c.invalid()
	return !ok && !(c.event.Reports == ofCompact && cause.Kind == OtherName)
}
