package disk

import (
	"os"
	"path/filepath"
	"strings"
)

// maxLinks is the maximum number of links followed in one path, as on Linux.
const maxLinks = 40

// Lead returns the real path of an absolute path, with every link followed, even if no
// file exists: a broken link leads to the file that a write would create. A loop of links
// leads to itself.
func Lead(path string) string { return lead(filepath.Clean(path), maxLinks) }

func lead(path string, left int) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	target, err := os.Readlink(path)
	switch {
	case err != nil || left == 0:
		return filepath.Join(lead(parent, left), filepath.Base(path))
	case filepath.IsAbs(target):
		return lead(filepath.Clean(target), left-1)
	default:
		// ".." in a target is the parent of the real directory, not of the path.
		return lead(filepath.Join(lead(parent, left), target), left-1)
	}
}

// Existing returns path, or its nearest parent that is a directory.
func Existing(path string) string {
	path = filepath.Clean(path)
	for {
		if fi, err := os.Stat(path); err == nil && fi.IsDir() {
			return path
		}
		parent := filepath.Dir(path)
		if parent == path {
			return path
		}
		path = parent
	}
}

// Within reports whether path is dir or below it, by their names.
func Within(dir, path string) bool { return within(filepath.Clean(dir), filepath.Clean(path)) }

// ByDepth compares paths, with outer ones before inner ones.
func ByDepth(a, b string) int {
	if n := strings.Count(a, "/") - strings.Count(b, "/"); n != 0 {
		return n
	}
	return strings.Compare(a, b)
}

// Real returns the path without symbolic links, or the cleaned path if no file exists.
func Real(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		return p
	}
	return filepath.Clean(path)
}

// IsDir reports whether path is a directory or a link to one.
func IsDir(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// NameLimit is the maximum length, in bytes, of the name of a suite, a case or an agent
// within a file name. File systems permit 255, but stamps, extensions and the names of
// temporary files are added.
const NameLimit = 180

// IsDevice reports whether Windows treats name, with any extension, as a device.
func IsDevice(name string) bool {
	base, _, _ := strings.Cut(strings.ToUpper(name), ".")
	switch base = strings.TrimRight(base, " "); base {
	case "CON", "PRN", "AUX", "NUL":
		return true
	}
	port := strings.TrimPrefix(strings.TrimPrefix(base, "COM"), "LPT")
	return len(base) > len(port) && len(port) == 1 && port >= "0" && port <= "9"
}
