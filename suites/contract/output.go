package contract

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"hookwatch/suites"
)

// An Output is what one firing of a hook left behind.
type Output struct {
	Exit       int    // exit code; ignored when Signal, TimedOut or NotStarted is set
	Signal     string // the signal that ended the hook
	TimedOut   bool
	NotStarted string // why the hook could not be started
	Stdout     []byte
	Stderr     []byte
	Command    string // as registered: the client repeats it to the model
	Matched    string // what the matcher was compared with, such as the tool's name; may be empty
	Async      bool   // the settings entry says async
}

// A Reading is what the client makes of a hook's output.
type Reading struct {
	// Decision is what the hook said, in JSON, whether or not the client heeds
	// it: block, approve, allow, deny, ask, defer, or none.
	Decision string
	// Effect is what the client does.
	Effect suites.Effect
	// ModelSees are the texts that reach the model. The hook's own words in them
	// are exact; what the client puts around them differs by version.
	ModelSees []string
	// Context is the part of ModelSees that other hooks' decisions do not take away.
	Context []string
	// Reason says why, in one sentence.
	Reason string
}

// The decisions that a Reading can hold beside the hook's own words.
const noDecision = "none"

var decisions = []string{"block", "approve", "allow", "deny", "ask", "defer"}

// A form is what stdout looks like to the client.
type form int

const (
	silent    form = iota // nothing but white space
	plain                 // text: not JSON, or JSON with something around it, or an array
	malformed             // between braces but not one JSON document: an error on 2.1.329
	document              // one JSON object
)

// readStdout sorts stdout into a form. Text that only starts like an object is
// plain; text between braces is plain on 2.1.197 and malformed on 2.1.329.
func readStdout(v Version, stdout []byte) (form, map[string]any) {
	text := bytes.TrimSpace(stdout)
	switch {
	case len(text) == 0:
		return silent, nil
	case text[0] != '{':
		return plain, nil
	}
	if output, ok := oneObject(text); ok {
		return document, output
	}
	if !v.old() && text[len(text)-1] == '}' {
		return malformed, nil
	}
	return plain, nil
}

// oneObject decodes exactly one JSON object with nothing after it. Numbers stay
// as they are written: the client knows none that are too large.
func oneObject(text []byte) (map[string]any, bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var output map[string]any
	if decoder.Decode(&output) != nil {
		return nil, false
	}
	_, err := decoder.Token()
	return output, err == io.EOF
}

// saidDecision is the decision in the hook's own words, heeded or not. What
// hookSpecificOutput says goes before the older top-level key.
func saidDecision(output map[string]any) string {
	nested, _ := output["hookSpecificOutput"].(map[string]any)
	request, _ := nested["decision"].(map[string]any)
	for _, said := range []any{
		nested["permissionDecision"], request["behavior"], output["decision"], output["permissionDecision"],
	} {
		if word, ok := said.(string); ok && slices.Contains(decisions, word) {
			return word
		}
	}
	return noDecision
}

// missingScript recognises the message of an interpreter that was given a script
// that does not exist.
func missingScript(stderr []byte) bool {
	text := strings.ToLower(string(stderr))
	return strings.Contains(text, "no such file") &&
		(strings.Contains(text, "can't open file") || strings.Contains(text, "cannot open"))
}
