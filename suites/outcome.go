package suites

import (
	"slices"
	"strings"
	"time"
)

// An Effect is the client's reaction to the outcome of a hook.
type Effect string

// The effects. Package client implements the rules that lead to each.
const (
	Proceeds      Effect = "proceeds"
	Denied        Effect = "denied"
	Asked         Effect = "asked"
	Allowed       Effect = "allowed" // proceeds without the permission prompt
	Rewritten     Effect = "rewritten"
	ContextAdded  Effect = "context_added"
	Ignored       Effect = "ignored" // the client drops the hook's output
	AnotherTurn   Effect = "another_turn"
	SessionEnds   Effect = "session_ends"
	ShownToModel  Effect = "shown_to_model" // the tool has already run; the model sees the hook's message
	PromptBlocked Effect = "prompt_blocked"
)

// Effects lists every effect, in the order of the documents.
var Effects = []Effect{
	Proceeds, Denied, Asked, Allowed, Rewritten, ContextAdded, Ignored,
	AnotherTurn, SessionEnds, ShownToModel, PromptBlocked,
}

// A Tracing describes how a run is traced.
type Tracing struct {
	Files map[string]string // to create, by slash path from a directory
	// Logs are the files in which the run leaves its trace. A name that ends in "/" is a
	// directory, whose files are all logs.
	Logs []string
	Set  map[string]string // variables to add
}

// A Tracer returns how to trace a run with files in a directory of its own. It gets the variables
// of the hooks.
type Tracer func(dir string, env []string) Tracing

// A Request asks for a firing.
type Request struct {
	Case     *Case
	Name     string // of what is fired, for the user
	Trace    Tracer // if not nil, its logs are in the outcome, which must not be judged: tracing changes the hooks' environment
	Observed bool   // whether the paths that the processes use are in the outcome
}

// A Firing is everything on which the outcome of a case depends, except what it is observed to use.
type Firing struct {
	Input   []byte   // of the hooks: the case and their registrations
	Setup   []byte   // where they run
	Scripts []string // of the hooks, as slash paths from the project's root or absolute
	// Files replace those of the project, and Removed are missing in it, both as slash paths from its root.
	Files   []Fixture
	Removed []string
}

// An Outcome is the result of running a case: one Result per step that was reached, or the reason
// why none was.
type Outcome struct {
	Results  []Result
	NotRun   *NotRun
	Finding  *Finding      // of a check; its one Result describes the same as for a hook
	Sandbox  string        // the case's directory; the code that judges the case removes or keeps it
	StandIns []string      // such as "jaq=gojq", if the hook could reach one
	Changes  []Change      // made by the case, by path; outside its sandbox only as far as they are known
	Unseen   []string      // paths of programs that a hook did not find although they exist outside its sandbox
	Withheld []string      // files of HOME that a hook looked for, as far as it is known, and that cases do not see
	Stopped  []string      // actions that isolation prevented, in words, as far as the system reports them
	Duration time.Duration // wall time of the whole case
	Turns    []Turn        // the accesses of steps that took turns
	Root     string        // the project as the case saw it: the project itself or the case's copy
	Named    []string      // the case's templates and their values, alternating
	// Trace has the logs of a traced run by path; nil if it was not traced.
	Trace map[string][]byte
	// Accesses are the uses of paths by the processes of a traced run, by path, with the paths as
	// outside its sandbox. Paths of the system are left out, except executed programs.
	Accesses   []Access
	Project    string // the project outside its sandbox, as in Accesses
	Unobserved string // why Accesses is not complete, "" if it is; always set if the run was not traced
	// Answers are the answers to Questions, which callers must evaluate before judging.
	Answers map[Question]ExpressionResult
	Calls   []ToolCall // of the tools that decide, in a second run of the case; nil if there was none
	Ended   *Ending    // where a failing hook ended, in a second run of the case; nil if unknown
	Parts   []Part     // of a call that all its hooks decide, one for each
}

// A Part is the result of one of the hooks of a call.
type Part struct {
	Hook   string // its ID
	NotRun string // why it was left out; "" for a hook that ran
	Result Result
}

// An Ending is the command with which a bash script under "set -e" ended.
type Ending struct {
	File    string // base name of the script or library
	Line    int
	Command string // as written; only the beginning of a long one
}

// A ToolCall is one call of a tool by a hook, with the tool's answer.
type ToolCall struct {
	Tool    string
	Version string // as printed, "" if the tool is not asked for its version
	Args    []string
	Exit    int
	Stdout  []byte // at most a few thousand bytes
	Stderr  []byte
}

// NotRun is the reason why a case was not run.
type NotRun struct {
	Status Status
	Reason Reason
	Detail string // for example, the absent tool
}

// Note returns the note of the case's verdict.
func (n *NotRun) Note() string { return note(n.Status, n.Reason, n.Detail) }

// Last returns the result of the last step that ran, or the zero Result.
func (o *Outcome) Last() Result {
	if len(o.Results) == 0 {
		return Result{}
	}
	return o.Results[len(o.Results)-1]
}

