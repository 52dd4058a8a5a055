package isolate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"hookwatch/suites/process/supervisor"
)

// maxSockets bounds the sockets that are hidden one by one: each is a mount.
const maxSockets = 200

// sockets hides what services of the machine listen on by path. A read-only
// mount does not keep a case from connecting; a file in the place does. In views
// and private directories there is nothing behind a socket's name anyway.
func (s *script) sockets() {
	b, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return
	}
	hidden := slices.DeleteFunc(parseSockets(string(b)), func(path string) bool {
		return s.covered(path) || slices.ContainsFunc(slices.Concat(s.l.roots, systemDirs), func(d string) bool { return Within(d, path) })
	})
	if len(hidden) == 0 {
		return
	}
	s.add(supervisor.Blank, storage(socketFile))
	for _, path := range hidden[:min(len(hidden), maxSockets)] {
		s.add(supervisor.Optional+supervisor.Mount, storage(socketFile), path, "", number(unix.MS_BIND), "")
	}
}

// parseSockets reads the absolute paths of /proc/net/unix, each once. A socket
// that was bound by a relative path cannot be found by it.
func parseSockets(table string) []string {
	var paths []string
	for line := range strings.Lines(table) {
		// number, references, protocol, flags, type, state, inode, path with spaces
		rest := strings.TrimSuffix(line, "\n")
		for range 7 {
			_, after, ok := strings.Cut(strings.TrimLeft(rest, " "), " ")
			if !ok {
				after = ""
			}
			rest = after
		}
		if filepath.IsAbs(rest) && filepath.Clean(rest) == rest {
			paths = append(paths, rest)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
