package conform

import (
	"slices"
	"strings"

	"hookwatch/suites/pattern"
)

// endings are names of files that a hook's text speaks of by their endings.
var fileEndings = pattern.Lazy(`\.(py|tsx?|jsx?|go|rs|sh|json|ya?ml|md|rb)\b`)

// mentioned sends a hook that is asked after a call, or for the text of a file, one input that
// holds all texts that it speaks of: as the content of a file, as the model's last words and
// in the transcript. A hook that looks for any of them reacts.
func (q *Inquiry) mentioned() []Probe {
	q.rounds[0] = func() []Probe { return nil }
	usual := q.usual
	if q.hook.Event == "UserPromptSubmit" || len(usual) == 0 || q.absent != "" || q.denied != nil {
		return nil
	}
	f := usual[len(usual)-1] // of a command and a file the file
	if q.hook.Event == "PreToolUse" && (slices.Contains(shells, f.tool) || slices.Contains(shells, usual[0].tool)) {
		return nil // tried with commands
	}
	own := literals(q.text)
	const most = 30
	if len(own) == 0 || !mayReact(q.text) && !strings.Contains(q.text, "hookSpecificOutput") {
		return nil
	}
	f.text = strings.Join(own[:min(len(own), most)], "\n") + "\n"
	f.saying = "all that its text looks for"
	if slices.Contains(fileTools, f.tool) {
		f.file, f.written = "src/hookwatch_example.py", true
		if m := fileEndings().FindString(q.text); m != "" {
			f.file = "src/hookwatch_example" + m
		}
	}
	return q.tried([]firing{f})
}
