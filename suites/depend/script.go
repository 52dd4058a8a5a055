package depend

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"hookwatch/suites/shell"
)

// A Script describes the files and programs that one file uses.
type Script struct {
	Language string   // as in shell.Program, or the extension of another file
	Text     string   // for names that are not single words
	Names    []string // words of the text that may be file names
	Opened   []string // bare words that are operands of commands that open files
	Opaque   string   // why its uses of data files are unknown; "" if they are known
	Computed string   // why it may use any file of the hook directories; "" if it cannot
	Tails    []string // extensions of computed names
	Open     string   // why it may read files that no text names; "" if it cannot

	Mentions []Mention            // names of files in its code, and their directories
	Assigned map[string][]Operand // variable -> values assigned to it
	Listed   map[string]bool      // variables that contain names from a directory or a stream
	Run      map[string]int       // variables run as commands -> line
	Moves    []Operand            // targets of cd
	Evals    bool                 // runs code from strings
	// Assembled is the line of the first use of a computed or listed file name to open a file; 0
	// if there is none.
	Assembled int
	Tools     []string // programs that it runs or looks up
	Words     []string // known programs that it names in other ways

	Functions []string // that it defines
}

// A Mention is a file name or path in the code and the operand before it.
type Mention struct {
	Name string
	Operand
}

// mostNames limits the number of words of a script that may be file names; a script of five
// thousand lines has a third of that. A script with more may use anything.
const mostNames = 5000

// languageOf returns the language of a file, by the interpreter in its first line if that is a
// known program, or else by the file's name.
func languageOf(p string, interpreter []string) string {
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
	return shell.Shell // shells run files without a first line
}

// mayBeCode reports whether a file that a script names may be code, by its name; listed reports
// whether it is in the hook directories.
func mayBeCode(p string, listed bool) bool {
	ext := strings.ToLower(path.Ext(p))
	return scriptExtensions[ext] || !dataExtensions[ext] && listed
}

// isScriptName reports whether a path has the extension of a script.
func isScriptName(p string) bool { return scriptExtensions[path.Ext(p)] }

// headSize is the number of bytes that decide whether a file is text.
const headSize = 8000

// IsBinary reports whether a file that begins with content is not text.
func IsBinary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), headSize)], 0) >= 0
}

// readScript analyses a script's content.
func readScript(p string, content []byte) *Script {
	s := analysed(p, content)
	s.Open = s.open()
	if len(s.Names) > mostNames || len(s.Opened) > mostNames {
		s.Names, s.Opened = s.Names[:min(len(s.Names), mostNames)], s.Opened[:min(len(s.Opened), mostNames)]
		s.Computed = fmt.Sprintf("it has more than %d words that may be names of files", mostNames)
		s.Opaque = s.Computed
	}
	return s
}

func analysed(p string, content []byte) *Script {
	s := &Script{Text: string(content)}
	if IsBinary(content) {
		return &Script{Language: "binary", Opaque: "it is no text"}
	}
	interpreter, _ := shell.Interpreter(s.Text)
	s.Language = languageOf(p, interpreter)
	s.Names = namesIn(s.Text)
	if len(interpreter) > 0 {
		s.Tools = append(s.Tools, path.Base(interpreter[0]))
	}
	if s.Language == shell.Shell {
		readShell(s)
		return s
	}
	s.Opaque = "it is no shell script"
	for _, name := range s.Names {
		if knownTools[path.Base(name)] {
			s.Words = append(s.Words, path.Base(name))
		}
	}
	return s
}

func readShell(s *Script) {
	s.Assigned, s.Listed, s.Run = map[string][]Operand{}, map[string]bool{}, map[string]int{}
	read, err := shell.Read(s.Text)
	if err != nil {
		s.Opaque = "it cannot be parsed: " + err.Error()
		s.Computed = s.Opaque
		for _, name := range s.Names {
			if knownTools[path.Base(name)] {
				s.Words = append(s.Words, path.Base(name))
			}
		}
		return
	}
	r := &shellReader{Script: s, commands: map[string]bool{}, quiet: map[*shell.Word]bool{}}
	for _, a := range read.Assigns {
		r.assign(a)
	}
	for _, l := range read.Loops {
		r.iterate(l)
	}
	for _, c := range read.Commands {
		r.messages(c)
		r.call(c.Args, c.HasInput())
	}
	r.opens(read)
	for _, w := range read.Words {
		r.word(w)
	}
	for _, f := range read.Functions {
		s.Functions = append(s.Functions, f.Name)
	}
	slices.Sort(s.Functions)
	s.Functions = slices.Compact(s.Functions)
	s.Text = codeOf(s.Text, read, r.quiet)
	s.Names = namesIn(s.Text)
	slices.Sort(s.Words)
	s.Words = slices.Compact(s.Words)
	for name := range r.commands {
		if !builtins[name] && !strings.ContainsAny(name, " \t\n") && !scriptExtensions[path.Ext(name)] {
			s.Tools = append(s.Tools, name)
		}
	}
}
