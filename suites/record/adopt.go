package record

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// adopt moves the files of another tool that stand where the present state
// does to the archive, as a run of their own: their records have no IDs, so a
// case would stand there twice. Nothing of them is lost.
func (s *Store) adopt() error {
	if len(s.state.foreign) == 0 {
		return nil
	}
	var st stamp
	for _, f := range s.state.foreign {
		if f.st.compare(st) > 0 {
			st = f.st
		}
	}
	if st.n == 0 {
		info, err := os.Stat(s.path(s.state.foreign[0].name))
		if err != nil {
			return err
		}
		st = stamp{info.ModTime().UTC(), 1}
	}
	dir, err := s.adoptDir(st)
	if err != nil {
		return err
	}
	results, err := os.ReadFile(s.path(resultsName))
	if err == nil {
		err = replace(filepath.Join(dir, resultsName), results)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, f := range s.state.foreign {
		if err := os.Rename(s.path(f.name), filepath.Join(dir, f.name)); err != nil {
			return err
		}
	}
	s.state.foreign = nil
	return nil
}

// adoptDir makes the first archive directory of that stamp that holds none of
// the names; after a kill halfway it is the one that was begun.
func (s *Store) adoptDir(st stamp) (string, error) {
	for ; ; st.n++ {
		dir := s.path(archiveName, st.String())
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", err
		}
		taken := archivedRunID(dir) != ""
		for _, f := range s.state.foreign {
			_, err := os.Lstat(filepath.Join(dir, f.name))
			taken = taken || err == nil
		}
		if !taken {
			return dir, nil
		}
	}
}
