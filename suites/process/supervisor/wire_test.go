package supervisor_test

import (
	"slices"
	"testing"

	"hookwatch/suites/process/supervisor"
)

func FuzzDecode(f *testing.F) {
	f.Add(supervisor.Encode("fire", "", "a\x00b")[4:])
	f.Add([]byte{1, 0, 0, 0})
	f.Add([]byte{255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		fields, ok := supervisor.Decode(b)
		if !ok {
			return
		}
		again, ok := supervisor.Decode(supervisor.Encode(fields...)[4:])
		if !ok || !slices.Equal(again, fields) {
			t.Errorf("%q became %q", fields, again)
		}
	})
}

func TestLength(t *testing.T) {
	t.Parallel()
	for _, fields := range [][]string{nil, {""}, {"a", "bc"}, {string(make([]byte, 70000))}} {
		b := supervisor.Encode(fields...)
		if got := supervisor.Length([4]byte(b)); got != len(b)-4 {
			t.Errorf("%d bytes are reported as %d", len(b)-4, got)
		}
	}
}
