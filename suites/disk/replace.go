package disk

import (
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
)

// Durable says whether a file has to outlive a power cut, or only a killed process.
type Durable bool

// Synced waits for the disk; Unsynced does not.
const (
	Synced   Durable = true
	Unsynced Durable = false
)

// Replace puts data into a file, whole or not at all. A file that a killed process
// leaves beside it is called ".<name><digits>".
func (d *Dir) Replace(name string, data []byte, durable Durable) error {
	return d.ReplaceBy(name, durable, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// ReplaceBy is Replace with what write writes. If that fails nothing changes.
func (d *Dir) ReplaceBy(name string, durable Durable, write func(io.Writer) error) (err error) {
	if err := d.CheckFile(name); err != nil {
		return err
	}
	f, temp, err := d.temporary(name)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = d.root.Remove(temp)
		}
	}()
	err = write(f)
	if err == nil && durable {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return d.named(err, name)
	}
	return d.named(d.root.Rename(temp, name), name)
}

// temporary makes a file for what is to be called name.
func (d *Dir) temporary(name string) (*os.File, string, error) {
	for {
		temp := "." + name + strconv.FormatUint(uint64(rand.Uint32()), 10)
		f, err := d.Create(temp, 0o644)
		if !errors.Is(err, fs.ErrExist) {
			return f, temp, err
		}
	}
}

// IsLeftover reports whether name is that of a file that Replace was about to
// call something else when its process was killed, and what.
func IsLeftover(name string) (of string, ok bool) {
	base := strings.TrimRight(name, "0123456789")
	of, dot := strings.CutPrefix(base, ".")
	return of, dot && of != "" && base != name
}
