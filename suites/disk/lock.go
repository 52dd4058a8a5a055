package disk

import (
	"errors"
	"os"
)

// A Lock is a file that one process at a time can lock. The kernel releases it when the
// process ends for any reason.
type Lock struct{ f *os.File }

// Lock opens the lock file, and creates it if it is missing. It does not lock it yet.
func (d *Dir) Lock(name string) (*Lock, error) {
	f, err := d.Append(name)
	if err != nil {
		return nil, err
	}
	return &Lock{f}, nil
}

// Try takes the lock unless another process has it.
func (l *Lock) Try() (held bool, err error) { return tryLock(l.f) }

// Write replaces the content of the file. Only the process with the lock may call it.
func (l *Lock) Write(text string) error {
	if err := l.f.Truncate(0); err != nil {
		return err
	}
	_, err := l.f.Write([]byte(text))
	return err
}

// Close releases the lock, even if a child that is being started has inherited the open
// file.
func (l *Lock) Close() error { return errors.Join(unlock(l.f), l.f.Close()) }
