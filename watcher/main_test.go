package watcher

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites/process/testdata/processtest"
)

func TestMain(m *testing.M) { processtest.VerifyTestMain(m, nil) }

// ceiling is the maximum time to wait for an expected event.
const ceiling = 5 * time.Minute

// digestOf returns the digest that is reported for a file with this content and mode.
func digestOf(content []byte, mode os.FileMode) string {
	sum := sha256.Sum256(content)
	return withMode(hex.EncodeToString(sum[:16]), mode)
}

// rescan compares every file of interest with its last reported content, and returns when
// that is done. It does nothing if the watcher is closed.
func rescan(w *Watcher) {
	_ = w.request(func() { w.core.rescan(); w.work() })
}

// A probe is a receiver that stores the reported state of all files and fails the test if
// a report contradicts it.
type probe struct {
	t        *testing.T
	w        *Watcher
	interest Interest
	account  map[string]string // digest by path
	reported map[string]bool   // since the last settle
	overflow bool
	sentinel string
}

// watch starts a watcher in mode on i and an additional file of the probe.
func watch(t *testing.T, mode mode, i Interest) *probe {
	t.Helper()
	p := &probe{t: t, sentinel: filepath.Join(t.TempDir(), "sentinel"), reported: map[string]bool{}}
	p.interest = i
	p.interest.Files = append([]string{p.sentinel}, i.Files...)
	w, err := mode.start(Options{Interest: p.interest, Poll: 5 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	p.w, p.account = w, onDisk(t, p.interest)
	return p
}

// receive applies one batch to the account.
func (p *probe) receive() Batch {
	p.t.Helper()
	select {
	case b := <-p.w.Batches():
		p.enter(b)
		return b
	case <-time.After(ceiling):
		p.t.Fatalf("no batch came; account differs from the disk (-disk +account):\n%s",
			cmp.Diff(onDisk(p.t, p.interest), p.account))
	}
	return Batch{}
}

// receiveWaiting applies the batches that are available immediately.
func (p *probe) receiveWaiting() {
	p.t.Helper()
	for {
		select {
		case b := <-p.w.Batches():
			p.enter(b)
		default:
			return
		}
	}
}

func (p *probe) enter(b Batch) {
	p.t.Helper()
	if len(b.Changes) == 0 {
		p.t.Error("an empty batch")
	}
	p.overflow = p.overflow || b.Overflow
	for _, c := range b.Changes {
		old, known := p.account[c.Path]
		want := Modified
		switch {
		case c.Digest == "":
			want = Removed
		case !known:
			want = Created
		}
		if c.Kind == Restored && c.Digest == old && c.Was == old {
			continue
		}
		if c.Kind != want || old == c.Digest || old != c.Was {
			p.t.Errorf("%s: reported %v %q after %q, want %v after %q", c.Path, c.Kind, c.Digest, c.Was, want, old)
		}
		p.account[c.Path] = c.Digest
		if c.Digest == "" {
			delete(p.account, c.Path)
		}
		p.reported[c.Path] = true
	}
}

// settle receives until the account equals the disk and no more changes are pending, and
// returns the paths reported since the last call.
func (p *probe) settle() []string {
	p.t.Helper()
	for {
		// False reports arrive before or with the sentinel.
		put(p.t, p.sentinel, p.account[p.sentinel]+"+")
		want := onDisk(p.t, Interest{Files: []string{p.sentinel}})
		for p.account[p.sentinel] != want[p.sentinel] {
			p.receive()
		}
		if maps.Equal(p.account, onDisk(p.t, p.interest)) {
			break
		}
		p.receive()
	}
	delete(p.reported, p.sentinel)
	var paths []string
	for path := range p.reported {
		paths = append(paths, path)
	}
	clear(p.reported)
	return paths
}

// onDisk returns the state of an interest according to a plain walk: digests by path.
func onDisk(t *testing.T, i Interest) map[string]string {
	t.Helper()
	found := walker{t, i, map[string]string{}}
	for _, path := range i.Files {
		found.walk(path, nil, 0)
	}
	for _, path := range i.Dirs {
		found.walk(path, []string{}, 0)
	}
	return found.digests
}

type walker struct {
	t        *testing.T
	interest Interest
	digests  map[string]string
}

// walk adds path if it is a file, and its content if it is a directory that was reached
// through fewer than the maximum of links and no link upwards. above are the real paths of
// its parents, or nil for a path that is of interest as a file.
func (w walker) walk(path string, above []string, links int) {
	w.t.Helper()
	info, err := os.Stat(path)
	if err != nil || w.interest.Ignore != nil && w.interest.Ignore(path, info.IsDir()) {
		return
	}
	if info.Mode().IsRegular() {
		content, err := os.ReadFile(path)
		ok(w.t, err)
		w.digests[path] = digestOf(content, info.Mode())
	}
	if !info.IsDir() || above == nil {
		return
	}
	real, err := filepath.EvalSymlinks(path)
	ok(w.t, err)
	if l, err := os.Lstat(path); err == nil && l.Mode()&os.ModeSymlink != 0 && len(above) > 0 {
		links++
		for _, up := range above {
			if strings.HasPrefix(up+"/", real+"/") {
				return
			}
		}
	}
	if links > maxLinks {
		return
	}
	entries, err := os.ReadDir(path)
	ok(w.t, err)
	for _, e := range entries {
		w.walk(filepath.Join(path, e.Name()), append(above[:len(above):len(above)], real), links)
	}
}

// A mode is a way of noticing changes.
type mode struct {
	name  string
	start func(Options) (*Watcher, error)
}

var (
	byEvents  = mode{"events", New}
	byPolling = mode{"polling", func(o Options) (*Watcher, error) {
		o.ForcePoll = true
		return New(o)
	}}
)

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// put writes a file in place, and creates its directory.
func put(t testing.TB, path, content string) {
	t.Helper()
	ok(t, os.MkdirAll(filepath.Dir(path), 0o755))
	ok(t, os.WriteFile(path, []byte(content), 0o644))
}

// swap replaces path by a symbolic link to target in one step.
func swap(t testing.TB, target, path string) {
	t.Helper()
	ok(t, os.Symlink(target, path+".new.tmp"))
	ok(t, os.Rename(path+".new.tmp", path))
}
