package isolate

import (
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"hookwatch/suites/disk"
	"hookwatch/suites/process"
	"hookwatch/suites/process/supervisor"
)

// A script collects steps.
type script struct {
	p      *Plan
	l      *layout
	steps  []process.Step
	reach  map[string]bool
	masked []Mask
	given  string // the case's own directory, as it is named
}

func (s *script) add(fields ...string) { s.steps = append(s.steps, fields) }

func (s *script) mount(source, target, kind string, flags int, data string) {
	s.add(supervisor.Mount, source, target, kind, number(flags), data)
}

func (s *script) bind(source, target string) {
	s.mount(source, target, "", unix.MS_BIND|unix.MS_REC, "")
}

// storage is a path in the box's storage, by its descriptor.
func storage(path string) string { return fd(supervisor.StorageFD) + "/" + path }

func fd(n int) string { return "/proc/self/fd/" + number(n) }

func number(n int) string { return strconv.Itoa(n) }

// mode is that of a directory, for a step.
func mode(dir string) string {
	if fi, err := os.Stat(dir); err == nil && fi.Mode()&os.ModeSticky == 0 {
		return strconv.FormatUint(uint64(fi.Mode().Perm()), 8)
	}
	return "1777"
}

// covered reports whether path is hidden by a private directory.
func (s *script) covered(path string) bool {
	if s.l.inView(path) {
		return false
	}
	return slices.ContainsFunc(s.l.private, func(d string) bool { return disk.Within(d, path) && path != d })
}
