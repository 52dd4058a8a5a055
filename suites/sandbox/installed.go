package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"hookwatch/suites/disk"
	"hookwatch/suites/pattern"
)

// Limits of the search for programs behind those of a directory.
const (
	programsAtMost = 500     // per directory
	wrapperAtMost  = 1 << 16 // bytes of a script that starts a program
	wrappersDeep   = 4       // scripts that start each other
)

// usualPrograms are directories whose programs need nothing from private directories.
var usualPrograms = []string{"/usr/bin", "/bin", "/usr/sbin", "/sbin"}

// absolute matches paths in a script.
var absolute = pattern.Lazy(`(?:/[A-Za-z0-9_.@+-]+)+`)

// An installed caches, by directory of programs, the files elsewhere that these need.
type installed struct {
	mu    sync.Mutex
	known map[string]needs
}

type needs struct {
	at    time.Time // modification time of the directory
	files []string  // programs that links and wrappers of the directory lead to
}

// of returns the programs that links and wrappers in a directory lead to and for which hidden
// returns true. dir has no symbolic links.
func (i *installed) of(dir string, hidden func(string) bool) []string {
	fi, err := os.Stat(dir)
	if err != nil || slices.Contains(usualPrograms, dir) {
		return nil
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if n, ok := i.known[dir]; ok && n.at.Equal(fi.ModTime()) {
		return n.files
	}
	n, w := needs{at: fi.ModTime()}, wrappers{hidden: hidden, examined: make(map[string]bool), texts: make(map[string]bool), programs: make(map[string]string)}
	entries, _ := os.ReadDir(dir) // an unreadable directory counts as empty
	for _, e := range entries[:min(len(entries), programsAtMost)] {
		program := filepath.Join(dir, e.Name())
		real := program
		if e.Type()&fs.ModeSymlink != 0 {
			if to, err := os.Readlink(program); err == nil && slices.Contains(usualPrograms, filepath.Dir(to)) {
				continue // a PATH made without one tool has a thousand such links
			}
			real = disk.Real(program)
		}
		if isProgram(real) {
			n.files = append(n.files, w.programsBehind(program, real, wrappersDeep)...)
		}
	}
	if i.known == nil {
		i.known = make(map[string]needs)
	}
	i.known[dir] = n
	return n.files
}

// A wrappers follows scripts that start other programs. It examines each script and each path once,
// because all shims of a version manager start the same program.
type wrappers struct {
	hidden   func(path string) bool
	examined map[string]bool   // scripts
	texts    map[string]bool   // of scripts
	programs map[string]string // by path in a script: without symbolic links; "" for what is no program
}

// programsBehind returns the programs behind a program for which hidden returns true: the target of a link,
// and programs that a script contains by path. real is the program's path without symbolic links.
func (w *wrappers) programsBehind(program, real string, deep int) (files []string) {
	if real != program && w.hidden(real) {
		files = append(files, real)
	}
	if deep == 0 || w.examined[real] {
		return files
	}
	w.examined[real] = true
	text := scriptText(real)
	if w.texts[string(text)] {
		return files // a shim with the text of another one
	}
	w.texts[string(text)] = true
	for _, path := range absolute().FindAll(text, -1) {
		next := string(path)
		if target := w.program(next); target != "" && target != real {
			files = append(append(files, next), w.programsBehind(next, target, deep-1)...)
		}
	}
	return files
}

// program returns the path without symbolic links of a program that is hidden, and "" for others.
func (w *wrappers) program(path string) string {
	real, known := w.programs[path]
	if !known {
		if w.hidden(path) && isProgram(path) {
			real = disk.Real(path)
		}
		w.programs[path] = real
	}
	return real
}

func isProgram(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular() && fi.Mode()&0o111 != 0
}

// scriptText returns the text of a script, and nil for large and other files.
func scriptText(path string) []byte {
	text := readSmall(path, wrapperAtMost)
	if !bytes.HasPrefix(text, []byte("#!")) {
		return nil
	}
	return text
}

// readBelow reads a regular file of at most limit bytes in a directory whose content is untrusted:
// it follows no link out of the directory and does not block on a pipe.
func readBelow(dir, name string, limit int64) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return readIn(root, name, limit, false)
}

// readIn reads a regular file as readBelow does. If the file is larger than limit, it returns the
// first limit bytes if cut is set, else an error.
func readIn(root *os.Root, name string, limit int64, cut bool) ([]byte, error) {
	fi, err := root.Stat(name) // checked first, because opening a device may have effects
	if err == nil && !fi.Mode().IsRegular() {
		err = fmt.Errorf("%s: no file", name)
	}
	if err != nil {
		return nil, err
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err = f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !fi.Mode().IsRegular():
		return nil, fmt.Errorf("%s: no file", name)
	case fi.Size() > limit && !cut:
		return nil, fmt.Errorf("%s: %d bytes, more than %d", name, fi.Size(), limit)
	}
	return io.ReadAll(io.LimitReader(f, limit))
}

// listIn returns the names of the regular files in a directory, or an error if there are more than
// limit entries.
func listIn(root *os.Root, name string, limit int) ([]string, error) {
	dir, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(limit + 1)
	switch {
	case err != nil && err != io.EOF:
		return nil, err
	case len(entries) > limit:
		return nil, fmt.Errorf("%s: more than %d entries", name, limit)
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// linkBelow creates a symbolic link in a directory, as linkIn does.
func linkBelow(dir, name, target string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return linkIn(root, name, target)
}

// linkIn creates a symbolic link and its parent directories. It keeps whatever exists at name.
func linkIn(root *os.Root, name, target string) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := root.Symlink(target, name); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// emptyBelow removes everything in a subdirectory of a directory.
func emptyBelow(dir, name string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	in, err := root.OpenRoot(name)
	if err != nil {
		return err
	}
	defer in.Close()
	entries, err := fs.ReadDir(in.FS(), ".")
	for _, e := range entries {
		err = errors.Join(err, in.RemoveAll(e.Name()))
	}
	return err
}
