package depend

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// Elsewhere is the path of the input that represents all files of the project that are no other
// input of the case, because the reads of a hook that is not fully understood are unknown. The
// content behind its digest lists them with their digests; see Others.
const Elsewhere = "."

// Bounds of the input Elsewhere. Files beyond the second are distinguished
// by their size and time alone.
const (
	directoriesAtMost = 2000
	comparedAtMost    = 16 << 20 // bytes in all
	comparedEach      = 1 << 20
)

// others are the files and directories of a project that hooks may read, without those that have
// another known purpose.
type others struct {
	files   map[string]string // path -> digest; a directory's path ends in a slash
	sizes   map[string]int64  // of files that are compared by content
	dirs    map[string]bool
	beyond  []string // directories that are not read because there are too many
	left    int64    // number of bytes that may still be compared by content
	digest  string
	content []byte
	earlier map[string][]byte // contents by digest, from before the latest changes
}

// keptContents limits the number of earlier contents.
const keptContents = 8

// other returns the files that hooks may read elsewhere, and reads them on first use.
func (g *Graph) other() *others {
	if g.others == nil {
		g.others = &others{files: map[string]string{}, sizes: map[string]int64{}, dirs: map[string]bool{}, left: comparedAtMost, earlier: map[string][]byte{}}
		g.others.list(g, ".")
		g.others.sum()
	}
	return g.others
}

// list adds a directory and its subdirectories, in breadth-first order.
func (o *others) list(g *Graph, dir string) {
	for queue := []string{dir}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if !o.dirs[at] && len(o.dirs) == directoriesAtMost {
			o.beyond = append(o.beyond, at)
			continue
		}
		o.dirs[at] = true
		if at != "." {
			o.files[at+"/"] = directory
		}
		entries, err := os.ReadDir(g.files.abs(at))
		if err != nil {
			continue
		}
		for _, e := range entries {
			p := path.Join(at, e.Name())
			switch {
			case !g.project.Other(p, e.IsDir()):
			case e.IsDir():
				queue = append(queue, p)
			default:
				o.look(g, p)
			}
		}
	}
}

// look records the current state of a file. A link has the state of its target.
func (o *others) look(g *Graph, p string) {
	o.forget(p)
	info, err := g.files.reader.Anywhere().Stat(g.files.abs(p))
	if disk.ReasonOf(err) == disk.Hidden {
		o.files[p] = masked
	}
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	if size := info.Size(); size <= comparedEach && size <= o.left {
		o.left -= size
		o.sizes[p] = size
		o.files[p] = g.files.get(p).digest
		return
	}
	o.files[p] = fmt.Sprintf("~%x-%x", info.Size(), info.ModTime().UnixNano())
}

// forget removes a path.
func (o *others) forget(p string) {
	o.left += o.sizes[p]
	delete(o.sizes, p)
	delete(o.files, p)
}

// sum computes the content and its digest.
func (o *others) sum() {
	if o.digest != "" {
		if len(o.earlier) == keptContents {
			clear(o.earlier)
		}
		o.earlier[o.digest] = o.content
	}
	var text bytes.Buffer
	text.WriteString("-\n") // the byte for a file that is not executable
	for _, p := range slices.Sorted(maps.Keys(o.files)) {
		fmt.Fprintf(&text, "%s %q\n", o.files[p], p)
	}
	o.content = text.Bytes()
	o.digest = suites.Digest(o.content)
}

// refresh looks at changed paths again, and reports whether the digest changed because a counted
// file changed, appeared or was removed.
func (o *others) refresh(g *Graph, changed map[string]bool) bool {
	before := o.digest
	for p := range changed {
		if path.IsAbs(p) || !g.counts(p) {
			continue
		}
		info, err := os.Stat(g.files.abs(p))
		switch {
		case err == nil && info.IsDir() && !isLink(g.files.abs(p)):
			o.list(g, p)
		case err == nil && !info.IsDir():
			o.look(g, p)
		default: // removed, a file or a directory, or replaced by a link to a directory
			for known := range o.files {
				if known == p || below(known, p) {
					o.forget(known)
				}
			}
		}
	}
	o.sum()
	return o.digest != before
}

