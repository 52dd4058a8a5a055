package sandbox

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites/disk"
)

// LeftOut is the file of a kept sandbox that lists what it lacks.
const LeftOut = "LEFT-OUT.txt"

// leftOutAtMost bounds the number of files listed there.
const leftOutAtMost = 1000

// Keep implements Sandbox: dir gets the case's own directory and, below "changes", the files that
// it wrote elsewhere.
func (s *namespaced) Keep(dir string, bound int64) error {
	after := s.take()
	k := keeping{s: s, after: after, out: tooMuch(s.wrote(after), bound)}
	err := k.tree(caseDir, dir)
	keep := func(tree, at string) {
		if k.hasWritten(tree) {
			err = errors.Join(err, k.tree(tree, filepath.Join(dir, "changes", at)))
		}
	}
	keep(deviceFS+"/shm", "/dev/shm")
	for i, at := range s.layout.private {
		keep(placeDir+strconv.Itoa(i), at)
	}
	for i, v := range s.layout.views {
		if v.write {
			keep(s.upper(i), v.at)
		}
	}
	return errors.Join(err, writeLeftOut(dir, k.leftOut), remove(s.dir))
}

// wrote returns the files that the case created or changed, with the bytes for which they count.
func (s *namespaced) wrote(after snapshot) map[string]int64 {
	files := make(map[string]int64)
	for name, a := range after {
		if !a.same(s.before[name]) {
			files[name] = max(a.held, LeastTaken)
		}
	}
	return files
}

// A keeping copies trees of a sandbox.
type keeping struct {
	s       *namespaced
	after   snapshot
	out     map[string]bool // names of files beyond the limit
	leftOut []string
}

// hasWritten reports whether the case wrote anything to a tree of the storage.
func (k *keeping) hasWritten(tree string) bool {
	for name, a := range k.after {
		if _, ok := under(tree, name); ok && !a.mode.IsDir() && !a.same(k.s.before[name]) {
			return true
		}
	}
	return false
}

func (k *keeping) tree(tree, to string) error {
	c := copier{
		Skip: func(rel string) bool {
			name := tree + "/" + rel
			a := k.after[name]
			if k.out[name] {
				k.leave(name, a, "more than is kept (sandbox.keep_size)")
				return true
			}
			return tree != caseDir && !a.mode.IsDir() && a.same(k.s.before[name])
		},
		Refuse: func(rel string, err error) error {
			k.leave(tree+"/"+rel, k.after[tree+"/"+rel], err.Error())
			return nil
		},
	}
	return c.Tree(filepath.Join(k.s.path(), tree), to)
}

func (k *keeping) leave(name string, a entry, why string) {
	k.leftOut = append(k.leftOut, leftOutLine(k.s.place(name), a.size, a.held, why))
}

func leftOutLine(path string, size, held int64, why string) string {
	return fmt.Sprintf("%s: %d bytes, of which %d are data: %s\n", path, size, held, why)
}

// place returns the path in the sandbox of a file of the storage.
func (s *namespaced) place(name string) string {
	for i, v := range s.layout.views {
		if rest, ok := under(s.upper(i), name); ok {
			return v.at + "/" + rest
		}
	}
	if at, ok := s.plainPlace(name); ok {
		return at
	}
	return name
}

// tooMuch returns the largest files, so that the others take up no more than bound bytes.
func tooMuch(files map[string]int64, bound int64) map[string]bool {
	var total int64
	for _, n := range files {
		total += n
	}
	out := make(map[string]bool)
	if bound <= 0 {
		return out
	}
	byHeld := slices.SortedFunc(maps.Keys(files), func(a, b string) int {
		return cmp.Or(cmp.Compare(files[b], files[a]), strings.Compare(a, b))
	})
	for _, name := range byHeld {
		if total <= bound {
			break
		}
		out[name] = true
		total -= files[name]
	}
	return out
}

