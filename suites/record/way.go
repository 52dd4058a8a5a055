package record

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"hookwatch/suites/disk"
)

// documents are the files of a results directory that have one name.
var documents = []string{ignoreName, lockName, Name, resultsName, comparisonName, markerName, inputsName, environmentName, runsName}

// checkWay looks, before anything is written, for what stands where hookwatch's
// files and directories are to be: links, pipes, directories. The first writing
// would meet them, and nobody would hear of those that are met beside a run.
func checkWay(d *disk.Dir) error {
	if err := checkEntries(d, func(name string) bool {
		return slices.Contains(documents, name) || filepath.Ext(name) == Suffix
	}); err != nil {
		return err
	}
	if err := checkWithin(d, rollingName, IsLog); err != nil {
		return err
	}
	return checkWithin(d, Contents, IsDigest)
}

// checkWithin checks a directory, which need not be there.
func checkWithin(d *disk.Dir, name string, ours func(string) bool) error {
	sub, err := d.Sub(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer sub.Close()
	return checkEntries(sub, ours)
}

// checkEntries refuses entries that are called as files of hookwatch's, and are none.
func checkEntries(d *disk.Dir, ours func(name string) bool) error {
	all, err := d.ReadDir()
	if err != nil {
		return err
	}
	for _, e := range all {
		if ours(e.Name()) && !e.Type().IsRegular() {
			if err := d.CheckFile(e.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}

// ignored has git ignore the directory unless somebody has written rules of
// their own.
func ignored(d *disk.Dir) error {
	_, err := d.Lstat(ignoreName)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return d.Replace(ignoreName, []byte("*\n"), disk.Unsynced)
}
