package client

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"hookwatch/suites"
)

// readDocument reads one valid JSON object. The client uses it at any exit code; exit code 2 is an
// additional refusal. This was observed; the reference of about 2.1.199 disagrees.
func (c call) readDocument() Reading {
	for _, step := range []func(call) (Reading, bool){
		call.halt, call.answer, call.block, call.blockByExit, call.ask, call.rewrite, call.approve,
	} {
		if reading, done := step(c); done {
			return c.addContext(c.addReplacement(reading))
		}
	}
	if reading := c.addContext(Reading{}); reading.Effect != "" {
		return reading
	}
	if c.hasFailed() {
		return c.readFailure(c.readUnapplied())
	}
	return c.readUnapplied()
}

// readUnapplied reads an object in which the client finds nothing to act on.
func (c call) readUnapplied() Reading {
	unknown := c.unknownKeys()
	reading := c.ignore(NoEffect)
	switch {
	case has(c.output, "decision"):
		reading.Cause.Value = decisionOf(c.output)
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

// indent returns the lines of JSON in the form that the client shows to the model.
func indent(stdout []byte) (lines []string) {
	var b bytes.Buffer
	if json.Indent(&b, trim(stdout), "", "") != nil {
		return nil
	}
	return strings.Split(b.String(), "\n")
}

// readInvalid reads an object that fails the client's validation.
func (c call) readInvalid(cause Cause) Reading {
	reading := Reading{Effect: suites.Ignored, Cause: cause}
	if cause.Kind == OtherName && !c.version.isOld() { // a block next to it counts; observed on client 2.1.332
		alone := c
		alone.nested = nil
		if no, blocks := alone.block(); blocks {
			return no
		}
	}
	switch {
	case c.exit2() && c.version.isOld() && !(c.event.KeepsExit2 && cause.Kind == OtherName):
		reading.Cause.Kind = Exit2Dropped
		if cause.Key == "" {
			reading.Cause.Key = "hookSpecificOutput"
		}
		return reading
	case c.exit2() && cause.Kind == OtherName && c.event.PassesOtherName && !c.failuresBlock():
		reading.Cause.Kind = OtherNameAtExit
		return reading
	case c.exit2() && cause.Kind == OtherName && c.event.RefusalFormat == asError:
		return c.refusal(Exit2, "["+c.in.Entry.Command+"]: blocked (exit 2); its output could not be processed")
	case c.exit2():
		return c.refusalByExit2()
	case c.event.AnyFailure && cause.Kind == OtherName && !c.hasFailed(): // observed on client 2.1.330
		return reading
	default:
		return c.readFailure(reading)
	}
}

// readText reads exit code 0 without a JSON object on stdout.
func (c call) readText() Reading {
	switch {
	case c.form == silent && len(trim(c.in.Stderr)) > 0:
		return c.proceeds(StderrDropped)
	case c.form == silent:
		return c.proceeds(Silent)
	case c.in.Entry.Type == "http":
		return c.readFailure(c.ignore(HTTPText))
	case c.form == malformed:
		return c.readFailure(c.ignore(NotOneDocument))
	case c.event.Plain == "":
		return c.ignore(TextDropped)
	default:
		return addContext(c.newReading(suites.ContextAdded, TextToModel), c.message(c.event.Plain, string(trim(c.in.Stdout)))...)
	}
}

// readPath reads the output of a WorktreeCreate hook that exits 0. Stdout is accepted if it could
// be a path, because the output alone does not show whether the directory exists.
func (c call) readPath() Reading {
	path := string(trim(c.in.Stdout))
	reading := c.newReading(suites.Denied, WorktreeNoPath)
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

func (c call) readCondition() Reading {
	ok, given := c.output["ok"].(bool)
	reason, _ := c.output["reason"].(string)
	switch {
	case c.hasFailed():
		return c.readSilentFailure()
	case !given:
		return c.ignore(ConditionText)
	case ok:
		return c.proceeds(ConditionOK)
	case c.in.Entry.Type == "agent":
		return c.refusal(ConditionNotOK, "Agent hook condition was not met: "+reason)
	case c.conditionEnds():
		return c.newReading(suites.SessionEnds, ConditionEnds)
	default:
		return c.refusal(ConditionNotOK, reason)
	}
}

// conditionEnds reports whether a prompt hook's "not ok" ends the session.
func (c call) conditionEnds() bool {
	return c.event.PromptEnds && !c.in.Entry.ContinueOnBlock && !c.version.isOld()
}

// invalid returns the reason why the client's validation refuses the output; ok reports that it
// accepts it. One bad value drops the whole output; observed.
func (c call) invalid() (cause Cause, ok bool) {
	if cause, ok = c.validate("", topFields, c.output); !ok {
		return cause, false
	}
	if c.nested == nil {
		return Cause{}, true
	}
	return c.invalidSpecific()
}

// invalidSpecific checks hookSpecificOutput against the fields of the event that it names. Only
// then is a name other than the current event noticed, as the effect of exit code 2 shows;
// observed.
func (c call) invalidSpecific() (cause Cause, ok bool) {
	name, given := c.nested["hookEventName"]
	if !given {
		return c.cause(NoEventName), false
	}
	named, _ := name.(string)
	fields := specificFields(c.version, named)
	switch {
	case len(fields) == 0 && named == c.event.Name:
		return c.cause(NotAccepted), false
	case len(fields) == 0:
		return Cause{Kind: UnknownName, Event: c.event.Name, Value: spell(name)}, false
	}
	if cause, ok = c.validate("hookSpecificOutput.", fields, c.nested); !ok {
		return cause, false
	}
	if named != c.event.Name {
		return Cause{Kind: OtherName, Event: c.event.Name, Value: named}, false
	}
	return Cause{}, true
}

// validate returns the first key, in the order of the table, whose value is refused.
func (c call) validate(prefix string, fields []Field, output map[string]any) (cause Cause, ok bool) {
	for _, field := range fields {
		value, given := output[field.Name]
		if !given && !field.Required {
			continue
		}
		cause = Cause{Kind: WrongType, Event: c.event.Name, Key: prefix + field.Name, Value: spell(value), Want: string(field.Kind)}
		if !field.Kind.Holds(value) {
			return cause, false
		}
		if word, isText := value.(string); isText && field.Values != nil && !slices.Contains(field.Values, word) {
			cause.Kind, cause.Want = UnknownValue, strings.Join(field.Values, ", ")
			return cause, false
		}
		if inner, isObject := value.(map[string]any); isObject && field.Fields != nil {
			if cause, ok = c.validate(prefix+field.Name+".", field.Fields, inner); !ok {
				return cause, false
			}
		}
	}
	return Cause{}, true
}

func spell(value any) string {
	raw, _ := json.Marshal(value) // decoded JSON always encodes
	return string(raw)
}

// unknownKeys returns the keys that the client drops silently.
func (c call) unknownKeys() (unknown []string) {
	for name := range c.output {
		if _, known := findField(topFields, name); !known {
			unknown = append(unknown, name)
		}
	}
	fields := specificFields(c.version, c.event.Name)
	for name := range c.nested {
		if _, known := findField(fields, name); !known && name != "hookEventName" {
			unknown = append(unknown, "hookSpecificOutput."+name)
		}
	}
	slices.Sort(unknown)
	return unknown
}
