package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites"
)

// What differs between two runs of the same: the numbers that hooks get in
// place of PIDs, PIDs themselves, and times.
var (
	sessionNumber = regexp.MustCompile(`1[0-9]{15}`)
	scratch       = regexp.MustCompile(`\btmp\.[A-Za-z0-9]{6,}`)                                    // what mktemp makes up
	clock         = regexp.MustCompile(`\b20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z?|\b1[0-9]{12}\b`) // or milliseconds since 1970
)

// fingerprint is all of an outcome that a case can be judged by.
func (l *lab) fingerprint(o suites.Outcome) string {
	var b strings.Builder
	if o.NotRun != nil {
		fmt.Fprintf(&b, "not run %v\n", *o.NotRun)
	}
	for _, r := range o.Results {
		fmt.Fprintf(&b, "exit %d signal %s timeout %v start %q decision %q effect %s\nstdout %s\nstderr %s\n",
			r.Exit, r.Signal, r.TimedOut, r.NotStarted, r.Decision, r.Effect, r.Stdout, r.Stderr)
		for _, name := range slices.Sorted(maps.Keys(r.Files)) {
			fmt.Fprintf(&b, "file %s\n%s\n", name, r.Files[name])
		}
	}
	text := strings.NewReplacer(o.Sandbox, "{sandbox}", l.root, "{project}").Replace(b.String())
	if o.Sandbox == "" {
		text = b.String()
	}
	text = scratch.ReplaceAllString(text, "{scratch}")
	return clock.ReplaceAllString(sessionNumber.ReplaceAllString(text, "{number}"), "{time}")
}
