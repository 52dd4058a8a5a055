package client

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"unicode"

	"hookwatch/suites"
)

// An Output is the result of one run of a hook.
type Output struct {
	Exit       int    // exit code, or status of an http hook; ignored if Signal, TimedOut or NotStarted is set
	Signal     string // the signal that ended the hook
	TimedOut   bool
	NotStarted string // the reason why the hook could not be started
	Stdout     []byte // the body of an http hook, the answer of a prompt or agent hook
	Stderr     []byte
	Entry      Entry  // as registered: the client repeats its command to the model
	Payload    []byte // the hook's stdin; may be empty
	Dropped    string // the reason why the client drops the entry, "" if it does not
	Matched    string // the value compared with the matcher; "" uses the payload's
}

// hasExit reports whether the exit code is the hook's own: it was started, and nothing ended it.
func (o Output) hasExit() bool { return o.NotStarted == "" && o.Signal == "" && !o.TimedOut }

// A Reading is the client's interpretation of a hook's output.
type Reading struct {
	// Decision is the hook's decision in JSON, even if the client ignores it: block, approve,
	// allow, deny, ask, defer, or none.
	Decision string
	// Effect is the resulting action of the client.
	Effect suites.Effect
	// ModelSees are the texts that reach the model. The hook's own words in them are exact; the
	// client's text around them differs by version.
	ModelSees []string
	// Context is the part of ModelSees that other hooks' decisions do not remove.
	Context []string
	// Alone reports that the model is sent no text of another hook.
	Alone bool
	// Input is the tool's input in place of the call's, nil for none.
	Input map[string]any
	// Cause is the reason for the effect.
	Cause Cause
}

// noDecision is the Decision of a Reading if the hook made none; decisions are all others.
const noDecision = "none"

var decisions = []string{"block", "approve", "allow", "deny", "ask", "defer"}

// A form is the form of stdout as the client sees it.
type form int

const (
	silent    form = iota // only white space
	plain                 // text: not JSON, JSON with other text, or an array
	malformed             // between braces but not one JSON document: an error on 2.1.329
	document              // one JSON object
	asyncMore             // {"async":true} on the first line, and more after it; observed on client 2.1.330
)

// readStdout classifies stdout, and returns its object. Text that only starts like an object is
// plain; text between braces is plain on 2.1.197 and malformed on newer clients.
func readStdout(v Version, stdout []byte) (form, map[string]any) {
	text := trim(stdout)
	switch {
	case len(text) == 0:
		return silent, nil
	case text[0] != '{':
		return plain, nil
	}
	if output, ok := oneObject(text); ok {
		return document, output
	}
	if output, ok := oneObject(bytes.SplitN(text, []byte("\n"), 2)[0]); ok && output["async"] == true {
		return asyncMore, output
	}
	if !v.isOld() && text[len(text)-1] == '}' && !foreignLines(text) {
		return malformed, nil
	}
	return plain, nil
}

// foreignLines reports whether each line is an object without any key that the client knows, which
// is plain text; observed on client 2.1.330.
func foreignLines(text []byte) bool {
	for line := range bytes.Lines(text) {
		output, ok := oneObject(trim(line))
		if !ok || knowsOneOf(output) {
			return false
		}
	}
	return true
}

func knowsOneOf(output map[string]any) bool {
	return slices.ContainsFunc(slices.Concat(topFields, asyncFields), func(f Field) bool { return has(output, f.Name) })
}

// trim removes white space as JavaScript does, including a byte order mark.
func trim(text []byte) []byte {
	return bytes.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' })
}

// oneObject decodes exactly one JSON object with nothing after it. It keeps numbers as written
// because the client accepts numbers of any size.
func oneObject(text []byte) (map[string]any, bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var output map[string]any
	if decoder.Decode(&output) != nil {
		return nil, false
	}
	_, err := decoder.Token()
	return output, err == io.EOF && output != nil
}

// decisionOf returns the hook's decision, even if the client ignores it. hookSpecificOutput takes
// precedence over the older top-level key.
func decisionOf(output map[string]any) string {
	nested, _ := output["hookSpecificOutput"].(map[string]any)
	request, _ := nested["decision"].(map[string]any)
	for _, value := range []any{
		nested["permissionDecision"], request["behavior"], output["decision"], output["permissionDecision"],
	} {
		if word, ok := value.(string); ok && slices.Contains(decisions, word) {
			return word
		}
	}
	return noDecision
}
