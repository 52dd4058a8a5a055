package discover

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"hookwatch/suites/shell"
)

// newResolver makes one for a hook registered in a file of directory settingsDir.
func newResolver(hook Hook, settingsDir string) *resolver {
	r := &resolver{hook: hook, cwd: hook.Start(), vars: map[string]string{"CLAUDE_PROJECT_DIR": hook.Start(), "PWD": hook.Start()}}
	if hook.PluginRoot != "" {
		r.vars["CLAUDE_PLUGIN_ROOT"] = hook.PluginRoot
	}
	if home, err := os.UserHomeDir(); err == nil {
		r.vars["HOME"] = home
	}
	// Settings outside of any .claude directory are a person's own configuration
	// kept as a project: it is installed as ~/.claude, which its commands name.
	if _, inside := within(hook.Root, settingsDir); inside && filepath.Base(settingsDir) != ".claude" && hook.PluginRoot == "" {
		r.config = settingsDir
	}
	return r
}

// scripts lists the files, in the command's order, each once, and those among
// them that the command starts as programs.
func (r *resolver) scripts() (all, direct []string) {
	if r.hook.Args != nil {
		r.words(r.launched())
	} else {
		r.parse(r.hook.Command)
	}
	return r.found, r.direct
}

func (r *resolver) launched() []word {
	var words []word
	for _, text := range LaunchCommand(r.hook) {
		words = append(words, word{text, true})
	}
	return words
}

// parse reads shell text; what is no shell names no files.
func (r *resolver) parse(command string) {
	if r.nested == maxNested {
		return
	}
	r.nested++
	defer func() { r.nested-- }()
	file, err := shell.Parse(command, syntax.Variant(syntax.LangBash))
	if err != nil {
		return
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		if call, ok := node.(*syntax.CallExpr); ok {
			r.call(call)
		}
		return true
	})
}

func (r *resolver) call(call *syntax.CallExpr) {
	if len(call.Args) == 0 {
		for _, assign := range call.Assigns {
			r.assign(assign)
		}
		return
	}
	words := make([]word, 0, len(call.Args))
	for _, arg := range call.Args {
		words = append(words, r.word(arg))
	}
	if words[0].text == "cd" && len(words) == 2 && words[1].known {
		r.cwd = r.path(words[1].text)
		return
	}
	r.words(words)
}

func (r *resolver) assign(assign *syntax.Assign) {
	if assign.Name == nil || assign.Append || assign.Index != nil {
		return
	}
	delete(r.vars, assign.Name.Value)
	if assign.Value == nil {
		return
	}
	if value := r.word(assign.Value); value.known {
		r.vars[assign.Name.Value] = value.text
	}
}

// words reads one simple command: what it runs, through wrappers and
// interpreters, and which of its arguments are files.
func (r *resolver) words(words []word) {
	words, launched := unwrapped(words)
	if len(words) == 0 {
		return
	}
	if base := words[0].program(); base == "source" || shell.IsShell(base) || shell.IsInterpreter(base) {
		r.interpreted(base, words[1:])
		return
	}
	if first := words[0]; first.known && strings.ContainsRune(first.text, '/') {
		r.add(first.text)
		if slash, inside := within(r.hook.Root, r.path(first.text)); inside && !launched { // a launcher needs no execute bit
			r.direct = append(r.direct, slash)
		}
	}
	if !launched { // `uv run x.py` names a file where others name a program
		words = words[1:]
	}
	r.arguments(words)
}

// unwrapped gives the command behind wrappers and launchers, with their options,
// assignments and own arguments; launched tells that a launcher was the last.
func unwrapped(words []word) (command []word, launched bool) {
	own, behind := 0, false
	for len(words) > 0 {
		text, base := words[0].text, words[0].program()
		skip, wraps := shell.Wraps(base)
		word, launches := shell.Launches(base)
		switch {
		case behind && (strings.HasPrefix(text, "-") || strings.Contains(text, "=")):
		case own > 0:
			own--
		case wraps:
			own, behind, launched = skip, true, false
		case launches && word == "":
			behind, launched = true, false
		case launches:
			i := 1
			for i < len(words) && strings.HasPrefix(words[i].text, "-") {
				i++
			}
			if i == len(words) || words[i].text != word {
				return words, false
			}
			behind, launched, words = true, true, words[i:]
		default:
			return words, launched
		}
		words = words[1:]
	}
	return nil, launched
}

// interpreted reads the arguments of an interpreter: its first that is no option
// is a script, be it there or not.
func (r *resolver) interpreted(program string, words []word) {
	for i, word := range words {
		switch option := word.text; {
		case strings.HasPrefix(option, "-") && !strings.HasPrefix(option, "--") && strings.HasSuffix(option, "c") && shell.IsShell(program):
			if i+1 < len(words) && words[i+1].known {
				r.parse(words[i+1].text)
			}
			return
		case option == "-c", option == "-m", option == "-e", option == "--eval", option == "-p", option == "-":
			r.arguments(words[i+1:])
			return
		case strings.HasPrefix(option, "-"), option == "run":
		default:
			if word.known {
				r.add(option)
			}
			r.arguments(words[i+1:])
			return
		}
	}
}

// arguments adds those that are files of the project.
func (r *resolver) arguments(words []word) {
	for _, word := range words {
		if !word.known || word.text == "" {
			continue
		}
		if info, err := os.Stat(r.path(word.text)); err == nil && info.Mode().IsRegular() {
			r.add(word.text)
		}
	}
}

func (r *resolver) add(name string) {
	if slash, inside := within(r.hook.Root, r.path(name)); inside && slash != "." && !slices.Contains(r.found, slash) {
		r.found = append(r.found, slash)
	}
}

// path is the absolute path of a name in the command. ~/.claude is the project's
// configuration directory where it plays that part and has the file.
func (r *resolver) path(name string) string {
	name = r.atHome(name)
	if home := r.vars["HOME"]; r.config != "" && home != "" {
		if rest, found := strings.CutPrefix(name, filepath.Join(home, ".claude")+"/"); found {
			if own := filepath.Join(r.config, rest); r.hook.Scope == InHome || exists(own) {
				return own
			}
		}
	}
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(r.cwd, name)
}

// atHome takes a path below some person's ~/.claude, written out, for this person's
// where the tree is kept to be installed there.
func (r *resolver) atHome(name string) string {
	if r.hook.Scope != InHome {
		return name
	}
	return WrittenHome().ReplaceAllString(name, r.vars["HOME"]+"/.claude/")
}
