// Package scripttest contains commands for scripts that test the command line.
package scripttest

import (
	"encoding/json"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/itchyny/gojq"
	"github.com/rogpeppe/go-internal/testscript"
)

// JSON is the script command "json [<FILE] FILTER [WANT...]". It applies a jq filter to each JSON
// document of the file, or on the standard output of the last command, and expects these results, in
// order; without WANT, one result that is true. The log of a script has the standard output already.
func JSON(ts *testscript.TestScript, neg bool, args []string) {
	file := "stdout"
	if len(args) > 0 && strings.HasPrefix(args[0], "<") {
		file, args = args[0][1:], args[1:]
	}
	if neg || len(args) == 0 {
		ts.Fatalf("usage: json [<FILE] FILTER [WANT...]")
	}
	want := args[1:]
	if len(want) == 0 {
		want = []string{"true"}
	}
	query, err := gojq.Parse(args[0])
	ts.Check(err)
	var got []string
	for documents := json.NewDecoder(strings.NewReader(ts.ReadFile(file))); documents.More(); {
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
	if d := cmp.Diff(want, got); d != "" {
		ts.Fatalf("%s (-want +got):\n%s", args[0], d)
	}
}
