package discover

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"hookwatch/suites/disk"
)

// What a file in a hooks directory is by its name. Data is no script even where
// every file carries the executable bit.
var (
	scriptNames = []string{".sh", ".py", ".js", ".ts", ".mjs", ".rb", ".pl"}
	dataNames   = []string{".json", ".jsonl", ".md", ".yaml", ".yml", ".toml", ".txt", ".log", ".lock", ".pyc"}
)

// Scripts lists the script files in directories of the project and below them,
// as sorted slash paths from the root: files named as scripts, executable ones,
// and those that start with #!. A directory that does not exist has none. Notes
// name directories with paths too long for the system: they are passed over, since
// no hook in them can be registered.
func Scripts(r disk.Reader, root string, dirs []string) (found, notes []string, err error) {
	root, err = filepath.Abs(root)
	if err != nil {
		return nil, nil, fmt.Errorf("project root: %w", err)
	}
	c := &collector{root: root}
	s := &scripts{reader: r.Anywhere()}
	for _, dir := range dirs {
		dir = c.absolute(dir)
		s.tooLong = ""
		names, err := s.below(dir)
		if err != nil {
			return nil, nil, fmt.Errorf("hooks directory %s: %w", c.slash(dir), err)
		}
		if s.tooLong != "" {
			notes = append(notes, fmt.Sprintf("hooks directory %s: a path in it is too long for the system: what is below %s was not looked at",
				c.slash(dir), shortened(s.tooLong)))
		}
		for _, name := range names {
			found = append(found, c.slash(filepath.Join(dir, filepath.FromSlash(name))))
		}
	}
	slices.Sort(found)
	return slices.Compact(found), notes, nil
}

// shortened returns the beginning of a path that fills no screen.
func shortened(path string) string {
	const most = 60
	if runes := []rune(path); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return path
}

// entriesAtMost bounds what is looked at in all hook directories.
const entriesAtMost = 100_000

// scripts looks for scripts in directories.
type scripts struct {
	reader  disk.Reader
	entries int
	tooLong string // the first path that is too long for the system; "": none
}

func (s *scripts) below(at string) (names []string, err error) {
	dir := os.DirFS(at)
	err = fs.WalkDir(dir, ".", func(name string, entry fs.DirEntry, err error) error {
		if s.entries++; s.entries > entriesAtMost {
			return fmt.Errorf("more than %d files and directories in it (name directories of hooks only)", entriesAtMost)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // the directory itself, or a file that went while we looked
		case errors.Is(err, syscall.ENAMETOOLONG):
			if s.tooLong == "" {
				s.tooLong = name
			}
			return nil
		case err != nil:
			return err
		case entry.IsDir() && disk.IgnoredDir(entry.Name()):
			return fs.SkipDir
		case !entry.IsDir() && s.isScript(dir, at, name):
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// isScript follows symbolic links: a linked script is one.
func (s *scripts) isScript(dir fs.FS, at, name string) bool {
	info, err := fs.Stat(dir, name)
	extension := strings.ToLower(path.Ext(name))
	switch {
	case err != nil, !info.Mode().IsRegular(), slices.Contains(dataNames, extension):
		return false
	case slices.Contains(scriptNames, extension), info.Mode().Perm()&0o111 != 0:
		return true
	default:
		return s.startsWithShebang(filepath.Join(at, filepath.FromSlash(name)))
	}
}

func (s *scripts) startsWithShebang(path string) bool {
	file, err := s.reader.Open(path, math.MaxInt64)
	if err != nil {
		return false
	}
	defer file.Close()
	start, _ := bufio.NewReader(file).Peek(2) // a shorter file has none
	return string(start) == "#!"
}
