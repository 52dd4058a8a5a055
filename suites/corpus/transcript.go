package corpus

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookwatch/suites/disk"
	"hookwatch/suites/pattern"
	"hookwatch/suites/record"
)

// mostTranscripts is the number of bytes of transcripts that are read, of the newest ones.
const mostTranscripts = 1 << 30

// separators match the characters that the client replaces in names of directories.
var separators = pattern.Lazy(`[^A-Za-z0-9]`)

// Transcripts returns the client's transcripts of sessions in a project and in directories of it,
// newest first. config is the user's directory of the client; "" is the usual one.
func Transcripts(root, home, config string) (dir string, files []string, err error) {
	dir = filepath.Join(cmp.Or(config, filepath.Join(home, ".claude")), "projects")
	var names []string
	for _, path := range []string{root, realPath(root)} {
		name := separators().ReplaceAllString(path, "-")
		names = append(names, name[:min(len(name), 200)]) // the client cuts longer ones
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return dir, nil, err
	}
	for _, e := range entries {
		if !slices.ContainsFunc(names, func(n string) bool {
			return strings.HasPrefix(e.Name()+"-", n+"-") || len(n) == 200 && strings.HasPrefix(e.Name(), n)
		}) {
			continue
		}
		for _, below := range []string{"*.jsonl", "*/subagents/*.jsonl"} {
			some, _ := filepath.Glob(filepath.Join(dir, e.Name(), below)) // the pattern is valid
			files = append(files, some...)
		}
	}
	ages := map[string]time.Time{}
	files = slices.DeleteFunc(files, func(file string) bool {
		info, err := os.Lstat(file)
		if err == nil {
			ages[file] = info.ModTime()
		}
		return err != nil || !info.Mode().IsRegular()
	})
	slices.SortFunc(files, func(a, b string) int { return cmp.Or(ages[b].Compare(ages[a]), strings.Compare(a, b)) })
	return dir, files, nil
}

// FindDistrust returns the file of the client's state if it says that the user trusts neither a project nor
// a directory above it; "" if it cannot be read. Interactive sessions of client 2.1.332 then run no hook.
func FindDistrust(root, home, config string) (file string) {
	file = filepath.Join(cmp.Or(config, home), ".claude.json")
	var state struct {
		Projects map[string]struct {
			Accepted bool `json:"hasTrustDialogAccepted"`
		} `json:"projects"`
	}
	text, err := disk.Reader{}.ReadFile(file, 64<<20)
	if unknown := root == home; err != nil || unknown || json.Unmarshal(text, &state) != nil { // HOME is trusted for one session
		return ""
	}
	for project, its := range state.Projects {
		project = filepath.FromSlash(project)
		if its.Accepted && (disk.Within(project, root) || disk.Within(project, realPath(root))) {
			return ""
		}
	}
	return file
}

// FindTranscripts returns the transcripts below a directory, without following links in it.
func FindTranscripts(dir string) (files []string, err error) {
	err = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && filepath.Ext(path) == ".jsonl" {
			files = append(files, path)
		}
		return err
	})
	return files, err
}

// AddTranscripts adds the tool calls and prompts of transcripts, as the client sent them to hooks.
// It returns the number of payloads that the corpus did not have.
func (c *Corpus) AddTranscripts(files []string) (added int, err error) {
	_, failed := ReadSessions(files, c.roots, func(s Shown) {
		whole := slices.Contains([]string{"PreToolUse", "PostToolUse", "UserPromptSubmit"}, s.Event) && s.Payload != nil
		if !whole || len(s.Payload) > LargestPayload || err != nil {
			return
		}
		isNew := false
		if isNew, err = c.Add(s.Payload, s.At); isNew {
			added++
		}
	})
	return added, errors.Join(err, failed)
}

// Sessions are the transcripts that were read.
type Sessions struct {
	IDs      map[string]bool `json:"-"`
	Lines    int             `json:"lines"`
	BadLines int             `json:"bad_lines"` // that are no JSON or too long
	Bad      []string        `json:"bad"`       // the first of them, as file:line: what
	Skipped  map[string]int  `json:"skipped"`   // records that show nothing of hooks, by their type
	Unread   int             `json:"unread"`    // files beyond the bound of bytes
}

// A Shown is what a record of a transcript shows: an event that fires hooks, or a run of a hook.
type Shown struct {
	Event    string
	ID       string // of the tool's call, or of the records about one firing; "" if they have none
	Value    string // that matchers are compared with; "" if it is not recorded
	Payload  []byte // of an event, as far as it is known; nil for a run
	Command  string // of a run, as the client names it; "" if it is not recorded
	Text     string // of a refusal, or for the model
	Async    bool
	Outcomes []string
	Took     time.Duration // 0 if it is not recorded
	At       time.Time
}

