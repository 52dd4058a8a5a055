package sandbox

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"hookwatch/suites/disk"
	"hookwatch/suites/process"
	"hookwatch/suites/process/supervisor"
)

// newPlan returns a plan for the current state of the machine and the project.
func newPlan(o Options) *plan {
	p := &plan{o: o, root: os.Geteuid() == 0, changed: watchMounts(), refused: make(map[string]bool)}
	for _, d := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		if _, err := os.Stat("/dev/" + d); err == nil {
			p.devices = append(p.devices, d)
		}
	}
	_ = p.changed()
	p.deep = o.rules().Find(true)
	p.current = p.newLayout()
	return p
}

func (p *plan) newLayout() *layout {
	l := p.o.layout(listMounts())
	l.machine = l.machineRoots()
	if _, err := gitCommon(disk.Real(GitTop(disk.Real(p.o.Root)))); err != nil {
		l.notes = append(l.notes, err.Error())
	}
	sp := splitter{l: l, mounts: l.mounts, list: entries, link: target, most: min(copiesTotal, p.o.Size/4)}
	sp.divide()
	l.hide(p.refused)
	return l
}

func entries(dir string) []fs.DirEntry {
	all, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	return all
}

func target(link string) string {
	to, err := os.Readlink(link)
	if err != nil {
		return "."
	}
	return to
}

// Fresh reports whether the layout for cases is the same as at the last call: no mount that affects
// it was added or removed, and no entry of a directory of which cases see only some.
func (p *plan) Fresh() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changed() {
		p.renew()
	} else if p.homes != nil && !current(p.homes.read, 0) { // something may have appeared that cases must not see
		p.homes, p.moved = nil, true
	}
	moved := p.moved
	p.moved = false
	return !moved
}

// renew creates a new layout from the current mounts.
func (p *plan) renew() {
	was := p.current.key()
	p.current = p.newLayout()
	p.moved = p.moved || p.current.key() != was
}

// Notes describes the files that cases see differently from the rest, and why.
func (p *plan) Notes() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.current.notes)
}

// layout returns the layout for the next case.
func (p *plan) layout() *layout {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changed() || !current(p.current.ways, settled) {
		p.renew()
	}
	return p.current
}

// masks returns the masks for the next case.
func (p *plan) masks(l *layout) []mask {
	rules := p.o.rules()
	masks := rules.Find(false)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.names.Find(slices.Concat(p.deep, masks), slices.Concat(rules.Homes(), l.roots))
	names := slices.Clone(p.names.paths)
	for _, m := range p.deep { // targets of links far down in hidden directories
		names = append(names, m.Path)
	}
	return slices.DeleteFunc(rules.Everywhere(masks, l.mounts, names), func(m mask) bool {
		return l.isReplaced(m.Path) && !l.inView(m.Path) // nothing of the machine is there
	})
}

// unseen returns masks for what cases do not see of homes, besides the masked files. They are the
// same until an entry of a directory changes.
func (p *plan) unseen(l *layout, search, needed []string, masks []mask) (*sight, []mask) {
	p.mu.Lock()
	defer p.mu.Unlock()
	same := func(a, b mask) bool { return a.Path == b.Path }
	if h := p.homes; h != nil && h.of == l && current(h.read, settled) && slices.Equal(h.search, search) && slices.Equal(h.needed, needed) && slices.EqualFunc(h.masks, masks, same) {
		return h.sight, h.unseen
	}
	h := &homesSeen{of: l, search: search, needed: needed, masks: masks, sight: l.sight(p.o, search, needed)}
	for _, home := range l.homes {
		unseen, read := h.sight.unseen(home, masks)
		h.unseen, h.read = append(h.unseen, unseen...), append(h.read, read...)
	}
	p.homes = h
	return h.sight, h.unseen
}

// openTries bounds how often a sandbox is planned again.
const openTries = 10

// Open creates the sandbox of a case; open starts the supervisor, for example process.Open. It plans
// the sandbox again if the system refuses it because a mount was added or removed meanwhile, because
// a directory vanished, or because it cannot make an overlay of one.
func (p *plan) Open(open func(process.Setup) (*process.Supervisor, error), w Wanted) (*namespaced, error) {
	for try := 1; ; try++ {
		pr := p.prospect(w.Search)
		s := &namespaced{plan: p, layout: pr.layout, dir: w.Dir, masks: pr.masks}
		started, err := open(process.Setup{Advance: p.Advance(), Steps: p.stepsFor(pr, w.Dir, w)})
		if err == nil {
			s.Supervisor = started
			for _, missed := range s.Missed {
				if at, ok := s.layout.refusedView(missed); ok {
					p.mu.Lock()
					p.refuse(at)
					p.mu.Unlock()
				}
			}
			if err = s.fill(pr.copies); err != nil {
				s.Discard()
				return nil, err
			}
			return s, nil
		}
		if try == openTries || !p.replan(s.layout, err) {
			return nil, err
		}
	}
}

// replan creates another layout after the system refused one. It returns false if that would be the
// same.
func (p *plan) replan(l *layout, err error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.renew()
	if p.current.key() != l.key() {
		return true
	}
	var refused *process.ConfineError
	if !errors.As(err, &refused) {
		return false
	}
	at, ok := l.refusedView(refused)
	if ok && !p.current.hasView(at) { // it vanished, or another sandbox was refused it meanwhile
		return true
	}
	if !ok || p.refused[at] || p.essential(at) {
		return false
	}
	p.refuse(at)
	return true
}