// writeLeftOut writes the list of what a kept sandbox lacks. It replaces whatever the case put at
// its path.
func writeLeftOut(dir string, lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	if more := len(lines) - leftOutAtMost; more > 0 {
		lines = append(lines[:leftOutAtMost:leftOutAtMost], fmt.Sprintf("and %d more\n", more))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.RemoveAll(LeftOut); err != nil {
		return err
	}
	f, err := root.OpenFile(LeftOut, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(strings.Join(lines, ""))
	return errors.Join(err, f.Close())
}

// trim removes the largest files of a directory to keep, until the others take up no more than
// bound bytes, and lists them; 0 is no limit.
func trim(dir string, bound int64) error {
	files, sizes := make(map[string]int64), make(map[string]int64)
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return nil // unreadable files do not count
		}
		if fi, err := d.Info(); err == nil {
			files[path], sizes[path] = takenBy(fi), fi.Size()
		}
		return nil
	})
	out := tooMuch(files, bound)
	if len(out) == 0 {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	var lines []string
	for _, path := range slices.Sorted(maps.Keys(out)) {
		rel, err := filepath.Rel(dir, path)
		if err == nil {
			err = root.RemoveAll(rel)
		}
		if err != nil {
			return err
		}
		lines = append(lines, leftOutLine(rel, sizes[path], files[path], "more than is kept (sandbox.keep_size)"))
	}
	return writeLeftOut(dir, lines)
}

// A journal lists the fixtures of a case outside its own directory. It is written before they are
// created, because a killed process removes nothing.
type journal struct {
	file string // next to the case's directory
	all  []placement
}

// A placement is a file that was created, or a directory for one.
type placement struct {
	Path   string `json:"path"` // without symbolic links
	Named  string `json:"named,omitempty"`
	Digest string `json:"sha256,omitempty"` // "" for a directory
	Size   int64  `json:"size,omitempty"`
}

const journalSuffix = ".placed"

// journalLimit bounds the size of a journal that is read, in bytes.
const journalLimit = 16 << 20

func digest(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// Holds reports whether the case itself placed a file.
func (j *journal) Holds(path string) bool {
	return slices.ContainsFunc(j.all, func(p placement) bool { return p.Named == path })
}

// Note records that a file and the directories for it are about to be created.
func (j *journal) Note(path, content string) error {
	var missing []string
	up := filepath.Dir(path)
	for ; ; up = filepath.Dir(up) {
		if _, err := os.Lstat(up); err == nil || up == filepath.Dir(up) {
			break
		}
		missing = append(missing, filepath.Base(up))
	}
	at, err := filepath.EvalSymlinks(up)
	if err != nil {
		return err
	}
	var more []placement
	for _, name := range slices.Backward(missing) {
		at = filepath.Join(at, name)
		more = append(more, placement{Path: at})
	}
	more = append(more, placement{filepath.Join(at, filepath.Base(path)), path, digest(content), int64(len(content))})
	j.all = append(j.all, more...)
	return j.append(more)
}

func (j *journal) append(more []placement) error {
	var lines []byte
	for _, p := range more {
		line, err := json.Marshal(p)
		if err != nil {
			return err
		}
		lines = append(append(lines, line...), '\n')
	}
	f, err := os.OpenFile(j.file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(lines)
	return errors.Join(err, f.Close())
}

// Undo removes the files that the case placed, even if they have changed, and the directories that
// are empty then.
func (j *journal) Undo() {
	for _, p := range slices.Backward(j.all) {
		_ = os.Remove(p.Path)
	}
	if len(j.all) > 0 {
		_ = os.Remove(j.file)
	}
}

// RemoveFixtures removes the fixtures that the cases of a killed process created outside their
// directories; temp is the directory of its sandboxes. It keeps files with other content, and files
// that are now reached only through a link.
func RemoveFixtures(temp string) error {
	entries, err := os.ReadDir(temp)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		if filepath.Ext(e.Name()) != journalSuffix {
			continue
		}
		all, err := readJournal(filepath.Join(temp, e.Name()))
		errs = append(errs, err)
		for _, p := range slices.Backward(all) {
			errs = append(errs, p.remove())
		}
	}
	return errors.Join(errs...)
}

func readJournal(file string) ([]placement, error) {
	b, err := disk.Reader{}.ReadFile(file, journalLimit)
	if err != nil {
		return nil, err
	}
	var all []placement
	for line := range bytes.Lines(b) {
		var p placement
		if json.Unmarshal(line, &p) == nil && filepath.IsAbs(p.Path) { // the last line may be incomplete
			all = append(all, p)
		}
	}
	return all, nil
}

func (p placement) remove() error {
	real, err := filepath.EvalSymlinks(p.Path)
	if err != nil || real != p.Path {
		return nil // it was removed, or replaced by a link
	}
	if p.Digest == "" {
		if fi, err := os.Lstat(p.Path); err == nil && fi.IsDir() {
			_ = os.Remove(p.Path) // intended to fail unless empty
		}
		return nil
	}
	b, err := disk.Reader{}.ReadFile(p.Path, p.Size)
	if err != nil || digest(string(b)) != p.Digest {
		return nil
	}
	return os.Remove(p.Path)
}
