package suites

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Suite is a set of cases that share an agent name, a hook and an event.
type Suite struct {
	Name    string
	Agent   string // part of the record files' names, such as "pm-agent"
	Builtin bool
	// AppliesTo are files that a project must have for the suite to apply. A file that the settings
	// register counts as existing.
	AppliesTo []string
	At        Position
	Cases     []Case
}

// A Case is one complete test: the declarations that its suite makes for all cases are already
// merged in. Suite and ID identify it; its name may change.
type Case struct {
	Suite       string
	Agent       string
	ID          string
	Name        string
	Category    string
	Summary     string
	Layer       Layer
	AskedLive   bool   `json:"-"`          // the suite has layer 1, and the user asked for the client to fire the case
	Client      string `json:",omitempty"` // the client whose behaviour counts; "" is Claude Code
	Chain       bool   // fire every hook registered for the event, as the client does
	Serial      bool   // runs alone
	Hook        string // slash path from the project's root; empty for a chain
	Registered  string `json:",omitempty"` // registered hook to fire by its own command line: an ID or part of its command; "" is none
	Timeout     time.Duration
	Budget      time.Duration `json:",omitempty"` // the case fails if a hook takes longer; 0 for any time
	Patient     bool          `json:",omitempty"` // Timeout applies even if the hook's own is shorter
	Turns       *Turns        `json:"-"`          // of steps that run at the same time; nil: they run one after the other
	Gates       []Gate
	Control     string   // ID, or suite/ID, of the case that must be caught for this one to prove anything
	Contradicts string   // the document that contradicts the observed behaviour
	Faults      []string `json:",omitempty"` // of a generated case: errors in its registration, which fail it
	Verify      []string // markers, as written: "source §section, §section"
	Env         map[string]string
	Project     *ProjectOverride
	Repo        *Repo
	CaseEnv     *CaseEnv `json:"Around,omitempty"` // usually nil; use WantedEnv. Its JSON name is part of digests
	Check       *Check   `json:",omitempty"`       // examined instead of firing a hook
	Steps       []Step   // at least one; that of a check describes its record
	At          Position
	Digest      string // of the definition, without its position
}

// A CaseEnv describes how the environment of a case differs from that of the others. It is a
// pointer in Case because only a few of thousands of cases have one.
type CaseEnv struct {
	AbsentTools []string  `json:",omitempty"` // hidden from PATH while the case runs
	Programs    []Program `json:",omitempty"` // of the case itself, first in PATH
	Unset       []string  `json:",omitempty"` // variables removed from the environment of hooks, whatever sets them
	Cwd         string    `json:",omitempty"` // of hooks: a template as in Fixture, relative to the project; "" is the project
	Server      []Route   `json:",omitempty"` // answers of its loopback server; without any there is no server
}

