package notify

// Help asks a view that a person looks at to show which keys do what.
type Help struct{}

func (Help) event() {}

// HelpText names the keys of a watching session, on one line and without a
// line break.
func HelpText() string {
	return "a all  f failed  Enter last selection again  q quit  ? help"
}
