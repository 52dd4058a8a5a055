package disk

import (
	"errors"
	"os"
)

// A Lock is a file that one process at a time can hold. The kernel gives it back
// when the process ends, however it ends.
type Lock struct{ f *os.File }

// Lock opens a file of the directory that can be locked, and made if it is missing.
func (d *Dir) Lock(name string) (*Lock, error) {
	f, err := d.Append(name)
	if err != nil {
		return nil, err
	}
	return &Lock{f}, nil
}

// Try takes the lock unless another process holds it.
func (l *Lock) Try() (held bool, err error) { return tryLock(l.f) }

// Write replaces what stands in the file. It is for the process that holds the lock.
func (l *Lock) Write(text string) error {
	if err := l.f.Truncate(0); err != nil {
		return err
	}
	_, err := l.f.Write([]byte(text))
	return err
}

// Close gives the lock back, also where a child that is just being started holds
// the same open file.
func (l *Lock) Close() error { return errors.Join(unlock(l.f), l.f.Close()) }
