package scripts

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"hookwatch/suites/shell"
)

// Read analyses a script's content.
func Read(p string, content []byte) *Script {
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
	s.Language = LanguageOf(p, interpreter)
	s.Names = NamesIn(s.Text)
	if len(interpreter) > 0 {
		s.Tools = append(s.Tools, path.Base(interpreter[0]))
	}
	if s.Language == shell.Shell {
		readShell(s)
		return s
	}
	s.Opaque = "it is no shell script"
	for _, name := range s.Names {
		if KnownTools[path.Base(name)] {
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
			if KnownTools[path.Base(name)] {
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
	s.Names = NamesIn(s.Text)
	slices.Sort(s.Words)
	s.Words = slices.Compact(s.Words)
	for name := range r.commands {
		if !builtins[name] && !strings.ContainsAny(name, " \t\n") && !scriptExtensions[path.Ext(name)] {
			s.Tools = append(s.Tools, name)
		}
	}
}
