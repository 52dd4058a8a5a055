package discover

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// What a file in a hooks directory is by its name. Data is no script even where
// every file carries the executable bit.
var (
	scriptNames = []string{".sh", ".py", ".js", ".ts", ".mjs", ".rb", ".pl"}
	dataNames   = []string{".json", ".jsonl", ".md", ".yaml", ".yml", ".toml", ".txt", ".log", ".lock", ".pyc"}
	skippedDirs = []string{".git", "node_modules", "__pycache__", ".venv"}
)

// Scripts lists the script files in directories of the project and below them,
// as sorted slash paths from the root: files named as scripts, executable ones,
// and those that start with #!. A directory that does not exist has none.
func Scripts(root string, dirs []string) ([]string, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("project root: %w", err)
	}
	c := &collector{root: root}
	var found []string
	for _, dir := range dirs {
		dir = c.absolute(dir)
		names, err := scriptsBelow(os.DirFS(dir))
		if err != nil {
			return nil, fmt.Errorf("hooks directory %s: %w", c.slash(dir), err)
		}
		for _, name := range names {
			found = append(found, c.slash(filepath.Join(dir, filepath.FromSlash(name))))
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

func scriptsBelow(dir fs.FS) (names []string, err error) {
	err = fs.WalkDir(dir, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // the directory itself, or a file that went while we looked
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains(skippedDirs, entry.Name()):
			return fs.SkipDir
		case !entry.IsDir() && isScript(dir, name):
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// isScript follows symbolic links: a linked script is one.
func isScript(dir fs.FS, name string) bool {
	info, err := fs.Stat(dir, name)
	extension := strings.ToLower(path.Ext(name))
	switch {
	case err != nil, !info.Mode().IsRegular(), slices.Contains(dataNames, extension):
		return false
	case slices.Contains(scriptNames, extension), info.Mode().Perm()&0o111 != 0:
		return true
	default:
		return startsWithShebang(dir, name)
	}
}

func startsWithShebang(dir fs.FS, name string) bool {
	file, err := dir.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	start, _ := bufio.NewReader(file).Peek(2) // a shorter file has none
	return string(start) == "#!"
}
