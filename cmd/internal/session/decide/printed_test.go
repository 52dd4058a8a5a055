package decide

import "testing"

func TestPrinted(t *testing.T) {
	t.Parallel()
	zero, two := 0, 2
	base := printedOf(&zero, "took 1.25 s at 10:20:30, in /tmp/run-1234/x", "")
	for name, tt := range map[string]struct {
		exit        *int
		out, errors string
		same        bool
	}{
		"other numbers":       {&zero, "took 9.75 s at 23:59:59, in /tmp/run-98765/x", "", true},
		"another exit":        {&two, "took 1.25 s at 10:20:30, in /tmp/run-1234/x", "", false},
		"no exit":             {nil, "took 1.25 s at 10:20:30, in /tmp/run-1234/x", "", false},
		"another word":        {&zero, "took 1.25 s at 10:20:30, in /tmp/run-1234/y", "", false},
		"on the other stream": {&zero, "", "took 1.25 s at 10:20:30, in /tmp/run-1234/x", false},
	} {
		if same := printedOf(tt.exit, tt.out, tt.errors) == base; same != tt.same {
			t.Errorf("%s: same %v", name, same)
		}
	}
	if printedOf(&zero, "in tmp.5ZVZvkajxG", "") != printedOf(&zero, "in tmp.fScPVCICCP", "") {
		t.Error("names of temporary files count")
	}
	if printedOf(&zero, "1 of 2", "") == printedOf(&zero, "2 of 2", "") {
		t.Error("short numbers count")
	}
}
