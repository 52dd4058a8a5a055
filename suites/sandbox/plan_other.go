//go:build !linux

package sandbox

import (
	"errors"
	"io/fs"
	"os"

	"hookwatch/suites/process"
)

// newPlan returns a plan that opens nothing, because namespaces exist only on Linux.
func newPlan(o Options) *plan { return &plan{o: o} }

// Advance returns no steps.
func (p *plan) Advance() []process.Step { return nil }

// Open always fails.
func (p *plan) Open(func(process.Setup) (*process.Supervisor, error), Wanted) (*namespaced, error) {
	return nil, &process.ConfineError{Err: errors.ErrUnsupported}
}

// Bounds returns no limits.
func (s *namespaced) Bounds() []Bound { return nil }

// Fresh always returns true.
func (p *plan) Fresh() bool { return true }

// Notes returns no notes.
func (p *plan) Notes() []string { return nil }

// listMounts returns nothing, because no case has private views.
func listMounts() []mount { return nil }

// nextData treats the whole rest of a file as data.
func nextData(_ *os.File, from, size int64) (begin, end int64, ok bool) { return from, size, true }

func accessAndInode(fs.FileInfo) (atime int64, inode uint64) { return 0, 0 }

func whiteout(fs.FileInfo) bool { return false }

func opaque(string) bool { return false }
