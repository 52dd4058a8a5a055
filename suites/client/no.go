package client

import (
	"cmp"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// unheeded is what a kind of no is called where it has no effect.
var unheeded = map[Kind]Kind{
	Exit2: Exit2Ignored, FailureBlocks: Exit2Ignored, JSONNo: JSONNoIgnored, ConditionNotOK: JSONNoIgnored,
}

// no is what a hook's no does for the event: text is what the client has to say
// of it, kind the way in which the hook said no.
func (c call) no(kind Kind, text string) Reading {
	reading := c.reading(c.event.Exit2, kind)
	if kind == FailureBlocks && c.event.Failure != "" {
		reading.Effect = c.event.Failure
	}
	reading.Cause.Effect = reading.Effect
	if reading.Effect == suites.Ignored {
		reading.Cause.Kind = unheeded[kind]
		return reading
	}
	reading.ModelSees = c.tells(c.event.Told, text)
	return reading
}

// noByExit2 reads exit code 2 where no JSON decision goes before it.
func (c call) noByExit2() Reading {
	if c.pardoned() {
		return c.ignored(MissingScript)
	}
	said := string(trim(c.in.Stderr))
	if said == "" && (c.event.Reports == ofCompact || c.event.AnyFailure) {
		return c.silentNo()
	}
	return c.no(Exit2, "["+c.in.Entry.Command+"]: "+cmp.Or(said, "No stderr output"))
}

// silentNo is exit code 2 without a word at an event for which the client puts no words of
// its own in the place of stderr: the model is sent nothing, and where that is all that
// exit code 2 does, it has no effect.
func (c call) silentNo() Reading {
	reading := c.no(Exit2, "")
	reading.ModelSees = nil
	if reading.Effect == suites.ShownToModel {
		reading.Effect, reading.Cause.Kind, reading.Cause.Effect = suites.Ignored, Exit2Ignored, suites.Ignored
	}
	return reading
}

// noScript is what the client takes for the message of an interpreter that was
// given a script that does not exist; observed on client 2.1.330, whoever printed it.
var noScript = pattern.Lazy(`(?i)no such file|can't open`)

// pardoned reports whether exit code 2 is taken for a missing script.
func (c call) pardoned() bool {
	pardons := c.event.PardonsNoScript || c.event.PardonsPlugin && c.in.Entry.Plugin
	return pardons && c.form == silent && noScript().Match(c.in.Stderr)
}

// failing is what comes of a failure: otherwise, unless the entry or the event
// has failures block.
func (c call) failing(otherwise Reading) Reading {
	switch {
	case c.failuresBlock():
		return c.no(FailureBlocks, c.failureText())
	case c.event.AnyFailure && c.event.Exit2 == suites.Denied:
		reading := otherwise // what is wrong with an output is the cause
		reading.Effect = suites.Denied
		if c.failed() {
			reading = c.reading(suites.Denied, AnyFailure)
		}
		if text := trim(c.in.Stderr); len(text) > 0 {
			reading.ModelSees = c.tells(c.event.Told, string(text))
		}
		return reading
	default:
		return otherwise
	}
}

// failureText is what the client says of a failure that blocks; observed on client
// 2.1.330.
func (c call) failureText() string {
	how, more := "failed", ""
	switch text := trim(c.in.Stderr); {
	case c.in.TimedOut:
		how = "timed out"
	case len(text) > 0:
		more = "\n" + string(text)
	}
	name := c.in.Entry.Command
	if c.in.Entry.Type == "http" {
		name = c.in.Entry.URL
	}
	return "[" + name + "]: " + how + `; blocking because onFailure is "block"` + more
}

// ended is a hook that came to no good end, and said nothing that is heeded.
func (c call) ended() Reading {
	kind := ExitCode
	switch {
	case c.in.NotStarted != "":
		kind = NotStarted
	case c.in.TimedOut:
		kind = TimedOut
	case c.in.Signal != "":
		kind = Killed
	case c.in.Entry.Type == "http":
		return c.failing(c.ignored(HTTPStatus))
	case c.in.Exit == 126:
		kind = NotExecutable
	case c.in.Exit == 127:
		kind = NotFound
	}
	return c.failing(c.proceeds(kind))
}

// reported is a reading that nothing else came of, with what the model is told of it.
func (c call) reported(r Reading) Reading {
	quiet := r.Effect == suites.Ignored || r.Effect == suites.Proceeds
	e := c.in.Entry
	if c.event.Reports == "" || !quiet || e.Async || e.AsyncRewake || c.in.TimedOut || c.in.NotStarted != "" || c.in.Signal != "" {
		return r
	}
	effect, texts := suites.ShownToModel, c.report()
	if len(texts) == 0 {
		return r
	}
	if c.refused() { // which is the cause of all
		r.Effect, r.ModelSees, r.Cause.Effect = effect, texts, effect
		return r
	}
	if c.event.Plain != "" && !c.failed() {
		effect = suites.ContextAdded // the client is to heed it as it compacts
	}
	out := c.reading(effect, Reported)
	out.ModelSees = texts
	return out
}

// report is what the model is told; of an output that is refused, the lines that the client
// makes of it.
func (c call) report() []string {
	errs := string(trim(c.in.Stderr))
	message, _ := c.output["systemMessage"].(string)
	compact := c.event.Reports == ofCompact
	switch {
	case c.refused() && c.failed() && compact && !c.version.old():
		return append(indented(c.in.Stdout), errs)
	case c.refused():
		return indented(c.in.Stdout)
	case !compact && message != "":
		return []string{message}
	case c.form == malformed && compact && !c.failed(), c.form == document && !compact: // an error, or only its keys are looked at
		return nil
	case c.failed() && errs != "" && compact:
		return c.tells(c.event.Reports, "failed: "+errs)
	case c.failed() && errs != "":
		return []string{errs}
	case !c.failed() && compact && len(trim(c.in.Stdout)) > 0:
		return c.tells(c.event.Reports, "completed successfully: "+string(trim(c.in.Stdout)))
	default:
		return nil
	}
}

// refused reports whether the client says that it does not take the output for what it is:
// in the report of /compact an output that names another event is as good as any.
func (c call) refused() bool {
	if c.form != document {
		return false
	}
	cause, ok := c.invalid()
	return !ok && !(c.event.Reports == ofCompact && cause.Kind == OtherName)
}
