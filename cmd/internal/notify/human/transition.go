package human

import (
	"strings"

	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
)

// gone tells of faults that went with what they were faults of. All else every case has
// told of its own.
func (h *human) gone(e notify.Transitions) {
	for _, r := range e.Resolved {
		if r.Note == suites.NoteGone {
			delete(h.failing, r.Key())
			h.print(h.margin().with(piece{green, "resolved "}, piece{plain, notify.Label(r)}, piece{dim, "  " + r.Note}))
		}
	}
}

// transition says how a verdict differs from the one before it.
func (h *human) transition(e notify.CaseDone) line {
	at := ""
	if !e.Since.IsZero() {
		at = moment(e.Since, h.o.Now())
	}
	switch e.Transition {
	case notify.Regression:
		return line{{red, strings.TrimSuffix("regression, passed at "+at, ", passed at ")}}
	case notify.Resolved:
		return line{{green, strings.TrimSuffix("resolved, failed at "+at, ", failed at ")}}
	case notify.Edited:
		return line{{dim, "the case itself changed"}}
	case notify.Explained:
		return line{{dim, "explained: " + strings.Join(e.Tools, ", ") + " changed"}}
	case notify.New:
		return line{{dim, "new"}}
	case notify.Same:
	}
	if e.Verdict.Status == suites.Fail {
		return line{{dim, "failed before"}}
	}
	return nil
}
