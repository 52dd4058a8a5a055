package conform

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// timeout judges a timeout that is too long to be meant in seconds, or too short for an interpreter
// to start on a busy machine.
func timeout(h discover.Hook) []Finding {
	const long, short = 1000 * time.Second, 500 * time.Millisecond
	if h.Timeout > 0 && h.Timeout < short && !h.Entry.Async {
		return []Finding{FindingOf("short-timeout", h.ID, h.Source, fmt.Sprintf("timeout %g is %s", h.Timeout.Seconds(), h.Timeout))}
	}
	s := int64(h.Timeout / time.Second)
	if h.Timeout < long || s%60 == 0 && s%500 != 0 && h.Timeout <= 24*time.Hour {
		return nil // such as 1800 or 3600
	}
	return []Finding{FindingOf("long-timeout", h.ID, h.Source, fmt.Sprintf("timeout %d is %s", s, h.Timeout))}
}

// condition judges an "if" that accepts nothing, or less than the matcher.
func condition(h discover.Hook) []Finding {
	event, known := client.EventByName(h.Event)
	if h.If == "" || !known {
		return nil
	}
	dead := func(why, remedy string) []Finding {
		f := FindingOf("dead-condition", h.ID, h.Source, fmt.Sprintf("\"if\": %q %s", h.If, why))
		f.Remedy = cmp.Or(remedy, f.Remedy)
		return []Finding{f}
	}
	rule := discover.ReadCondition(h.If)
	about, ofServer := client.ToolNamed(rule.Tool), strings.HasPrefix(rule.Tool, "mcp__")
	switch {
	case !event.Tool:
		return dead("on "+h.Event+", which has no tool", "")
	case strings.ContainsAny(rule.Tool, "( )"):
		return dead("is no rule: write TOOL or TOOL(ARGUMENTS), without blanks around it", "write it as in Bash(git push *)")
	case about.Successor != "":
		return dead("is for a tool that current clients do not have", "name "+about.Successor)
	case rule.Text != "" && (about.OnlyWhole || ofServer):
		return dead("never matches: arguments of "+rule.Tool+" are not compared", "write \"if\": \""+rule.Tool+"\", and check the arguments in the hook")
	case ofServer && (strings.Count(rule.Tool, "__") == 1 || strings.Contains(rule.Tool, "*")):
		return dead("is compared with the whole name of a tool, and names a server", "remove it: the matcher takes mcp__server__.*")
	case (ofServer || slices.Contains(tools, rule.Tool)) && !h.Matches(rule.Tool) && h.MatcherError() == nil:
		return dead(fmt.Sprintf("lets only calls of %s through, and the matcher %q does not take that tool", rule.Tool, h.Matcher),
			"name "+rule.Tool+" in the matcher, or a tool of the matcher in \"if\"")
	}
	return judgeNarrowCondition(h, rule)
}

// judgeNarrowCondition judges an "if" that leaves out tools that a guard's matcher names.
func judgeNarrowCondition(h discover.Hook, rule discover.Condition) []Finding {
	out := slices.DeleteFunc(client.MatcherNames(h.Matcher), func(tool string) bool { return tool == rule.Tool || !slices.Contains(tools, tool) })
	if about, _ := client.EventByName(h.Event); about.Guards != client.Calls || len(out) == 0 {
		return nil
	}
	f := FindingOf("uncovered-tool", h.ID, h.Source, fmt.Sprintf("\"if\": %q lets only calls of %s through, and the matcher names %s as well", h.If, rule.Tool, strings.Join(out, ", ")), suites.Warning)
	f.Remedy = "register the hook once for each tool, each with an \"if\" of its own"
	return []Finding{f}
}

// roots are the variables that name a directory for a hook.
var roots = []string{"CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"}

