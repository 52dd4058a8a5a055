//go:build !linux

package sandbox

import (
	"errors"
	"io/fs"
	"os"

	"hookwatch/suites/process"
)

// NewPlan plans nothing here: there are no namespaces.
func newPlan(o Options) *plan { return &plan{o: o} }

// Advance is nothing here.
func (p *plan) Advance() []process.Step { return nil }

// Open always fails here.
func (p *plan) Open(func(process.Setup) (*process.Supervisor, error), string, []string, ...string) (*namespaced, error) {
	return nil, &process.ConfineError{Err: errors.ErrUnsupported}
}

// Bounds are none here.
func (s *namespaced) Bounds() []Bound { return nil }

// Fresh is nothing here.
func (p *plan) Fresh() bool { return true }

// Notes are nothing here.
func (p *plan) Notes() []string { return nil }

// nextData takes all of a file for data.
func nextData(_ *os.File, from, size int64) (begin, end int64, ok bool) { return from, size, true }

func accessAndInode(fs.FileInfo) (atime int64, inode uint64) { return 0, 0 }

func whiteout(fs.FileInfo) bool { return false }

func opaque(string) bool { return false }
