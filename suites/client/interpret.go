package client

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf16"

	"hookwatch/suites"
)

// Interpret returns the reading of a hook's output for the event by a client of version v. It
// depends only on its arguments.
func Interpret(v Version, event string, in Output) Reading {
	c := call{version: v, in: in, matched: in.Matched}
	c.form, c.output = readStdout(v, in.Stdout)
	if c.form == asyncMore && v.isOld() && !c.exit2() { // counts as text unless it blocks; observed
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
			reading = c.addReport(reading)
		}
	} else {
		reading = c.ignore(NoEvent)
		reading.Cause.Value = event
	}
	reading.Decision = decisionOf(c.output)
	return reading
}

func (c call) read() Reading {
	entry := c.in.Entry
	switch {
	case c.in.Dropped != "":
		reading := c.ignore(EntryDropped)
		reading.Cause.Value = c.in.Dropped
		return reading
	case entry.If != "" && !c.event.Tool:
		return c.ignore(NeverRuns)
	case c.in.TimedOut && c.event.TimeoutBlocks && !entry.Async:
		return c.newReading(suites.Denied, TimeoutBlocks)
	case c.in.NotStarted != "", c.in.TimedOut:
		return c.readSilentFailure()
	case entry.AsyncRewake && c.exit2():
		return c.refusalByExit2()
	case entry.Async, entry.AsyncRewake, c.output["async"] == true:
		return c.readBackground()
	case c.asksModel():
		return c.readCondition()
	case c.event.PrintsPath && entry.Type != "http" && !c.hasFailed():
		return c.readPath()
	case entry.Type == "http" && c.hasFailed():
		return c.readSilentFailure()
	default:
		return c.readOutput()
	}
}

// readOutput reads JSON on stdout if there is any, then the exit code, then text.
func (c call) readOutput() Reading {
	if c.form == document {
		if cause, ok := c.invalid(); !ok {
			return c.readInvalid(cause)
		}
		return c.readDocument()
	}
	switch {
	case c.exit2():
		return c.refusalByExit2()
	case c.hasFailed():
		return c.readSilentFailure()
	default:
		return c.readText()
	}
}

// readBackground reads a hook for which the client does not wait. Its context and its message to the user
// reach the model in a later turn, whatever event it names; observed on client 2.1.332.
func (c call) readBackground() Reading {
	printed := c.form == document && !c.hasFailed()
	if c.in.Entry.Async && printed && !c.version.isOld() {
		context, _ := c.nested["additionalContext"].(string)
		message, _ := c.output["systemMessage"].(string)
		if texts := append(nonEmpty(context), nonEmpty(message)...); len(texts) > 0 && !c.event.Last {
			return c.proceeds(LateContext)
		}
	}
	quiet := c.form == silent || !c.in.Entry.InBackground() && c.isAsyncRequest()
	if quiet && c.in.Signal == "" && c.in.Exit == 0 {
		return c.proceeds(Background)
	}
	return c.ignore(TooLate)
}

// isAsyncRequest reports whether the output only requests to run asynchronously.
func (c call) isAsyncRequest() bool {
	for key := range c.output {
		if _, known := findField(asyncFields, key); !known {
			return false
		}
	}
	return c.form == document
}

// A call is one output while it is interpreted.
type call struct {
	version Version
	event   Event
	in      Output
	form    form
	output  map[string]any // nil unless form is document or asyncMore
	nested  map[string]any // hookSpecificOutput
	matched string
}

func (c call) cause(kind Kind) Cause {
	return Cause{Kind: kind, Event: c.event.Name, Exit: c.in.Exit, Signal: c.in.Signal, Version: c.version}
}

func (c call) newReading(effect suites.Effect, kind Kind) Reading {
	return Reading{Effect: effect, Cause: c.cause(kind)}
}

func (c call) ignore(kind Kind) Reading { return c.newReading(suites.Ignored, kind) }

func (c call) proceeds(kind Kind) Reading { return c.newReading(suites.Proceeds, kind) }

