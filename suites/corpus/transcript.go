package corpus

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookwatch/suites/disk"
	"hookwatch/suites/record"
)

// mostTranscripts is the number of bytes of transcripts that are read, of the newest ones.
const mostTranscripts = 1 << 30

// Transcripts returns the client's transcripts of sessions in a project and in directories of it,
// newest first. config is the user's directory of the client; "" is the usual one.
func Transcripts(root, home, config string) (dir string, files []string, err error) {
	dir = filepath.Join(cmp.Or(config, filepath.Join(home, ".claude")), "projects")
	var names []string
	for _, path := range []string{root, realPath(root)} {
		name := strings.Map(func(r rune) rune {
			if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
				return r
			}
			return '-'
		}, path)
		names = append(names, name[:min(len(name), 200)]) // the client cuts longer ones
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return dir, nil, err
	}
	for _, e := range entries {
		if !slices.ContainsFunc(names, func(n string) bool {
			return e.Name() == n || strings.HasPrefix(e.Name(), n+"-") || len(n) == 200 && strings.HasPrefix(e.Name(), n)
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

// AddTranscripts adds the tool calls and prompts of transcripts, as the client sent them to hooks.
// It returns the number of payloads that the corpus did not have.
func (c *Corpus) AddTranscripts(files []string) (added int, err error) {
	left := int64(mostTranscripts)
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			return added, err
		}
		n, err := c.addTranscript(io.LimitReader(f, left))
		if added += n; err != nil {
			return added, errors.Join(err, f.Close())
		}
		read, _ := f.Seek(0, io.SeekCurrent)
		_ = f.Close()
		if left -= read; left <= 0 {
			break
		}
	}
	return added, nil
}

func (c *Corpus) addTranscript(r io.Reader) (added int, err error) {
	t := transcript{calls: map[string]calling{}}
	failed := record.Lines(r, func(line []byte) bool {
		for _, p := range t.payloads(line, c.roots) {
			isNew := false
			if len(p.text) <= LargestPayload && err == nil {
				isNew, err = c.Add(p.text, p.at)
			}
			if isNew {
				added++
			}
		}
		return err == nil
	})
	return added, errors.Join(err, failed)
}

// A transcript is the state of reading one: lines of calls precede those of their results.
type transcript struct {
	mode  string // permission mode
	calls map[string]calling
}

// calling is a call of the model.
type calling struct{ head, name, input []byte }

// sent is a payload with the time when the client sent it.
type sent struct {
	text []byte
	at   time.Time
}

// entry is a line of a transcript, as clients 2.1.197 to 2.1.330 write it.
type entry struct {
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
}

// payloads returns what the client sent to hooks because of a line, if its directory is in one of
// the roots. Lines of other forms have no payloads.
func (t *transcript) payloads(line []byte, roots []string) (all []sent) {
	var e entry
	if !bytes.Contains(line, []byte(`"message"`)) || json.Unmarshal(line, &e) != nil || !slices.ContainsFunc(roots, func(root string) bool { return disk.Within(root, e.Cwd) }) {
		return nil
	}
	t.mode = cmp.Or(e.Mode, t.mode, "default")
	var prompt string
	var blocks []block
	if json.Unmarshal(e.Message.Content, &prompt) != nil && json.Unmarshal(e.Message.Content, &blocks) != nil {
		return nil
	}
	results := 0
	for _, b := range blocks {
		switch {
		case b.Type == "text":
			prompt += b.Text
		case b.Type == "tool_result":
			results++
		case b.Type == "tool_use" && e.Type == "assistant" && len(b.Name) > 0 && len(b.Input) > 0:
			call := calling{t.head(e, true), b.Name, b.Input}
			t.calls[b.ID] = call
			all = append(all, sent{call.payload("PreToolUse"), e.Time})
		}
	}
	switch {
	case e.Type != "user":
	case results == 0 && !e.Sidechain && !e.Meta && !e.IsCompactSummary && isPrompt(prompt):
		text, _ := json.Marshal(prompt) // a string
		all = append(all, sent{append(append(t.head(e, false), `"hook_event_name":"UserPromptSubmit","prompt":`...), append(text, '}')...), e.Time})
	case results == 1 && len(e.Result) > 0:
		b := blocks[slices.IndexFunc(blocks, func(b block) bool { return b.Type == "tool_result" })]
		call, known := t.calls[b.Of]
		if known && !b.IsError {
			all = append(all, sent{call.payload("PostToolUse", e.Result...), e.Time})
		}
		delete(t.calls, b.Of)
	}
	return all
}

// head returns the beginning of a payload.
func (t *transcript) head(e entry, tool bool) []byte {
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

// payload returns the payload of a call at an event.
func (c calling) payload(event string, response ...byte) []byte {
	text := slices.Concat(c.head, []byte(`"hook_event_name":"`+event+`","tool_name":`), c.name, []byte(`,"tool_input":`), c.input)
	if response != nil {
		text = slices.Concat(text, []byte(`,"tool_response":`), response)
	}
	return append(text, '}')
}

// isPrompt excludes what the client itself writes as the user's words: commands, their output, and
// interruptions.
func isPrompt(text string) bool {
	return text != "" && !slices.ContainsFunc([]string{"<command-", "<local-command-", "<bash-", "[Request interrupted", "Caveat: "}, func(start string) bool { return strings.HasPrefix(text, start) })
}
