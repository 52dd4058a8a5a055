package prove

import (
	"path"
	"slices"
	"strings"
)

// A grammar describes the options of a program, or of one of its subcommands, as far as rewriting
// and comparing its calls requires.
type grammar struct {
	long   map[string]string // long options by name, with the letter that means the same; "" if there is none
	valued string            // letters that take a value
	quiet  string            // letters that change only what is printed or noted, not what is done
	paths  bool              // the operands are paths
}

// grammars are the programs whose options are known. The calls of other programs are equal only if
// all their arguments are.
var grammars = map[string]grammar{
	"rm":          {long: map[string]string{"recursive": "r", "force": "f", "verbose": "v", "dir": "d"}, quiet: "v", paths: true},
	"chmod":       {long: map[string]string{"recursive": "R", "verbose": "v", "changes": "c", "silent": "f", "quiet": "f"}, quiet: "vcf"},
	"chown":       {long: map[string]string{"recursive": "R", "verbose": "v", "changes": "c", "silent": "f", "quiet": "f"}, quiet: "vcf"},
	"shred":       {long: map[string]string{"force": "f", "zero": "z", "verbose": "v", "iterations": "n"}, valued: "n", quiet: "v", paths: true},
	"git push":    {long: map[string]string{"force": "f", "set-upstream": "u", "quiet": "q", "verbose": "v", "delete": "d", "dry-run": "n", "no-verify": ""}, valued: "o", quiet: "uqv"},
	"git commit":  {long: map[string]string{"message": "m", "all": "a", "no-verify": "n", "quiet": "q", "verbose": "v", "amend": "", "no-edit": ""}, valued: "mFCct", quiet: "qv"},
	"git reset":   {long: map[string]string{"hard": "", "soft": "", "mixed": "", "quiet": "q"}, quiet: "q"},
	"git clean":   {long: map[string]string{"force": "f", "quiet": "q", "dry-run": "n", "exclude": "e"}, valued: "e", quiet: "q"},
	"git branch":  {long: map[string]string{"delete": "d", "force": "f", "quiet": "q", "move": "m"}, quiet: "q"},
	"git merge":   {long: map[string]string{"message": "m", "no-ff": "", "squash": "", "quiet": "q", "verbose": "v"}, valued: "m", quiet: "qv"},
	"git add":     {long: map[string]string{"all": "A", "force": "f", "verbose": "v"}, quiet: "v", paths: true},
	"git rebase":  {long: map[string]string{"interactive": "i", "quiet": "q"}, valued: "Xx", quiet: "q"},
	"npm install": {long: map[string]string{"save-dev": "D", "global": "g", "save": "S"}},
}

// aliases are other names of subcommands.
var aliases = map[string][]string{"npm install": {"i", "add"}, "pnpm add": {"install"}}

// quietKeys are settings of git that change only its looks.
var quietKeys = []string{"color.ui=false", "core.pager=cat", "advice.detachedHead=false"}

// A split is a call's arguments in the order of the grammar's program.
type split struct {
	program  string   // with its subcommand, such as "git push"
	global   []string // arguments between a program and its subcommand
	options  []option
	operands []string
	known    bool // there is a grammar
	grammar
}

// An option is one option with its value. Its name is the letter if it has one.
type option struct {
	name, value string
	hasValue    bool
}

// splitCall parses the arguments of a program.
func splitCall(words []string) split {
	name := path.Base(words[0])
	s, rest := split{program: name}, words[1:]
	if g, ok := grammars[name]; ok {
		s.grammar, s.known = g, true
	} else if _, sub, _ := subcommand(name, rest); sub >= 0 {
		s.global, s.program = rest[:sub], name+" "+canonicalSub(name, rest[sub])
		s.grammar, s.known = grammars[s.program]
		rest = rest[sub+1:]
	}
	if !s.known {
		s.operands = rest
		return s
	}
	for i := 0; i < len(rest); i++ {
		arg := rest[i]
		switch {
		case arg == "--":
			s.operands = append(s.operands, rest[i+1:]...)
			return s
		case strings.HasPrefix(arg, "--"):
			i += s.takeLong(arg[2:], rest[i+1:])
		case len(arg) > 1 && arg[0] == '-':
			i += s.takeShort(arg[1:], rest[i+1:])
		default:
			s.operands = append(s.operands, arg)
		}
	}
	return s
}

func (s *split) takeLong(arg string, rest []string) (taken int) {
	name, value, has := strings.Cut(arg, "=")
	letter := s.long[name]
	if letter == "" {
		s.options = append(s.options, option{"--" + name, value, has})
		return 0
	}
	if !has && strings.Contains(s.valued, letter) && len(rest) > 0 {
		value, has, taken = rest[0], true, 1
	}
	s.options = append(s.options, option{letter, value, has})
	return taken
}

func (s *split) takeShort(letters string, rest []string) (taken int) {
	for j := range len(letters) {
		letter := letters[j : j+1]
		if !strings.Contains(s.valued, letter) {
			s.options = append(s.options, option{name: letter})
			continue
		}
		o := option{letter, letters[j+1:], true}
		if o.value == "" && len(rest) > 0 {
			o.value, taken = rest[0], 1
		}
		s.options = append(s.options, o)
		break
	}
	return taken
}

// subcommand returns the directory and the settings that git's own options name, and the index of
// the subcommand; -1 if there is none, or it is hidden behind an unknown option.
func subcommand(program string, args []string) (dir string, at int, settings []string) {
	switch program {
	case "git":
		for i := 0; i < len(args); i++ {
			switch {
			case args[i] == "-C" && i+1 < len(args):
				i++
				dir = joined(dir, args[i])
			case args[i] == "-c" && i+1 < len(args):
				i++
				if !slices.Contains(quietKeys, args[i]) {
					settings = append(settings, args[i])
				}
			case args[i] == "--no-pager" || args[i] == "-P" || args[i] == "-p":
			case strings.HasPrefix(args[i], "-"):
				return dir, -1, nil
			default:
				return dir, i, settings
			}
		}
		return dir, -1, settings
	case "npm", "pnpm":
		if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
			return "", 0, nil
		}
	}
	return "", -1, nil
}

func canonicalSub(program, sub string) string {
	for name, others := range aliases {
		if of, first, _ := strings.Cut(name, " "); of == program && slices.Contains(others, sub) {
			return first
		}
	}
	return sub
}

// joined returns a path as seen from a directory.
func joined(dir, name string) string {
	if path.IsAbs(name) || dir == "" {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}
