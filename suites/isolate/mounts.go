package isolate

import (
	"path/filepath"

	"hookwatch/suites/disk"
)

// A Mount is where another file system begins.
type Mount struct {
	At, Kind string
	Device   string // the file system
	Root     string // what of it is mounted
}

// Aliases are the other paths of a file or directory, by other mounts of its file
// system. Where a part of it is mounted, that counts.
func Aliases(mounts []Mount, path string) []string {
	at := On(mounts, path)
	if at < 0 {
		return nil
	}
	from := func(dir, p string) string { rel, _ := filepath.Rel(dir, p); return rel }
	own := mounts[at]
	inside := filepath.Join(own.Root, from(own.At, path))
	var out []string
	for i, m := range mounts {
		if i == at || m.Device != own.Device || m.Root == "" {
			continue
		}
		alias := m.At
		if disk.Within(m.Root, inside) {
			alias = filepath.Join(m.At, from(m.Root, inside))
		} else if !disk.Within(inside, m.Root) {
			continue
		}
		if alias != path && On(mounts, alias) == i {
			out = append(out, alias)
		}
	}
	return out
}

// On is the index of the mount that path lies on.
func On(mounts []Mount, path string) int {
	best := -1
	for i, m := range mounts {
		if disk.Within(m.At, path) && (best < 0 || len(m.At) >= len(mounts[best].At)) {
			best = i
		}
	}
	return best
}
