package isolate

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// otherNames are the paths, in HOME and the project, of files that have one in a
// hidden directory too. They are looked for where there are any such files.
type otherNames struct {
	asked map[fileID]bool
	paths []string
}

// searchAtMost bounds the entries that are looked at for other names.
const searchAtMost = 300_000

// masksOf finds what has to be hidden of what is there, by whatever path a case
// could get to it; mounts are those that the case sees.
func (o Options) masksOf(masks []mask, mounts []mount, names []string) []mask {
	more := slices.Clone(names)
	for _, m := range masks {
		for _, alias := range aliases(mounts, m.path) {
			more = append(more, alias)
		}
	}
	for _, path := range more {
		covered := slices.ContainsFunc(masks, func(m mask) bool { return Within(m.path, path) })
		if _, err := os.Lstat(path); err == nil && !covered && o.maskable(path) {
			masks = append(masks, newMask(path, false))
		}
	}
	return outermost(masks)
}

// outermost leaves out what lies in another one that is hidden.
func outermost(masks []mask) []mask {
	return slices.DeleteFunc(slices.Clone(masks), func(m mask) bool {
		return slices.ContainsFunc(masks, func(outer mask) bool { return outer.path != m.path && Within(outer.path, m.path) })
	})
}

// find looks for other names of the files in hidden directories that have some.
func (n *otherNames) find(masks []mask, roots []string) {
	left, all, fresh := make(map[fileID]int), 0, false // names that are not known yet
	for i, m := range masks {
		if slices.ContainsFunc(masks[:i], func(before mask) bool { return Within(before.path, m.path) }) {
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
			if slices.ContainsFunc(masks, func(m mask) bool { return m.path == path }) {
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
func (n *otherNames) other(d fs.DirEntry, err error) (fileID, bool) {
	if err != nil || !d.Type().IsRegular() {
		return fileID{}, false
	}
	fi, err := d.Info()
	if err != nil || namesOf(fi) == 1 {
		return fileID{}, false
	}
	return identity(fi)
}
