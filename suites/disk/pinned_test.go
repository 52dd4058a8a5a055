package disk

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// pin opens a file like the watcher after a save, and returns its content.
func pin(t *testing.T, p *Pinned, path string) string {
	t.Helper()
	f, err := p.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := f.Stat(); err != nil || info.Name() != filepath.Base(path) || info.Size() != int64(len(text)) {
		t.Errorf("it is said to be %v, %v", info, err)
	}
	return string(text)
}

func save(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path+"~", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+"~", path); err != nil {
		t.Fatal(err)
	}
}

// real returns a directory whose path has no symbolic links.
func real(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestPinned checks that all readers get the content that was read after a save, until the
// file changes.
func TestPinned(t *testing.T) {
	t.Parallel()
	dir, p := real(t), new(Pinned)
	path, link := filepath.Join(dir, "h.sh"), filepath.Join(dir, "link.sh")
	r := Reader{Root: dir, Pinned: p}
	read := func(path string) string {
		t.Helper()
		text, err := r.ReadFile(path, 100)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	save(t, path, "once")
	if err := os.Symlink("h.sh", link); err != nil {
		t.Skip("symbolic links are absent: ", err)
	}
	if got := read(path); got != "once" || len(p.files) != 0 {
		t.Errorf("read %q, but %d files are pinned without a save", got, len(p.files))
	}
	if got := pin(t, p, path); got != "once" {
		t.Errorf("opened %q", got)
	}
	// Only the text shows whether the content is from the cache or the disk.
	v := p.files[path]
	v.content = []byte("held")
	p.files[path] = v
	for _, path := range []string{path, link} {
		if got := read(path); got != "held" {
			t.Errorf("%s is read again: %q", path, got)
		}
	}
	if _, err := r.ReadFile(path, 2); ReasonOf(err) != Size {
		t.Errorf("a limit below the pinned size: %v", err)
	}
	hidden := Reader{Pinned: p, World: func(string) Reason { return Hidden }}
	if _, err := hidden.ReadFile(path, 100); ReasonOf(err) != Hidden {
		t.Errorf("a hidden file that is held: %v", err)
	}
	save(t, path, "two")
	if got := read(path); got != "two" {
		t.Errorf("after an unnoticed save: %q", got)
	}
	if got := string(p.files[path].content); got != "two" {
		t.Errorf("what was read then is not held, but %q", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Open(path); !os.IsNotExist(err) || len(p.files) != 0 || p.size != 0 {
		t.Errorf("a file that is gone: %v, %d held of %d bytes", err, len(p.files), p.size)
	}
}

// TestPinnedBounds checks that neither large files nor many files are cached.
func TestPinnedBounds(t *testing.T) {
	t.Parallel()
	dir, p := real(t), new(Pinned)
	large := filepath.Join(dir, "large")
	save(t, large, string(bytes.Repeat([]byte("x"), pinnedFile+1)))
	if got := pin(t, p, large); len(got) != pinnedFile+1 || len(p.files) != 0 {
		t.Errorf("read %d bytes, %d files are held", len(got), len(p.files))
	}
	for i := range 3 * pinnedFiles {
		name := filepath.Join(dir, fmt.Sprint(i))
		save(t, name, "text")
		pin(t, p, name)
		pin(t, p, name)
	}
	if len(p.files) > pinnedFiles || len(p.order) > pinnedFiles || p.size > 4*pinnedFiles {
		t.Errorf("%d files of %d bytes are held, under %d names", len(p.files), p.size, len(p.order))
	}
	for i := range 2 * pinnedAll / pinnedFile {
		name := filepath.Join(dir, fmt.Sprint(i))
		save(t, name, string(bytes.Repeat([]byte("y"), pinnedFile)))
		pin(t, p, name)
	}
	sum := 0
	for _, v := range p.files {
		sum += len(v.content)
	}
	if sum > pinnedAll || sum != p.size {
		t.Errorf("%d bytes are held, and said to be %d", sum, p.size)
	}
}

// TestPinnedTogether reads while files are saved.
func TestPinnedTogether(t *testing.T) {
	t.Parallel()
	dir, p := real(t), new(Pinned)
	path := filepath.Join(dir, "h.sh")
	save(t, path, "0")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				if _, err := (Reader{Pinned: p}).ReadFile(path, 100); err != nil && ReasonOf(err) != Moved {
					t.Error(err)
				}
			}
		})
	}
	for i := range 50 {
		text := fmt.Sprint(i)
		save(t, path, text)
		if got := pin(t, p, path); got != text {
			t.Errorf("opened %q, want %q", got, text)
		}
	}
	all.Wait()
}
