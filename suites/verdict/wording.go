package verdict

import (
	"strings"

	"hookwatch/suites"
)

// A wording goes between what a case writes and what came of one run of it.
type wording struct {
	// everyRun gives the case's directories names that they have in each run: a note
	// that differs is one that says something else.
	everyRun *strings.Replacer
	text     *strings.Replacer // puts in what a template stood for
	outcome  *suites.Outcome   // answers expressions
}

func wordingOf(o suites.Outcome) wording {
	w := wording{everyRun: strings.NewReplacer(), text: strings.NewReplacer(o.Named...), outcome: &o}
	if o.Sandbox != "" {
		w.everyRun = strings.NewReplacer(o.Sandbox+"/tmp", "{tmp}", o.Sandbox, "{sandbox}")
	}
	return w
}
