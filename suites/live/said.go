package live

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hookwatch/suites/client"
)

// said is what hooks said.
type said struct {
	words    []word
	reported []word // that it may be sent in a report of the hook
	anything bool
	allows   bool
	rewrites bool
	output   string // that is to take the place of the tool's
	message  string // that is to go before the person's
	halts    bool
}

// A word is a text of a hook's that may reach the model.
type word struct {
	text    string // its first line, or what of it is to be found
	whole   string
	context bool // additionalContext
}

// told are the words that the model may be sent at an event.
func (s said) told(event string) []word {
	if about, _ := client.EventByName(event); about.Reports != "" {
		return slices.Concat(s.words, s.reported)
	}
	return s.words
}

// in is where a text holds the word, and no longer one; -1 where it does not.
func (w word) in(text string) int {
	for from := 0; ; {
		at := strings.Index(text[from:], w.text)
		if at < 0 {
			return -1
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(w.text):])
		first, _ := utf8.DecodeRuneInString(w.text)
		last, _ := utf8.DecodeLastRuneInString(w.text)
		if !(lettered(before) && lettered(first)) && !(lettered(last) && lettered(after)) {
			return at
		}
		from = at + 1
	}
}

func lettered(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func readSaid(hooks []HookLine) (all said) {
	for _, h := range hooks {
		// Of another exit code the client takes JSON at most: the hook did not say so.
		blocks := h.Exit != nil && *h.Exit == 2
		all.anything = all.anything || blocks || strings.TrimSpace(h.Stdout) != "" && (h.Exit == nil || *h.Exit == 0)
		all.add(h.Stderr, false)
		var out struct {
			Decision string `json:"decision"`
			Reason   string `json:"reason"`
			Continue *bool  `json:"continue"`
			Message  string `json:"systemMessage"`
			Specific struct {
				Decision json.RawMessage `json:"permissionDecision"`
				Reason   string          `json:"permissionDecisionReason"`
				Context  string          `json:"additionalContext"`
				Updated  json.RawMessage `json:"updatedInput"`
				Message  string          `json:"initialUserMessage"`
				Output   json.RawMessage `json:"updatedToolOutput"`
			} `json:"hookSpecificOutput"`
		}
		if json.Unmarshal([]byte(strings.TrimPrefix(h.Stdout, "\ufeff")), &out) != nil {
			all.add(h.Stdout, true)
			continue
		}
		all.report(h.Stdout, out.Message)
		all.add(out.Reason, false)
		all.add(out.Specific.Reason, false)
		all.add(out.Specific.Context, true)
		all.message, all.output = cmp.Or(all.message, out.Specific.Message), cmp.Or(all.output, shown(out.Specific.Output))
		all.halts = all.halts || out.Continue != nil && !*out.Continue
		all.allows = all.allows || out.Decision == "approve" || string(out.Specific.Decision) == `"allow"`
		all.rewrites = all.rewrites || len(out.Specific.Updated) > 0
	}
	return all
}

// shown is what a model is sent of a result of Bash.
func shown(result json.RawMessage) string {
	var bash struct {
		Stdout string `json:"stdout"`
	}
	if json.Unmarshal(result, &bash) != nil {
		return ""
	}
	return strings.TrimSpace(bash.Stdout)
}

// longestWord is how much of a hook's text is looked for: the client cuts long ones.
const longestWord = 200

// add takes the first line of a text that says something.
func (s *said) add(text string, context bool) {
	line := strings.TrimSpace(firstLine(text))
	for len(line) > longestWord {
		line = strings.ToValidUTF8(line[:longestWord], "")
	}
	if line != "" {
		s.words = append(s.words, word{line, strings.TrimSpace(text), context})
	}
}

// report takes what a client that reports of its hooks sends of JSON: as it is, or, of what
// it drops, as it writes it; and a message to the person.
func (s *said) report(stdout, message string) {
	var written bytes.Buffer
	_ = json.Indent(&written, []byte(strings.TrimSpace(strings.TrimPrefix(stdout, "\ufeff"))), "", "  ")
	for _, text := range []string{stdout, written.String()} {
		longest := ""
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); len(line) > len(longest) {
				longest = line
			}
		}
		if len(longest) > len("{}") {
			s.reported = append(s.reported, word{longest, longest, text == stdout})
		}
	}
	if message != "" {
		s.reported = append(s.reported, word{firstLine(message), message, false})
	}
}

// denies reports whether the error of a call is a hook's.
func (s said) denies(text string) bool {
	for _, own := range []string{" hook error: ", "denied this tool", "Blocked by hook", "No stderr output", " returned updatedInput that "} {
		if strings.Contains(text, own) {
			return true
		}
	}
	return slices.ContainsFunc(s.words, func(w word) bool { return strings.Contains(text, w.text) })
}

// Carrying is what of texts holds words of a hook: from the line on in which they begin
// to the end of what the hook said. It comes once, however often it was sent.
func Carrying(texts []string, hook HookLine) (out []string) {
	said := readSaid([]HookLine{hook})
	for _, t := range texts {
		if part := said.part(t, hook.Event); part != "" && !slices.Contains(out, part) {
			out = append(out, part)
		}
	}
	return out
}

// part is what of a text holds the words; "" where it holds none.
func (s said) part(text, event string) string {
	from, to := -1, 0
	for _, w := range s.told(event) {
		at := w.in(text)
		if at < 0 {
			continue
		}
		end := at + len(w.text)
		if strings.HasPrefix(text[at:], w.whole) {
			end = at + len(w.whole)
		}
		if from < 0 || at < from {
			from = at
		}
		to = max(to, end)
	}
	if from < 0 {
		return ""
	}
	if line := strings.IndexByte(text[to:], '\n'); line >= 0 {
		text = text[:to+line]
	}
	return text[strings.LastIndexByte(text[:from], '\n')+1:]
}
