package disk

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"strconv"
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
func (d *Dir) Replace(name string, data []byte, durable Durable) (err error) {
	if err := d.replaceable(name); err != nil {
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
	_, err = f.Write(data)
	if err == nil && durable {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return d.named(err, name)
	}
	if err = d.root.Rename(temp, name); err != nil {
		return d.named(err, name)
	}
	return d.sync(durable)
}

// temporary makes a file for what is to be called name.
func (d *Dir) temporary(name string) (*os.File, string, error) {
	for {
		temp := "." + name + strconv.FormatUint(uint64(rand.Uint32()), 10)
		f, err := d.Create(temp)
		if !errors.Is(err, fs.ErrExist) {
			return f, temp, err
		}
	}
}

// sync has the directory's new entry on the disk, where directories can be synced.
func (d *Dir) sync(durable Durable) error {
	if !durable {
		return nil
	}
	f, err := d.root.Open(".")
	if err != nil {
		return d.named(err, "")
	}
	defer f.Close()
	_ = f.Sync() // some file systems refuse it
	return nil
}
