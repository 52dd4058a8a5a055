package suites

import (
	"encoding/json"
	"strings"
	"time"
)

// A Suite is a set of cases that share an agent name, a hook and an event.
type Suite struct {
	Name    string
	Agent   string // names the record files, such as "pm-agent"
	Builtin bool
	// AppliesTo are files without which the suite is none of the project's; each
	// counts as there while the settings register it.
	AppliesTo []string
	At        Position
	Cases     []Case
}

// A Case is one test, complete: what its suite declares for all of its cases is
// already filled in. Its identity is Suite + ID; the name may drift.
type Case struct {
	Suite       string
	Agent       string
	ID          string
	Name        string
	Category    string
	Summary     string
	Layer       Layer
	AskedLive   bool   `json:"-"` // of layer 1 by its suite; a person wants to see the client fire it
	Chain       bool   // fire every hook registered for the event, as the client does
	Serial      bool   // runs while no other case does
	Hook        string // slash path from the project's root; empty for a chain
	Registered  string `json:",omitempty"` // name of the one registered hook to fire, by its own command line: an ID, or what its command holds; "" is none
	Timeout     time.Duration
	Patient     bool `json:",omitempty"` // Timeout holds, however short the hook's own is
	Gates       []Gate
	Control     string   // ID, or suite/ID, of the case that must be caught for this one to prove anything
	Contradicts string   // the document that says otherwise than what was observed
	Faults      []string `json:",omitempty"` // of a generated case: what is wrong with its registration; it fails for them
	Verify      []string // markers, as written: "source §section, §section"
	Env         map[string]string
	Project     *ProjectOverride
	Repo        *Repo
	CaseEnv     *CaseEnv `json:"Around,omitempty"` // nil for most; WantedEnv reads it. Its name is part of digests
	Check       *Check   `json:",omitempty"`       // looked at instead of firing a hook
	Steps       []Step   // at least one; a check's says what its record does
	At          Position
	Digest      string // of the definition, without its position
}

// A CaseEnv describes how the environment of a case differs from that of the others. Few
// of thousands of cases have one.
type CaseEnv struct {
	AbsentTools []string  `json:",omitempty"` // hidden from PATH while the case runs
	Programs    []Program `json:",omitempty"` // of the case's own, before all others in PATH
	Unset       []string  `json:",omitempty"` // variables that hooks do not get, whoever sets them
	Cwd         string    `json:",omitempty"` // where hooks start: a template as in Fixture, relative to the project; "" is the project
	Server      []Route   `json:",omitempty"` // what its loopback server answers; it has none without
}

// WantedEnv returns the case's CaseEnv, the zero value if it has none.
func (c *Case) WantedEnv() CaseEnv {
	if c.CaseEnv == nil {
		return CaseEnv{}
	}
	return *c.CaseEnv
}

// OrNil returns nil for the zero value.
func (s CaseEnv) OrNil() *CaseEnv {
	if len(s.AbsentTools)+len(s.Programs)+len(s.Unset)+len(s.Server) == 0 && s.Cwd == "" {
		return nil
	}
	return &s
}

// Key is the case's identity: suite and ID.
func (c *Case) Key() Key { return Key{c.Suite, c.ID} }

// A Key identifies a case across runs, renames and tools.
type Key struct {
	Suite string `json:"suite"`
	ID    string `json:"id"`
}

// A Selection is a case that a change selects, or does not affect, and the reasons.
type Selection struct {
	Key
	Because []string `json:"because"`
}

// Registered is the name of the suite that is made of how a project registers its hooks.
const Registered = "registered"

// Generated reports whether a case is made of the project rather than written: nobody
// edits it, and it comes and goes with what it is made of.
func (k Key) Generated() bool { return k.Suite == Registered }

// Compare orders keys by suite, then by ID.
func (k Key) Compare(other Key) int {
	if order := strings.Compare(k.Suite, other.Suite); order != 0 {
		return order
	}
	return strings.Compare(k.ID, other.ID)
}

// String formats the key as "suite/ID".
func (k Key) String() string { return k.Suite + "/" + k.ID }

// A Gate is a tool without which a case cannot say anything.
type Gate struct {
	Tool       string
	Policy     GatePolicy
	MinVersion string `json:",omitempty"` // an older tool makes the case a skip; "" for any
	// Places are where hooks look for the tool when PATH is not all, in order.
	Places []string `json:",omitempty"`
}

// GatePolicy is what the absence of a gate's tool means.
type GatePolicy string

// An absent tool makes the case a skip unless its gate says that it fails.
const (
	GateSkip GatePolicy = "skip"
	GateFail GatePolicy = "fail"
)

