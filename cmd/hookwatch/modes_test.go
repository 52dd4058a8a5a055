package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"testing"
)

// TestModesAgree checks that the pm suite has the same verdicts in every mode of isolation, in
// random orders. Cases run one after the other in one round, eight at a time in the next, or the
// other way round for copies. HOOKWATCH_TEST_ROUNDS is the number of rounds, 1 by default.
func TestModesAgree(t *testing.T) {
	t.Parallel()
	rounds := 1
	if s := os.Getenv("HOOKWATCH_TEST_ROUNDS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		rounds = n
	}
	root := newReference(t)
	var want map[string]string
	for round := range rounds {
		for _, mode := range []string{"none", "copy", "namespaces"} {
			jobs := "8"
			if (mode == "copy") == (round%2 == 0) {
				jobs = "1"
			}
			seed := strconv.Itoa(round*10 + len(mode) + 2)
			got := verdicts(t, root, "--once", "--suite", "pm", "--filter", "P[01]*", "--isolation", mode, "--jobs", jobs, "--shuffle", seed)
			if want == nil {
				want = got
			}
			for id := range want {
				if got[id] != want[id] {
					t.Errorf("%s is %s, elsewhere %s (%s, %s jobs, seed %s)", id, got[id], want[id], mode, jobs, seed)
				}
			}
			if len(got) != len(want) {
				t.Errorf("%d verdicts, elsewhere %d (%s, %s jobs, seed %s)", len(got), len(want), mode, jobs, seed)
			}
		}
	}
	t.Logf("%d runs of %d cases", rounds*3, len(want))
}

// verdicts runs the program and returns the verdict and behaviour of each case.
func verdicts(t *testing.T, root string, args ...string) map[string]string {
	t.Helper()
	out, err := program(t, root, append(args, "--format", "json")...).Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	var doc struct {
		Cases []struct {
			ID, Suite string
			Pass      bool
			Decision  string `json:"actual_decision"`
			Exit      *int   `json:"actual_exit"`
			Stdout    string `json:"actual_output"`
		}
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		t.Fatal(err)
	}
	found := make(map[string]string)
	for _, c := range doc.Cases {
		exit := "none"
		if c.Exit != nil {
			exit = strconv.Itoa(*c.Exit)
		}
		found[c.Suite+"/"+c.ID] = fmt.Sprint(c.Pass, " ", c.Decision, " ", exit, " ", c.Stdout)
	}
	return found
}
