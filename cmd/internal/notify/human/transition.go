package human

import (
	"strings"

	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
)

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
