package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/explore"
	"hookwatch/suites/pattern"
)

// searched is the maximum number of inputs that a guard is tried with.
const searched = 24

// harmful returns inputs that guards usually stop, of the tools that the hook takes: first those whose words its
// text has. It returns none if nothing can be stopped at the event. Their number depends only on the hook, not on
// its duration, so that the result is the same on a busy machine.
func (s subject) harmful() (all []firing) {
	for _, d := range badInputs() {
		if f, ok := sent(d, s.hook); ok {
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b firing) int { return s.wordRank(a) - s.wordRank(b) })
	return upTo(all, searched)
}

// badInputs are commands and files alternately, so that neither waits for all of the other, and prompts.
func badInputs() (all []suites.Deny) {
	for i := range max(len(badCommands), len(badFiles), len(badPrompts)) {
		if i < len(badCommands) {
			all = append(all, suites.Deny{Command: badCommands[i]})
		}
		if i < len(badFiles) {
			all = append(all, suites.Deny{File: badFiles[i]})
		}
		if i < len(badPrompts) {
			all = append(all, suites.Deny{Prompt: badPrompts[i]})
		}
	}
	return all
}

// wordRank returns 0 for an input that has words, all of them in the text of the hook, otherwise 1.
func (s subject) wordRank(f firing) int {
	words := letters().FindAllString(f.command+f.file, -1)
	if len(words) == 0 || slices.ContainsFunc(words, func(word string) bool { return !hasWord(s.text, word) }) {
		return 1
	}
	return 0
}

var letters = pattern.Lazy(`[A-Za-z]{2,}`)

// guarded are the tools with which a guard of files is tried; the first accepted one is used. Tools
// that create files come first because they need no existing file.
var guarded = slices.DeleteFunc(slices.Concat(client.ToolNames(client.CreatesFile), tools), func(tool string) bool { return !takesFile(tool) })

// judgeDenies judges the user's list of inputs that hooks must stop, before any hook is run.
func judgeDenies(s site) (all []Finding) {
	for _, d := range s.Denies {
		meant := slices.DeleteFunc(s.hooks(), func(h discover.Hook) bool { return !h.Answers(d.Hook) })
		takes := func(h discover.Hook) bool { _, ok := sent(d, h); return ok }
		input := firing{tool: d.Tool, command: d.Command, file: d.File, prompt: d.Prompt, event: eventOf(d)}.input()
		switch {
		case len(meant) == 0:
			all = append(all, Finding{Where: d.At, What: "no registered hook is meant by " + d.Hook, Remedy: "hookwatch list --hooks shows what is registered: name an ID, or a part of a command"})
		case !slices.ContainsFunc(meant, takes):
			all = append(all, Finding{Where: d.At, What: d.Hook + " does not run for " + input, Remedy: "register it where a call can be stopped, with a matcher that takes the tool"})
		}
	}
	return all
}

// eventOf returns the event at which an input can be stopped.
func eventOf(d suites.Deny) string {
	if d.Prompt != "" {
		return client.GuardEvent(client.Prompts).Name
	}
	return client.GuardEvent(client.Calls).Name
}

// sent returns the firing of a hook for an input that it must stop; ok is false if the client does
// not run the hook for it.
func sent(d suites.Deny, h discover.Hook) (firing, bool) {
	f := firing{event: h.Event, tool: d.Tool, command: d.Command, file: d.File, prompt: d.Prompt}
	if h.Event != eventOf(d) {
		return f, false
	}
	candidates := guarded
	switch {
	case d.Prompt != "":
		return f, true
	case d.Tool != "":
		candidates = []string{d.Tool}
	case d.Command != "":
		candidates = shells
	}
	i := slices.IndexFunc(candidates, h.Matches)
	if i >= 0 {
		f.tool = candidates[i]
	}
	return f, i >= 0 && f.passes(h)
}

// planNamed sends the user's inputs that the hook must stop, each in its own environment because each
// gives a verdict.
func planNamed(r *results) (probes []Probe) {
	for i, d := range r.tree.Denies {
		f, ok := sent(d, r.hook)
		if f.note = strconv.Itoa(i); ok && r.hook.Answers(d.Hook) {
			probes = append(probes, r.probe(f))
		}
	}
	return probes
}

