package suites

import (
	"slices"
	"time"
)

// A Record is one line of a results file. The first fourteen fields are shared with other tools
// that write this format, so their names, types and order must not change. The others are
// hookwatch's.
type Record struct {
	Hook             string  `json:"hook"`
	TestName         string  `json:"test_name"`
	Category         string  `json:"category"`
	InputSummary     string  `json:"input_summary"`
	ExpectedDecision string  `json:"expected_decision"`
	ExpectedExit     *int    `json:"expected_exit"` // nil if none is expected, or any of several will do
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
	Client           string  `json:"client"`                // version of the client, in layer 2
	ClientName       string  `json:"client_name,omitempty"` // the client whose behaviour counts; "" is Claude Code
	Isolation        string  `json:"isolation"`             // none, copy or namespaces

	Verdict Status `json:"status,omitempty"` // "" in records of other tools and of older versions; see Status
	Reason  Reason `json:"reason,omitempty"` // empty unless something depends on it

	Changes []Change `json:"changes,omitempty"` // by the case, as far as isolation detects them; at most MaxChanges
	Stopped []string `json:"stopped,omitempty"` // actions that isolation prevented, in words

	Live *LiveResult `json:"live,omitempty"` // the step that is shown, in the real client, in layer 2
}

// MaxChanges bounds the changes that a record lists.
const MaxChanges = 50

// A ChangeKind is how a file changed.
type ChangeKind string

// The kinds of changes.
const (
	Created ChangeKind = "created"
	Changed ChangeKind = "changed"
	Deleted ChangeKind = "deleted"
	// Untouched is no change; only expectations use it.
	Untouched ChangeKind = "none"
)

// A Change is a file that a case created, changed or deleted. Its path starts with {tmp},
// {override}, {project} or ~ if it is in one of them. A directory's path ends with a slash; it is
// reported only if nothing in it changed.
type Change struct {
	Kind ChangeKind `json:"kind"`
	Path string     `json:"path"`
	Size int64      `json:"size"` // bytes; 0 if deleted
}

// Digests identify the inputs of a verdict: equal digests mean equal content.
type Digests struct {
	Case   string `json:"case"`
	Inputs string `json:"inputs"`
	Tools  string `json:"tools"`
}

// Key returns the identity of the record's case. Records of other tools have no ID.
func (r *Record) Key() Key { return Key{r.Suite, r.ID} }

// Status returns the kind of the verdict.
func (r *Record) Status() Status {
	if r.Verdict != "" {
		return r.Verdict
	}
	s, _ := statusOf(r.Pass, r.Note)
	return s
}

// Settle sets the status and reason of a record read from a file. It derives them from the note
// unless the record states them and they agree with Pass.
func (r *Record) Settle() {
	i := slices.Index(Statuses, r.Verdict)
	if i < 0 || r.Verdict.OK() != r.Pass {
		r.Verdict, r.Reason = statusOf(r.Pass, r.Note)
		return
	}
	r.Verdict = Statuses[i] // the constant, so that no record keeps a string of its own
	if j := slices.Index(reasons, r.Reason); j >= 0 {
		r.Reason = reasons[j]
	} else {
		r.Reason = ""
	}
}

// Mend changes the record of a registration fault to pass because the registration is gone.
func (r *Record) Mend() {
	r.Pass, r.Verdict, r.Reason = true, Pass, RegistrationGone
	r.Note = note(r.Verdict, r.Reason, "")
}

var reasons = []Reason{ToolAbsent, ToolTooOld, NotLive, RegistrationGone}

// TimestampLayout is the layout of a record's timestamp.
const TimestampLayout = time.RFC3339

// StampLayout is the layout of times in file and directory names.
const StampLayout = "20060102T150405Z"

// An Input is a file, or a section of one, that a case's verdict depends on, with the digest of its
// content when it was read.
type Input struct {
	Path    string `json:"path"`              // slash path from the project's root
	Section string `json:"section,omitempty"` // "" for the whole file
	Digest  string `json:"digest"`            // "" when the file or section does not exist
	Because string `json:"because"`           // why the case depends on it, in a few words
	By      By     `json:"by,omitempty"`      // the strongest if several apply
}

// By is the relation that makes a file or section an input of a case. It matters because traces can
// exempt a case from edits of files that its hooks only reach.
type By string

// The relations, weakest first.
const (
	Reached By = ""       // its hooks run, source or name it, or find it where they search
	Marked  By = "marker" // a marker names it
	Needed  By = "case"   // the case itself names it, or depends on all of it
)

// Name formats the input as "path" or "path §section".
func (i Input) Name() string {
	if i.Section == "" {
		return i.Path
	}
	return i.Path + " §" + i.Section
}

// A Tool is a program that hooks can reach, as found on this machine.
type Tool struct {
	Name    string `json:"name"`
	Path    string `json:"path,omitempty"`    // empty if absent
	Version string `json:"version,omitempty"` // first line it printed, if it is known to be safe to ask
	Digest  string `json:"digest,omitempty"`  // of path, size and modification time
	StandIn bool   `json:"stand_in,omitempty"`
}

// Present reports whether the tool was found.
func (t Tool) Present() bool { return t.Path != "" }

// An Environment describes the environment of a run.
type Environment struct {
	RunID     string              `json:"run_id"`
	Time      string              `json:"time"`
	Hookwatch string              `json:"hookwatch"`
	OS        string              `json:"os"`
	Isolation string              `json:"isolation"`
	Tools     []Tool              `json:"tools"`      // sorted by name
	CaseTools map[string][]string `json:"case_tools"` // digest of tools -> names, to find the changed tool
}