// exit2 reports whether the hook is a program that ended with exit code 2.
func (c call) exit2() bool {
	isProgram := c.in.Entry.Type != "http" && !c.asksModel()
	return isProgram && c.in.Signal == "" && c.in.Exit == 2
}

func (c call) asksModel() bool { return c.in.Entry.Type == "prompt" || c.in.Entry.Type == "agent" }

func (c call) hasFailed() bool {
	isSuccess := c.in.Exit == 0 || c.in.Entry.Type == "http" && c.in.Exit/100 == 2
	return !isSuccess || !c.in.hasExit()
}

// failuresBlock reports whether the entry makes failures count as exit code 2.
func (c call) failuresBlock() bool { return c.wantsBlock() && !c.event.IgnoresOnFailure }

// wantsBlock reports whether the entry asks for this, at events that do not obey it, too.
func (c call) wantsBlock() bool {
	possible := !c.in.Entry.InBackground() && !c.asksModel() && !c.version.isOld()
	return possible && c.in.Entry.OnFailure == "block"
}

// dropsContext reports whether the client sends no context because the hook failed. It does so if the entry wants
// failures to block, and also at events at which nothing blocks; observed on client 2.1.332.
func (c call) dropsContext() bool {
	return c.hasFailed() && !c.exit2() && c.wantsBlock() && (c.failuresBlock() || c.event.Exit2 == suites.Ignored)
}

// label returns the client's name for the hook in messages to the model: "PreToolUse:Bash".
func (c call) label() string {
	if c.matched == "" || c.event.MatchedOn == "" {
		return c.event.Name
	}
	return c.event.Name + ":" + c.matched
}

// message returns the client's message to the model with a text, in the given format; nothing if the
// format is empty.
func (c call) message(format, text string) []string {
	command := c.in.Entry.Command
	unnamed, failed := strings.CutPrefix(text, "["+command+"]: ")
	switch {
	case format == "":
		return nil
	case format == asFailed, format == asBroken, format == asNotRun: // without the command, or with it in the format
		text = unnamed
	}
	if !failed { // what the hook printed decided, not its exit code
		command = cmp.Or(c.in.Entry.StatusMessage, command)
	}
	return []string{strings.NewReplacer(
		"{label}", c.label(), "{event}", c.event.Name, "{command}", command, "{text}", text,
	).Replace(format)}
}

// of returns the value of a key of hookSpecificOutput, or nil if the client does not know the key
// for this event.
func (c call) of(key string) any {
	if _, known := findField(specificFields(c.version, c.event.Name), key); !known {
		return nil
	}
	return c.nested[key]
}

func (c call) textOf(key string) string {
	text, _ := c.of(key).(string)
	return text
}

func addContext(reading Reading, texts ...string) Reading {
	reading.Context = append(reading.Context, texts...)
	reading.ModelSees = append(reading.ModelSees, texts...)
	return reading
}