func judgeNamed(r *results, j *judgement, f fired) {
	i, _ := strconv.Atoi(f.note) // a number
	switch tool := r.missing(); {
	case stopped(f.Result):
	case tool != "":
		j.lacks(tool + " is not on this machine")
	default:
		j.add(FindingOf("let-through", r.hook.ID, r.tree.Denies[i].At, "it lets "+f.input()+" through: "+Short(f.EffectReason)))
	}
}

// executed is the name of a file that exists after a hook has run a part of its input as a command;
// executedAt are its possible places.
const executed = "hookwatch-executed"

var executedAt = []string{"{override}/" + executed, "{project}/" + executed, "{tmp}/" + executed}

// odd is a text with characters that scripts often mishandle.
const odd = "$(touch " + executed + ") `touch " + executed + "` it's \"quoted\" \\n $(x) é 漢 🎉\n\tsecond line"

// word is a long word. A regular expression that can split it in many ways does not terminate if it
// fails at the mark after the word.
const word = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

// variants returns a usual firing with other inputs, which any session sends sooner or later, each with a note
// about it; command is a harmless command that they begin with.
func variants(f firing, command string) []firing {
	with := func(text, note string) firing {
		v := f
		v.text, v.prompt, v.note = text, text, note
		if f.command != "" {
			v.command = command + " " + strings.ReplaceAll(text, "\n", "\n# ")
		}
		if f.command != "" && text == odd {
			v.command = command + " $(touch " + executed + ") # it's \"quoted\" \\n é 漢 🎉"
		}
		return v
	}
	quotes := with(odd, "a text with quotes and other letters, of a subagent")
	if f.about().Tool {
		quotes.agent = "general-purpose"
	}
	all := []firing{quotes, with(word+" !\n"+strings.Repeat(word+"\n", 5000), "a text of 200 KB")}
	if key := map[string]string{"Write": "content", "Edit": "new_string"}[f.tool]; key != "" {
		empty := f
		empty.over, empty.note = map[explore.Field]string{explore.Field("tool_input." + key): ""}, "an empty "+key
		all = append(all, empty)
	}
	if takesFile(f.tool) {
		named := f
		named.file, named.note = "src/$(touch "+executed+").py", "a file whose name is a command"
		all = append(all, named)
	}
	return all
}

// planVaried sends other inputs to a hook that handles a usual one, in a shared environment.
func planVaried(r *results) []Probe {
	if client.InBackground(r.first().Result) {
		return nil
	}
	usual, command := r.first().firing, "true"
	if r.hook.If != "" {
		command = usual.command
	}
	var all Probe
	for _, v := range variants(usual, command) {
		if !v.passes(r.hook) {
			continue
		}
		one := r.probe(v)
		step := &one.Case.Steps[0]
		for _, place := range executedAt {
			step.Expect.Files = append(step.Expect.Files, suites.FileExpectation{Path: place})
		}
		all.and(one)
	}
	if all.Case == nil {
		return nil
	}
	return []Probe{all}
}

func judgeVaried(r *results, j *judgement, f fired) {
	usual := r.first().Result
	switch executes := slices.ContainsFunc(executedAt, func(place string) bool { _, ran := f.Files[place]; return ran }); {
	case executes:
		found := FindingOf("executes-input", r.hook.ID, r.hook.Source, "it runs a part of its input as a command")
		found.Input = f.note
		j.addWorst(found)
	case j.judgeFailure(f.note, f.Result, suites.Warning):
	case f.TimedOut:
		j.seen(string(client.TimedOut), fmt.Sprintf("it had not ended after %s", r.patience()), f.note, suites.Warning)
	case client.Kind(f.EffectRule) == client.StderrDropped: // hooks are not meant to stop these inputs
	default:
		j.judgeDropped(firing{event: f.event, value: f.note}, &usual, f.Result, suites.Warning)
	}
}
