package isolate

import (
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"hookwatch/suites/process/supervisor"
)

// masks hides credentials. In a view that can be written to that is done by what
// lies on top of it, so that a hook may even remove or replace what is hidden;
// elsewhere by mounts, which are returned.
func (s *script) masks(masks []Mask) (places []place) {
	for i, m := range masks {
		v, rel := s.l.viewOf(m.Path)
		if s.l.views[v].write {
			s.maskInView(v, rel, m)
			continue
		}
		if s.l.views[v].split != nil || s.covered(m.Path) {
			continue // it is not copied, or the place is private
		}
		hidden := storage(maskDir + "/" + strconv.Itoa(i))
		s.add(supervisor.Dir, storage(maskDir), "755")
		s.hide(hidden, m)
		places = append(places, place{m.Path, func() { s.mount(hidden, m.Path, "", unix.MS_BIND, "") }})
	}
	return places
}

func (s *script) maskInView(v int, rel string, m Mask) {
	upper := viewDir + strconv.Itoa(v) + "/upper"
	at := upper
	for _, part := range strings.Split(rel, "/") {
		s.dirOnce(at, filepath.Join(s.l.views[v].at, strings.TrimPrefix(at, upper)))
		at += "/" + part
	}
	s.hide(storage(at), m)
	if m.IsDir { // nothing of the real one shows through
		s.add(supervisor.Xattr, storage(at), "user.overlay.opaque", "y")
	}
}

// dirOnce makes a directory of a view's upper layer like the real one below it.
func (s *script) dirOnce(at, like string) {
	if s.reach[at] {
		return
	}
	s.reach[at] = true
	s.add(supervisor.Dir, storage(at), mode(like))
}

// hide makes what is seen instead of a credential: the names without content.
func (s *script) hide(at string, m Mask) {
	if !m.IsDir {
		s.add(supervisor.Blank, at)
		return
	}
	s.add(supervisor.Dir, at, "700")
	for _, n := range m.Names {
		if dir, ok := strings.CutSuffix(n, "/"); ok {
			s.add(supervisor.Dir, at+"/"+dir, "700")
		} else {
			s.add(supervisor.Blank, at+"/"+n)
		}
	}
}
