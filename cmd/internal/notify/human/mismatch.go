package human

import (
	"fmt"
	"strconv"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
	"hookwatch/suites/printable"
)

// shortMismatch is the most columns of a mismatch told in passing.
const shortMismatch = 60

// brief tells all mismatches in a few words, or nothing where one of them needs
// room. A failure without mismatches is told by its note.
func brief(v suites.Verdict) string {
	if len(v.Mismatches) == 0 {
		return v.Note
	}
	parts := make([]string, len(v.Mismatches))
	for i, m := range v.Mismatches {
		if needsRoom(m) {
			return ""
		}
		parts[i] = where(v, m) + reason(m)
	}
	return strings.Join(parts, "; ")
}

// reason is a mismatch in words. One of a hook that gave no result at all has
// its reason in what was got.
func reason(m suites.Mismatch) string {
	switch m.Field {
	case "start", "gate", "check", "timeout":
		return m.Got
	}
	return m.String()
}

func needsRoom(m suites.Mismatch) bool {
	s := reason(m)
	return len(s) > 4*shortMismatch || severalLines(s) || printable.Width(printable.Text(s)) > shortMismatch
}

func severalLines(s string) bool { return strings.Contains(strings.TrimSuffix(s, "\n"), "\n") }

// where names the step of a mismatch when the case is seen to have several.
func where(v suites.Verdict, m suites.Mismatch) string {
	for _, o := range v.Mismatches {
		if o.Step > 0 {
			return step(m)
		}
	}
	return ""
}

func step(m suites.Mismatch) string { return fmt.Sprintf("step %d: ", m.Step+1) }

// gotText is what a mismatch got, as the hook wrote it: out of its quotes, and
// whole from the record where the mismatch holds no more than its beginning.
func gotText(m suites.Mismatch, r suites.Record) string {
	quoted, err := strconv.QuotedPrefix(m.Got)
	if err != nil {
		return m.Got
	}
	text, err := strconv.Unquote(quoted)
	rest := m.Got[len(quoted):]
	switch {
	case err != nil || rest != "" && !strings.HasPrefix(rest, "..."):
		return m.Got
	case rest == "":
		return text
	}
	for _, whole := range []string{r.ActualOutput, r.ActualStderr} {
		if strings.HasPrefix(whole, text) {
			return whole
		}
	}
	return text + "\n" + rest
}

// wantText is what a mismatch wants: out of its quotes where that makes several
// lines of it.
func wantText(m suites.Mismatch) string {
	if text, err := strconv.Unquote(m.Want); err == nil && severalLines(text) {
		return text
	}
	return m.Want
}

// leftOut is how a note ends its list of reasons when there are too many.
var leftOut = pattern.Lazy(`^and \d+ more(; |$)`)

// remark is what a failure's note says beyond its mismatches: the cause in the
// shell's words, a process left behind.
func remark(v suites.Verdict) string {
	if len(v.Mismatches) == 0 {
		return ""
	}
	rest := v.Note
	for _, m := range v.Mismatches {
		for _, said := range []string{step(m) + reason(m), step(m) + m.String(), reason(m), m.String()} {
			if after, ok := strings.CutPrefix(rest, said); ok && (after == "" || strings.HasPrefix(after, "; ")) {
				rest = strings.TrimPrefix(after, "; ")
				break
			}
		}
	}
	return withoutStandIns(leftOut().ReplaceAllString(rest, ""))
}
