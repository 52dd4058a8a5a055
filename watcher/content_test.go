package watcher

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/go-cmp/cmp"

	"hookwatch/suites/disk"
)

func TestDigest(t *testing.T) {
	t.Parallel()
	const empty = "e3b0c44298fc1c149afbf4c8996fb924"
	for mode, want := range map[os.FileMode]string{0o644: empty, 0o755: empty + "x", 0o010: empty + "x", 0: empty} {
		if got := digestOf(nil, mode); got != want {
			t.Errorf("digestOf(nil, %o) = %q, want %q", mode, got, want)
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	put(t, path, "12345")
	s, sig, err := newReader(system{}, 5).read(path)
	ok(t, err)
	if s.digest != digestOf([]byte("12345"), 0o644) || s.empty || sig.Size != 5 {
		t.Errorf("read gives %+v, %+v", s, sig)
	}
	big, _, err := newReader(system{}, 4).read(path)
	ok(t, err)
	if !strings.HasPrefix(big.digest, "~5-") {
		t.Errorf("too large a file has the digest %q", big.digest)
	}
	ok(t, os.Chtimes(path, time.Time{}, time.Unix(7, 0)))
	if touched, _, _ := newReader(system{}, 4).read(path); touched.digest == big.digest {
		t.Error("the time does not count for a file that is too large")
	}
	put(t, path, "")
	if s, _, _ := newReader(system{}, 4).read(path); !s.empty || !s.isUnfinished() {
		t.Errorf("an empty file is %+v", s)
	}
	if s, _, err := newReader(system{}, 4).unreadable(path); err != nil || !strings.HasPrefix(s.digest, "~0-") {
		t.Errorf("a file that may not be read is %+v, %v", s, err)
	}
	for _, nothing := range []string{dir, filepath.Join(dir, "absent"), filepath.Join(path, "below")} {
		if s, _, err := newReader(system{}, 4).read(nothing); s != (state{}) || err != nil {
			t.Errorf("read(%q) = %+v, %v", nothing, s, err)
		}
	}
}

func TestRacy(t *testing.T) {
	t.Parallel()
	read := time.Unix(100, 0)
	for seconds, want := range map[int64]bool{10: false, 97: false, 99: true, 100: true, 500: true} {
		if got := (disk.Signature{Modified: seconds * 1e9}).Racy(read); got != want {
			t.Errorf("a file of second %d read at 100: racy is %v", seconds, got)
		}
		if got := (disk.Signature{Changed: seconds * 1e9}).Racy(read); got != want {
			t.Errorf("a file changed in second %d read at 100: racy is %v", seconds, got)
		}
	}
}

// TestQuickLook checks that a known file is read again if its signature differs or is
// unreliable, or if a full check is requested.
func TestQuickLook(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ differs, racy, full, want bool }{
		{false, false, false, false}, {true, false, false, true}, {false, true, false, true}, {false, false, true, true},
	} {
		path := filepath.Join(t.TempDir(), "f")
		put(t, path, "1")
		b := newBacklog(0)
		tr := newTree(newDirectories(system{}, nil, &notes{}), b, newReader(system{}, 100), time.Now)
		scope, err := newScope(Interest{Files: []string{path}})
		ok(t, err)
		tr.retarget(scope)
		put(t, path, "2")
		if !tt.differs {
			info, err := os.Stat(path)
			ok(t, err)
			tr.roots[0].sig = disk.SignatureOf(info) // as if it had not changed
		}
		tr.roots[0].racy = tt.racy
		tr.enqueueAll(tt.full)
		for tr.step() {
		}
		if _, noticed := b.batch(time.Now()); noticed != tt.want {
			t.Errorf("%+v: noticed is %v", tt, noticed)
		}
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	ok(t, err)
	put(t, filepath.Join(root, "real", "sub", "f"), "1")
	ok(t, os.Symlink("real/./sub/", filepath.Join(root, "rel")))
	ok(t, os.Symlink(filepath.Join(root, "rel"), filepath.Join(root, "abs")))
	ok(t, os.Symlink("../real/sub/f", filepath.Join(root, "real", "up")))
	ok(t, os.Symlink("loop", filepath.Join(root, "loop")))
	const real, sub = "/real", "/real/sub"
	tests := map[string]struct {
		real  string // "" if there is no file
		links int
		steps []lookup // those in and below root, without passing
	}{
		"real/sub/f":   {sub + "/f", 0, []lookup{{"", "real", false}, {real, "sub", false}, {sub, "f", false}}},
		"rel":          {sub, 1, []lookup{{"", "rel", false}, {"", "real", false}, {real, "sub", false}}},
		"abs/f":        {sub + "/f", 2, []lookup{{"", "abs", false}, {"", "rel", false}, {"", "real", false}, {real, "sub", false}, {sub, "f", false}}},
		"real/up":      {sub + "/f", 1, []lookup{{"", "real", false}, {real, "up", false}, {real, "sub", false}, {sub, "f", false}}},
		"abs/../up":    {"", 0, []lookup{{"", "up", false}}}, // cleaned first, as in an interest
		"real/no/f":    {"", 0, []lookup{{"", "real", false}, {real, "no", false}}},
		"real/sub/f/x": {"", 0, []lookup{{"", "real", false}, {real, "sub", false}, {sub, "f", false}}},
		"loop":         {"", 41, []lookup{{"", "loop", false}}},
	}
	for path, tt := range tests {
		path = filepath.Clean(path)
		p, err := resolve(system{}, root, path, filepath.Join(root, path))
		ok(t, err)
		if unhinted, err := resolve(system{}, root, path, ""); err != nil || !slices.Equal(unhinted.lookups, p.lookups) || unhinted.real != p.real {
			t.Errorf("%s: %+v (%v) without a known path, %+v with it", path, unhinted, err, p)
		}
		var steps []lookup
		for _, l := range p.lookups {
			if below, in := strings.CutPrefix(l.dir, root); in {
				steps = append(steps, lookup{below, l.name, false})
			}
		}
		if p.links != tt.links || !cmp.Equal(steps, tt.steps, cmp.AllowUnexported(lookup{})) {
			t.Errorf("%s: %d links by %v, want %d by %v", path, p.links, steps, tt.links, tt.steps)
		}
		if (p.info != nil) != (tt.real != "") || p.info != nil && p.real != root+tt.real {
			t.Errorf("%s leads to %s (%v), want %s", path, p.real, p.info, tt.real)
		}
	}
	if p, err := resolve(system{}, root, "", root); err != nil || p.info == nil {
		t.Errorf("the start itself: %v, %v", p, err)
	}
}

func TestInbox(t *testing.T) {
	t.Parallel()
	i := newInbox()
	i.put(fsnotify.Event{Name: "a", Op: fsnotify.Create})
	i.put(fsnotify.Event{Name: "a", Op: fsnotify.Write})
	i.put(fsnotify.Event{Name: "b", Op: fsnotify.Chmod})
	<-i.wake
	got := i.take()
	want := map[string]fsnotify.Op{"a": fsnotify.Create | fsnotify.Write, "b": fsnotify.Chmod}
	if !cmp.Equal(got.ops, want) || got.lost {
		t.Errorf("took %+v, want %v", got, want)
	}
	for n := range inboxLimit + 1 {
		i.put(fsnotify.Event{Name: string(rune(n)) + time.Duration(n).String(), Op: fsnotify.Write})
	}
	if got := i.take(); !got.lost || got.overflow || len(got.ops) > 0 {
		t.Errorf("too many paths are %d paths, lost %v", len(got.ops), got.lost)
	}
	i.fail(fsnotify.ErrEventOverflow)
	if got := i.take(); !got.lost || !got.overflow {
		t.Error("an overflow is no loss")
	}
}
