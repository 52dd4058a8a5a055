package trace

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites"
)

// A Language traces scripts of one programming language and divides them into statements. A new
// one implements this interface, calls the methods of decoder, and is added to languages; nothing
// else distinguishes languages.
type Language interface {
	// Name is the language's name in messages, such as "bash". It also names the directory of its
	// files in a traced run.
	Name() string
	// Recognises reports whether an interpreter of the language may run a file, by its path and
	// first line.
	Recognises(file string, content []byte) bool
	// Start returns how to trace a run with files in dir. env is the environment of the hooks.
	Start(dir string, env []string) suites.Tracing
	// Decode adds the logs of a run, by their path in the directory of Start, to d.
	Decode(logs map[string][]byte, d *decoder)
	// Parse divides a script into statements. Errors are those of a parser, with a line.
	Parse(src []byte) (*Script, error)
	// Beyond returns the reason why statements cannot describe the difference of two scripts, ""
	// if they can.
	Beyond(old, new *Script) string
	// Unseen returns the reason why the case of a trace may have run a file, given its interpreter
	// line, without a record of it, "" if it cannot. met is nil if there is no record at all.
	Unseen(shebang string, met *Met, t *Trace) string
}

// languages lists all languages. The first also parses files that none recognises, because shells
// can source files with any name.
var languages = []Language{bash{}, python{}, node{}, node{typed: true}}

// Traces reports whether the run of a trace was traced in a language, so that a file without a record
// was not executed by it. Traces of earlier versions are of bash alone.
func Traces(t *Trace, l Language) bool {
	return l == languages[0] || slices.Contains(t.Traced, l.Name())
}

// LanguageOf returns the language of a file, nil if none recognises it.
func LanguageOf(file string, content []byte) Language {
	for _, l := range languages {
		if l.Recognises(file, content) {
			return l
		}
	}
	return nil
}

// Parse divides a file into statements.
func Parse(file string, src []byte) (*Script, error) {
	l := LanguageOf(file, src)
	if l == nil {
		l = languages[0]
	}
	return l.Parse(src)
}

// Start returns how to trace a run in all languages. Each has a directory of its own in dir.
func Start(dir string, env []string) suites.Tracing {
	all := suites.Tracing{Files: map[string]string{}, Set: map[string]string{}}
	for _, l := range languages {
		t := l.Start(filepath.Join(dir, l.Name()), env)
		for name, content := range t.Files {
			all.Files[l.Name()+"/"+name] = content
		}
		for _, name := range t.Logs {
			all.Logs = append(all.Logs, l.Name()+"/"+name)
		}
		maps.Copy(all.Set, t.Set)
	}
	return all
}

// logsOf returns the logs of one language, by the name that its Start gave them.
func logsOf(l Language, logs map[string][]byte) map[string][]byte {
	own := map[string][]byte{}
	for name, content := range logs {
		if rest, ok := strings.CutPrefix(name, l.Name()+"/"); ok {
			own[rest] = content
		}
	}
	return own
}