// command judges a hook's command line.
func (t Tree) command(h discover.Hook) []Finding {
	all := append(t.judgeRoot(h), t.judgeHomePath(h)...)
	if h.Args != nil {
		return all
	}
	if h.ForPowerShell() {
		return all // what follows is about the shell of this system
	}
	all = append(all, judgeBackslashes(h)...)
	if v := byPercent().FindString(h.Command); v != "" {
		f := FindingOf("variable-not-expanded", h.ID, h.Source, v+" is how cmd.exe names a variable: a shell takes it as it stands")
		f.Remedy = `write "$` + strings.Trim(v, "%") + `" for it`
		return append(all, f) // the path after it cannot be found
	}
	script, err := shell.Read(h.Command)
	if err != nil {
		return append(all, FindingOf("shell-syntax", h.ID, h.Source, "the command does not parse: "+err.Error()))
	}
	c := commandReader{hook: h}
	for _, call := range script.Commands {
		c.call(call)
	}
	for _, p := range script.Parameters {
		assigned := func(a *shell.Assign) bool { return a.Name == p.Name && a.Start < p.Start }
		_, set := h.Variables()[p.Name]
		if p.Op == "" && NeverSet(p.Name) && !set && !slices.ContainsFunc(script.Assigns, assigned) {
			c.found("unset-variable", "$"+p.Name+" is never set")
		}
	}
	if script.BashOnly != "" {
		severity := suites.Warning
		if t.PlainShell {
			severity = suites.Error
		}
		also := ""
		if h.Entry.Shell == "bash" {
			also = ` although the entry's shell is "bash"`
		}
		c.found("shell-syntax", script.BashOnly+" is bash, and the client runs /bin/sh"+also, severity)
	}
	return append(all, c.out...)
}

// judgeRoot judges variables that are not set in the hook's place.
func (t Tree) judgeRoot(h discover.Hook) []Finding {
	text := h.Command + " " + strings.Join(h.Args, " ")
	inPlugin := h.PluginRoot != ""
	if f := judgeMisspeltRoot(h, text); f != nil {
		return f
	}
	switch {
	case h.DirOfPlugin() == "" && namesVariable(text, "CLAUDE_PLUGIN_ROOT"):
		return []Finding{FindingOf("wrong-root", h.ID, h.Source, "${CLAUDE_PLUGIN_ROOT} in settings that are no plugin's")}
	case h.NotStarted() != "":
		return []Finding{FindingOf("wrong-root", h.ID, h.Source, h.NotStarted())}
	case inPlugin && !asked().MatchString(text):
		return t.judgeOthersProject(h, text)
	}
	return nil
}

// judgeMisspeltRoot judges a variable at the beginning of a path that is nearly the client's, and that
// neither the client nor the settings nor the command set.
func judgeMisspeltRoot(h discover.Hook, text string) []Finding {
	if h.Client != "" {
		return nil
	}
	own := h.Variables()
	for _, m := range rootLike().FindAllStringSubmatch(text, -1) {
		name := m[1] + m[2]
		if _, set := own[name]; set || slices.Contains(givenRoots, name) || strings.HasPrefix(name, "CLAUDE_CODE_") || strings.Contains(text, name+"=") {
			continue
		}
		meant := "CLAUDE_PROJECT_DIR"
		if h.DirOfPlugin() != "" && !strings.Contains(strings.ToUpper(name), "PROJECT") {
			meant = "CLAUDE_PLUGIN_ROOT"
		}
		f := FindingOf("wrong-root", h.ID, h.Source, "$"+name+" is never set: the client sets "+meant)
		about, _ := client.EventByName(h.Event)
		f.Effect = cmp.Or(withoutScript(h, "it"), about.Fill("nothing is found: {proceeds} as if there were no hook"))
		if asked().MatchString(h.Command) {
			f.Severity, f.Effect = suites.Warning, "nothing is found there: what the command does instead of it counts"
		}
		f.Remedy = `write "$` + meant + `"`
		return []Finding{f}
	}
	return nil
}

