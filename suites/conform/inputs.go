package conform

import (
	"slices"

	"hookwatch/suites/client"
	"hookwatch/suites/symptom"
)

// searched bounds the inputs that a guard is tried with.
const searched = 24

// How likely it is that a guard stops an input, the likeliest first.
const (
	allSaid   = iota // every word of a usual one stands in the guard's text
	ownInput         // the guard's text holds it, and it reads like a command or a path
	halfSaid         // half of the words stand in the text
	ownWord          // the text holds it, whatever it is
	firstSaid        // the text speaks of its first word, which names the program
	unsaid           // usual, and the text does not speak of it: it may call what does
	ranks
)

// atMost bounds the inputs of the ranks that are rarely right.
var atMost = map[int]int{ownWord: 8, firstSaid: 8, unsaid: 8}

// harmful lists inputs that a guard may be there to stop, the likeliest first.
func (q *Inquiry) harmful() []firing { return q.likeliest(q.ranked()) }

// ranked are those inputs by rank; none of a hook that is no guard.
func (q *Inquiry) ranked() (ranked [ranks][]firing) {
	if q.hook.Event != "PreToolUse" && q.hook.Event != "UserPromptSubmit" || !mayReact(q.text) {
		return ranked
	}
	own := literals(q.text)
	if q.hook.Event == "UserPromptSubmit" {
		for _, text := range slices.Concat(badPrompts, own[:min(len(own), 12)]) {
			ranked[ownInput] = append(ranked[ownInput], firing{event: q.hook.Event, prompt: text})
		}
		return ranked
	}
	takes := func(tool string) bool { return client.Match(q.hook.Event, q.hook.Matcher, tool) }
	add := func(tool string, usual, own []string, fits func(string) bool) {
		for _, text := range usual {
			if f := q.call(tool, text); f.passes(q.hook) {
				rank := said(q.text, text)
				ranked[rank] = append(ranked[rank], f)
			}
		}
		for _, text := range own {
			rank := ownWord
			if fits(text) {
				rank = ownInput
			}
			f := q.call(tool, text)
			if !f.passes(q.hook) && f.command != "" { // as an argument of what the entry is limited to
				f.command = conditional(q.hook, f).command + " " + text
			}
			if f.passes(q.hook) {
				ranked[rank] = append(ranked[rank], f)
			}
		}
	}
	if i := slices.IndexFunc(shells, takes); i >= 0 {
		add(shells[i], badCommands, own, isCommand)
	}
	if i := slices.IndexFunc(guarded, takes); i >= 0 {
		add(guarded[i], badFiles, files(own), isPath)
	}
	return ranked
}

// guarded are the tools by which a guard of files is tried: the first that it takes.
var guarded = []string{"Write", "Edit", "Read", "NotebookEdit"}

// call is a tool's call with a command or a file.
func (q *Inquiry) call(tool, text string) firing {
	if slices.Contains(shells, tool) {
		return firing{event: q.hook.Event, tool: tool, command: text}
	}
	return firing{event: q.hook.Event, tool: tool, file: text}
}

// likeliest puts the ranks one after the other, each input once. How many there are depends on
// the hook alone, never on how long it takes: the answer is the same on a busy machine.
func (q *Inquiry) likeliest(ranked [ranks][]firing) (out []firing) {
	const few, fewest = 8, 8
	most := searched
	switch {
	case q.missing != "" || symptom.Background(q.took):
		most = fewest // it can hardly do its work, or no one would hear of it
	case !mayDeny(q.text):
		most = few
	}
	seen := map[string]bool{}
	for rank, all := range ranked {
		if n := atMost[rank]; n > 0 {
			all = all[:min(len(all), n)]
		}
		for _, f := range byTurns(all) {
			if key := f.tool + "\x00" + f.command + f.file + f.prompt; !seen[key] && len(out) < most {
				seen[key] = true
				out = append(out, f)
			}
		}
	}
	return out
}

// byTurns mixes commands and files, so that neither waits for all of the other.
func byTurns(all []firing) (out []firing) {
	var commands, others []firing
	for _, f := range all {
		if f.command != "" {
			commands = append(commands, f)
		} else {
			others = append(others, f)
		}
	}
	for i := range max(len(commands), len(others)) {
		out = append(out, commands[min(i, len(commands)):min(i+1, len(commands))]...)
		out = append(out, others[min(i, len(others)):min(i+1, len(others))]...)
	}
	return out
}

// said ranks a usual input by how many of its words a text has.
func said(text, input string) int {
	switch found, all := wordsOf(text, input); {
	case found == all:
		return allSaid
	case 2*found >= all:
		return halfSaid
	case hasFirst(text, input):
		return firstSaid
	default:
		return unsaid
	}
}
