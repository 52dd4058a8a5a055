//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"hookwatch/watcher/testdata/editstest"
)

// A realDisk does edits to a directory, and lets the program that watches it
// stand still.
type realDisk struct {
	t       testing.TB
	root    string
	process *os.Process
}

func (d realDisk) path(name string) string { return filepath.Join(d.root, filepath.FromSlash(name)) }

// Do carries out an op, or nothing if it is impossible in the current state.
func (d realDisk) Do(o editstest.Op) {
	path := d.path(o.Path)
	switch o.Verb {
	case editstest.Truncate:
		put(path, os.O_TRUNC, "")
	case editstest.Append:
		put(path, os.O_APPEND, o.Text)
	case editstest.Overwrite:
		put(path, 0, o.Text)
		_ = os.Truncate(path, int64(len(o.Text)))
	case editstest.Copy:
		d.copy(path, d.path(o.To))
	case editstest.Rename:
		_ = os.Rename(path, d.path(o.To))
	case editstest.Remove:
		_ = os.RemoveAll(path)
	case editstest.Mkdir:
		_ = os.MkdirAll(path, 0o755)
	case editstest.Symlink:
		_ = os.Symlink(o.Text, path)
	case editstest.Chmod:
		_ = os.Chmod(path, o.Mode)
	case editstest.Chtimes:
		at := time.Now().Add(o.By)
		_ = os.Chtimes(path, at, at)
	case editstest.Pause:
		<-time.After(o.By)
	case editstest.Flood:
		for i := range o.N {
			name := path + strconv.Itoa(i%2) + ".tmp"
			put(name, os.O_TRUNC, "")
			_ = os.Remove(name)
		}
	case editstest.Halt:
		d.signal(syscall.SIGSTOP)
	case editstest.Resume:
		d.signal(syscall.SIGCONT)
	case editstest.Checkout:
		if out, err := gitIn(d.root, "checkout", "-q", "-f", o.Text).CombinedOutput(); err != nil {
			d.t.Logf("git checkout %s: %v\n%s", o.Text, err, out)
		}
	}
}

func put(path string, flag int, text string) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|flag, 0o755)
	if err != nil {
		return
	}
	_, _ = f.WriteString(text)
	_ = f.Close()
}

func (d realDisk) signal(s syscall.Signal) {
	if err := d.process.Signal(s); err != nil {
		d.t.Fatal(err)
	}
}

// copy copies a file, or a directory with its content.
func (d realDisk) copy(from, to string) {
	info, err := os.Lstat(from)
	switch {
	case err != nil:
	case info.Mode()&os.ModeSymlink != 0:
		target, _ := os.Readlink(from)
		_ = os.Symlink(target, to)
	case info.IsDir():
		_ = os.Mkdir(to, info.Mode().Perm())
		entries, _ := os.ReadDir(from)
		for _, e := range entries {
			d.copy(filepath.Join(from, e.Name()), filepath.Join(to, e.Name()))
		}
	default:
		text, _ := os.ReadFile(from)
		put(to, os.O_TRUNC, string(text))
		_ = os.Chmod(to, info.Mode().Perm())
	}
}
