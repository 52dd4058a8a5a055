package isolate

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const socketTable = `Num       RefCount Protocol Flags    Type St Inode Path
00000000f00d: 00000002 00000000 00010000 0001 01 18203 /srv/agent dir/S.gpg-agent
00000000f00e: 00000003 00000000 00000000 0001 03     7
00000000f00f: 00000002 00000000 00010000 0001 01 18204 @/abstract
00000000f010: 00000002 00000000 00010000 0001 01 18205 relative/sock
00000000f011: 00000002 00000000 00000000 0002 01 18206 /dev/log
00000000f012: 00000003 00000000 00000000 0001 03 18207 /dev/log
`

func TestParseSockets(t *testing.T) {
	t.Parallel()
	want := []string{"/dev/log", "/srv/agent dir/S.gpg-agent"}
	if diff := cmp.Diff(want, parseSockets(socketTable)); diff != "" {
		t.Error(diff)
	}
}

func FuzzParseSockets(f *testing.F) {
	f.Add(socketTable)
	f.Fuzz(func(t *testing.T, table string) {
		paths := parseSockets(table)
		if !slices.IsSorted(paths) {
			t.Errorf("unsorted: %q", paths)
		}
		for _, p := range paths {
			if !filepath.IsAbs(p) || !strings.Contains(table, p) {
				t.Errorf("%q is no path of the table", p)
			}
		}
	})
}
