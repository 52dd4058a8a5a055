package client

import (
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// An Observation is what became of a cell that a client was played.
type Observation struct {
	Command  string        // of the hook, as it was registered
	URL      string        // of an http hook
	Matched  string        // what its matcher was compared with
	Answered bool          // the hook ran, and said what the cell says
	Effect   suites.Effect // what the client was seen to do
	Texts    []string      // what the model was sent since
}

// A Judgement is what is predicted of a cell beside what was seen.
type Judgement struct {
	Predicted suites.Effect
	Seen      suites.Effect // "" where the hook did not answer
	Changed   string        // what differs; "" where nothing does
}

// Judge holds what was seen against what is predicted for a version. Whether a
// client that goes on has looked at the output nobody sees: proceeds and ignored are
// one, and so is whether a text that the model was sent counts as context.
func (c Cell) Judge(v Version, o Observation) Judgement {
	in := c.Output
	in.Entry.Command, in.Entry.URL, in.Matched = o.Command, o.URL, o.Matched
	predicted := Interpret(v, c.Event, in)
	j := Judgement{Predicted: predicted.Effect}
	never := predicted.Cause.Kind == NoEvent || predicted.Cause.Kind == NeverRuns
	switch {
	case never && !o.Answered:
		return j
	case never:
		j.Seen, j.Changed = o.Effect, "the hook ran, which it should never"
		return j
	case !o.Answered && (in.NotStarted == ""):
		j.Changed = "the hook was not fired"
		return j
	}
	texts := strings.Join(o.Texts, "\n")
	heard := c.heard(texts)
	told := len(heard) > 0 || slices.ContainsFunc(predicted.ModelSees, func(text string) bool { return strings.Contains(texts, text) })
	j.Seen = seen(c.Event, o.Effect, predicted.Effect, told)
	if j.Seen != j.Predicted {
		j.Changed = "the client did something else" + excerpt(texts, heard)
		return j
	}
	j.Changed = differs(predicted, heard, texts)
	return j
}

// seen is the effect in the words of the prediction, where nobody can tell the two
// apart: where no person is ever asked, to be asked is to be denied, and to be allowed
// is to go on.
func seen(event string, observed, predicted suites.Effect, told bool) suites.Effect {
	quiet := []suites.Effect{suites.Proceeds, suites.Ignored}
	tells := []suites.Effect{suites.ContextAdded, suites.ShownToModel}
	about, _ := EventByName(event)
	asks := about.Guards == Calls || about.Allow == Granted
	switch {
	case !asks && predicted == suites.Asked && observed == suites.Denied:
		return predicted
	case !asks && predicted == suites.Allowed && slices.Contains(quiet, observed) && !told:
		return predicted
	}
	if !slices.Contains(quiet, observed) && !slices.Contains(tells, observed) {
		return observed
	}
	same := quiet
	if told {
		same = tells
	}
	if slices.Contains(same, predicted) {
		return predicted
	}
	return same[0]
}

// differs says which text reached the model and should not, or the other way round.
// A person who is asked answers in words of their own, and a rewritten input or
// result holds words of the hook's without being told.
func differs(predicted Reading, heard []string, texts string) string {
	if predicted.Effect == suites.Asked {
		return ""
	}
	for _, text := range predicted.ModelSees {
		if !strings.Contains(texts, text) {
			return "the model was not sent: " + text + excerpt(texts, heard)
		}
	}
	for _, word := range heard {
		if predicted.Effect != suites.Rewritten && !strings.Contains(strings.Join(predicted.ModelSees, "\n"), word) {
			return "the model was sent " + word + excerpt(texts, heard)
		}
	}
	return ""
}

// excerpt gives what stands around words of the cell's, or around what the client says
// of hooks, in what the model was sent.
func excerpt(texts string, heard []string) string {
	var out []string
	for _, word := range append(heard, "hook error:", "hook feedback:", "hook blocking error") {
		at := strings.Index(texts, word)
		if at < 0 || len(out) == mostExcerpts {
			continue
		}
		from, to := max(0, at-around), min(len(texts), at+len(word)+around)
		out = append(out, strings.TrimSpace(strings.ToValidUTF8(texts[from:to], "")))
	}
	if len(out) == 0 {
		return ""
	}
	return "; it was sent: " + strings.Join(out, " ... ")
}

const (
	mostExcerpts = 2
	around       = 120 // bytes
)

var words = pattern.Lazy(`my-[a-z-]+[a-z]|persisted-output`)

// heard are words of the cell's that the model was sent.
func (c Cell) heard(texts string) (heard []string) {
	own := words().FindAllString(string(c.Output.Stdout)+" "+string(c.Output.Stderr)+" persisted-output", -1)
	slices.Sort(own)
	for _, word := range slices.Compact(own) {
		if strings.Contains(texts, word) {
			heard = append(heard, word)
		}
	}
	return heard
}
