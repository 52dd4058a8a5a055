package trace_test

import (
	"encoding/json"
	"os"
	"testing"

	"hookwatch/suites/depend/trace"
)

func readAll(name string) (string, error) {
	data, err := os.ReadFile(name)
	return string(data), err
}

func TestSet(t *testing.T) {
	t.Parallel()
	keys := map[trace.Key]bool{0: true, 5: true, 1 << 20: true, 1<<24 - 1: true}
	s := trace.NewSet(keys)
	for _, k := range []trace.Key{0, 1, 4, 5, 6, 1 << 20, 1<<20 + 1, 1<<24 - 1} {
		if s.Has(k) != keys[k] {
			t.Errorf("Has(%d) = %v", k, s.Has(k))
		}
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var back trace.Set
	if err := json.Unmarshal(text, &back); err != nil || back != s {
		t.Errorf("round trip: %q, %v; want %q", back, err, s)
	}
	for _, bad := range []string{`"AAA"`, `"not base64!"`, `"AAACAAAB"`} {
		if err := json.Unmarshal([]byte(bad), &back); err == nil {
			t.Errorf("%s was taken for a set", bad)
		}
	}
}
