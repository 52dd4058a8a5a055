package suites

import "strings"

// A Status is the kind of a verdict.
type Status string

// The five kinds; every case of a run has exactly one.
const (
	Pass     Status = "pass"
	Fail     Status = "fail"
	Skip     Status = "skip"
	Unproven Status = "unproven"
	Aborted  Status = "aborted"
)

// Statuses lists the kinds in the order of summaries.
var Statuses = []Status{Pass, Fail, Skip, Unproven, Aborted}

// OK returns the "pass" field of records: skips and unproven cases do not fail.
func (s Status) OK() bool { return s == Pass || s == Skip || s == Unproven }

// A Reason is why a case has its status, if code depends on it. The note of the record states it in
// words.
type Reason string

// The reasons; most verdicts have none.
const (
	ToolAbsent       Reason = "tool_absent" // a tool, file, host or the client that the case needs is absent
	ToolTooOld       Reason = "tool_too_old"
	NotLive          Reason = "not_live" // the client cannot be made to fire the case
	RegistrationGone Reason = "registration_gone"
)

// A Verdict is the judgement of an outcome.
type Verdict struct {
	Status     Status     `json:"status"`
	Reason     Reason     `json:"-"` // in the record instead
	Note       string     `json:"-"`
	Mismatches []Mismatch `json:"mismatches"` // empty unless Status is Fail
	Cause      string     `json:"-"`          // of a failure, as printed by the shell or the hook; part of Note
	Remarks    []string   `json:"-"`          // of a failure: Note after the mismatches, without stand-ins
}

// NewVerdict returns a verdict with the note of its status and reason; detail is the rest of the
// note.
func NewVerdict(s Status, r Reason, detail string) Verdict {
	return Verdict{Status: s, Reason: r, Note: note(s, r, detail)}
}

// A MismatchKind is the aspect in which an outcome differs.
type MismatchKind string

// The kinds of mismatches.
const (
	InExit        MismatchKind = "exit"
	InDecision    MismatchKind = "decision"
	InEffect      MismatchKind = "effect"
	InSound       MismatchKind = "sound"
	InStdout      MismatchKind = "stdout"
	InStderr      MismatchKind = "stderr"
	InJQ          MismatchKind = "jq"
	InHookFired   MismatchKind = "hook_fired"
	InModelSees   MismatchKind = "model_sees"
	InFile        MismatchKind = "file" // Field also has the path
	InStart       MismatchKind = "start"
	InStep        MismatchKind = "step" // the step was not reached
	InTime        MismatchKind = "timeout"
	InBudget      MismatchKind = "duration"
	InMemory      MismatchKind = "memory"
	InGate        MismatchKind = "gate"
	InCheck       MismatchKind = "check"
	InRegistering MismatchKind = "registered"
)

// A Mismatch is a difference between an outcome and its expectation.
type Mismatch struct {
	Kind  MismatchKind `json:"-"`
	Step  int          `json:"step"`  // from 0
	Field string       `json:"field"` // the kind, and for a file its path
	Want  string       `json:"want"`
	Got   string       `json:"got"`
}

// String formats the mismatch as "exit 0, want 2".
func (m Mismatch) String() string {
	s := m.Field
	if m.Got != "" {
		s += " " + m.Got
	}
	if m.Want != "" {
		s += ", want " + m.Want
	}
	return s
}

// The prefixes of notes from which the status of records is derived if they state none: those of
// other tools, and those that older versions of hookwatch wrote.
const (
	noteAbsent   = "absent: "
	noteTooOld   = "version_skip: "
	noteNotLive  = "not live: "
	noteUnproven = "unproven: "
	noteAborted  = "ABORTED: "
	noteGone     = "no hook is registered so any more" // a fault that is gone with the registration that had it
)

// note returns the note of a record with this status and reason.
func note(s Status, r Reason, detail string) string {
	switch {
	case s == Aborted:
		return noteAborted + detail
	case s == Unproven:
		return noteUnproven + detail
	case r == ToolAbsent && s == Fail:
		return absentNote(detail)
	case r == ToolAbsent:
		return noteAbsent + detail
	case r == ToolTooOld:
		return noteTooOld + detail
	case r == NotLive:
		return noteNotLive + detail
	case r == RegistrationGone:
		return noteGone
	}
	return detail
}

// absentNote returns the note of a failure because a required tool is absent, such as BIOME_ABSENT.
// Text in parentheses after the tool is not changed.
func absentNote(tool string) string {
	name, rest, more := strings.Cut(tool, " (")
	if more {
		rest = " (" + rest
	}
	return strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(name)) + "_ABSENT" + rest
}

// Detail returns a note without the prefix that repeats its status.
func (s Status) Detail(note string) string {
	switch s {
	case Unproven:
		return strings.TrimPrefix(note, noteUnproven)
	case Aborted:
		return strings.TrimPrefix(note, noteAborted)
	}
	return note
}

// statusOf returns the status and reason of a record that states none, from the two fields that
// other tools write as well. Records of other tools use the bare notes "absent" and "BIOME_ABSENT"
// for skips.
func statusOf(pass bool, note string) (Status, Reason) {
	begins := func(prefix string) bool { return strings.HasPrefix(note, prefix) }
	switch {
	case !pass && begins(noteAborted):
		return Aborted, ""
	case !pass:
		return Fail, ""
	case begins(noteUnproven):
		return Unproven, ""
	case begins(noteAbsent), note == "absent", note == "BIOME_ABSENT":
		return Skip, ToolAbsent
	case begins(noteTooOld):
		return Skip, ToolTooOld
	case begins(noteNotLive):
		return Skip, NotLive
	default:
		return Pass, ""
	}
}

// A Tally counts verdicts by status. The sum is always the number of cases.
type Tally struct {
	Passed   int `json:"passed"`
	Failed   int `json:"failed"`
	Skipped  int `json:"skipped"`
	Unproven int `json:"unproven"`
	Aborted  int `json:"aborted"`
}

// Add counts one more verdict.
func (t *Tally) Add(s Status) {
	switch s {
	case Pass:
		t.Passed++
	case Fail:
		t.Failed++
	case Skip:
		t.Skipped++
	case Unproven:
		t.Unproven++
	case Aborted:
		t.Aborted++
	}
}

// Total returns the number of cases counted.
func (t Tally) Total() int {
	return t.Passed + t.Failed + t.Skipped + t.Unproven + t.Aborted
}

// A State counts all cases of a project by their current verdicts.
type State struct {
	Tally
	NotRun int `json:"not_run"` // cases without a verdict so far
}

// Total returns the number of the project's cases.
func (s State) Total() int { return s.Tally.Total() + s.NotRun }
