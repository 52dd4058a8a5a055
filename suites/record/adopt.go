package record

import (
	"errors"
	"io/fs"

	"hookwatch/suites/disk"
)

// adopt moves the files of another tool that stand where the present state
// does to the archive, as a run of their own: their records have no IDs, so a
// case would stand there twice. Nothing of them is lost.
func (s *Store) adopt() error {
	if len(s.state.foreign) == 0 {
		return nil
	}
	var st stamp
	var names []string
	for _, f := range s.state.foreign {
		names = append(names, f.name)
		if f.st.compare(st) > 0 {
			st = f.st
		}
	}
	if st.n == 0 {
		info, err := s.r.dir.Lstat(names[0])
		if err != nil {
			return err
		}
		st = stamp{info.ModTime().UTC(), 1}
	}
	if now := s.o.Now().UTC(); st.at.After(now) { // a name that somebody made up
		st = stamp{now, 1}
	}
	if _, err := s.setAside(st, names); err != nil {
		return err
	}
	s.state.foreign = nil
	return nil
}

// setAside moves files of the present state to a directory of the archive, with
// a copy of RESULTS.md, and gives its name.
func (s *Store) setAside(st stamp, names []string) (string, error) {
	to, at, err := s.adoptDir(st, names)
	if err != nil {
		return "", err
	}
	defer to.Close()
	results, err := s.r.dir.ReadFile(resultsName, DocumentLimit)
	if err == nil {
		err = to.Replace(resultsName, results, disk.Synced)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for _, name := range names {
		if err := s.r.dir.Rename(name, to, name); err != nil {
			return "", err
		}
	}
	return at, nil
}

// adoptDir opens the first archive directory of that stamp that holds none of
// the names; after a kill halfway it is the one that was begun.
func (s *Store) adoptDir(st stamp, names []string) (to *disk.Dir, at string, err error) {
	for ; ; st.n++ {
		to, err := s.r.archive.MakeSub(st.String())
		if disk.IsRefused(err) {
			continue // something else has that name
		}
		if err != nil {
			return nil, "", err
		}
		taken := archivedRunID(to) != ""
		for _, name := range names {
			_, err := to.Lstat(name)
			taken = taken || err == nil
		}
		if !taken {
			return to, st.String(), nil
		}
		_ = to.Close()
	}
}
