package watcher

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// hopLimit is the number of symbolic links after which the system gives up too.
const hopLimit = 40

// A lookup is one entry of one real directory that was asked for on the way
// along a path. The path leads elsewhere only if one of its lookups changes.
type lookup struct {
	dir, name string

	// passing marks a plain directory that was merely passed through: if the
	// directory that holds it cannot be watched, only a rename of an ancestor
	// goes unseen.
	passing bool
}

// A place is where a path leads.
type place struct {
	lookups []lookup    // in order, each once; the last one failed when info is nil
	real    string      // the path without symbolic links
	info    fs.FileInfo // of real; nil when nothing is there
	links   int         // symbolic links on the way
}

// resolve follows rest from the real directory start, symbolic links included,
// as the system would. That nothing is there is no error; an error says that
// this could not be found out now.
func resolve(on filesystem, start, rest string) (place, error) {
	p := place{real: start}
	todo := split(rest)
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		if name == ".." { // of a link's target; p.real is free of links
			p.real, p.info = filepath.Dir(p.real), nil
			continue
		}
		full := filepath.Join(p.real, name)
		info, err := on.Lstat(full)
		p.add(lookup{p.real, name, err == nil && info.IsDir() && len(todo) > 0})
		switch {
		case err != nil:
			p.info = nil
			return p, unlessGone(err)
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := on.Readlink(full)
			if p.links++; err != nil || p.links > hopLimit {
				p.info = nil
				return p, unlessGone(err)
			}
			if filepath.IsAbs(target) {
				p.real = rootOf(target)
			}
			todo, p.info = slices.Concat(split(target), todo), nil
		case !info.IsDir() && len(todo) > 0: // a file where a directory should be
			p.info = nil
			return p, nil
		default:
			p.real, p.info = full, info
		}
	}
	if p.info != nil {
		return p, nil
	}
	info, err := on.Lstat(p.real)
	if err != nil {
		return p, unlessGone(err)
	}
	p.info = info
	return p, nil
}

func (p *place) add(l lookup) {
	for i := range p.lookups {
		if have := &p.lookups[i]; have.dir == l.dir && have.name == l.name {
			have.passing = have.passing && l.passing
			return
		}
	}
	p.lookups = append(p.lookups, l)
}

// rootOf returns the root directory of an absolute path.
func rootOf(path string) string {
	return filepath.VolumeName(path) + string(filepath.Separator)
}

// split returns the names in a path, without empty ones and dots.
func split(path string) []string {
	path = path[len(filepath.VolumeName(path)):]
	names := strings.FieldsFunc(path, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
	return slices.DeleteFunc(names, func(n string) bool { return n == "." })
}

// unlessGone returns nil for an error that means that there is nothing for us at
// a path, and err for one that may pass, such as too many open files.
func unlessGone(err error) error {
	for _, gone := range []error{fs.ErrNotExist, fs.ErrPermission, syscall.ENOTDIR, syscall.ELOOP, syscall.ENAMETOOLONG, syscall.EINVAL} {
		if errors.Is(err, gone) {
			return nil
		}
	}
	return err
}
