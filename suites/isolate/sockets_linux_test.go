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
	absolute, relative := parseSockets(socketTable + "000: 00000002 00000000 00010000 0001 01 18208 /srv/.//x/../y\n")
	if diff := cmp.Diff([]string{"/dev/log", "/srv/agent dir/S.gpg-agent", "/srv/y"}, absolute); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"relative/sock"}, relative); diff != "" {
		t.Error(diff)
	}
}

func FuzzParseSockets(f *testing.F) {
	f.Add(socketTable)
	f.Fuzz(func(t *testing.T, table string) {
		absolute, relative := parseSockets(table)
		if !slices.IsSorted(absolute) || !slices.IsSorted(relative) {
			t.Errorf("unsorted: %q, %q", absolute, relative)
		}
		for _, p := range absolute {
			if !filepath.IsAbs(p) || p != filepath.Clean(p) || !strings.Contains(table, filepath.Base(p)) {
				t.Errorf("%q is no path of the table", p)
			}
		}
		for _, p := range relative {
			if filepath.IsAbs(p) || p != filepath.Clean(p) {
				t.Errorf("%q is no relative path", p)
			}
		}
	})
}
