package sandbox

import (
	"slices"
	"sync"
	"time"

	"hookwatch/suites/disk"
)

// A World determines what a path of the machine means for cases: hookwatch reads for a case only
// what the case itself could have read. It is safe for concurrent use.
type World struct {
	o         Options
	root      string // without symbolic links
	private   bool
	search    []string
	hiding    *Hiding
	installed installed

	mu      sync.Mutex
	current *seen
}

// A seen is what cases see at one time.
type seen struct {
	at     time.Time
	layout *layout
	shown  func() []string // of private directories
	links  func() []string // on the way to what cases see
	sight  func() *sight   // of homes
}

// World returns the world of cases that look for programs in search. private reports whether they
// have private views. In the modes copy and none they see all of the machine, and what hookwatch
// does not read are only credentials.
func (o Options) World(private bool, search []string) *World {
	return &World{o: o, root: disk.Real(o.Root), private: private, search: search, hiding: o.rules().Hiding()}
}

// Means returns what cases find at an absolute path whose directories are no symbolic links: 0 for
// what the machine has, disk.Hidden for a masked or private file, and disk.Absent in directories of
// which they have their own.
func (w *World) Means(path string) disk.Reason {
	switch {
	case w.hiding.Hides(path):
		return disk.Hidden
	case !w.private, disk.Within(w.root, path):
		return 0
	}
	return w.look().means(path)
}

// look returns what cases see, examined again after a moment.
func (w *World) look() *seen {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.current; s != nil && time.Since(s.at) < worldCurrency {
		return s
	}
	s := &seen{at: time.Now(), layout: w.o.layout(listMounts())}
	// Most paths are neither private nor in a home, and the rest takes long.
	s.shown = sync.OnceValue(func() []string { return s.layout.visiblePaths(w.o, w.search, &w.installed) })
	s.sight = sync.OnceValue(func() *sight { return s.layout.sight(w.o, w.search, s.shown()) })
	s.links = sync.OnceValue(func() (links []string) {
		for _, n := range slices.Concat([]string{w.o.Root, w.o.Home}, w.search) {
			links = append(links, disk.Links(n)...)
		}
		return links
	})
	w.current = s
	return s
}

// worldCurrency is how long the list of what cases see of HOME is considered up to date.
const worldCurrency = time.Second

func (s *seen) means(path string) disk.Reason {
	part := func(e homeEntry) bool { return e.kind != asIs && e.kind != empty && e.real == path }
	switch home := s.layout.homeOf(path); {
	case home != "" && (!s.sight().sees(path) || slices.ContainsFunc(s.sight().entries, part)):
		return disk.Hidden
	case home != "", !inAny(s.layout.private, path), s.layout.inView(path), inAny(s.shown(), path), slices.Contains(s.links(), path):
		return 0
	}
	return disk.Absent
}
