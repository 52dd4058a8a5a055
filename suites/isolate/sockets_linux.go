package isolate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"hookwatch/suites/disk"
	"hookwatch/suites/process/supervisor"
)

// maxSockets bounds the sockets that are hidden one by one: each is a mount.
const maxSockets = 200

// sockets hides what services of the machine listen on by path. A read-only
// mount does not keep a case from connecting; a file in the place does. In views
// and private directories there is nothing behind a socket's name anyway.
//
// What is not found stays reachable: a socket of another network namespace, or
// one that was bound by a relative path, of a process that we may not look at,
// that lies in no place where sockets usually do.
func (s *script) sockets() {
	hidden := slices.DeleteFunc(s.p.socketPaths(), func(path string) bool {
		return s.covered(path) || slices.ContainsFunc(slices.Concat(s.l.roots, systemDirs), func(d string) bool { return disk.Within(d, path) })
	})
	if len(hidden) == 0 {
		return
	}
	s.add(supervisor.Blank, storage(socketFile))
	for _, path := range hidden[:min(len(hidden), maxSockets)] {
		s.add(supervisor.Optional+supervisor.Mount, storage(socketFile), path, "", number(unix.MS_BIND), "")
	}
}

// socketPaths lists the sockets of the machine that have a path, without symbolic
// links: those of our network namespace, and, looked for at most once a second,
// those of others and those that were bound by a relative path.
func (p *Plan) socketPaths() []string {
	paths := socketsOf("/proc/net/unix")
	p.elsewhere.Lock()
	if time.Since(p.elsewhere.at) > time.Second {
		p.elsewhere.paths, p.elsewhere.at = socketsElsewhere(), time.Now()
	}
	paths = append(paths, p.elsewhere.paths...)
	p.elsewhere.Unlock()
	for i, path := range paths {
		if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			paths[i] = filepath.Join(dir, filepath.Base(path))
		}
	}
	return sortedSet(paths)
}

// socketsElsewhere asks the other processes: each namespace is asked once, and
// each process for what lies at a relative path from its working directory.
func socketsElsewhere() []string {
	own, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		return nil
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var paths []string
	relative := make(map[string][]string) // of each namespace
	seen := map[string]bool{own: true}
	relative[own] = relativeSockets("/proc/net/unix")
	for _, e := range entries {
		dir := "/proc/" + e.Name()
		net, err := os.Readlink(dir + "/ns/net")
		if err != nil {
			continue
		}
		if !seen[net] {
			seen[net] = true
			paths = append(paths, socketsOf(dir+"/net/unix")...)
			relative[net] = relativeSockets(dir + "/net/unix")
		}
		if cwd, err := os.Readlink(dir + "/cwd"); err == nil {
			for _, rel := range relative[net] {
				if path := filepath.Join(cwd, rel); isSocket(path) {
					paths = append(paths, path)
				}
			}
		}
	}
	return paths
}

func isSocket(path string) bool {
	fi, err := os.Lstat(path)
	return err == nil && fi.Mode()&os.ModeSocket != 0
}

func socketsOf(table string) []string {
	b, err := os.ReadFile(table)
	if err != nil {
		return nil
	}
	absolute, _ := parseSockets(string(b))
	return absolute
}

func relativeSockets(table string) []string {
	b, err := os.ReadFile(table)
	if err != nil {
		return nil
	}
	_, relative := parseSockets(string(b))
	return relative
}

// parseSockets reads the paths of /proc/net/unix, each once and clean.
func parseSockets(table string) (absolute, relative []string) {
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
		switch {
		case rest == "" || rest[0] == '@' || rest == "Path":
		case filepath.IsAbs(rest):
			absolute = append(absolute, filepath.Clean(rest))
		default:
			relative = append(relative, filepath.Clean(rest))
		}
	}
	slices.Sort(absolute)
	slices.Sort(relative)
	return slices.Compact(absolute), slices.Compact(relative)
}
