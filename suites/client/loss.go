package client

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"hookwatch/suites"
)

// A loss is the column of the table of causes that records whether a hook's output or
// decision is lost.
type loss int

const (
	keeps   loss = iota // the client acts on all that the hook said, or it said nothing
	loses               // the client drops an output, or does not take a decision
	failure             // the client takes the hook for failed: what it said is lost, if it said anything
)

// A Lost is the part of a hook's output that the client drops, by what it would have done.
type Lost int

// What can be lost, the least first.
const (
	LostNothing  Lost = iota
	LostText          // words for no one in particular
	LostContext       // text for the model
	LostAllow         // a decision that lets the call through
	LostDecision      // a deny, a block, a question to the user, or a rewritten input or result
)

// Loses reports whether the client drops an output, or does not take a decision, for this
// kind of cause.
func (k Kind) Loses() bool {
	row, _ := rowOf(k)
	return row.loss != keeps
}

// Fails reports whether the client takes the hook for failed for this kind of cause, so that
// only a comparison with another input shows whether the hook meant to decide something.
func (k Kind) Fails() bool {
	row, _ := rowOf(k)
	return row.loss == failure
}

// Severity is the severity of the loss of an output: what the rule has at most, and less where
// less than a decision is lost.
func (k Kind) Severity(lost Lost) suites.Severity {
	row, _ := rowOf(k)
	switch {
	case lost == LostNothing:
		return suites.Info
	case lost < LostDecision && row.severity == suites.Error:
		return suites.Warning
	case lost == LostDecision && row.severity == suites.Info:
		return suites.Error // of text that is harmless otherwise
	default:
		return row.severity
	}
}

// LostOf returns what the client drops of stdout for this kind of cause: the most that one of
// the objects in it would have done if it were all of the output. Objects that were cut short
// are completed first. A JSON decision that the client takes although the hook failed is not lost.
func LostOf(kind Kind, stdout []byte) Lost {
	if !kind.Loses() {
		return LostNothing
	}
	if kind == Exit2Ignored || kind == OtherNameAtExit || kind == Exit2Dropped || kind == MissingScript {
		return LostDecision
	}
	text := trim(stdout)
	most := LostNothing
	if len(text) > 0 {
		most = LostText
	}
	for _, o := range objects(text) {
		most = max(most, meant(o))
	}
	if kind == TextToModel && most <= LostContext {
		return LostNothing // the model reads the text
	}
	return most
}

// maxObjects bounds the objects that are looked for in one output.
const maxObjects = 20

// objects lists the JSON objects in a text, wherever they begin.
func objects(text []byte) (all []map[string]any) {
	for len(all) < maxObjects {
		at := bytes.IndexByte(text, '{')
		if at < 0 {
			return all
		}
		text = text[at:]
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		var o map[string]any
		switch err := decoder.Decode(&o); {
		case err == nil:
			all, text = append(all, o), text[decoder.InputOffset():]
		case completed(text, &o):
			return append(all, o)
		default:
			text = text[1:]
		}
	}
	return all
}

// completed decodes an object that was cut short, with its open strings and brackets closed.
// Objects of other notations, with single quotes, are read as JSON with double ones.
func completed(text []byte, into *map[string]any) bool {
	const most = 4000
	if len(text) > most || !bytes.ContainsAny(text, ":") {
		return false
	}
	for _, t := range []string{string(text), strings.ReplaceAll(string(text), "'", `"`)} {
		if end := strings.LastIndexByte(t, '}'); end > 0 && json.Unmarshal([]byte(t[:end+1]), into) == nil {
			return true
		}
		for t != "" { // a key without its value is left out
			if json.Unmarshal([]byte(closed(t)), into) == nil {
				return true
			}
			t = t[:max(0, strings.LastIndexByte(t, ','))]
		}
	}
	return false
}

// closed is a text with what is open in it closed.
func closed(text string) string {
	var open []byte
	inside, escaped := false, false
	for i := range len(text) {
		switch c := text[i]; {
		case escaped:
			escaped = false
		case inside && c == '\\':
			escaped = true
		case c == '"':
			inside = !inside
		case inside:
		case c == '{':
			open = append(open, '}')
		case c == '[':
			open = append(open, ']')
		case (c == '}' || c == ']') && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	text = strings.TrimRight(text, " \t\r\n")
	if inside {
		text += `"`
	} else {
		text = strings.TrimRight(text, ",:")
	}
	slices.Reverse(open)
	return text + string(open)
}

// decisionKeys are the keys that hold a decision.
var decisionKeys = []string{"permissionDecision", "decision", "behavior"}

// meant is what an object would have done, wherever its keys are and whatever they are called:
// a decision by its word, other keys by their names.
func meant(object map[string]any) (most Lost) {
	for key, value := range object {
		switch v := value.(type) {
		case map[string]any:
			most = max(most, meant(v))
		case string:
			most = max(most, meantBy(key, v))
		case bool:
			if !v && key == "continue" {
				most = LostDecision
			}
		}
		switch key {
		case "updatedInput", "updatedToolOutput", "updatedMCPToolOutput":
			most = LostDecision
		}
	}
	return max(most, LostText)
}

func meantBy(key, word string) Lost {
	switch decides := slices.Contains(decisionKeys, key); {
	case word == "":
		return LostText
	case word == "deny" || word == "block" || word == "ask":
		return LostDecision
	case word == "allow" || word == "approve":
		return LostAllow
	case decides:
		return LostDecision // an unknown word, which does not allow anything
	case key == "additionalContext" || key == "systemMessage" || key == "reason":
		return LostContext
	default:
		return LostText
	}
}

// Words and keys by which hooks decide in formats that the client does not have.
var (
	permits = []string{"proceed", "continue", "allow", "allowed", "approve", "approved", "permit", "permitted", "pass", "passed", "safe", "ok"}
	refuses = []string{"block", "blocked", "deny", "denied", "reject", "rejected", "refuse", "refused", "forbid", "forbidden", "prevent", "stop", "abort"}
)

// DecidesAgainst reports whether the output of a hook for a call decides against it, whatever the
// client does with that: compared with the output for a harmless call a key that permits turns
// false, one that refuses turns true, or a word refuses; or a part of the tool's input is given
// with another value than was sent. What the hook says for every call is no decision.
func DecidesAgainst(harmless, stdout []byte, input map[string]any) bool {
	before := leaves(harmless)
	for path, value := range leaves(stdout) {
		if before[path] == value {
			continue
		}
		outer, key := "", path
		if at := strings.LastIndexByte(path, '.'); at >= 0 {
			outer, key = strings.ToLower(path[:at]), path[at+1:]
		}
		switch v := value.(type) {
		case bool:
			if slices.Contains(permits, strings.ToLower(key)) && !v || slices.Contains(refuses, strings.ToLower(key)) && v {
				return true
			}
		case string:
			if slices.Contains(refuses, strings.ToLower(v)) {
				return true
			}
			sent, isInput := input[key].(string)
			if isInput && v != "" && !strings.Contains(sent, v) && (key == "command" || strings.Contains(outer, "input")) {
				return true
			}
		}
	}
	return false
}

// leaves are the texts and booleans of the objects in a text, by the keys that lead to them.
func leaves(text []byte) map[string]any {
	all := map[string]any{}
	var walk func(path string, object map[string]any)
	walk = func(path string, object map[string]any) {
		for key, value := range object {
			switch v := value.(type) {
			case map[string]any:
				walk(path+key+".", v)
			case string, bool:
				all[path+key] = v
			}
		}
	}
	for _, o := range objects(trim(text)) {
		walk("", o)
	}
	return all
}
