package client

import (
	"cmp"
	"slices"

	"hookwatch/suites"
)

// Remedy returns what to do about the cause. Exit code 2 and onFailure are named only where they
// have an effect at the event of the cause; without an event all that there is.
func (c Cause) Remedy() string {
	all := c.Rule().Remedy
	event, known := EventByName(c.Event)
	if !known {
		return all
	}
	exit2 := blocks(event.Exit2)
	onFailure := blocks(cmp.Or(event.Failure, event.Exit2)) && !event.IgnoresOnFailure
	if exit2 && onFailure {
		return all
	}
	switch c.Kind {
	case ExitCode:
		switch {
		case exit2:
			return "Exit 2 to block."
		case event.Exit2 == suites.ShownToModel:
			return "Exit 2 to show stderr to the model."
		case onFailure:
			return `Print a JSON decision; onFailure "block" in the entry has failures block.`
		default:
			return "Exit 0: no exit code of a hook blocks " + event.Name + "."
		}
	case StderrDropped:
		if event.Exit2 == suites.Ignored {
			return "Print JSON with systemMessage to tell the user."
		}
	case Killed:
		if !onFailure {
			return "Find what ends it."
		}
	case TimedOut:
		if !onFailure {
			return "Make it faster, or raise its timeout (seconds)."
		}
	case HTTPStatus:
		if !onFailure {
			return "Answer with status 200 and a JSON decision."
		}
	}
	return all
}

// blocks reports whether an effect keeps something from happening.
func blocks(effect suites.Effect) bool {
	return !slices.Contains([]suites.Effect{suites.Ignored, suites.ShownToModel, ""}, effect)
}
