package catalog

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites/client"
)

// TestSchemaEvents checks that the schema of suite files allows every event of the client.
func TestSchemaEvents(t *testing.T) {
	t.Parallel()
	var schema struct {
		Defs struct {
			Event struct{ Enum []string }
		} `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, event := range client.Events() {
		names = append(names, event.Name)
	}
	if diff := cmp.Diff(names, schema.Defs.Event.Enum); diff != "" {
		t.Errorf("events of suite.schema.json (-client +schema):\n%s", diff)
	}
}
