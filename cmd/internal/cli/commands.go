package cli

import (
	"hookwatch/cmd/internal/session"
)

// commandOf is what a key asks for. Where keys are read raw the terminal sends
// Ctrl-C as a byte.
func commandOf(key byte) (session.Command, bool) {
	switch key {
	case 'a':
		return session.RunAll, true
	case 'f':
		return session.RunFailed, true
	case '\r', '\n':
		return session.RunAgain, true
	case 'q', 3, 4:
		return session.Quit, true
	case '?', 'h':
		return session.ShowHelp, true
	default:
		return 0, false
	}
}
