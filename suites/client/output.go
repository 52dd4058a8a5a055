package client

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"unicode"

	"hookwatch/suites"
)

// An Output is what one firing of a hook left behind.
type Output struct {
	Exit       int    // exit code, of an http hook the status; ignored when Signal, TimedOut or NotStarted is set
	Signal     string // the signal that ended the hook
	TimedOut   bool
	NotStarted string // why the hook could not be started
	Stdout     []byte // of an http hook the body, of a prompt or agent hook the answer
	Stderr     []byte
	Entry      Entry  // as registered: the client repeats its command to the model
	Payload    []byte // what the hook got on stdin; may be empty
	Dropped    string // why the client drops the entry, "" where it does not
	Matched    string // what the matcher was compared with; "" is what the payload says
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
	// Cause says why.
	Cause Cause
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
	asyncMore             // {"async":true} on the first line, and more after it; observed on client 2.1.330
)

// readStdout sorts stdout into a form. Text that only starts like an object is
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
	if !v.old() && text[len(text)-1] == '}' && !foreignLines(text) {
		return malformed, nil
	}
	return plain, nil
}

// foreignLines reports whether each line is an object without any key that the
// client knows: it is plain text then; observed on client 2.1.330.
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

// trim takes off what JavaScript does: a byte order mark as well.
func trim(text []byte) []byte {
	return bytes.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' })
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
	return output, err == io.EOF && output != nil
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
