package run

import (
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/disk"
	"hookwatch/suites/isolate"
	"hookwatch/suites/process"
)

func (s *sandbox) placesOf() []place {
	all := []place{{s.tmp, "{tmp}"}, {s.root, "{project}"}}
	if s.override != "" {
		all = append(all, place{s.override, "{override}"})
	}
	if home := process.Getenv(s.env, "HOME"); home != "" && home != "/" {
		all = append(all, place{home, "~"})
	}
	if s.o.Isolation == isolate.Copy {
		all = append(all, place{filepath.Join(s.dir, "copy"), isolate.GitTop(s.o.Root)})
	}
	for _, p := range all {
		if real, err := filepath.EvalSymlinks(p.dir); err == nil && real != p.dir {
			all = append(all, place{real, p.name})
		}
	}
	// The innermost directory names a file.
	slices.SortStableFunc(all, func(a, b place) int { return len(b.dir) - len(a.dir) })
	return all
}

// symbolic replaces the directories of this run by their names.
func (s *sandbox) symbolic(path string) string {
	for _, p := range s.places {
		if rest, ok := strings.CutPrefix(path, p.dir); ok && (rest == "" || rest[0] == '/') {
			return p.name + rest
		}
	}
	return path
}

// changed lists what the case changed so far, and what it tried in vain.
func (s *sandbox) changed() ([]suites.Change, []string) {
	if s.places == nil {
		s.places = s.placesOf()
	}
	changes, stopped := s.Changes(s.most)
	changes = slices.DeleteFunc(changes, func(c suites.Change) bool { return c.Path == filepath.Join(s.home(), ".claude") })
	if s.log != "" { // what traces the run is none of the case's
		own := filepath.Join(s.dir, filepath.Dir(s.log))
		changes = slices.DeleteFunc(changes, func(c suites.Change) bool { return disk.Within(own, c.Path) })
	}
	for i := range changes {
		changes[i].Path = s.symbolic(changes[i].Path)
	}
	return changes, append(stopped, s.o.Bounds.Refused(s.refused, s.tooLarge)...)
}
