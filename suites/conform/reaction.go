package conform

import (
	"bytes"
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/client"
)

// A Loss is the output that the client drops of one reaction, with the client's rule that explains
// it.
type Loss struct {
	Kind     client.Kind
	Lost     client.Lost
	Severity suites.Severity
	Reacts   bool // the hook's result differs from that for a harmless input
}

// ReactionDiffers reports whether a hook's result differs from that for a harmless input: another
// exit code, output instead of none, or another number of lines.
func ReactionDiffers(harmless, r suites.Result) bool {
	return harmless.Exit != r.Exit || lines(harmless.Stdout) != lines(r.Stdout) || lines(harmless.Stderr) != lines(r.Stderr)
}

func lines(text []byte) int {
	return bytes.Count(append(bytes.TrimSpace(text), '\n'), []byte("\n")) - blank(text)
}

func blank(text []byte) int {
	if len(bytes.TrimSpace(text)) == 0 {
		return 1
	}
	return 0
}

func silent(text []byte) bool { return blank(text) == 1 }

// LossOf returns the output that the client drops of a hook's result for an input of an event; ok
// is false if it drops nothing. harmless is the result for a harmless input of the same shape, nil
// if r is that itself.
func LossOf(event string, harmless *suites.Result, r suites.Result) (l Loss, ok bool) {
	kind := client.Kind(r.EffectRule)
	if !kind.Loses() || r.NotStarted != "" {
		return Loss{}, false
	}
	l = Loss{Kind: kind, Reacts: harmless != nil && ReactionDiffers(*harmless, r)}
	about, _ := client.EventByName(event)
	switch {
	case kind.Fails():
		return l.failure(about, harmless, r), true
	case kind == client.TooLate:
		if l.Lost = client.LostOf(kind, r.Stdout); r.Exit == 2 {
			l.Lost = client.LostDecision
		}
		l.Severity = kind.Severity(l.Lost)
		return l, l.Lost == client.LostDecision
	case kind == client.NeverRuns || r.Effect == suites.Denied:
		l.Lost = client.LostDecision
	case kind == client.StderrDropped:
		l.Lost, ok = client.LostText, l.Reacts && silent(harmless.Stderr)
		l.Severity = kind.Severity(l.Lost)
		return l, ok && decides(about)
	default:
		l.Lost = client.LostOf(kind, r.Stdout)
	}
	l.Severity = kind.Severity(l.Lost)
	if l.Lost == client.LostAllow && about.Allow == "" {
		l.Severity = suites.Info // the allowed action happens anyway
	}
	if l.Lost == client.LostText && kind == client.TextDropped && !l.Reacts && !hears(about) {
		l.Severity = suites.Info // a log of the hook's own
	}
	return l, l.Lost != client.LostNothing
}

// failure returns the loss of a hook that the client treats as failed. If it fails only on this
// input and prints something, it intended a decision.
func (l Loss) failure(about client.Event, harmless *suites.Result, r suites.Result) Loss {
	l.Severity = suites.Warning
	says := !silent(r.Stdout) || !silent(r.Stderr)
	if l.Lost = client.LostOf(l.Kind, r.Stdout); l.Lost == client.LostDecision {
		l.Severity = l.Kind.Severity(l.Lost)
	}
	fails := l.Reacts && (harmless.Exit != r.Exit || silent(harmless.Stdout) && silent(harmless.Stderr)) // "set -e" may fail on the harmless input too
	if fails && says {
		l.Lost = client.LostDecision
		switch {
		case stops(about):
			l.Severity = l.Kind.Severity(l.Lost)
		case !decides(about):
			l.Severity = suites.Info // because no exit code has an effect there
		}
	}
	return l
}

// decides reports whether exit code 2 has an effect at an event.
func decides(about client.Event) bool { return about.Exit2 != suites.Ignored }

// stops reports whether exit code 2 prevents something at an event.
func stops(about client.Event) bool {
	return slices.Contains([]suites.Effect{suites.Denied, suites.PromptBlocked, suites.AnotherTurn, suites.SessionEnds}, about.Exit2)
}

// hears reports whether an event can reach the model in another way than by text.
func hears(about client.Event) bool { return about.Tool && !about.LosesContext }
