// Package scripts reads what a script says of the files and programs that it uses,
// by its text alone. Suites/depend looks for them, and follows the scripts among them,
// to tell which inputs a verdict rests on.
package scripts

import (
	"bytes"
	"path"
	"strings"

	"hookwatch/suites/pattern"
)

// A Script is what one file says of the files and programs it uses.
type Script struct {
	Language string   // shell, python, node, or the extension of another
	Text     string   // for names that are no single word
	Names    []string // words of the text that may be file names
	Opened   []string // bare words that are operands of what opens files
	Opaque   string   // why its uses of data files are not known; "" when they are
	Computed string   // why it may use any file of the hook directories; "" when not
	Tails    []string // extensions of names that are put together
	Open     string   // why it may read files that no text names; "" when it reads none

	Mentions []Mention            // names of files in its code, and what they are relative to
	Assigned map[string][]Operand // variable -> what was assigned to it
	Listed   map[string]bool      // variables that hold names from a directory or a stream
	Run      map[string]int       // variables run as commands -> line
	Moves    []Operand            // where it changes directory to
	Evals    bool                 // runs code from strings
	// Assembled is the line of the first name of a file that is put together, or listed
	// from a directory, where it is opened; 0 without one.
	Assembled int
	Tools     []string // programs it runs or looks for
	Words     []string // known programs that it names otherwise

	Functions []string // that it defines
}

// A Mention is a file name or path in the code and what it follows.
type Mention struct {
	Name string
	Operand
}

var shebang = pattern.Lazy(`^#!\s*(\S+)(?:[ \t]+(-S\s+)?(\S+))?`)

var languages = map[string]string{
	".sh": "shell", ".bash": "shell", ".zsh": "shell", ".ksh": "shell",
	".py": "python", ".js": "node", ".mjs": "node", ".cjs": "node", ".ts": "node",
}

// mostNames is how many words of a script are looked for as files: one of five
// thousand lines has a third of it. What names more may use anything.
const mostNames = 5000

// interpreterOf is the program that the first line names, "" without one.
func interpreterOf(text string) string {
	m := shebang().FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	if base := path.Base(m[1]); base != "env" || m[3] == "" {
		return base
	}
	return path.Base(m[3])
}

// LanguageOf is the language of a file, by the interpreter that its first line names,
// if that is known, or else by its name.
func LanguageOf(p, interpreter string) string {
	switch {
	case strings.HasPrefix(interpreter, "python"), interpreter == "uv":
		return "python"
	case interpreter == "node", interpreter == "deno", interpreter == "bun", interpreter == "tsx":
		return "node"
	case strings.HasSuffix(interpreter, "sh"):
		return "shell"
	}
	ext := strings.ToLower(path.Ext(p))
	if language, ok := languages[ext]; ok {
		return language
	}
	if interpreter != "" {
		return interpreter
	}
	if ext == "" {
		return "shell" // hooks are run by a shell unless they say otherwise
	}
	return ext
}

// MayBeCode reports whether a file that a script names may be code, by its name;
// listed tells that it lies in the hook directories.
func MayBeCode(p string, listed bool) bool {
	ext := strings.ToLower(path.Ext(p))
	return scriptExtensions[ext] || !dataExtensions[ext] && listed
}

// IsScriptName reports whether a path ends as those of scripts do.
func IsScriptName(p string) bool { return scriptExtensions[path.Ext(p)] }

// HeadSize is how much of a file tells whether it is text.
const HeadSize = 8000

// IsBinary reports whether a file that begins so is no text.
func IsBinary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), HeadSize)], 0) >= 0
}
