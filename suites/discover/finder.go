package discover

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites/disk"
	"hookwatch/suites/pattern"
)

// A finder sorts the files of a tree.
type finder struct {
	reader disk.Reader
	root   string
	names  []string // slash paths from the root
	read   []string // absolute paths of files that are sources already
	out    Found
}

// add notes a source, each file once.
func (f *finder) add(s Source) {
	if !slices.Contains(f.read, s.File) {
		f.read = append(f.read, s.File)
		f.out.Sources = append(f.out.Sources, s)
	}
}

// registers reports whether a JSON file has hooks in it, by its text: one that
// cannot be parsed may have some as well.
func (f *finder) registers(file string) bool {
	data, err := f.reader.ReadFile(file, settingsAtMost)
	return err == nil && bytes.Contains(data, []byte(`"hooks"`))
}

// namesHome reports whether a settings file speaks of ~/.claude, as one does that
// is kept to be installed there.
func (f *finder) namesHome(file string) bool {
	data, err := f.reader.ReadFile(file, settingsAtMost)
	if err != nil {
		return false
	}
	return WrittenHome().Match(data) || homePaths().Match(bytes.ReplaceAll(data, []byte(`\"`), []byte(`"`)))
}

func (f *finder) absolute(slash string) string {
	return filepath.Join(f.root, filepath.FromSlash(slash))
}

func (f *finder) decode(name string, into any) bool {
	data, err := f.reader.ReadFile(f.absolute(name), settingsAtMost)
	return err == nil && json.Unmarshal(data, into) == nil
}

// homePaths are how commands name what lies in ~/.claude.
var homePaths = pattern.Lazy(`(~|\$HOME|\$\{HOME\}|%USERPROFILE%)["']?/\.claude/`)

// WrittenHome matches a person's ~/.claude in a command that names it in full.
var WrittenHome = pattern.Lazy(`/(?:Users|home)/[\w.-]+/\.claude/`)

// Where a plugin and a marketplace say what they are, from their own root.
const (
	manifestName    = ".claude-plugin/plugin.json"
	marketplaceName = ".claude-plugin/marketplace.json"
	pluginHooks     = "hooks/hooks.json"
)

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// inside reports whether a file lies at a known place below some directory.
func inside(name, place string) bool { return name == place || strings.HasSuffix(name, "/"+place) }

// Found is where hooks are registered in a tree.
type Found struct {
	Sources []Source
	// Foreign are hook files of other agents, as slash paths: not Claude Code's.
	Foreign []string
	// Unread are files that look as if they registered hooks and that the client
	// never reads, as slash paths.
	Unread []string
	// Guessed are scripts that nothing registers where they lie, whose names tell an
	// event, as slash paths.
	Guessed []string
}

// Settings in a directory of examples are not meant for the client as they stand.
var exampleDirs = pattern.Lazy(`(^|/)(tests?|__tests__|testdata|fixtures?|examples?|templates?|samples?|docs?|archive|backups?)(/|$)`)