// A ProjectOverride is a temporary project directory of the case's own: hooks
// see it as CLAUDE_PROJECT_DIR, while they still run in the real project's root.
type ProjectOverride struct {
	Files map[string]string // slash path -> content
}

// A Repo is a git repository built for the case in its temporary project
// directory. It implies a ProjectOverride; the hook runs with it as its cwd.
type Repo struct {
	Branch string
	Commit map[string]string // committed
	Stage  map[string]string // changed and staged after the commit
	Modify map[string]string // changed and left in the work tree
	Delete []string          // removed from the work tree
	// Worktree makes the project a linked work tree of the repository, on a branch of
	// that name; Branch is then of the main one.
	Worktree string `json:",omitempty"`
	// Merge is changed on another branch whose merge into this one is begun and not
	// committed. A file that Commit has as well is in conflict.
	Merge map[string]string `json:",omitempty"`
}

// A Route is one answer of the case's loopback server, whose address the case
// names as {server}. The first route that matches answers.
type Route struct {
	Method   string
	Path     string // glob over the URL path; empty matches all
	Contains string // text that the request body must hold
	Status   int    // default 200
	Reply    string
	Delay    time.Duration
}

// A Program is one of the case's own that hooks find before any other of its name:
// a script, or one that says what it says and ends. Its texts are templates as in
// Fixture.
type Program struct {
	Name   string
	Script string `json:",omitempty"` // run by /bin/sh unless its first line names another; "" for an answer
	Stdout string `json:",omitempty"`
	Stderr string `json:",omitempty"`
	Exit   int    `json:",omitempty"`
}

// A Step is one firing of a hook. Steps of a case share a sandbox and a session.
type Step struct {
	Event string
	Tool  string
	Hook  string // of this step, when it differs from the case's
	// Registered names the registered hook of this step, when it differs from the case's.
	Registered string   `json:",omitempty"`
	Args       []string `json:",omitempty"` // what a script that is run directly is given; templates as in Fixture
	Command    string   // tool_input.command
	FilePath   string   // tool_input.file_path, a template as in Fixture
	// Payload is laid over what the client would send: its fields replace those of the
	// same name, null leaves one out. PayloadRaw is sent as it is instead.
	Payload    json.RawMessage
	PayloadRaw json.RawMessage `json:",omitempty"`
	// MatchedAs is what the matcher of a registered hook is compared with instead of what the
	// payload has.
	MatchedAs string  `json:",omitempty"`
	Stdin     *string // raw bytes instead of a payload
	Env       map[string]string
	Fixtures  []Fixture
	// Delegate is what the model answers a client that the hook itself starts, of layer 2.
	Delegate []Answer `json:",omitempty"`
	Expect   Expectation
}

// An Answer is one of the scripted model's: a tool that it calls, or text. Input is a
// template as in Fixture.
type Answer struct {
	Tool  string          `json:",omitempty"`
	Input json.RawMessage `json:",omitempty"`
	Text  string          `json:",omitempty"`
	Delay time.Duration   `json:",omitempty"` // before it comes
}

// An Expectation says what one step must do. What is left out is not looked at.
type Expectation struct {
	Exit      *int
	Decision  string
	Effect    Effect
	Sound     bool             `json:",omitempty"` // that it starts, does not crash, and says nothing that the client does not heed
	Stdout    *TextExpectation // nil, as for most cases: not looked at
	Stderr    *TextExpectation
	JQ        string // a filter over the parsed stdout that must give true
	ModelSees []string
	HookFired *bool `json:",omitempty"` // by the client, of layer 2; nil: it must have
	Files     []FileExpectation
}

// A TextExpectation says what a stream must and must not hold. Matches are Go
// regular expressions.
type TextExpectation struct {
	Contains []string
	Matches  []string
	Absent   []string
	Empty    bool
}

// IsZero reports whether nothing is expected.
func (t *TextExpectation) IsZero() bool {
	return t == nil || len(t.Contains)+len(t.Matches)+len(t.Absent) == 0 && !t.Empty
}

// A FileExpectation says how a file must be after the step. Path is a template
// as in Fixture; with Change it may be a pattern.
type FileExpectation struct {
	Path   string
	Absent bool       // the file must not exist
	Change ChangeKind // what happened to it since the case began; Untouched, or "" for anything
	Text   TextExpectation
}

// ControlKey is the identity of the case's control: an ID in its own suite, or
// "suite/ID".
func (c *Case) ControlKey() Key {
	if suite, id, ok := strings.Cut(c.Control, "/"); ok {
		return Key{suite, id}
	}
	return Key{c.Suite, c.Control}
}
