package check

import (
	"cmp"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// roots are the variables that name a directory for a hook; givenRoots also has those that users set for the client.
var (
	roots      = []string{"CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"}
	givenRoots = append([]string{"CLAUDE_CONFIG_DIR"}, roots...)
)

// words returns the command of a hook with its arguments.
func words(h discover.Hook) string { return h.Command + " " + strings.Join(h.Args, " ") }

func judgeRoot(s site) []Finding {
	text := words(s.hook)
	misspelt, why := s.judgeMisspeltRoot(text), s.hook.WhyNotStarted()
	switch {
	case misspelt != nil:
		return misspelt
	case s.hook.DirOfPlugin() == "" && namesVariable(text, "CLAUDE_PLUGIN_ROOT"):
		return evidence("${CLAUDE_PLUGIN_ROOT} in settings that are no plugin's")
	case why != "":
		return evidence("%s", why)
	case s.hook.PluginRoot == "", asked().MatchString(text):
		return nil
	}
	return s.judgeOthersProject(text)
}

// judgeMisspeltRoot judges a variable at the beginning of a path that is nearly the client's, and that
// neither the client nor the settings nor the command set.
func (s site) judgeMisspeltRoot(text string) []Finding {
	if s.hook.Client != "" {
		return nil
	}
	own := s.hook.Variables()
	for _, m := range rootLike().FindAllStringSubmatch(text, -1) {
		name := m[1] + m[2]
		switch _, set := own[name]; {
		case set, slices.Contains(givenRoots, name), strings.HasPrefix(name, "CLAUDE_CODE_"), strings.Contains(text, name+"="):
			continue
		}
		meant := "CLAUDE_PROJECT_DIR"
		if s.hook.DirOfPlugin() != "" && !strings.Contains(strings.ToUpper(name), "PROJECT") {
			meant = "CLAUDE_PLUGIN_ROOT"
		}
		f := Finding{What: "$" + name + " is never set: the client sets " + meant, Effect: s.effectOfNothing(), Remedy: `write "$` + meant + `"`}
		if asked().MatchString(s.hook.Command) {
			f.Severity, f.Effect = suites.Warning, "nothing is found there: what the command does instead of it counts"
		}
		return one(f)
	}
	return nil
}

// effectOfNothing returns the effect of a command whose file is not found.
func (s site) effectOfNothing() string {
	return cmp.Or(withoutScript(s.hook, "it"), s.event.Fill("nothing is found: {proceeds} as if there were no hook"))
}

// rootLike matches a path that begins with a variable whose name looks like that of a root.
var rootLike = pattern.Lazy(`\$(?:\{((?i:claude_?\w*(?:root|dir|path|proj|workspace|cwd|plugin|hook)\w*))\}|((?i:claude_?\w*(?:root|dir|path|proj|workspace|cwd|plugin|hook)\w*)))"?/`)

// homes matches a path in the home directory of one user.
var homes = pattern.Lazy(`(?:/home/|/Users/|[A-Za-z]:[/\\]+Users[/\\]+)[\w.-]+[/\\]+([^\s"';|&)]+)`)

// isShared reports whether a file that registers hooks is meant for several users.
func isShared(h discover.Hook) bool {
	switch h.Scope {
	case discover.InProject:
		return !filepath.IsAbs(h.Source.File) && !strings.HasSuffix(h.Source.File, ".local.json")
	case discover.InPlugin, discover.InHome:
		return !filepath.IsAbs(h.Source.File)
	}
	return false
}

// judgeHomePath judges a path in one user's home directory in shared settings, because the hook does not
// start if the path does not exist.
func judgeHomePath(s site) []Finding {
	at := homes().FindString(words(s.hook))
	f := Finding{What: "the command names " + at}
	switch {
	case at == "", !isShared(s.hook), asked().MatchString(s.hook.Command):
		return nil
	case strings.HasPrefix(at, "/") && exists(at):
		return one(f)
	}
	f.What += ", which this machine does not have"
	if !slices.Contains([]suites.Effect{suites.Ignored, suites.ShownToModel}, s.event.Exit2) {
		f.Severity = suites.Error
	}
	return one(f)
}

// judgeOthersProject judges a hook of a plugin that names a script by the directory of the project that
// uses the plugin.
func (s site) judgeOthersProject(text string) []Finding {
	m := pluginPath().FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	f := Finding{What: "a plugin's hook names ${CLAUDE_PROJECT_DIR}/" + m[1] + ", which is in the project that uses the plugin", Severity: suites.Warning}
	if exists(filepath.Join(s.hook.PluginRoot, filepath.FromSlash(m[1]))) {
		f.Severity, f.What = suites.Error, f.What+"; the plugin has it"
	}
	return one(f)
}

// pluginPath matches a script that a command starts from the project.
var pluginPath = pattern.Lazy(`\$\{?CLAUDE_PROJECT_DIR\}?"?/([\w./-]+\.(?:sh|py|js|mjs|cjs|ts|rb|pl))\b`)

// namesVariable reports whether a variable is used without a default.
func namesVariable(text, name string) bool {
	return regexp.MustCompile(`\$(` + name + `\b|\{` + name + `\})`).MatchString(text)
}

// byPercent matches the client's variables in the syntax of cmd.exe.
var byPercent = pattern.Lazy(`%CLAUDE_\w+%`)

func judgePercent(s site) []Finding {
	v := byPercent().FindString(s.hook.Command)
	if v == "" {
		return nil
	}
	return one(Finding{What: v + " is how cmd.exe names a variable: a shell takes it as it stands", Remedy: `write "$` + strings.Trim(v, "%") + `" for it`})
}

func judgeSyntax(s site) []Finding {
	line, err := shell.Read(s.hook.Command)
	switch {
	case byPercent().MatchString(s.hook.Command):
		return nil
	case err != nil:
		return evidence("the command does not parse: %v", err)
	case line.BashOnly == "":
		return nil
	}
	f := Finding{What: line.BashOnly + " is bash, and the client runs /bin/sh"}
	if !s.PlainShell {
		f.Severity = suites.Warning
	}
	if s.hook.Entry.Shell == "bash" {
		f.What += ` although the entry's shell is "bash"`
	}
	return one(f)
}

func judgeParameters(s site) (all []Finding) {
	own := s.hook.Variables()
	for _, p := range s.line.Parameters {
		assigned := func(a *shell.Assign) bool { return a.Name == p.Name && a.Start < p.Start }
		if _, set := own[p.Name]; set || p.Op != "" || slices.ContainsFunc(s.line.Assigns, assigned) {
			continue
		}
		if NeverSet(p.Name) {
			all = append(all, evidence("$%s is never set", p.Name)...)
		}
	}
	return all
}

func judgeUnquoted(s site) (all []Finding) {
	for _, call := range s.line.Commands {
		for _, word := range call.Args {
			at := slices.IndexFunc(word.Parts, func(p shell.Part) bool {
				return p.Kind == shell.Expansion && p.Quote == 0 && slices.Contains(roots, p.Parameter.Name)
			})
			if at >= 0 {
				all = append(all, s.findUnquoted(word.Parts[at].Parameter.Name))
			}
		}
	}
	return all
}

func (s site) findUnquoted(variable string) Finding {
	f := Finding{What: "$" + variable + " stands outside of quotes"}
	known := map[string]string{"CLAUDE_PLUGIN_ROOT": s.hook.DirOfPlugin()}
	if !s.hook.Scope.IsForeign() {
		known["CLAUDE_PROJECT_DIR"] = s.hook.Start()
	}
	switch effect := withoutScript(s.hook, "it"); {
	case strings.Contains(known[variable], " "):
		f.Severity, f.Effect = suites.Error, "the path holds a space: "+s.effectOfNothing()
	case effect != "":
		f.Effect = "where the path holds a space: " + effect
	}
	return f
}

// operands returns the words of a command that are the program that it starts, behind wrappers, and the script that
// this runs.
func operands(call *shell.Command) []*shell.Word {
	bare := make([]string, len(call.Args))
	for i, word := range call.Args {
		bare[i] = word.Bare()
	}
	args := call.Args
	for inner := shell.Inner(bare); inner > 0; inner = shell.Inner(bare) {
		bare, args = bare[inner:], args[inner:]
	}
	if len(bare) == 0 {
		return nil
	}
	at, inline := 1, !slices.Contains([]string{"source", "."}, bare[0])
	if shell.ProgramOf(bare[0]).RunsScripts() {
		at, inline = shell.Operand(bare)
	}
	if inline || at >= len(bare) {
		return args[:1]
	}
	return []*shell.Word{args[0], args[at]}
}

func judgeLiteral(s site) (all []Finding) {
	for _, call := range s.line.Commands {
		for _, word := range operands(call) {
			for _, part := range upTo(word.Parts, 1) {
				switch {
				case part.Kind != shell.Literal, part.Quote == 0:
				case strings.HasPrefix(part.Text, "~/"):
					all = append(all, evidence("~ is not expanded in quotes")...)
				case part.Quote == '\'' && literalPath().MatchString(part.Text):
					all = append(all, evidence("'%s' is taken as it stands", part.Text)...)
				}
			}
		}
	}
	return all
}

// literalPath matches a path, and no program, that begins with a variable.
var literalPath = pattern.Lazy(`^\$[^ ;|&]*/[^ ;|&]*$`)

func judgeRelative(s site) (all []Finding) {
	for _, call := range s.line.Commands {
		for _, word := range operands(call) {
			text := word.Bare()
			switch {
			case !relative().MatchString(text), strings.Contains(s.hook.Command, "cd "), !slices.Contains(s.hook.Scripts, path.Clean(text)):
				continue
			}
			f := Finding{What: text + " is named from the current directory"}
			if s.hook.Scope.IsForeign() {
				f.What, f.Severity = f.What+", which is another project's", suites.Error
			}
			all = append(all, f)
		}
	}
	return all
}

// relative matches a path of more than a name.
var relative = pattern.Lazy(`(?s)^[^/~].*/`)