// ReadSessions reads transcripts of Claude Code as far as their sessions are in directories of roots;
// nil reads all. It yields what they show, a call before its hooks' decisions. A bad line is no error.
func ReadSessions(files, roots []string, yield func(Shown)) (*Sessions, error) {
	s := &Sessions{IDs: map[string]bool{}, Bad: []string{}, Skipped: map[string]int{}}
	seen := map[string]bool{} // rows, which a session that continues another one may repeat
	left := int64(mostTranscripts)
	for i, file := range files {
		if left <= 0 {
			s.Unread = len(files) - i
			break
		}
		f, err := disk.Reader{}.Open(file, math.MaxInt64) // which opens no pipe that replaced it
		if err != nil {
			return s, err
		}
		r := transcript{Sessions: s, yield: yield, roots: roots, seen: seen, calls: map[string]calling{}, named: map[string]bool{}}
		in := &io.LimitedReader{R: f, N: left}
		err = record.Lines(in, func(n int, line []byte) bool {
			r.line(fmt.Sprintf("%s:%d: ", file, n), line)
			return true
		})
		for _, id := range slices.Sorted(maps.Keys(r.calls)) { // without a result
			yield(r.calls[id].show("PreToolUse", id))
		}
		if left = in.N; err != nil {
			return s, errors.Join(err, f.Close())
		}
		_ = f.Close()
	}
	return s, nil
}

// A transcript is the state of reading one: lines of calls precede those of their results.
type transcript struct {
	*Sessions
	yield func(Shown)
	roots []string
	seen  map[string]bool
	mode  string // permission mode
	calls map[string]calling
	named map[string]bool // IDs with the texts of refusals, of records that name the command
}

// calling is a call of the model.
type calling struct {
	head, name, input []byte
	at                time.Time
}

