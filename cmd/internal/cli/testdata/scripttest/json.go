// Package scripttest contains commands for scripts that test the command line.
package scripttest

import (
	"encoding/json"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/itchyny/gojq"
	"github.com/rogpeppe/go-internal/testscript"
)

// JSON is the script command "json FILTER WANT...". It applies a jq filter to each JSON document
// on the standard output of the last command, and expects these results, in order.
func JSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: json FILTER WANT...")
	}
	query, err := gojq.Parse(args[0])
	ts.Check(err)
	var got []string
	for documents := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout"))); documents.More(); {
		var document any
		ts.Check(documents.Decode(&document))
		for results := query.Run(document); ; {
			result, more := results.Next()
			if !more {
				break
			}
			if err, failed := result.(error); failed {
				ts.Fatalf("%s: %v", args[0], err)
			}
			text, err := gojq.Marshal(result)
			ts.Check(err)
			got = append(got, string(text))
		}
	}
	if d := cmp.Diff(args[1:], got, cmpopts.EquateEmpty()); d != "" {
		ts.Fatalf("%s (-want +got):\n%s", args[0], d)
	}
}
