package depend

import (
	"bytes"
	"fmt"
	"path"
	"slices"
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

// languageOf returns the language of a file, by the words with which its first line
// starts it if these name a known program, or else by the file's name.
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
	return shell.Shell // a file without a first line is run by a shell
}

// mayBeCode reports whether a file that a script names may be code, by its name;
// listed tells that it lies in the hook directories.
func mayBeCode(p string, listed bool) bool {
	ext := strings.ToLower(path.Ext(p))
	return scriptExtensions[ext] || !dataExtensions[ext] && listed
}

// isScriptName reports whether a path ends as those of scripts do.
func isScriptName(p string) bool { return scriptExtensions[path.Ext(p)] }

// headSize is how much of a file tells whether it is text.
const headSize = 8000

// IsBinary reports whether a file that begins so is no text.
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
