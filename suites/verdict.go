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

// Statuses lists the kinds in the order in which sums name them.
var Statuses = []Status{Pass, Fail, Skip, Unproven, Aborted}

// OK reports the record's "pass" field: skips and unproven cases do not fail.
func (s Status) OK() bool { return s == Pass || s == Skip || s == Unproven }

// A Verdict is what an outcome means.
type Verdict struct {
	Status     Status     `json:"status"`
	Note       string     `json:"-"`
	Mismatches []Mismatch `json:"mismatches"` // empty unless Status is Fail
	Cause      string     `json:"-"`          // of a failure, in the words of the shell or the hook; part of Note
}

// A Mismatch is one way in which an outcome is not what was expected.
type Mismatch struct {
	Step  int    `json:"step"`  // from 0
	Field string `json:"field"` // exit, decision, effect, stdout, stderr, jq, model_sees, files, timeout, start
	Want  string `json:"want"`
	Got   string `json:"got"`
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

// The prefixes by which a record's note tells its status; see StatusOf.
const (
	NoteAbsent      = "absent: "
	NoteVersionSkip = "version_skip: "
	NoteNotLive     = "not live: " // a case that the client cannot be brought to fire
	NoteUnproven    = "unproven: "
	NoteAborted     = "ABORTED: "
	NoteGone        = "no hook is registered so any more" // of a fault that was mended with what it was a fault of
)

// AbsentNote is the note of a failure for a tool that must be there, as in
// BIOME_ABSENT.
func AbsentNote(tool string) string {
	return strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(tool)) + "_ABSENT"
}

// StatusOf tells the status of a record from its two fields that other tools
// write as well. Records of other tools use the bare notes "absent" and
// "BIOME_ABSENT" for skips.
func StatusOf(pass bool, note string) Status {
	switch {
	case !pass && strings.HasPrefix(note, NoteAborted):
		return Aborted
	case !pass:
		return Fail
	case strings.HasPrefix(note, NoteUnproven):
		return Unproven
	case strings.HasPrefix(note, NoteAbsent), strings.HasPrefix(note, NoteVersionSkip), strings.HasPrefix(note, NoteNotLive),
		note == "absent", note == "BIOME_ABSENT":
		return Skip
	default:
		return Pass
	}
}

// A Tally counts verdicts by status. Its sum is the number of cases, always.
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

// Total is the number of cases counted.
func (t Tally) Total() int {
	return t.Passed + t.Failed + t.Skipped + t.Unproven + t.Aborted
}

// A State counts all cases of a project by their present verdicts.
type State struct {
	Tally
	NotRun int `json:"not_run"` // cases without a verdict so far
}

// Total is the number of the project's cases.
func (s State) Total() int { return s.Tally.Total() + s.NotRun }
