package checked

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"hookwatch/cmd/internal/cli/page"
	"hookwatch/cmd/internal/notify"
)

// unjudged says in a line each why hooks were not judged, the reason of most hooks
// first. Files that the client does not read are one reason.
func unjudged(w io.Writer, doc Document) {
	const unread = "the client does not read "
	count, files := map[string]int{}, []string{}
	var reasons []string
	for _, h := range doc.Hooks {
		reason := cmp.Or(h.NotRun, h.Absent)
		if reason == "" {
			continue
		}
		if file, ok := strings.CutPrefix(reason, unread); ok {
			if reason = unread; !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
		if count[reason]++; count[reason] == 1 {
			reasons = append(reasons, reason)
		}
	}
	slices.SortStableFunc(reasons, func(a, b string) int { return count[b] - count[a] })
	for _, reason := range reasons {
		text := reason
		if reason == unread {
			text += some(files, false)
		}
		page.Writef(w, "not judged: %s (%s)\n", text, notify.Count(count[reason], "hook"))
	}
}

// some names the first of many, and how many more there are.
func some(names []string, all bool) string {
	const most = 2
	if all || len(names) <= most+1 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
