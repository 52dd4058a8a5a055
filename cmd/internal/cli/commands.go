package cli

import (
	"hookwatch/cmd/internal/engine"
)

// commandOf is what a key asks for. Where keys are read raw the terminal sends
// Ctrl-C as a byte.
func commandOf(key byte) (engine.Command, bool) {
	switch key {
	case 'a':
		return engine.RunAll, true
	case 'f':
		return engine.RunFailed, true
	case '\r', '\n':
		return engine.RunAgain, true
	case 'q', 3, 4:
		return engine.Quit, true
	case '?', 'h':
		return engine.ShowHelp, true
	default:
		return 0, false
	}
}
