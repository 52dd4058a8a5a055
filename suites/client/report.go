package client

import "hookwatch/suites"

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
