package client

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"hookwatch/suites"
)

// TestOf compares the schema of every event with Interpret: outputs that one refuses, the other
// drops.
func TestOf(t *testing.T) {
	t.Parallel()
	refused := map[Kind]bool{
		WrongType: true, UnknownValue: true, NoEventName: true, UnknownName: true,
		OtherName: true, NotAccepted: true,
	}
	for _, event := range Events() {
		if event.Name == "WorktreeCreate" {
			continue // its stdout is a path
		}
		schema := compiledSchema(t, event)
		for _, output := range outputs(event.Name) {
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(output)))
			if err != nil {
				t.Fatal(err)
			}
			reading := Interpret(Default, event.Name, Output{Stdout: []byte(output)})
			dropped := (reading.Effect == suites.Ignored || event.Reports != "" || event.AnyFailure) && refused[reading.Cause.Kind]
			if valid := schema.Validate(value) == nil; valid == dropped {
				t.Errorf("%s: %s: valid %t, but the client: %s", event.Name, output, valid, reading.Because())
			}
		}
	}
}

func compiledSchema(t *testing.T, event Event) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(OutputSchema(Default, event)))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("output.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("output.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// outputs are valid and invalid outputs: every key with values of every kind.
func outputs(event string) []string {
	all := []string{`{}`, `{"unknown":1}`, `{"hookSpecificOutput":{}}`}
	values := []string{`"text"`, `true`, `false`, `{}`, `[]`, `["a"]`, `[1]`, `1`, `null`, `"block"`, `"deny"`, `"defer"`, `{"behavior":"deny"}`}
	for _, value := range values {
		for _, field := range topFields {
			all = append(all, `{"`+field.Name+`":`+value+`}`)
		}
		for _, name := range []string{event, "PreToolUse", "Stop", "Whatever"} {
			for _, field := range specificFields(Default, event) {
				all = append(all, `{"hookSpecificOutput":{"hookEventName":"`+name+`","`+field.Name+`":`+value+`}}`)
			}
		}
	}
	return all
}