func nonEmpty(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// strength orders effects: of several hooks, the strongest takes effect. deny > ask > allow was
// observed on client 2.1.197; for the others, the effect that permits less is assumed to be
// stronger.
var strength = []suites.Effect{
	suites.Proceeds, suites.Ignored, suites.ContextAdded, suites.ShownToModel, suites.Allowed, suites.Rewritten,
	suites.Asked, suites.AnotherTurn, suites.SessionEnds, suites.PromptBlocked, suites.Denied,
}

// decisionStrength orders the decisions of hooks in the same way.
var decisionStrength = []string{noDecision, "approve", "allow", "defer", "ask", "block", "deny"}

// Combine returns the client's reading of several hooks of one event, in the order in which they
// ended: the strongest effect wins, in any order, and context adds up. Of several inputs the last one
// is used, which is only then validated, and not beside a denial, without those of hooks that allow what
// an earlier one asks about, and of several denials the model is sent the last; observed on client
// 2.1.332.
func Combine(readings []Reading) Reading {
	if len(readings) == 0 {
		return Reading{Decision: noDecision, Effect: suites.Proceeds, Cause: Cause{Kind: NoHook}}
	}
	readings = slices.Clone(readings)
	last, asked := -1, false
	drop := func(i int) {
		r := readings[i]
		readings[i] = Reading{Decision: r.Decision, Effect: suites.Proceeds, Cause: r.Cause, Context: r.Context, ModelSees: r.Context}
	}
	denied := slices.ContainsFunc(readings, func(r Reading) bool { return r.Effect == suites.Denied && !r.Cause.Kind.givesInput() })
	for i, reading := range readings {
		switch {
		case !reading.Cause.Kind.givesInput():
		case asked && reading.Decision == "allow", denied && reading.Effect == suites.Denied:
			drop(i)
		default:
			if last >= 0 && readings[last].Effect == suites.Denied {
				drop(last)
			}
			last = i
		}
		asked = asked || reading.Effect == suites.Asked
	}
	if slices.ContainsFunc(readings, func(r Reading) bool { return r.Alone }) {
		for i := range readings {
			if r := &readings[i]; !r.Alone {
				r.ModelSees, r.Context = nil, nil
			}
		}
	}
	winner := slices.MaxFunc(readings, func(a, b Reading) int {
		return slices.Index(strength, a.Effect) - slices.Index(strength, b.Effect)
	})
	combined := Reading{Decision: noDecision, Effect: winner.Effect, Cause: winner.Cause}
	agreeing := 0
	for _, reading := range readings {
		if slices.Index(decisionStrength, reading.Decision) > slices.Index(decisionStrength, combined.Decision) {
			combined.Decision = reading.Decision
		}
		if reading.Effect == winner.Effect {
			agreeing++
		}
		if reading.Input != nil {
			combined.Input = reading.Input
		}
		combined.add(reading)
	}
	if combined.Effect == suites.Rewritten && agreeing > 1 {
		combined.Cause = Cause{Kind: RewriteRace, Event: winner.Cause.Event, Count: agreeing}
	}
	return combined
}

// ApplyRule returns the effect of a call with this reading to which a permission rule applies. Hooks
// that deny the call or end the session without it come first; then a rule counts, also against a hook that allows
// the call or asks about it. denies reports that it denies the call, and does not ask. Observed on client
// 2.1.332.
func (r Reading) ApplyRule(rule PermissionRule, denies bool) Reading {
	if r.Effect == suites.Denied || r.Effect == suites.SessionEnds && r.Cause.Kind != HaltAfterTool {
		return r
	}
	ruled := r
	ruled.Effect, ruled.Cause = suites.Asked, Cause{Kind: RuleAsks, Event: "PreToolUse", Value: rule.String()}
	if ruled.ModelSees = r.Context; denies {
		ruled.Effect, ruled.Cause.Kind = suites.Denied, RuleDenies
	}
	return ruled
}

// add appends the model's texts of one more hook: its context always, the rest only if its effect
// is the winning one or a message to the model.
func (r *Reading) add(one Reading) {
	if r.Effect == suites.PromptBlocked || r.Effect == suites.SessionEnds {
		return // the model is not asked again
	}
	texts := one.Context
	switch one.Effect {
	case suites.Denied:
		if r.Effect == one.Effect {
			r.ModelSees, texts = slices.Clone(r.Context), one.ModelSees
		}
	case r.Effect, suites.ShownToModel:
		texts = one.ModelSees
	}
	r.Context = append(r.Context, one.Context...)
	r.ModelSees = append(r.ModelSees, texts...)
}

// halt reads continue:false.
func (c call) halt() (Reading, bool) {
	if c.output["continue"] != false {
		return Reading{}, false
	}
	switch c.event.Halt {
	case "", suites.Ignored:
		return Reading{}, false
	case suites.PromptBlocked:
		return c.newReading(suites.PromptBlocked, HaltPrompt), true
	case suites.Proceeds:
		return c.newReading(suites.Proceeds, HaltStops), true
	}
	if c.event.Guards != Calls {
		return c.newReading(c.event.Halt, HaltEnds), true
	}
	switch denied := c.refuses() || c.exit2(); {
	case denied && c.version.isOld():
		return Reading{}, false
	case denied:
		return c.newReading(suites.SessionEnds, HaltWithDeny), true
	default:
		return c.newReading(suites.SessionEnds, HaltAfterTool), true
	}
}

// refuses reports whether a JSON decision is against the action.
func (c call) refuses() bool {
	return !c.event.IgnoresBlock && c.output["decision"] == "block" || c.of("permissionDecision") == "deny"
}

// block reads decision block and permissionDecision deny. The reason is taken from the JSON, and
// stderr is dropped.
func (c call) block() (Reading, bool) {
	if !c.refuses() {
		return Reading{}, false
	}
	reason := c.blockReason()
	if c.event.SendsReason && c.version.isOld() && reason != "" {
		return addContext(c.newReading(suites.ContextAdded, StartReason), reason), true
	}
	if c.event.Guards == Calls && c.version.isOld() {
		reading := c.refusal(JSONNo, reason)
		reading.ModelSees = nonEmpty(reason)
		if reason == "" {
			reading.ModelSees = []string{"Hook " + c.label() + " denied this tool"}
		}
		return reading, true
	}
	reading := c.refusal(JSONNo, reason)
	switch {
	case reason != "", len(reading.ModelSees) == 0: // keep it
	case c.event.RefusalFormat == asError, c.event.RefusalFormat == asReminder:
		reading.ModelSees = []string{NoReason}
	default:
		reading = c.refusal(JSONNo, NoReason)
	}
	return reading, true
}

// NoReason is what the model is sent of a denial in JSON without a reason (observed on client 2.1.330).
const NoReason = "Blocked by hook"

func (c call) blockReason() string {
	if c.of("permissionDecision") == "deny" {
		if reason := c.textOf("permissionDecisionReason"); reason != "" {
			return reason
		}
	}
	if c.output["decision"] == "block" {
		reason, _ := c.output["reason"].(string)
		return reason
	}
	return ""
}

// blockByExit reads exit code 2, and a failure that counts as exit code 2.
func (c call) blockByExit() (Reading, bool) {
	var reading Reading
	switch {
	case c.exit2():
		reading = c.refusalByExit2()
	case c.hasFailed() && c.failuresBlock():
		reading = c.readFailure(Reading{})
	default:
		return Reading{}, false
	}
	return reading, reading.Effect != suites.Ignored || len(c.contexts()) == 0
}

// ask reads the decisions ask and defer.
func (c call) ask() (Reading, bool) {
	switch c.of("permissionDecision") {
	case "ask":
		input, rewrites := c.of("updatedInput").(map[string]any)
		if rewrites { // observed on client 2.1.332
			if reading := c.rewriteInput(input); reading.Effect == suites.Denied {
				return reading, true
			}
		}
		reading := c.newReading(suites.Asked, Asked)
		reading.Input = input
		reading.ModelSees = nonEmpty(c.textOf("permissionDecisionReason"))
		return reading, true
	case "defer":
		return c.newReading(suites.SessionEnds, Deferred), true
	}
	return Reading{}, false
}

// answer reads the answer of a PermissionRequest hook, which takes precedence over exit code 2.
// Observed on client 2.1.330.
func (c call) answer() (Reading, bool) {
	answer, _ := c.of("decision").(map[string]any)
	message, _ := answer["message"].(string)
	switch answer["behavior"] {
	case "allow":
		if input, _ := answer["updatedInput"].(map[string]any); len(input) > 0 { // an empty one is none; observed on client 2.1.332
			return c.rewriteInput(input), true
		}
		return c.newReading(suites.Allowed, Granted), true
	case "deny":
		reading := c.newReading(suites.Denied, Refused)
		reading.ModelSees = nonEmpty(message)
		return reading, true
	}
	return Reading{}, false
}

func (c call) approve() (Reading, bool) {
	if c.of("permissionDecision") == "allow" || c.event.Guards == Calls && c.output["decision"] == "approve" {
		return c.newReading(suites.Allowed, c.event.Allow), true
	}
	return Reading{}, false
}

// rewrite reads the keys that replace values of the client.
func (c call) rewrite() (Reading, bool) {
	switch {
	case c.of("updatedInput") != nil && c.event.RefusesInput:
		return c.newReading(suites.Denied, InputRefused), true
	case c.of("updatedInput") != nil:
		input, _ := c.of("updatedInput").(map[string]any)
		return c.rewriteInput(input), true
	case c.of("updatedToolOutput") != nil:
		return c.rewriteOutput("updatedToolOutput", ToolByName(c.matched).takes(c.of("updatedToolOutput")), OutputShape)
	case c.of("updatedMCPToolOutput") != nil:
		return c.rewriteOutput("updatedMCPToolOutput", c.matched == "" || strings.HasPrefix(c.matched, "mcp__"), MCPOutput)
	case c.of("displayContent") != nil:
		return c.newReading(suites.Rewritten, DisplayRewritten), true
	case c.of("action") == "accept":
		return c.newReading(suites.Rewritten, Answered), true
	case c.of("action") != nil:
		return c.newReading(suites.Denied, Declined), true
	}
	return Reading{}, false
}

// addReplacement adds the replacement of a tool's result to a refusal that comes too late to prevent
// the call, because the client does both.
func (c call) addReplacement(no Reading) Reading {
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

// rewriteInput replaces the tool's whole input, so that the new one must be complete.
func (c call) rewriteInput(input map[string]any) Reading {
	lacking := ToolByName(c.matched).lacks(input)
	reading := c.newReading(suites.Denied, InputIncomplete)
	reading.Cause.Key, reading.Cause.Value = lacking, c.matched
	switch {
	case len(input) == 0:
		reading.Cause.Kind = InputEmpty
	case lacking == "":
		reading = c.newReading(suites.Rewritten, InputRewritten)
		reading.Input = input
		return reading
	}
	if lacking != "" && !has(input, lacking) {
		reading.ModelSees = []string{"The required parameter `" + lacking + "` is missing"}
	}
	return reading
}

// rewriteOutput replaces the tool's result if the client accepts the replacement; done reports that
// nothing else in the output remains to be read.
func (c call) rewriteOutput(key string, taken bool, otherwise Kind) (reading Reading, done bool) {
	kind, effect := OutputRewritten, suites.Rewritten
	if !taken {
		kind, effect = otherwise, suites.Ignored
	}
	reading = c.newReading(effect, kind)
	reading.Cause.Key, reading.Cause.Value = key, c.matched
	return reading, taken || len(c.contexts()) == 0
}

// maxContext is the length, in UTF-16 units, above which the client replaces additionalContext with
// a preview and the path of a file.
const maxContext = 10_000

// contexts returns the texts that the hook passes to the model in addition to its decision.
func (c call) contexts() []string {
	if c.event.LosesContext || c.dropsContext() {
		return nil
	}
	text := c.textOf("additionalContext")
	if len(utf16.Encode([]rune(text))) > maxContext {
		text = "persisted-output"
	}
	return append(nonEmpty(text), nonEmpty(c.textOf("initialUserMessage"))...)
}

// addContext adds the texts of contexts to a reading. Without a decision, they are its effect.
func (c call) addContext(reading Reading) Reading {
	texts := c.contexts()
	if len(texts) == 0 {
		return reading
	}
	if reading.Cause.Kind == HaltStops {
		return reading
	}
	switch reading.Effect {
	case suites.PromptBlocked, suites.SessionEnds:
		return reading // the model is not asked again
	case "":
		reading = c.contextAlone()
	case suites.Ignored:
		reading = c.newReading(suites.ContextAdded, ContextToModel)
	default: // the decision remains in force, with the context
	}
	return addContext(reading, texts...)
}

func (c call) contextAlone() Reading {
	switch {
	case c.textOf("initialUserMessage") != "":
		return c.newReading(suites.AnotherTurn, FirstMessage)
	case c.event.Stop:
		return c.newReading(suites.AnotherTurn, ContextTurn)
	default:
		return c.newReading(suites.ContextAdded, ContextToModel)
	}
}
