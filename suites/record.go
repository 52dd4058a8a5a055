package suites

import (
	"slices"
	"time"
)

// A Record is one line of a results file. The first fourteen fields are those
// of other tools that write the same format: names, types and order stay as
// they are. The rest is hookwatch's.
type Record struct {
	Hook             string  `json:"hook"`
	TestName         string  `json:"test_name"`
	Category         string  `json:"category"`
	InputSummary     string  `json:"input_summary"`
	ExpectedDecision string  `json:"expected_decision"`
	ExpectedExit     *int    `json:"expected_exit"`
	ActualDecision   string  `json:"actual_decision"`
	ActualExit       *int    `json:"actual_exit"`
	ActualOutput     string  `json:"actual_output"`
	ActualStderr     string  `json:"actual_stderr"`
	Pass             bool    `json:"pass"`
	Note             string  `json:"note"`
	Timestamp        string  `json:"timestamp"`   // RFC 3339, UTC, whole seconds
	DurationMS       int64   `json:"duration_ms"` // wall time of the case
	ID               string  `json:"id"`
	Suite            string  `json:"suite"`
	Layer            Layer   `json:"layer"`
	RunID            string  `json:"run_id"`
	Digests          Digests `json:"digests"`
	Client           string  `json:"client"`    // version of the client, for layer 2
	Isolation        string  `json:"isolation"` // none, copy or namespaces

	Verdict Status `json:"status,omitempty"` // "" in records of other tools and of older versions; see Status
	Reason  Reason `json:"reason,omitempty"` // why it is so, where that matters

	Changes []Change `json:"changes,omitempty"` // what the case changed, as far as isolation shows it; at most MaxChanges
	Stopped []string `json:"stopped,omitempty"` // what isolation kept it from, in words

	Live *LiveResult `json:"live,omitempty"` // what the real client did in the step that is shown, of layer 2
}

// MaxChanges bounds the changes that a record lists.
const MaxChanges = 50

// Digests say what a verdict was about: equal digests mean equal content.
type Digests struct {
	Case   string `json:"case"`
	Inputs string `json:"inputs"`
	Tools  string `json:"tools"`
}

// Key is the identity of the record's case. A record of another tool has no ID.
func (r *Record) Key() Key { return Key{r.Suite, r.ID} }

// Status returns the kind of the verdict.
func (r *Record) Status() Status {
	if r.Verdict != "" {
		return r.Verdict
	}
	s, _ := statusOf(r.Pass, r.Note)
	return s
}

// Settle sets the status and reason of a record that was read: from its note, unless it
// states them and they agree with whether it passed.
func (r *Record) Settle() {
	i := slices.Index(Statuses, r.Verdict)
	if i < 0 || r.Verdict.OK() != r.Pass {
		r.Verdict, r.Reason = statusOf(r.Pass, r.Note)
		return
	}
	r.Verdict = Statuses[i] // keeps no text of its own for each record
	if j := slices.Index(reasons, r.Reason); j >= 0 {
		r.Reason = reasons[j]
	} else {
		r.Reason = ""
	}
}

// Mend makes the record one of a fault that is gone with the registration that had it.
func (r *Record) Mend() {
	r.Pass, r.Verdict, r.Reason = true, Pass, RegistrationGone
	r.Note = note(r.Verdict, r.Reason, "")
}

var reasons = []Reason{ToolAbsent, ToolTooOld, NotLive, RegistrationGone}

// TimestampLayout is the layout of a record's timestamp.
const TimestampLayout = time.RFC3339

// StampLayout is the layout of times in file and directory names.
const StampLayout = "20060102T150405Z"

// A Tool is a program that hooks reach, as it was found on this machine.
type Tool struct {
	Name    string `json:"name"`
	Path    string `json:"path,omitempty"`    // empty when absent
	Version string `json:"version,omitempty"` // first line it printed, when it is known to be safe to ask
	Digest  string `json:"digest,omitempty"`  // of path, size and time of change
	StandIn bool   `json:"stand_in,omitempty"`
}

// Present reports whether the tool was found.
func (t Tool) Present() bool { return t.Path != "" }

// An Environment is what a run took place in.
type Environment struct {
	RunID     string              `json:"run_id"`
	Time      string              `json:"time"`
	Hookwatch string              `json:"hookwatch"`
	OS        string              `json:"os"`
	Isolation string              `json:"isolation"`
	Tools     []Tool              `json:"tools"`      // sorted by name
	CaseTools map[string][]string `json:"case_tools"` // digest of tools -> names, to say which tool a digest changed by
}
