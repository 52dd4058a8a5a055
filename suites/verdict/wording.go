package verdict

import (
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites"
)

// A wording goes between what a case writes and what came of one run of it.
type wording struct {
	// everyRun gives the case's directories names that they have in each run: a note
	// that differs is one that says something else.
	everyRun *strings.Replacer
	text     *strings.Replacer // puts in what a template stood for
	pattern  *strings.Replacer // the same in a regular expression
}

func wordingOf(o suites.Outcome) wording {
	quoted := slices.Clone(o.Named)
	for i := 1; i < len(quoted); i += 2 {
		quoted[i] = regexp.QuoteMeta(quoted[i])
	}
	w := wording{everyRun: strings.NewReplacer(), text: strings.NewReplacer(o.Named...), pattern: strings.NewReplacer(quoted...)}
	if o.Sandbox != "" {
		w.everyRun = strings.NewReplacer(o.Sandbox+"/tmp", "{tmp}", o.Sandbox, "{sandbox}")
	}
	return w
}