// A Result is the result of one firing of a hook. Exit, signal, timeout and failure to start are
// separate facts; Exit is -1 unless the process exited by itself.
type Result struct {
	Exit         int
	Signal       string // "SIGKILL", ... if a signal ended it
	TimedOut     bool
	Memory       int64  // the case's limit in bytes, if it was ended for exceeding it
	NotStarted   string // why the hook could not be started
	Stdout       []byte // at most the limit; see StdoutBytes
	Stderr       []byte
	StdoutBytes  int64 // number written, if more than was kept
	StderrBytes  int64
	StdinUnread  bool              // see process.Result
	LeftBehind   []string          // names of processes that outlived the hook and were killed
	HoldsOutput  bool              // one of them kept the hook's output open, so that the client waits for it
	Files        map[string][]byte // content of the files that the step's expectation names, if they exist
	Changes      []Change          // so far, if the step's expectation requires them
	Timeout      time.Duration     // timeout of the hook, if it is not the case's
	TimeoutBy    string            // what bounds it, if the client would wait longer
	Decision     string
	Effect       Effect
	ModelSees    []string // texts that reach the model
	EffectReason string
	EffectRule   string        // ID of the client's rule that determines the effect; "" if the client was observed
	By           []string      // the hooks of a call, by ID, or the permission rule that determines the effect
	Duration     time.Duration // of the hook's process, or of all hooks of a call
	Client       string        // version of the client that fired it, in layer 2
	ClientName   string        // its name; "" is Claude Code
	Live         *LiveResult   // nil for a hook that was run directly
	Fired        bool          // the client fired the hook under test
}

// IsTruncated reports whether a stream was longer than the part that was kept.
func (r *Result) IsTruncated() bool {
	return r.StdoutBytes > int64(len(r.Stdout)) || r.StderrBytes > int64(len(r.Stderr))
}

// A LiveResult is the result of one step in the real client.
type LiveResult struct {
	Hooks     []LiveHook `json:"hooks"`                // that fired for the step's event
	ModelSees []string   `json:"model_sees,omitempty"` // since the prompt or call that fired the event; long texts are cut
	Requests  int        `json:"requests"`             // of the whole session
	End       string     `json:"end"`                  // of the session
	// Predicted is hookwatch's prediction for the same output, if the client did something else.
	Predicted Effect   `json:"predicted,omitempty"`
	Bodies    []string `json:"bodies,omitempty"` // of the last requests, if the case failed

	Returned []Returned `json:"-"` // of each hook that fired for the step's event
	// Elsewhere are the requests of the session, by the client or a hook, to anything but its model.
	// All were refused. They are known for clients other than Claude Code.
	Elsewhere []string `json:"-"`
	Failed    string   `json:"-"` // the result of the step's tool call, if it was an error
}

// Returned is the output of one hook as the client received it.
type Returned struct {
	Hook      string // ID of the registered hook; "" if the client does not report it
	Command   string // "" likewise
	Exit      *int   // nil if it did not exit by itself, or the client does not report it
	Outcome   string // as in LiveHook
	Stdout    string
	Stderr    string
	ModelSees []string // texts sent to the model that contain words of the hook
}

// A LiveHook is one hook that the client fired.
type LiveHook struct {
	Event   string `json:"event"`
	Command string `json:"command"` // "" if the client does not report it
	Exit    *int   `json:"exit"`
	Outcome string `json:"outcome"` // success, error, cancelled; "" if only the debug log reports the hook
}

// An Access is the use of one path by the processes of a case.
type Access struct {
	Path string     // absolute, as named but without . and ..; links in it are not followed
	Kind AccessKind // all uses together
}

// A Turn is an access of a step that takes turns, with {tmp} and {override} for what differs between runs. Uses are
// those of package supervisor, in order: a looked at, o and d opened for reading, l listed, w changed, c created, t
// tried to lock.
type Turn struct {
	Step       int // of those that take turns, from 0
	Uses, Path string
}

// AccessKind is a set of uses of a path.
type AccessKind uint8

// The uses. All but Wrote depend on what was at the path before the case began.
const (
	Looked AccessKind = 1 << iota // its existence or metadata was asked for, successfully or not
	Read                          // it was opened for reading, successfully or not; it may be a directory
	Listed                        // the names in the directory were read
	Ran                           // it was executed, directly or as the interpreter of a script
	Wrote                         // it was created, written, removed or changed
	Data                          // it was opened for reading by a program other than bash
)

var accessNames = []string{"looked", "read", "listed", "ran", "wrote", "by other than bash"}

func (k AccessKind) String() string {
	var names []string
	for i, name := range accessNames {
		if k&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// Input reports whether the case may depend on what was at the path before it began.
func (a Access) Input() bool { return a.Kind&^Wrote != 0 }

// A Use is one kind of use of a path. Created is Wrote of a path at which there was nothing.
type Use struct {
	Kind    AccessKind
	Created bool
}

// NewAccess returns the access for the uses of a path in the order of their first occurrence. What
// the case does with a file after it has created it does not depend on anything before.
func NewAccess(path string, uses []Use) Access {
	a := Access{Path: path}
	created := false
	for _, u := range uses {
		if !created || u.Kind == Wrote {
			a.Kind |= u.Kind
		}
		created = created || u.Created
	}
	return a
}

// MergeAccesses sorts accesses by path and joins those with the same path.
func MergeAccesses(all []Access) []Access {
	slices.SortFunc(all, func(a, b Access) int { return strings.Compare(a.Path, b.Path) })
	out := all[:0]
	for _, a := range all {
		if n := len(out); n > 0 && out[n-1].Path == a.Path {
			out[n-1].Kind |= a.Kind
		} else {
			out = append(out, a)
		}
	}
	return out
}
