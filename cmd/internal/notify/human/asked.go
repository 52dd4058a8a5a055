package human

import (
	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
)

// asked is how a person wants to be told, as keys have said.
type asked struct {
	filter notify.Filter
	typing *notify.Typing // under way
	only   bool           // tell of failures alone
	whole  bool           // with all of their output
	at     suites.Key     // of the failure that was shown last
	hidden int            // failures of this run that the filter keeps back
}

// lets reports whether a case is to be told of.
func (a asked) lets(e notify.CaseDone) bool {
	return a.filter == notify.Filter{} || a.filter.Lets(e.Record.Key(), e.Record.TestName, e.Record.Hook, e.At)
}