func (p *plan) refuse(at string) {
	p.refused = maps.Clone(p.refused)
	p.refused[at] = true
	p.renew()
}

// essential reports whether no case can run without a view: the project's, and those that contain
// the shell.
func (p *plan) essential(at string) bool {
	return disk.Within(at, disk.Real(p.o.Root)) || disk.Within(at, disk.Real("/bin/sh"))
}

// refusedView returns the view that the system refused.
func (l *layout) refusedView(refused *process.ConfineError) (string, bool) {
	if len(refused.Step) < 3 || strings.TrimPrefix(refused.Step[0], supervisor.Optional) != supervisor.Overlay {
		return "", false
	}
	at := refused.Step[2]
	return at, l.hasView(at)
}

func (l *layout) hasView(at string) bool {
	return slices.ContainsFunc(l.views, func(v view) bool { return v.at == at })
}

// smallFile bounds the files that the supervisor creates, in bytes. Their content is read once for
// many cases.
const smallFile = 16 << 10

// file shows a file in a directory that is split because of mounts.
func (s *script) file(source, target string, kind homeKind) {
	fi, err := os.Stat(source)
	if err != nil {
		return
	}
	plain := fi.Mode() == fi.Mode().Perm() && fi.Size() <= smallFile && heldBy(fi) >= fi.Size()
	content, err := disk.Reader{}.ReadFile(source, smallFile)
	if plain && err == nil {
		content = kind.part(content)
		s.add(supervisor.File, target, strconv.FormatUint(uint64(fi.Mode()), 8), strconv.FormatInt(fi.ModTime().UnixNano(), 10), string(content))
		return
	}
	if kind == asIs { // else it is too large to be divided
		s.copies = append(s.copies, copied{source, target})
	}
}

// fill copies the files that the supervisor did not create.
func (s *namespaced) fill(copies []copied) error {
	for _, c := range copies {
		fi, err := os.Stat(c.from)
		if err != nil {
			continue
		}
		if err := new(copier).File(c.from, filepath.Join(s.path(), c.to), fi); err != nil {
			return err
		}
	}
	return nil
}

// masks hides credentials: in a writable view in its upper layer, so that a hook may even remove or
// replace the hidden file; elsewhere by mounts, which it returns.
func (s *script) masks(masks []mask) (places []place) {
	for i, m := range masks {
		v, rel := s.l.viewOf(m.Path)
		if s.l.views[v].write && (!m.Absent || s.l.views[v].split == nil) { // else a split does not copy it
			s.maskInView(v, rel, m)
		}
		if s.l.views[v].write {
			continue
		}
		if s.l.views[v].split != nil || s.l.isCovered(m.Path) {
			continue // a split does not copy it, or the place is private
		}
		hidden := maskDir + "/" + strconv.Itoa(i)
		s.add(supervisor.Dir, maskDir, "755")
		s.hide(hidden, m)
		places = append(places, place{m.Path, func() { s.mount(hidden, m.Path, "", unix.MS_BIND, "") }})
	}
	return places
}

func (s *script) maskInView(v int, rel string, m mask) {
	upper := viewDir + strconv.Itoa(v) + "/upper"
	s.dirsOnce(upper, s.l.views[v].at, rel)
	at := upper + "/" + rel
	if m.Absent {
		s.add(supervisor.Whiteout, at)
		return
	}
	s.hide(at, m)
	if m.IsDir { // hide everything in the real directory
		s.add(supervisor.Xattr, at, "user.overlay.opaque", "y")
	}
}

// dirsOnce creates the directories on the way to an entry of a view's upper layer.
func (s *script) dirsOnce(upper, view, rel string) {
	at := upper
	for _, part := range strings.Split(rel, "/") {
		s.dirOnce(at, filepath.Join(view, strings.TrimPrefix(at, upper)))
		at += "/" + part
	}
}

// dirOnce creates a directory in a view's upper layer like the real one below it.
func (s *script) dirOnce(at, like string) {
	if s.reach[at] {
		return
	}
	s.reach[at] = true
	s.add(supervisor.Dir, at, mode(like))
}

// hide creates the replacement of a credential: the names without content.
func (s *script) hide(at string, m mask) {
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

const table = "/proc/self/mountinfo"

// listMounts returns the mounts in the order of mounting.
func listMounts() []mount {
	b, err := os.ReadFile(table)
	if err != nil {
		return nil
	}
	var all []mount
	for line := range strings.Lines(string(b)) {
		before, after, ok := strings.Cut(line, " - ")
		fields, kind := strings.Fields(before), strings.Fields(after)
		if !ok || len(fields) < 5 || len(kind) == 0 {
			continue
		}
		all = append(all, mount{At: unescape(fields[4]), Kind: kind[0], Device: fields[2], Root: unescape(fields[3])})
	}
	return all
}

// watchMounts returns a function that reports whether a mount was added or removed since its last
// call. It compares the list itself, because polling the file misses changes.
func watchMounts() func() bool {
	var last []byte
	buffers := [2][]byte{} // the last list is in one of them
	return func() bool {
		b, err := readInto(buffers[0][:0], table)
		changed := err != nil || !bytes.Equal(b, last)
		last = b
		buffers = [2][]byte{buffers[1], b}
		return changed
	}
}

// readInto reads a file into a buffer, which it grows if necessary.
func readInto(b []byte, file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for {
		b = slices.Grow(b, 1<<13)
		n, err := f.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// unescape decodes the octal escapes of mountinfo, as in "a\040b".
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