var (
	// rootLike matches a path that begins with a variable whose name looks like that of a root.
	rootLike = pattern.Lazy(`\$(?:\{((?i:claude_?\w*(?:root|dir|path|proj|workspace|cwd|plugin|hook)\w*))\}|((?i:claude_?\w*(?:root|dir|path|proj|workspace|cwd|plugin|hook)\w*)))"?/`)

	// givenRoots are variables that the client sets, or users for it.
	givenRoots = append([]string{"CLAUDE_CONFIG_DIR"}, roots...)
)

// homes matches a path in the home directory of one user.
var homes = pattern.Lazy(`(?:/home/|/Users/|[A-Za-z]:[/\\]+Users[/\\]+)[\w.-]+[/\\]+([^\s"';|&)]+)`)

// judgeHomePath judges a path in one user's home directory in shared settings, because the hook does not
// start if the path does not exist.
func (t Tree) judgeHomePath(h discover.Hook) []Finding {
	shared := h.Scope == discover.InProject && !strings.HasSuffix(h.Source.File, ".local.json") || h.Scope == discover.InPlugin || h.Scope == discover.InHome
	at := homes().FindString(h.Command + " " + strings.Join(h.Args, " "))
	if at == "" || !shared || filepath.IsAbs(h.Source.File) || asked().MatchString(h.Command) {
		return nil
	}
	f := FindingOf("home-path", h.ID, h.Source, "the command names "+at)
	if !strings.HasPrefix(at, "/") || !exists(at) {
		f.What += ", which this machine does not have"
		if about, _ := client.EventByName(h.Event); about.Exit2 != suites.Ignored && about.Exit2 != suites.ShownToModel {
			f.Severity = suites.Error
		}
	}
	return []Finding{f}
}

// judgeOthersProject judges a hook of a plugin that names a script by the directory of the project that
// uses the plugin.
func (t Tree) judgeOthersProject(h discover.Hook, text string) []Finding {
	m := pluginPath().FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	what := "a plugin's hook names ${CLAUDE_PROJECT_DIR}/" + m[1] + ", which is in the project that uses the plugin"
	if exists(filepath.Join(h.PluginRoot, filepath.FromSlash(m[1]))) {
		return []Finding{FindingOf("wrong-root", h.ID, h.Source, what+"; the plugin has it")}
	}
	return []Finding{FindingOf("wrong-root", h.ID, h.Source, what, suites.Warning)}
}

// pluginPath matches a script that a command starts from the project.
var pluginPath = pattern.Lazy(`\$\{?CLAUDE_PROJECT_DIR\}?"?/([\w./-]+\.(?:sh|py|js|mjs|cjs|ts|rb|pl))\b`)

// namesVariable reports whether a variable is used without a default.
func namesVariable(text, name string) bool {
	return regexp.MustCompile(`\$(` + name + `\b|\{` + name + `\})`).MatchString(text)
}

// A commandReader judges the commands of a command line.
type commandReader struct {
	hook discover.Hook
	out  []Finding
}

func (c *commandReader) found(rule, what string, severity ...suites.Severity) {
	c.out = append(c.out, FindingOf(rule, c.hook.ID, c.hook.Source, what, severity...))
}

// call judges the words of a simple command.
func (c *commandReader) call(call *shell.Command) {
	program, script := started(call)
	for i, word := range call.Args {
		c.judgeUnquoted(word)
		if i == program || i == script {
			c.judgeLiteral(word)
			c.judgeRelative(word)
		}
	}
}

// started returns the indexes of the program that a command starts, behind wrappers, and of the
// script that it runs; 0 if it runs none.
func started(call *shell.Command) (program, script int) {
	words := make([]string, len(call.Args))
	for i, word := range call.Args {
		words[i] = word.Bare()
	}
	for len(words) > program {
		inner := shell.Inner(words[program:])
		if inner == 0 {
			break
		}
		program += inner
	}
	switch rest := words[program:]; {
	case len(rest) < 2:
	case rest[0] == "source", rest[0] == ".":
		return program, program + 1
	case shell.ProgramOf(rest[0]).RunsScripts():
		if at, inline := shell.Operand(rest); !inline {
			return program, program + at
		}
	}
	return program, 0
}