// row is a line of a transcript, as clients 2.1.197 to 2.1.332 write it. Keys without a tag differ from
// the fields in case.
type row struct {
	Type             string          `json:"type"`
	Sidechain        bool            `json:"isSidechain"` // of a subagent
	Meta             bool            `json:"isMeta"`      // not the user's
	IsCompactSummary bool            `json:"isCompactSummary"`
	Cwd              string          `json:"cwd"`
	Mode             string          `json:"permissionMode"`
	Effort           string          `json:"effort"`
	Time             time.Time       `json:"timestamp"`
	Result           json.RawMessage `json:"toolUseResult"`
	Message          struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`

	UUID, SessionID, Subtype, Content, ToolUseID string
	Attachment, Data                             attachment // Data is of progress
	HookInfos                                    []attachment
	HookErrors                                   []string
	FailedHookErrorIndexes                       []int
	PermissionDecision                           struct{ Decision, ReasonCode string }
}

// attachment is a record about a hook. HookName is the event, and after a colon the matched value.
type attachment struct {
	Type, HookEvent, HookName, ToolUseID, Command, Stdout, Message, Decision, Prompt, CommandMode string

	Content              json.RawMessage
	ExitCode, DurationMS int64
	BlockingError        struct{ BlockingError, Command string }
}

// block is a part of a message.
type block struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	ID      string          `json:"id"`
	Name    json.RawMessage `json:"name"`
	Input   json.RawMessage `json:"input"`
	Of      string          `json:"tool_use_id"`
	IsError bool            `json:"is_error"`
	Content json.RawMessage `json:"content"` // of a result
}

const mostBad = 5 // that are listed

// line reads a line, nil if it is too long.
func (t *transcript) line(at string, line []byte) {
	t.Lines++
	var x row
	err, syntax := json.Unmarshal(line, &x), (*json.SyntaxError)(nil)
	what := "the line is too long"
	if line != nil && errors.As(err, &syntax) {
		what = err.Error()
	}
	switch isEmpty := line != nil && len(line) == 0; {
	case isEmpty:
	case line == nil, syntax != nil:
		if t.BadLines++; len(t.Bad) < mostBad {
			t.Bad = append(t.Bad, at+what)
		}
	case err != nil:
		t.Skipped[x.Type+" of another form"]++
	case x.Cwd == "", t.seen[x.UUID], t.roots != nil && !slices.ContainsFunc(t.roots, func(root string) bool { return disk.Within(root, x.Cwd) }):
		t.Skipped[x.Type]++
	default:
		t.seen[x.UUID] = x.UUID != ""
		t.IDs[x.SessionID] = true
		t.mode = cmp.Or(x.Mode, t.mode, "default")
		t.row(x)
	}
}

func (t *transcript) row(x row) {
	switch {
	case x.Type == "assistant", x.Type == "user":
		t.message(x)
	case x.Type == "attachment":
		t.attachment(x, x.Attachment)
	case x.Type == "progress":
		t.attachment(x, x.Data)
	case x.Subtype == "stop_hook_summary":
		t.stop(x)
	case x.Subtype == "informational" && refusals().MatchString(x.Content):
		text, prompt, removed := strings.Cut(x.Content, "\n\nOriginal prompt: ")
		if removed { // the prompt has no other record
			t.prompt(x, prompt)
		}
		t.refusal(x, "UserPromptSubmit", x.UUID, text)
	default:
		t.Skipped[strings.TrimSuffix(x.Type+"/"+x.Subtype, "/")]++
	}
}

func (t *transcript) message(x row) {
	var text string
	var blocks []block
	if json.Unmarshal(x.Message.Content, &text) != nil && json.Unmarshal(x.Message.Content, &blocks) != nil {
		return
	}
	var results []block
	for _, b := range blocks {
		switch {
		case b.Type == "text":
			text += b.Text
		case b.Type == "tool_result":
			results = append(results, b)
		case b.Type == "tool_use" && x.Type == "assistant" && len(b.Name) > 0 && len(b.Input) > 0:
			t.calls[b.ID] = calling{t.head(x, true), b.Name, b.Input, x.Time}
		}
	}
	switch {
	case x.Type != "user":
	case len(results) > 0:
		for _, b := range results {
			t.result(x, b, len(results) == 1)
		}
	case x.isPrompt(text):
		t.prompt(x, text)
	case x.Sidechain && strings.HasPrefix(text, "Stop hook feedback:\n["): // without a command it has another record
		t.refusal(x, "SubagentStop", x.UUID, text)
	}
}

// result reads the result of a call. One that the client refuses before hooks see it has a tag;
// observed on client 2.1.332.
func (t *transcript) result(x row, b block, alone bool) {
	var text string
	var parts []block
	if json.Unmarshal(b.Content, &text) != nil && json.Unmarshal(b.Content, &parts) == nil && len(parts) > 0 {
		text = parts[0].Text
	}
	call, known := t.calls[b.Of]
	delete(t.calls, b.Of)
	if known && !(b.IsError && strings.HasPrefix(text, "<tool_use_error>")) {
		t.yield(call.show("PreToolUse", b.Of))
	}
	event, byHook := strings.CutPrefix(x.PermissionDecision.ReasonCode, "hook:")
	if b.IsError && (byHook || refusals().MatchString(text)) {
		t.refusal(x, event, b.Of, text)
	}
	switch {
	case !known:
	case b.IsError && x.PermissionDecision.Decision == "accept":
		t.yield(call.show("PostToolUseFailure", b.Of))
	case !b.IsError && alone && len(x.Result) > 0:
		s := call.show("PostToolUse", b.Of, x.Result...)
		s.At = x.Time
		t.yield(s)
	}
}

// prompt yields a prompt.
func (t *transcript) prompt(x row, prompt string) {
	text, _ := json.Marshal(prompt) // a string
	payload := append(append(t.head(x, false), `"hook_event_name":"UserPromptSubmit","prompt":`...), text...)
	t.yield(Shown{Event: "UserPromptSubmit", Payload: append(payload, '}'), At: x.Time})
}

// show returns the call at an event.
func (c calling) show(event, id string, response ...byte) Shown {
	s := Shown{Event: event, ID: id, Payload: c.payload(event, response...), At: c.at}
	_ = json.Unmarshal(c.name, &s.Value)
	return s
}

func (t *transcript) head(e row, tool bool) []byte {
	var b bytes.Buffer
	b.WriteString(`{"cwd":`)
	quote(&b, e.Cwd)
	b.WriteString(`,"permission_mode":`)
	quote(&b, t.mode)
	if e.Sidechain {
		b.WriteString(`,"agent_id":"a"`)
	}
	if tool && e.Effort != "" {
		b.WriteString(`,"effort":{"level":`)
		quote(&b, e.Effort)
		b.WriteByte('}')
	}
	b.WriteByte(',')
	return b.Bytes()
}

func (c calling) payload(event string, response ...byte) []byte {
	text := slices.Concat(c.head, []byte(`"hook_event_name":"`+event+`","tool_name":`), c.name, []byte(`,"tool_input":`), c.input)
	if response != nil {
		text = slices.Concat(text, []byte(`,"tool_response":`), response)
	}
	return append(text, '}')
}

// isPrompt reports whether a message is a prompt of the user. It excludes what the client itself writes
// as the user's words: commands, their output, and interruptions.
func (x row) isPrompt(text string) bool {
	own := x.Sidechain || x.Meta || x.IsCompactSummary || ownWords().MatchString(text)
	return text != "" && !own
}

var ownWords = pattern.Lazy(`^(?:<command-|<local-command-|<bash-|\[Request interrupted|Caveat: )`)
