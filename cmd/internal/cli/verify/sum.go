package verify

import (
	"io"

	"hookwatch/cmd/internal/cli/page"
	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/project"
)

// Sum says how many markers resolve, and, where they are to be named, which do not. It
// gives the number of these.
func Sum(w io.Writer, p *project.Project, from project.Sources, found []project.Verified, named bool) (unresolved int) {
	for _, v := range found {
		if v.Resolved {
			continue
		}
		if unresolved++; named {
			page.Writef(w, "%s\n", Line(&v))
		}
	}
	if len(found) == 0 {
		page.Writef(w, "no markers: looked for [verify: source §section] in %s, of %s\n", from, p.LookedAt())
	} else {
		page.Writef(w, "%s in %s: %d resolved, %d not\n", notify.Count(len(found), "marker"), from, len(found)-unresolved, unresolved)
	}
	return unresolved
}