// judgeUnquoted judges a directory's variable that the shell splits at spaces.
func (c *commandReader) judgeUnquoted(word *shell.Word) {
	for _, part := range word.Parts {
		if part.Kind != shell.Expansion || part.Quote != 0 || !slices.Contains(roots, part.Parameter.Name) {
			continue
		}
		name := part.Parameter.Name
		severity := suites.Warning
		if dir := c.directory(name); strings.Contains(dir, " ") {
			severity = suites.Error
		}
		c.found("unquoted-path", "$"+name+" stands outside of quotes", severity)
		about, _ := client.EventByName(c.hook.Event)
		where, effect := "where the path holds a space", withoutScript(c.hook, "it")
		if severity == suites.Error {
			where, effect = "the path holds a space", cmp.Or(effect, about.Fill("nothing is found: {proceeds} as if there were no hook"))
		}
		if effect != "" {
			c.out[len(c.out)-1].Effect = where + ": " + effect
		}
		return
	}
}

// directory returns the directory that a variable names here; "" if it is not fixed.
func (c *commandReader) directory(variable string) string {
	switch {
	case variable == "CLAUDE_PROJECT_DIR" && !c.hook.Scope.Foreign():
		return c.hook.Start()
	case variable == "CLAUDE_PLUGIN_ROOT":
		return c.hook.DirOfPlugin()
	default:
		return ""
	}
}

// judgeLiteral judges quotes that prevent the expansion of a path.
func (c *commandReader) judgeLiteral(word *shell.Word) {
	if len(word.Parts) == 0 || word.Parts[0].Kind != shell.Literal || word.Parts[0].Quote == 0 {
		return
	}
	switch text := word.Parts[0].Text; {
	case word.Parts[0].Quote == '\'' && strings.HasPrefix(text, "$") && strings.Contains(text, "/") && !strings.ContainsAny(text, " ;|&"):
		c.found("variable-not-expanded", "'"+text+"' is taken as it stands")
	case strings.HasPrefix(text, "~/"):
		c.found("variable-not-expanded", "~ is not expanded in quotes")
	}
}

// judgeRelative judges a script that is named relative to the current directory.
func (c *commandReader) judgeRelative(word *shell.Word) {
	text := word.Bare()
	if text == "" || path.IsAbs(text) || !strings.Contains(text, "/") || strings.HasPrefix(text, "~") || strings.Contains(c.hook.Command, "cd ") {
		return
	}
	switch {
	case !slices.Contains(c.hook.Scripts, path.Clean(text)):
	case c.hook.Scope.Foreign():
		c.found("relative-path", text+" is named from the current directory, which is another project's", suites.Error)
	default:
		c.found("relative-path", text+" is named from the current directory")
	}
}

// judgeContents judges the text of the scripts that hooks run.
func (t Tree) judgeContents() (all []Finding) {
	var seen []string
	for _, h := range t.hooks() {
		for _, s := range h.Scripts {
			if slices.Contains(seen, s) || !isCode(s) {
				continue
			}
			seen = append(seen, s)
			for _, f := range append(judgeText(h, s, t.read(s)), t.judgeMisspelt(h, s)...) {
				all = append(all, f.forEvent(h.Event))
			}
		}
	}
	return all
}

// judgeMisspelt judges variables that a shell script reads under a name that nothing sets.
func (t Tree) judgeMisspelt(h discover.Hook, name string) (all []Finding) {
	if !strings.HasSuffix(name, ".sh") {
		return nil
	}
	var others []string
	for _, s := range h.Scripts {
		if s != name && strings.HasSuffix(s, ".sh") {
			others = append(others, t.read(s))
		}
	}
	code := t.read(name)
	for _, m := range Misspellings(code, others...) {
		f := FindingOf("unset-variable", h.ID, place(name, code, m.At), fmt.Sprintf("%s reads %s, which nothing sets; it sets %s", name, m.Name, m.Meant), suites.Warning)
		f.Effect, f.Remedy = "it is empty, unless the environment happens to have it", "read "+m.Meant
		all = append(all, f)
	}
	return all
}

