package disk

import (
	"os"
	"path/filepath"
	"strings"
)

// maxLinks is how many links one path may execute, as the system has it.
const maxLinks = 40

// Lead gives where an absolute path leads in truth, with every link followed,
// whether or not anything is there: a link to nothing leads to where a file would
// be made. A loop of links leads to itself.
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
		// .. in a target is that of the real directory, not of the path.
		return lead(filepath.Join(lead(parent, left), target), left-1)
	}
}

// Existing gives path, or the nearest directory above it that is one.
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

// Within reports whether path is dir or lies below it, by their names.
func Within(dir, path string) bool { return within(filepath.Clean(dir), filepath.Clean(path)) }

// ByDepth puts outer paths before inner ones.
func ByDepth(a, b string) int {
	if n := strings.Count(a, "/") - strings.Count(b, "/"); n != 0 {
		return n
	}
	return strings.Compare(a, b)
}

// Real is the path without symbolic links, if there is anything.
func Real(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		return p
	}
	return filepath.Clean(path)
}

// IsDir reports whether a path leads to a directory.
func IsDir(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// NameLimit is how many bytes of a file's name may be a suite's, a case's or an
// agent's: file systems take 255, and stamps, endings and what temporary files
// are called come on top.
const NameLimit = 180

// IsDevice reports whether Windows takes a name for a device's, with any ending.
func IsDevice(name string) bool {
	base, _, _ := strings.Cut(strings.ToUpper(name), ".")
	switch base = strings.TrimRight(base, " "); base {
	case "CON", "PRN", "AUX", "NUL":
		return true
	}
	port := strings.TrimPrefix(strings.TrimPrefix(base, "COM"), "LPT")
	return len(base) > len(port) && len(port) == 1 && port >= "0" && port <= "9"
}
