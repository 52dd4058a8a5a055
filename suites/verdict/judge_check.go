package verdict

import (
	"strings"

	"hookwatch/suites"
)

// judgeFinding says what it means that a check found what it looks for, or not.
// A tool that is there but too old, or answers nothing, is no absent one.
func judgeFinding(c *suites.Check, f suites.Finding) suites.Verdict {
	note := f.Remark
	switch {
	case c.Need == suites.NeedAdvisory:
		return suites.Verdict{Status: suites.Pass, Note: "advisory: " + f.Told}
	case f.Holds && strings.HasPrefix(f.Told, "stand-in "):
		note = "stand-in: " + c.Tool + "=" + strings.TrimPrefix(f.Told, "stand-in ")
		fallthrough
	case f.Holds:
		return suites.Verdict{Status: suites.Pass, Note: note}
	case f.Absent != "" && c.Need == suites.NeedOptional:
		return suites.Verdict{Status: suites.Skip, Note: suites.NoteAbsent + f.Absent + because(f)}
	case f.Absent != "":
		note = suites.AbsentNote(f.Absent) + because(f)
	default:
		note = f.Told
	}
	return suites.Verdict{Status: suites.Fail, Note: note, Mismatches: []suites.Mismatch{{Field: "check", Got: note}}}
}

// because tells where a tool was looked for, unless that goes without saying.
func because(f suites.Finding) string {
	if f.Told == f.Absent+" is not in PATH" {
		return ""
	}
	return " (" + f.Told + ")"
}
