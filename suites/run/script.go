package run

import (
	"fmt"
	"strings"

	"hookwatch/suites"
)

// Script is the script of a program. One that only answers leaves its stdin
// alone: it may be the hook's own.
func Script(p suites.Program) string {
	switch {
	case strings.HasPrefix(p.Script, "#!"):
		return p.Script
	case p.Script != "":
		return "#!/bin/sh\n" + p.Script
	}
	quote := strings.NewReplacer("'", `'\''`)
	return fmt.Sprintf("#!/bin/sh\nprintf %%s '%s'\nprintf %%s '%s' >&2\nexit %d\n",
		quote.Replace(p.Stdout), quote.Replace(p.Stderr), p.Exit)
}
