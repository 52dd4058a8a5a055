package depend

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// A script is what one file says of the files and programs it uses.
type script struct {
	language string   // shell, python, node, or the extension of another
	text     string   // for names that are no single word
	names    []string // words of the text that may be file names
	opened   []string // bare words that are operands of what opens files
	opaque   string   // why its uses of data files are not known; "" when they are
	computed string   // why it may use any file of the hook directories; "" when not
	tails    []string // extensions of names that are put together

	mentions []mention            // names of files in its code, and what they are relative to
	assigned map[string][]operand // variable -> what was assigned to it
	listed   map[string]bool      // variables that hold names from a directory or a stream
	run      map[string]int       // variables run as commands -> line
	moves    []operand            // where it changes directory to
	evals    bool                 // runs code from strings
	tools    []string             // programs it runs or looks for
	words    []string             // known programs that it names otherwise

	functions []string // that it defines
}

// A mention is a file name or path in the code and what it follows.
type mention struct {
	name string
	operand
}

// An operand is what a word starts with.
type operand struct {
	variable string   // the expansion in front; "" for none or one that is no variable
	literal  bool     // nothing but text in front
	uses     []string // all variables in the word
}

var shebang = regexp.MustCompile(`^#!\s*(\S+)(?:[ \t]+(-S\s+)?(\S+))?`)

var languages = map[string]string{
	".sh": "shell", ".bash": "shell", ".zsh": "shell", ".ksh": "shell",
	".py": "python", ".js": "node", ".mjs": "node", ".cjs": "node", ".ts": "node",
}

// mostNames is how many words of a script are looked for as files: one of five
// thousand lines has a third of it. What names more may use anything.
const mostNames = 5000

// newScript analyses a script's content.
func newScript(p string, content []byte) *script {
	s := analysed(p, content)
	if len(s.names) > mostNames || len(s.opened) > mostNames {
		s.names, s.opened = s.names[:min(len(s.names), mostNames)], s.opened[:min(len(s.opened), mostNames)]
		s.computed = fmt.Sprintf("it has more than %d words that may be names of files", mostNames)
		s.opaque = s.computed
	}
	return s
}

func analysed(p string, content []byte) *script {
	s := &script{text: string(content)}
	if isBinary(content) {
		return &script{language: "binary", opaque: "it is no text"}
	}
	interpreter := interpreterOf(s.text)
	s.language = languageOf(p, interpreter)
	s.names = namesIn(s.text)
	if interpreter != "" {
		s.tools = append(s.tools, interpreter)
	}
	if s.language == "shell" {
		readShell(s)
		return s
	}
	s.opaque = "it is no shell script"
	for _, name := range s.names {
		if knownTools[path.Base(name)] {
			s.words = append(s.words, path.Base(name))
		}
	}
	return s
}

// interpreterOf is the program that the first line names, "" without one.
func interpreterOf(text string) string {
	m := shebang.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	if base := path.Base(m[1]); base != "env" || m[3] == "" {
		return base
	}
	return path.Base(m[3])
}

func languageOf(p, interpreter string) string {
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

// isScript reports whether a file that a script names may be code: what it
// names in turn then counts.
func isScript(p string, l *listing) bool {
	ext := strings.ToLower(path.Ext(p))
	return scriptExtensions[ext] || !dataExtensions[ext] && l.has(p)
}
