package isolate

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"hookwatch/suites/disk"
)

// OtherNames are the paths, in HOME and the project, of files that have one in a
// hidden directory too. They are looked for where there are any such files.
type OtherNames struct {
	asked map[fileID]bool
	paths []string
}

// Paths are those that were found.
func (n *OtherNames) Paths() []string { return slices.Clone(n.paths) }

// searchAtMost bounds the entries that are looked at for other names.
const searchAtMost = 300_000

// Everywhere finds what has to be hidden of what is there, by whatever path a case
// could get to it; all are the mounts that the case sees.
func (r Rules) Everywhere(masks []Mask, all []Mount, names []string) []Mask {
	more := slices.Clone(names)
	for _, m := range masks {
		for _, alias := range Aliases(all, m.Path) {
			more = append(more, alias)
		}
	}
	for _, path := range more {
		covered := slices.ContainsFunc(masks, func(m Mask) bool { return disk.Within(m.Path, path) })
		if _, err := os.Lstat(path); err == nil && !covered && r.maskable(path) {
			masks = append(masks, newMask(path, false))
		}
	}
	return outermost(masks)
}

// Find looks for other names of the files in hidden directories that have some.
func (n *OtherNames) Find(masks []Mask, roots []string) {
	left, all, fresh := make(map[fileID]int), 0, false // names that are not known yet
	for i, m := range masks {
		if slices.ContainsFunc(masks[:i], func(before Mask) bool { return disk.Within(before.Path, m.Path) }) {
			continue // its names are counted
		}
		for _, l := range m.linked {
			fresh = fresh || !n.asked[l.id]
			if _, counted := left[l.id]; !counted {
				left[l.id] = l.names
				all += l.names
			}
			left[l.id]--
			all--
		}
	}
	if !fresh {
		return
	}
	n.asked, n.paths = make(map[fileID]bool), nil
	for id := range left {
		n.asked[id] = true
	}
	entries := searchAtMost
	for _, root := range slices.Backward(roots) { // the project before HOME
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if entries--; entries < 0 || all <= 0 {
				return fs.SkipAll
			}
			if slices.ContainsFunc(masks, func(m Mask) bool { return m.Path == path }) {
				if d != nil && d.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			if id, ok := n.other(d, err); ok && left[id] > 0 {
				n.paths = append(n.paths, path)
				left[id]--
				all--
			}
			return nil
		})
	}
}

// other is what a directory entry is that may be another name of a file.
func (n *OtherNames) other(d fs.DirEntry, err error) (fileID, bool) {
	if err != nil || !d.Type().IsRegular() {
		return fileID{}, false
	}
	fi, err := d.Info()
	if err != nil || namesOf(fi) == 1 {
		return fileID{}, false
	}
	return identity(fi)
}
