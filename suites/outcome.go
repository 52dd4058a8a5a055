package suites

import (
	"time"

	"hookwatch/suites/expression"
)

// An Effect is what the client does with a hook's outcome.
type Effect string

// The effects; package client tells when each holds.
const (
	Proceeds      Effect = "proceeds"
	Denied        Effect = "denied"
	Asked         Effect = "asked"
	Allowed       Effect = "allowed" // proceeds and skips the permission prompt
	Rewritten     Effect = "rewritten"
	ContextAdded  Effect = "context_added"
	Ignored       Effect = "ignored" // the hook said something and the client drops it
	AnotherTurn   Effect = "another_turn"
	SessionEnds   Effect = "session_ends"
	ShownToModel  Effect = "shown_to_model" // the tool already ran; the model is told
	PromptBlocked Effect = "prompt_blocked"
)

// Effects lists every effect, in the order in which documents name them.
var Effects = []Effect{
	Proceeds, Denied, Asked, Allowed, Rewritten, ContextAdded, Ignored,
	AnotherTurn, SessionEnds, ShownToModel, PromptBlocked,
}

// An Outcome is what happened when a case ran: one Result a step that was
// reached, or the reason why none was.
type Outcome struct {
	Results  []Result
	NotRun   *NotRun
	Finding  *Finding      // of a check; its one Result holds the same in a hook's terms
	Sandbox  string        // the case's directory; whoever judged the case removes or keeps it
	StandIns []string      // such as "jaq=gojq", when the hook could reach one
	Changes  []Change      // what it changed, by path; of files outside its sandbox as far as that is known
	Unseen   []string      // programs that a hook did not find, and that are there outside its sandbox: paths
	Stopped  []string      // what isolation kept it from, in words, as far as the system lets us know
	Duration time.Duration // wall time of the whole case
	Root     string        // the project as the case saw it: the project itself, or the case's copy of it
	Named    []string      // the case's templates and what each stood for, one after the other
	Trace    []byte        // what a traced run wrote down; nil when it was not traced, or lost it
	// Answers are those to Questions, which somebody has to ask before the outcome is
	// judged.
	Answers map[expression.Question]expression.Answer
	Calls   []ToolCall // of the tools that decide, in the same case run once more; nil when nobody asked
	Ended   *Ending    // where a failing hook ended, in the same case run once more; nil when that is not known
}

// An Ending is the command by which a bash script under "set -e" ended.
type Ending struct {
	File    string // base name of the script or library
	Line    int
	Command string // as it is written, the beginning of a long one
}

// A ToolCall is what a hook asked of a tool, and what the tool answered.
type ToolCall struct {
	Tool    string
	Version string // as it told, "" when it is not asked for one
	Args    []string
	Exit    int
	Stdout  []byte // at most a few thousand bytes
	Stderr  []byte
}

// NotRun is why a case was not run.
type NotRun struct {
	Status Status
	Reason Reason
	Detail string // the tool that is absent, say
}

// Note is the note of the case's verdict.
func (n *NotRun) Note() string { return note(n.Status, n.Reason, n.Detail) }

// Last is the result of the last step that ran, or the zero Result.
func (o *Outcome) Last() Result {
	if len(o.Results) == 0 {
		return Result{}
	}
	return o.Results[len(o.Results)-1]
}

// A Result is what one firing of a hook did. Exit, signal, time-out and failure
// to start are separate facts; Exit is -1 unless the process exited by itself.
type Result struct {
	Exit         int
	Signal       string // "SIGKILL", ... when a signal ended it
	TimedOut     bool
	Memory       int64  // bytes that the case may use, when it was ended for using more
	NotStarted   string // why the hook could not be started at all
	Stdout       []byte // at most the cap; see StdoutBytes
	Stderr       []byte
	StdoutBytes  int64 // written in all, when more than was kept
	StderrBytes  int64
	StdinUnread  bool              // the hook closed or left stdin before all was written
	LeftBehind   []string          // names of processes that outlived the hook, now dead
	HoldsOutput  bool              // one of them had the hook's output open, so that the client waits for it
	Files        map[string][]byte // content of the files that the step's expectation names; absent ones are missing
	Changes      []Change          // so far, when the step's expectation asks for them
	Timeout      time.Duration     // that held for the hook, when it is not the case's
	Decision     string
	Effect       Effect
	ModelSees    []string // texts that reach the model
	EffectReason string
	EffectRule   string        // ID of the rule of the client by which it is so; "" where the client itself was watched
	Duration     time.Duration // of the hook's process
	Client       string        // version of the client that fired it, of layer 2
	Live         *LiveResult   // nil for a hook that was run directly
	Fired        bool          // by the client: the hook that the case is about
}

// Truncated reports whether a stream held more than was kept.
func (r *Result) Truncated() bool {
	return r.StdoutBytes > int64(len(r.Stdout)) || r.StderrBytes > int64(len(r.Stderr))
}

// A LiveResult is what the real client did in one step.
type LiveResult struct {
	Hooks     []LiveHook `json:"hooks"`                // that fired for the step's event
	ModelSees []string   `json:"model_sees,omitempty"` // since the moment that the step is about; long texts are cut
	Requests  int        `json:"requests"`             // of the whole session
	End       string     `json:"end"`                  // of the session
	// Predicted is what hookwatch itself makes of the same output, where the client
	// did something else.
	Predicted Effect   `json:"predicted,omitempty"`
	Bodies    []string `json:"bodies,omitempty"` // of the last requests, when the case failed

	Returned []Returned `json:"-"` // what each hook that fired for the step's event gave the client
	Failed   string     `json:"-"` // the result of the tool call that the step is about, when it was an error
}

// Returned is what one hook gave the client.
type Returned struct {
	Hook    string // ID of the registered hook; "" when the client does not tell which it was
	Command string // "" likewise
	Exit    *int   // nil when it did not exit by itself, or the client does not say
	Outcome string // as in LiveHook
	Stdout  string
	Stderr  string
	Told    []string // of the texts that the model was sent, those with words of the hook's in them
}

// A LiveHook is one hook that the client fired.
type LiveHook struct {
	Event   string `json:"event"`
	Command string `json:"command"` // "" when the client does not tell which it was
	Exit    *int   `json:"exit"`
	Outcome string `json:"outcome"` // success, error, cancelled; "" when only the debug log tells of it
}
