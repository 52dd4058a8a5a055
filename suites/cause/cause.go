// Package cause tells which failures have one cause: a hook that does not start or
// does not parse, a library that it needs, or else equal text. It is pure, so that
// every view and report groups alike.
package cause

import "hookwatch/suites"

// Of tells the cause of one failure.
func Of(f Failure) Cause {
	r := f.Record
	for _, m := range f.Mismatches {
		if m.Kind == suites.InStart {
			return Cause{Kind: NotStarted, Hook: r.Hook, Text: m.Got}
		}
	}
	if c, ok := lacking(r); ok {
		return c
	}
	if c, ok := diagnosed(r); ok {
		return c
	}
	if c, ok := raised(r); ok {
		return c
	}
	return Cause{
		Kind: Equal, Hook: r.Hook, Text: everywhere(r, r.Note),
		said: everywhere(r, r.ActualOutput+"\x00"+r.ActualStderr),
	}
}
