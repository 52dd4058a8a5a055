package discover

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"hookwatch/suites/client"
	"hookwatch/suites/shell"
)

// A Ruling is what the permission rules of a project decide about a call. The zero value is that none
// applies.
type Ruling struct {
	client.PermissionRule
	// Denies reports that the call does not run: in the mode dontAsk the user is not asked.
	Denies bool
	// First reports that the client refuses the call before it fires a hook.
	First bool
}

// Applies reports whether a rule applies.
func (r Ruling) Applies() bool { return r.Text != "" }

// Rule returns what the permission rules decide about the call in a payload of PreToolUse: one that
// denies it, or else one that asks about it. tool replaces the name in the payload unless it is "".
// Which calls a rule applies to was observed on client 2.1.332.
func (r Registered) Rule(tool string, payload []byte) Ruling {
	var c call
	if json.Unmarshal(payload, &c) != nil || !c.isReadable() {
		return Ruling{}
	}
	c.Tool = cmp.Or(tool, c.Tool)
	for _, rule := range r.Rules {
		if takes, first := c.isRuledBy(ReadCondition(rule.Text), true); takes && rule.List == "deny" {
			return Ruling{rule, true, first}
		}
	}
	for _, rule := range r.Rules {
		if takes, _ := c.isRuledBy(ReadCondition(rule.Text), false); takes && rule.List == "ask" {
			return Ruling{rule, c.Mode == "dontAsk", false}
		}
	}
	return Ruling{}
}

// isRuledBy reports whether a permission rule applies to a call, and whether the client knows that before
// it fires hooks. A rule that denies reading a file also denies to edit it, and both the commands that do it.
func (c call) isRuledBy(rule Condition, denies bool) (takes, first bool) {
	about := client.ToolByName(c.Tool)
	command, own := about.Kind == client.RunsCommand, rule.Tool == c.Tool
	covers := slices.Contains(pathRules[about.Kind], rule.Tool)
	if rule.Tool == "Read" && denies {
		covers = about.Path != ""
	}
	switch {
	case rule.Text == "":
		takes = namesTool(rule.Tool, c.Tool) || rule.Tool == "Read" && covers
		return takes, takes
	case own && command:
		return rulesCommand(c.textOf("command"), rule.Text), false
	case own && c.Tool == "Agent":
		return c.textOf("subagent_type") == rule.Text, false
	case command && denies:
		return c.usesFile(rule), false
	case covers:
		takes = c.isFile(c.textOf(about.Path), rule.Text)
		return takes, takes
	default:
		return false, false
	}
}

// pathRules are the tools whose rules with a path apply to a kind of tools.
var pathRules = map[client.ToolKind][]string{client.ReadsFiles: {"Read"}, client.EditsFile: {"Edit"}, client.CreatesFile: {"Edit"}}

// namesTool reports whether the tool of a rule, which may have stars, or the MCP server that it names, is that
// of a call.
func namesTool(rule, tool string) bool {
	server, _, _ := strings.Cut(strings.TrimPrefix(tool, "mcp__"), "__")
	return compileWildcard(rule).MatchString(tool) || rule == "mcp__"+server
}

// rulesCommand reports whether a rule applies to one of the commands of a text, in substitutions and
// functions too, without assignments and wrappers before it and by the name of its program.
func rulesCommand(text, rule string) bool {
	matches := commandRule(strings.Join(strings.Fields(rule), " "))
	return slices.ContainsFunc(simpleCommands(text), func(c simpleCommand) bool {
		return matches.MatchString(strings.Join(c.words, " "))
	})
}

// A simpleCommand is one of the commands of a text, as permission rules see it.
type simpleCommand struct {
	words []string
	into  []string // files that it is redirected to
	from  []string // files that it is redirected from
}

// wrappers are the programs that permission rules skip with their options; observed on client 2.1.332.
var wrappers = []string{
	"builtin", "command", "doas", "env", "exec", "ionice", "nice", "nohup", "setsid", "stdbuf", "strace", "sudo", "time", "timeout", "watch", "xargs",
}

// simpleCommands returns the commands of a text, each as it is and without each wrapper before it. A
// text that does not parse is one command.
func simpleCommands(text string) (all []simpleCommand) {
	script, err := shell.Read(text)
	if err != nil {
		return []simpleCommand{{words: strings.Fields(text)}}
	}
	for _, c := range script.Commands {
		one := simpleCommand{}
		for _, to := range c.Redirects {
			if file := plainText(text, to.Word); strings.HasPrefix(to.Op, "<") {
				one.from = append(one.from, file)
			} else {
				one.into = append(one.into, file)
			}
		}
		for _, arg := range c.Args {
			if word := plainText(text, arg); word != "" {
				one.words = append(one.words, word)
			}
		}
		all = append(all, one)
		for len(one.words) > 0 {
			one.words = slices.Clone(one.words)
			one.words[0] = path.Base(one.words[0])
			all = append(all, one)
			if !slices.Contains(wrappers, one.words[0]) || strings.HasPrefix(strings.Join(one.words, " "), "command -v ") {
				break
			}
			wrapper := one.words[0]
			if one.words = one.words[max(1, shell.Inner(one.words)):]; wrapper == "xargs" {
				one.words = append(one.words, "\x00") // what it reads
			}
		}
	}
	return all
}

// plainText returns a word as permission rules see it: without quotes and substitutions.
func plainText(text string, w *shell.Word) string {
	if w == nil {
		return ""
	}
	var b strings.Builder
	for _, p := range w.Parts {
		switch {
		case p.Kind == shell.Substitution:
		case p.Kind != shell.Literal:
			b.WriteString(text[p.Start:p.End])
		case p.Quote == 0:
			b.WriteString(strings.ReplaceAll(p.Text, `\`, ""))
		default:
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// Programs whose operands are files that they read, and that they change, without wrappers before them; of
// programs with a pattern, the first operand is none. Observed on client 2.1.332.
var (
	readers = strings.Fields(`awk base64 cat cmp column comm cp cut diff expand file find fmt fold grep head hexdump jq ls md5sum nl od
		paste pr rev sed sha256sum sort stat strings tac tail uniq wc`)
	writers  = strings.Fields("cp mkdir mv rm rmdir tee touch")
	patterns = strings.Fields("awk grep jq sed")
)

// usesFile reports whether a command uses a file in the way that a rule for Read or Edit is about.
func (c call) usesFile(rule Condition) bool {
	for _, one := range simpleCommands(c.textOf("command")) {
		files := map[string][]string{"Read": one.from, "Edit": one.into}[rule.Tool]
		files = append(slices.Clone(files), operands(one.words, rule.Tool)...)
		if slices.ContainsFunc(files, func(file string) bool { return file != "" && c.isFile(file, rule.Text) }) {
			return true
		}
	}
	return false
}

// operands returns the files among the words of a command that it uses in the way of a tool.
func operands(words []string, tool string) (all []string) {
	programs, hasPaths := map[string][]string{"Read": readers, "Edit": writers}[tool]
	if len(words) == 0 || !hasPaths {
		return nil
	}
	if slices.Contains(words, "-i") {
		programs = append(slices.Clone(programs), "sed")
	}
	if !slices.Contains(programs, words[0]) {
		return nil
	}
	all = slices.DeleteFunc(slices.Clone(words[1:]), func(word string) bool { return strings.HasPrefix(word, "-") })
	switch {
	case len(all) == 0:
	case slices.Contains(patterns, words[0]):
		all = all[1:]
	case words[0] == "cp" && tool == "Read": // the last is written
		all = all[:len(all)-1]
	}
	return all
}
