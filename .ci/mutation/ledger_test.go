package main

import (
	"testing"
)

const goodEntry = `{"mutant":{"file":"x.sh","operator":"delete","change":"delete a"},"content":"c","basis":"b","ran":1,"millis":5}`

func TestLedger(t *testing.T) {
	t.Parallel()
	id := identity{File: "x.sh", Operator: "delete", Change: "delete a"}
	for name, test := range map[string]struct {
		text string
		want int
		ran  int
	}{
		"empty":       {"", 0, 0},
		"one":         {goodEntry + "\n", 1, 1},
		"torn":        {goodEntry + "\n" + `{"mutant":{"file":"y.sh","oper`, 1, 1},
		"no basis":    {`{"mutant":{"file":"x.sh"}}` + "\n", 0, 0},
		"no object":   {"[]\nnull\n\nx\n", 0, 0},
		"later wins":  {goodEntry + "\n" + `{"mutant":{"file":"x.sh","operator":"delete","change":"delete a"},"basis":"b","ran":7}` + "\n", 1, 7},
		"end missing": {goodEntry, 1, 1},
	} {
		file := written(t, test.text)
		l, err := openLedger(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(l.known) != test.want || l.known[id].Ran != test.ran {
			t.Errorf("%s: %+v", name, l.known)
		}
		other := identity{File: "z.sh", Operator: "arm", Change: "drop", Nth: 2}
		if err := l.add(entry{Mutant: other, Basis: "b", Suite: "s", ID: "A1"}); err != nil {
			t.Fatal(err)
		}
		l.close()
		again, err := openLedger(file)
		if err != nil || len(again.known) != test.want+1 || again.known[other].ID != "A1" {
			t.Errorf("%s: %v, read again %+v", name, err, again.known)
		}
		again.close()
	}
	if _, err := openLedger(t.TempDir()); err == nil {
		t.Error("a directory is no ledger")
	}
}

func FuzzEntry(f *testing.F) {
	f.Add([]byte(goodEntry))
	f.Add([]byte(`{"mutant":{},"basis":"b"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if e, ok := parseEntry(line); ok && (e.Basis == "" || e.Mutant == identity{}) {
			t.Errorf("%q gave %+v", line, e)
		}
	})
}