func isCode(s string) bool {
	return !slices.Contains([]string{".json", ".md", ".yaml", ".yml", ".toml", ".txt"}, path.Ext(s))
}

func judgeText(h discover.Hook, name, text string) (all []Finding) {
	hook := h.ID
	code := withoutComments(text)
	for _, v := range Variables(code, strings.HasSuffix(name, ".sh")) {
		all = append(all, FindingOf("unset-variable", hook, place(name, code, v.At), name+" reads "+v.Name+", which is never set", suites.Warning))
	}
	all = append(all, judgeBash(hook, name, text)...)
	if !strings.HasSuffix(name, ".sh") {
		return all
	}
	if strings.Contains(code, "claude") {
		if at := startsClient().FindStringIndex(code); at != nil {
			all = append(all, FindingOf("starts-client", hook, place(name, code, at[0]), name+" runs claude"))
		}
	}
	return append(all, judgePortability(hook, name, code)...)
}

// judgePortability judges the first construct of a shell script that some systems do not support. It
// skips scripts that query the system, and lines that try another form next.
func judgePortability(hook, name, code string) []Finding {
	if asksSystem().MatchString(code) {
		return nil
	}
	for _, at := range systems().FindAllStringIndex(code, -1) {
		use := strings.Trim(code[at[0]:at[1]], "\n ;&|(")
		program, options, _ := strings.Cut(use, " ")
		line := lineAt(code, at[0])
		if strings.Contains(line, "||") && strings.Count(line, program+" ") > 1 {
			continue
		}
		f := FindingOf("not-portable", hook, place(name, code, at[0]), name+" uses "+strings.TrimRight(use, `'" `))
		switch {
		case program != "sed":
		case emptySuffix().MatchString(options):
			f.What = name + " uses sed -i '', which is the form of macOS"
			f.Effect = "GNU sed takes '' for its script and the script for a file: on Linux it fails, and the call proceeds"
			f.Remedy = "write sed -i.bak, and remove the backup"
		default:
			f.What = name + " uses sed -i without a suffix"
			f.Effect = "on macOS sed takes what follows for the suffix: it fails, or leaves a backup, and the call proceeds"
			f.Remedy = "write sed -i.bak, and remove the backup"
		}
		return []Finding{f}
	}
	return nil
}

var (
	// systems matches options and programs that only GNU has, and sed -i in either form.
	systems = pattern.Lazy(`(?m)\bgrep\s+-[a-zA-Z]*P|\bsed\s+(?:-[a-zA-Z]+\s+)*-i\s+(?:''|""|-[a-zA-Z]|['"s])|\bdate\s+(?:-d|--date)|(?:^|[;&|]|[^(]\()\s*(?:timeout\s+(?:-[a-zA-Z-]|[\d"$])|(?:flock|tac)\s)`)

	emptySuffix = pattern.Lazy(`-i\s+(?:''|"")$`)
	asksSystem  = pattern.Lazy(`(?i)\bOSTYPE\b|\buname\b|\bdarwin\b|\bBASH_VERS`)
)

// lineAt returns the line of a text at an offset.
func lineAt(text string, at int) string {
	line, _, _ := strings.Cut(text[at:], "\n")
	return text[strings.LastIndexByte(text[:at], '\n')+1:at] + line
}

// startsClient matches a shell's call of the client.
var startsClient = pattern.Lazy(`(?m)(^|[;&|(]|\$\()\s*(exec |timeout \d+\w? |nohup )*claude\s+(-p|--print)\b`)

func place(name, text string, at int) suites.Position {
	line := strings.Count(text[:at], "\n") + 1
	return suites.Position{File: name, Line: line, Column: at - strings.LastIndexByte(text[:at], '\n')}
}
