package client

import (
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// An Observation is the result of running a cell with a client.
type Observation struct {
	Command  string        // the hook's registered command
	URL      string        // of an http hook
	Matched  string        // the value that its matcher was compared with
	Answered bool          // the hook ran and gave the cell's output
	Effect   suites.Effect // the observed effect
	Texts    []string      // the texts sent to the model since then
}

// A Judgement compares the predicted with the observed effect of a cell.
type Judgement struct {
	Predicted suites.Effect
	Seen      suites.Effect // "" if the hook did not answer
	Changed   string        // the difference; "" if there is none
}

// Judge compares an observation with the prediction for a version. Proceeds and ignored count as
// equal, because one cannot observe whether a client that goes on has used the output. For the same
// reason it does not matter whether a text sent to the model counts as context.
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
	default:
		return c.Against(predicted, o)
	}
}

// Against compares an observation with a prediction, as Judge does.
func (c Cell) Against(predicted Reading, o Observation) Judgement {
	j := Judgement{Predicted: predicted.Effect}
	if !o.Answered && c.Output.NotStarted == "" {
		j.Changed = "the hook was not fired"
		return j
	}
	texts := strings.Join(o.Texts, "\n")
	heard := c.heard(texts)
	shown := []suites.Effect{suites.ContextAdded, suites.ShownToModel}
	reachedModel := len(heard) > 0 || slices.Contains(shown, o.Effect) || slices.ContainsFunc(predicted.ModelSees, func(text string) bool { return strings.Contains(texts, text) })
	j.Seen = reconcile(c.Event, o.Effect, predicted.Effect, reachedModel)
	if j.Seen != j.Predicted {
		j.Changed = "the client did something else" + excerpt(texts, heard)
		return j
	}
	j.Changed = differs(predicted, heard, texts)
	return j
}

// reconcile returns the observed effect, or the predicted one if the two cannot be distinguished: if the
// event never asks the user, Asked looks like Denied and Allowed like Proceeds.
func reconcile(event string, observed, predicted suites.Effect, reachedModel bool) suites.Effect {
	quiet := []suites.Effect{suites.Proceeds, suites.Ignored}
	shown := []suites.Effect{suites.ContextAdded, suites.ShownToModel}
	about, _ := EventByName(event)
	asks := about.Guards == Calls || about.Allow == Granted
	switch {
	case !asks && predicted == suites.Asked && observed == suites.Denied:
		return predicted
	case !asks && predicted == suites.Allowed && slices.Contains(quiet, observed) && !reachedModel:
		return predicted
	}
	if !slices.Contains(quiet, observed) && !slices.Contains(shown, observed) {
		return observed
	}
	same := quiet
	if reachedModel {
		same = shown
	}
	if slices.Contains(same, predicted) {
		return predicted
	}
	return same[0]
}

// differs describes a text that reached the model unexpectedly, or failed to reach it; "" if there
// is none. It ignores the effect Asked because the user's answer replaces the texts, and does not
// look for unexpected words with Rewritten because a rewritten input or result may contain the
// hook's own.
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

// excerpt returns parts of the text sent to the model: around the cell's words and around the
// client's own phrases about hooks.
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

// heard returns the words of the cell that the model was sent.
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
