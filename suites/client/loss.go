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
	keeps   loss = iota // the client uses the whole output, or there is none
	loses               // the client drops an output, or ignores a decision
	failure             // the client treats the hook as failed and drops any output
)

// A Lost is the part of a hook's output that the client drops, by the effect it would have had.
type Lost int

// The possible losses, the least first.
const (
	LostNothing  Lost = iota
	LostText          // text that reaches no one
	LostContext       // text for the model
	LostAllow         // a decision that lets the call through
	LostDecision      // a deny, a block, a question to the user, or a rewritten input or result
)

// Loses reports whether the client drops an output, or ignores a decision, for this kind of cause.
func (k Kind) Loses() bool { return k.row().loss != keeps }

// Fails reports whether this kind of cause is a failure of the hook, so that only a comparison with
// another input shows whether the hook intended a decision.
func (k Kind) Fails() bool { return k.row().loss == failure }

// Severity returns the severity of losing lost: the rule's, lowered if less than a decision is lost
// and raised if a decision is lost with text that is otherwise harmless.
func (k Kind) Severity(lost Lost) suites.Severity {
	switch own := k.row().severity; {
	case lost == LostNothing:
		return suites.Info
	case lost < LostDecision && own == suites.Error:
		return suites.Warning
	case lost == LostDecision && own == suites.Info:
		return suites.Error // the rule's own severity is for harmless text
	default:
		return own
	}
}

// LostOf returns the part of stdout that the client drops for this kind of cause: the strongest
// effect that any object in it would have had as the whole output. Objects that were cut short are
// completed first. A JSON decision that the client uses although the hook failed is not lost.
func LostOf(kind Kind, stdout []byte) Lost {
	if !kind.Loses() {
		return LostNothing
	}
	switch kind {
	case Exit2Ignored, OtherNameAtExit, Exit2Dropped, MissingScript:
		return LostDecision
	}
	text := trim(stdout)
	most := LostNothing
	if len(text) > 0 {
		most = LostText
	}
	for _, o := range objects(text) {
		most = max(most, findLoss(o))
	}
	if kind == TextToModel && most <= LostContext {
		return LostNothing // the model reads the text
	}
	return most
}

// maxObjects limits the number of objects read from one output.
const maxObjects = 20

// objects returns the JSON objects in a text, at any position.
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
		case complete(text, &o):
			return append(all, o)
		default:
			text = text[1:]
		}
	}
	return all
}

// complete decodes an object that was cut short by closing its open strings and brackets. It also
// tries the text with double quotes in place of single ones, for other notations.
func complete(text []byte, into *map[string]any) bool {
	const most = 4000
	if len(text) > most || !bytes.ContainsAny(text, ":") {
		return false
	}
	for _, t := range []string{string(text), strings.ReplaceAll(string(text), "'", `"`)} {
		if end := strings.LastIndexByte(t, '}'); end > 0 && json.Unmarshal([]byte(t[:end+1]), into) == nil {
			return true
		}
		for t != "" { // drop a trailing key without a value
			if json.Unmarshal([]byte(closeBrackets(t)), into) == nil {
				return true
			}
			t = t[:max(0, strings.LastIndexByte(t, ','))]
		}
	}
	return false
}

// closeBrackets returns a text with its open strings and brackets closed.
func closeBrackets(text string) string {
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

// decisionKeys are the keys of decisions.
var decisionKeys = []string{"permissionDecision", "decision", "behavior"}

// findLoss returns the effect that an object would have had, at any depth: decisions by their words,
// other keys by their names.
func findLoss(object map[string]any) (most Lost) {
	for key, value := range object {
		switch v := value.(type) {
		case map[string]any:
			most = max(most, findLoss(v))
		case string:
			most = max(most, lossOf(key, v))
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

func lossOf(key, word string) Lost {
	switch decides := slices.Contains(decisionKeys, key); {
	case word == "":
		return LostText
	case word == "deny" || word == "block" || word == "ask":
		return LostDecision
	case word == "allow" || word == "approve":
		return LostAllow
	case decides:
		return LostDecision // an unknown word does not allow anything
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

// DecidesAgainst reports whether the output of a hook for a call decides against it, in any format,
// even if the client ignores it. Compared with the output for a harmless call, a key that permits
// became false, one that refuses became true, a word refuses, or a part of the tool's input has
// another value than was sent. Output that is equal for every call is no decision.
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
			if words := map[bool][]string{false: permits, true: refuses}[v]; slices.Contains(words, strings.ToLower(key)) {
				return true
			}
		case string:
			if slices.Contains(refuses, strings.ToLower(v)) {
				return true
			}
			sent, isInput := input[key].(string)
			if isInput && !strings.Contains(sent, v) && (key == "command" || strings.Contains(outer, "input")) {
				return true
			}
		}
	}
	return false
}

// leaves returns the strings and booleans of the objects in a text, by their dotted key paths.
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
