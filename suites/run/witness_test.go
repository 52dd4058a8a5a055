package run

import "testing"

// FuzzParseCalls: whatever a log holds, what is read of it is whole.
func FuzzParseCalls(f *testing.F) {
	f.Add("t\x1f0\x1fout\x1ferr\x1farg\x1e")
	f.Add("t\x1f0\x1fout\x1ferr\x1e\x1et\x1fx\x1f\x1f\x1e t")
	f.Fuzz(func(t *testing.T, log string) {
		for _, c := range parseCalls(log) {
			if len(c.Stdout) > len(log) || c.Args == nil {
				t.Errorf("%+v", c)
			}
		}
	})
}
