package discover

import (
	"path/filepath"
	"strings"
)

// A Scope tells in which sessions a hook is in force.
type Scope string

// The scopes of hooks that lie in a project's tree.
const (
	InProject   Scope = "project"      // settings of the project: every session in it
	InPlugin    Scope = "plugin"       // a plugin: every session of a person who installed it, in any project
	InHome      Scope = "home"         // the tree is kept to be installed as ~/.claude: every session
	InUser      Scope = "user"         // the person's own settings: every session
	InDirectory Scope = "directory"    // settings below the root: sessions that start in that directory
	InDocument  Scope = "frontmatter"  // of a skill, an agent or a command: while that one is active
	InGuess     Scope = "unregistered" // a script that nothing registers, and whose name tells an event
	InTemplate  Scope = "template"     // settings under a name that the client does not read
)

// Everywhere reports whether a hook of the scope is launched in a session that
// starts at the root of the project, or in any project when what lies in the tree
// is installed.
func (s Scope) Everywhere() bool {
	switch s {
	case InProject, InPlugin, InHome, InUser, "":
		return true
	default:
		return false
	}
}

// Foreign reports whether sessions with hooks of the scope usually run in another
// project than the one that the hooks lie in.
func (s Scope) Foreign() bool { return s == InPlugin || s == InHome || s == InGuess }

// A Source is a file that registers hooks.
type Source struct {
	File       string // absolute
	Scope      Scope
	Plugin     string // the plugin's name
	PluginRoot string // absolute path of the plugin
	Session    string // absolute path of the directory where a session starts; "" is the root
}

// settingsAtMost bounds a settings file, in bytes.
const settingsAtMost = 1 << 20

// within is the slash path of path from dir, if it lies in it.
func within(dir, path string) (string, bool) {
	relative, err := filepath.Rel(dir, path)
	if err != nil || relative == ".." || strings.HasPrefix(relative, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(relative), true
}