// counts reports whether hooks that are not fully understood may read a path, judged by the path
// and all its directories.
func (g *Graph) counts(p string) bool {
	if g.project.Other == nil {
		return false
	}
	info, err := os.Lstat(g.files.abs(p))
	if !g.project.Other(p, err == nil && info.Mode().Type() == fs.ModeDir) {
		return false
	}
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if !g.project.Other(dir, true) {
			return false
		}
		// Directories are listed without following links: a file below one counts at its own path.
		if isLink(g.files.abs(dir)) {
			return false
		}
	}
	return !slices.ContainsFunc(g.other().beyond, func(dir string) bool { return p == dir || below(p, dir) })
}

func isLink(file string) bool {
	fi, err := os.Lstat(file)
	return err == nil && fi.Mode()&fs.ModeSymlink != 0
}

// elsewhere returns the input of a case that may read any file, for a reason.
func (g *Graph) elsewhere(because string) suites.Input {
	return suites.Input{Path: Elsewhere, Digest: g.other().digest, Because: because + ": it may read any file of the project", By: suites.Needed}
}

// moved sets the current digest in all inputs that represent files elsewhere.
func (g *Graph) moved() {
	for _, r := range g.reaches {
		for i := range r.deps {
			if r.deps[i].Path == Elsewhere {
				r.deps[i].Digest = g.others.digest
			}
		}
	}
	for _, n := range g.nodes {
		n.digest = ""
		for i := range n.own {
			if n.own[i].Path == Elsewhere {
				n.own[i].Digest = g.others.digest
			}
		}
	}
}

// RefreshElsewhere looks at all files behind the input Elsewhere again. Some of them are also
// inputs by their own names, so it handles their changes as Refresh does.
func (g *Graph) RefreshElsewhere() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.others == nil {
		return
	}
	changed := map[string]bool{}
	for p := range g.others.files {
		if f, read := g.files.files[p]; read && !g.files.unchanged(p, f, g.files.look(p, false)) {
			changed[p] = true
		}
	}
	if g.refresh(changed); g.others == nil {
		return
	}
	before := g.others
	g.others = nil // there may be more files
	if g.other().digest != before.digest {
		g.others.earlier = before.earlier
		g.others.earlier[before.digest] = before.content
		g.moved()
	}
}

// Beyond returns the directories that are not searched for the input Elsewhere because there are
// too many.
func (g *Graph) Beyond() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.others == nil {
		return nil
	}
	return slices.Clone(g.others.beyond)
}

// Counts reports whether the hooks of some case may read a file, although no analysis refers to
// it.
func (g *Graph) Counts(p string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.others != nil && g.counts(p)
}

// OtherFiles returns the content behind a digest of the input Elsewhere, nil if it is no longer
// known.
func (g *Graph) OtherFiles(digest string) []byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.others == nil:
		return nil
	case digest == g.others.digest:
		return g.others.content
	default:
		return g.others.earlier[digest]
	}
}

// Places reports whether a file as a whole is one of the sorted inputs, so Elsewhere does not
// cover it.
func Places(inputs []suites.Input, file string) bool {
	i, found := slices.BinarySearchFunc(inputs, file, func(in suites.Input, file string) int { return strings.Compare(in.Path, file) })
	return found && inputs[i].Section == ""
}

// Others returns the files whose digests differ between two contents of Elsewhere, sorted.
func Others(before, after []byte) []string {
	was, is := parseOthers(before), parseOthers(after)
	differ := map[string]bool{}
	for p, digest := range was {
		differ[p] = is[p] != digest
	}
	for p, digest := range is {
		differ[p] = was[p] != digest
	}
	for p, differs := range differ {
		if !differs {
			delete(differ, p)
		}
	}
	return slices.Sorted(maps.Keys(differ))
}

func parseOthers(content []byte) map[string]string {
	files := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, len(content)+1)
	for lines.Scan() {
		digest, quoted, ok := strings.Cut(lines.Text(), " ")
		if p, err := strconv.Unquote(quoted); ok && err == nil {
			files[p] = digest
		}
	}
	return files
}
