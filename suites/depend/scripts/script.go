// Package scripts reads what a script says of the files and programs that it uses,
// by its text alone. Suites/depend looks for them, and follows the scripts among them,
// to tell which inputs a verdict rests on.
package scripts

import (
	"bytes"
	"path"
	"strings"

	"hookwatch/suites/shell"
)

// A Script is what one file says of the files and programs it uses.
type Script struct {
	Language string   // as shell.Program names it, or the extension of another file
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

// mostNames is how many words of a script are looked for as files: one of five
// thousand lines has a third of it. What names more may use anything.
const mostNames = 5000

// LanguageOf returns the language of a file, by the words with which its first line
// starts it if these name a known program, or else by the file's name.
func LanguageOf(p string, interpreter []string) string {
	if language := shell.LanguageOf(interpreter); language != "" {
		return language
	}
	if by := shell.ByExtension(p); by != "" {
		return shell.ProgramOf(by).Language
	}
	if len(interpreter) > 0 {
		return path.Base(interpreter[0])
	}
	if ext := strings.ToLower(path.Ext(p)); ext != "" {
		return ext
	}
	return shell.Shell // a file without a first line is run by a shell
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