// Turns describes how processes of hooks run at the same time: one goes on until it ends, is held, or waits for
// another one. Then the next has its turn; when all have had one, those that are held go on, in order.
type Turns struct {
	Before int      // steps before these, which run one after the other
	Holds  []int    // for each other step the number, from 1, of its access before which it is held; 0 for none
	Paths  []string // templates; accesses to them count, and none stands for all paths but the system's
	Stop   bool     // end all when each is held or has ended
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

// Key returns the case's identity.
func (c *Case) Key() Key { return Key{c.Suite, c.ID} }

// A Key identifies a case across runs, renames and tools.
type Key struct {
	Suite string `json:"suite"`
	ID    string `json:"id"`
}

// A Selection is a case that a change selects or does not affect, with the reasons.
type Selection struct {
	Key
	Because []string `json:"because"`
}

// Registered is the name of the suite generated from the project's registered hooks.
const Registered = "registered"

// IsGenerated reports whether a case is generated from the project rather than written. Users cannot
// edit such a case; it appears and disappears with the registration.
func (k Key) IsGenerated() bool { return k.Suite == Registered }

// Compare orders keys by suite, then by ID.
func (k Key) Compare(other Key) int {
	if order := strings.Compare(k.Suite, other.Suite); order != 0 {
		return order
	}
	return strings.Compare(k.ID, other.ID)
}

// String formats the key as "suite/ID".
func (k Key) String() string { return k.Suite + "/" + k.ID }

// A Gate is a tool without which a case proves nothing.
type Gate struct {
	Tool       string
	Policy     GatePolicy
	MinVersion string `json:",omitempty"` // an older tool skips the case; "" accepts any version
	// Places are other places where hooks look for the tool, in order, before PATH.
	Places []string `json:",omitempty"`
}

// GatePolicy is the consequence of a gate's tool being absent.
type GatePolicy string

// An absent tool skips the case unless its gate has GateFail.
const (
	GateSkip GatePolicy = "skip"
	GateFail GatePolicy = "fail"
)

// A ProjectOverride is a temporary project directory for one case. Hooks see it as
// CLAUDE_PROJECT_DIR, but still run in the real project's root.
type ProjectOverride struct {
	Files map[string]string // slash path -> content
}

// A Repo is a git repository built for the case in its temporary project directory, which is also
// the working directory of the hook. It implies a ProjectOverride.
type Repo struct {
	Branch string
	Commit map[string]string // committed
	Stage  map[string]string // changed and staged after the commit
	Modify map[string]string // changed in the work tree
	Delete []string          // removed from the work tree
	// Worktree makes the project a linked work tree of the repository, on a branch of that name.
	// Branch is then the branch of the main work tree.
	Worktree string `json:",omitempty"`
	// Merge is changed on another branch, whose merge into this one is started and not committed.
	// Files that are also in Commit conflict.
	Merge map[string]string `json:",omitempty"`
}

// A Route is an answer of the case's loopback server, whose address is {server} in the case. The
// first route that matches answers.
type Route struct {
	Method   string
	Path     string // glob for the URL path; empty matches all
	Contains string // text that the request body must contain
	Status   int    // default 200
	Reply    string
	Delay    time.Duration
}

// A Program is a program that hooks find before any other with its name: a script, or a fixed
// output and exit code. Its texts are templates as in Fixture.
type Program struct {
	Name   string
	Script string `json:",omitempty"` // run by /bin/sh unless it has a "#!" line; "" for a fixed output
	Stdout string `json:",omitempty"`
	Stderr string `json:",omitempty"`
	Exit   int    `json:",omitempty"`
}

// A Step is one firing of a hook. Steps of a case share a sandbox and a session.
type Step struct {
	Event string
	Tool  string
	Hook  string // if it differs from the case's
	// Registered is the registered hook of this step if it differs from the case's.
	Registered string   `json:",omitempty"`
	Args       []string `json:",omitempty"` // arguments of a script that is run directly; templates as in Fixture
	Command    string   // tool_input.command
	FilePath   string   // tool_input.file_path, a template as in Fixture
	// Payload is merged into the client's payload: its fields replace those with the same name, and
	// null removes one. PayloadRaw replaces the whole payload.
	Payload    json.RawMessage
	PayloadRaw json.RawMessage `json:",omitempty"`
	// MatchedAs replaces the payload's value that the matcher of a registered hook is compared
	// with.
	MatchedAs string  `json:",omitempty"`
	Stdin     *string // raw bytes instead of a payload
	Env       map[string]string
	Fixtures  []Fixture
	// Delegate are the model's answers to a client that the hook itself starts, in layer 2.
	Delegate []Answer `json:",omitempty"`
	Expect   Expectation
}

// A Fixture is a file written before a step. Path is a template with {tmp}, {project}, {override}
// and {session}, the case's number. A relative path is in {tmp}.
type Fixture struct {
	Path    string
	Content string
	Mode    uint32        // permission bits; 0 means 0644. With fs.ModeSymlink, Content is the target of a link
	Age     time.Duration `json:",omitempty"` // time since its last change; 0 is now
	Fill    bool          `json:",omitempty"` // Content is a template as Path is, and for Moments
}

// Moments replaces {now} with the current time in seconds since 1970, as hooks write it into their
// state files, and {now-15m} with the time 15 minutes ago.
func Moments(text string, now time.Time) (string, error) {
	const open = "{now"
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, open)
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		ago, after, closed := strings.Cut(rest, "}")
		switch length, minus := strings.CutPrefix(ago, "-"); {
		case closed && ago == "":
			out.WriteString(strconv.FormatInt(now.Unix(), 10))
		case closed && minus:
			d, err := time.ParseDuration(length)
			if err != nil || d < 0 {
				return "", fmt.Errorf("%s%s}: no time ago, such as {now-15m}", open, ago)
			}
			out.WriteString(strconv.FormatInt(now.Add(-d).Unix(), 10))
		default: // another word with this prefix
			out.WriteString(open)
			after = rest
		}
		text = after
	}
}

// Matched returns what matchers are compared with, as far as the step says it without its payload: MatchedAs, or
// the tool.
func (st *Step) Matched() string { return cmp.Or(st.MatchedAs, st.Tool) }

// An Answer is one answer of the scripted model: a tool call, or text. Input is a template as in
// Fixture.
type Answer struct {
	Tool  string          `json:",omitempty"`
	Input json.RawMessage `json:",omitempty"`
	Text  string          `json:",omitempty"`
	Delay time.Duration   `json:",omitempty"` // before the answer is sent
}

// An Expectation describes the required result of one step. Zero fields are not checked.
type Expectation struct {
	Exit      []int // one of these codes
	Decision  string
	Effect    Effect
	Sound     bool             `json:",omitempty"` // starts, does not crash, prints nothing that the client drops
	Stdout    *TextExpectation // nil, as in most cases: not checked
	Stderr    *TextExpectation
	JQ        string // a filter over the parsed stdout that must return true
	ModelSees []string
	HookFired *bool `json:",omitempty"` // by the client, in layer 2; nil: it must have fired
	Files     []FileExpectation
}

// A TextExpectation describes the required content of a stream. Matches are Go regular expressions.
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

// A FileExpectation describes a file after the step. Path is a template as in Fixture; with Change
// it may be a pattern.
type FileExpectation struct {
	Path   string
	Absent bool       // the file must not exist
	Change ChangeKind // since the case started; Untouched, or "" for anything
	Text   TextExpectation
}

// A Deny is an input that a hook must block according to the user.
type Deny struct {
	At   Position
	Hook string // its ID, or part of its command or of its script's path
	Tool string // "": Bash for a command, a tool that writes for a file
	// Exactly one is set.
	Command, File, Prompt string
}

// ControlKey returns the identity of the case's control, which is an ID in its own suite or
// "suite/ID".
func (c *Case) ControlKey() Key {
	if suite, id, ok := strings.Cut(c.Control, "/"); ok {
		return Key{suite, id}
	}
	return Key{c.Suite, c.Control}
}
