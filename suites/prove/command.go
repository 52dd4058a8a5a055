package prove

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/catalog"
	"hookwatch/suites/check"
	"hookwatch/suites/discover"
	"hookwatch/suites/shell"
)

// A command is the text of a shell command with its calls, as far as they can be rewritten.
type command struct {
	text    string
	calls   []call
	targets []word // of its redirections
}

// A call is one call in the text whose words are known without running anything.
type call struct {
	start, end int // of its words, in the text
	words      []word
}

// A word is one word of a call as it is written, and its value. A value still has a leading tilde.
type word struct {
	source, value string
	role          role
	plain         bool // written without quotes and expansions
}

// A role is the function of a word in a call.
type role int

// The roles of words.
const (
	program role = iota
	global       // an option before the subcommand, or its value
	sub
	longOption
	shortOption
	value // of the option before it
	end   // two dashes
	operand
)

// parsed returns the command with all calls of programs that could be the subject of a guard.
func parsed(text string) (*command, error) {
	script, err := shell.Read(text)
	if err != nil {
		return nil, err
	}
	c := &command{text: text}
	for _, s := range script.Commands {
		if found, ok := c.call(s.Args); ok {
			c.calls = append(c.calls, found)
		}
	}
	for _, r := range script.Redirects {
		if name, ok := c.value(r.Word); ok && r.Here == nil {
			c.targets = append(c.targets, word{value: name})
		}
	}
	return c, nil
}

// scenery are programs that only lead to the ones that guards look for.
var scenery = []string{"echo", "printf", "true", ":", "cd", "wait", "set", "export", "shopt", "test", "[", "rev", "base64"}

func (c *command) call(args []*shell.Word) (call, bool) {
	if len(args) == 0 {
		return call{}, false
	}
	found := call{start: args[0].Start, end: args[len(args)-1].End}
	for _, w := range args {
		text, ok := c.value(w)
		if !ok {
			return call{}, false
		}
		source := c.text[w.Start:w.End]
		found.words = append(found.words, word{source: source, value: text, plain: source == text && !strings.ContainsAny(text, "~*?[{")})
	}
	if name := found.words[0].value; name == "" || slices.Contains(scenery, name) {
		return call{}, false
	}
	found.assign()
	return found, true
}

// value returns the value of a word without expansions; a tilde, a glob, $HOME and $PWD stay as
// they are written.
func (c *command) value(w *shell.Word) (value string, ok bool) {
	for _, p := range w.Parts {
		switch {
		case p.Kind == shell.Literal && p.Quote == 0:
			value += strings.ReplaceAll(p.Text, `\`, "")
		case p.Kind == shell.Literal && c.text[p.Start] != '$':
			value += p.Text
		case p.Kind == shell.Expansion && p.Quote == 0 && p.Parameter.Op == "" && slices.Contains([]string{"HOME", "PWD"}, p.Parameter.Variable()):
			value += "$" + p.Parameter.Name
		default:
			return "", false
		}
	}
	return value, true
}

// assign finds the roles of the words.
func (c *call) assign() {
	values := c.values()
	at := 1
	if _, i, _ := subcommand(c.name(), values[1:]); i >= 0 {
		for j := 1; j <= i; j++ {
			c.words[j].role = global
		}
		c.words[i+1].role, at = sub, i+2
	}
	g, known := c.grammar()
	after := false
	for i := at; i < len(c.words); i++ {
		w := &c.words[i]
		switch v := w.value; {
		case after || !known:
			w.role = operand
		case v == "--":
			w.role, after = end, true
		case strings.HasPrefix(v, "--"):
			w.role = longOption
			if l := g.long[v[2:]]; l != "" && strings.Contains(g.valued, l) && i+1 < len(c.words) {
				i++
				c.words[i].role = value
			}
		case len(v) > 1 && v[0] == '-':
			w.role = shortOption
			if strings.Contains(g.valued, v[len(v)-1:]) && g.valued != "" && i+1 < len(c.words) {
				i++
				c.words[i].role = value
			}
		default:
			w.role = operand
		}
	}
}

func (c *call) name() string { return path.Base(c.words[0].value) }

func (c *call) values() (all []string) {
	for _, w := range c.words {
		all = append(all, w.value)
	}
	return all
}

func (c *call) grammar() (grammar, bool) {
	s := splitCall(c.values())
	return s.grammar, s.known
}

// with returns the text with other words for a call.
func (c *command) with(of call, words []word) string {
	sources := make([]string, len(words))
	for i, w := range words {
		sources[i] = w.source
	}
	return c.text[:of.start] + strings.Join(sources, " ") + c.text[of.end:]
}

// replaced returns the text with another source for one word of a call.
func (c *command) replaced(of call, at int, sources ...string) string {
	words := slices.Clone(of.words[:at])
	for _, s := range sources {
		words = append(words, word{source: s})
	}
	return c.with(of, append(words, of.words[at+1:]...))
}

// fused returns the text with one source for two words of a call: the one at an index and the next.
func (c *command) fused(of call, at int, source string) string {
	words := slices.Delete(slices.Clone(of.words), at+1, at+2)
	words[at].source = source
	return c.with(of, words)
}

// roles returns the indices of the words with one of the roles.
func (c *call) roles(of ...role) (at []int) {
	for i, w := range c.words {
		if slices.Contains(of, w.role) {
			at = append(at, i)
		}
	}
	return at
}

// A Call is one call of a program as a recording stand-in saw it.
type Call struct {
	Dir  string // working directory
	Args []string
}

// String returns the call as it could be typed.
func (c Call) String() string {
	words := make([]string, len(c.Args))
	for i, a := range c.Args {
		if words[i] = a; a == "" || strings.ContainsAny(a, " \t\n'\"$`\\*?[]{}()<>|&;!#~") {
			words[i] = shell.Quote(a)
		}
	}
	return strings.Join(words, " ")
}

// canonical returns a text that is equal for calls which do the same: the same program, options in
// any order and spelling, and the same operands. Paths are those of the call's directory.
func (c Call) canonical() string {
	s := splitCall(c.Args)
	dir, _, settings := subcommand(path.Base(c.Args[0]), s.global)
	at := joined(c.Dir, cmp.Or(dir, "."))
	if !s.known {
		return strings.Join(slices.Concat([]string{at, s.program}, settings, s.operands), "\x00")
	}
	operands := slices.Clone(s.operands)
	switch s.program {
	case "git branch": // -D is -d with force
		s.options = expand(s.options, "D", "d", "f")
	case "git push":
		operands = s.refspecs(operands)
	case "rm":
		s.options = expand(s.options, "R", "r")
	case "chmod", "chown": // the first operand is a mode or an owner
		for i := 1; i < len(operands); i++ {
			operands[i] = joined(c.Dir, operands[i])
		}
	}
	for i := range operands {
		if s.paths {
			operands[i] = joined(at, operands[i])
		}
	}
	var options []string
	for _, o := range s.options {
		if !strings.Contains(s.quiet, o.name) || o.name == "" {
			text := o.name
			if o.hasValue {
				text += "=" + o.value
			}
			options = append(options, text)
		}
	}
	slices.Sort(options)
	options = slices.Compact(options)
	if s.paths && s.program != "git add" { // the directory matters only for relative paths
		at = ""
	}
	return strings.Join(slices.Concat([]string{at, s.program}, settings, options, []string{"\x01"}, operands), "\x00")
}

// expand replaces an option by others.
func expand(options []option, name string, by ...string) (out []option) {
	for _, o := range options {
		if o.name != name {
			out = append(out, o)
			continue
		}
		for _, b := range by {
			out = append(out, option{name: b})
		}
	}
	return out
}

func (s *split) has(name string) bool {
	return slices.ContainsFunc(s.options, func(o option) bool { return o.name == name })
}

// refspecs returns the operands of git push without the marks that options express as well: a plus
// sign forces, an empty source deletes, and a source with the name of its destination is usual.
func (s *split) refspecs(operands []string) []string {
	for i := 1; i < len(operands); i++ {
		ref, forced := strings.CutPrefix(operands[i], "+")
		source, to, both := strings.Cut(ref, ":")
		short := func(name string) string { return strings.TrimPrefix(name, "refs/heads/") }
		switch {
		case both && source == "":
			s.options, ref = append(s.options, option{name: "d"}), short(to)
		case both && short(source) == short(to) && !s.has("d"): // git deletes no such pair
			ref = short(to)
		case !both:
			ref = short(ref)
		}
		if forced && len(operands) == 2 { // with several, it forces only this one
			s.options = append(s.options, option{name: "f"})
		} else if forced {
			ref = "+" + ref
		}
		operands[i] = ref
	}
	return operands
}

// Case returns the finding as a case of a suite, a flow mapping of YAML in one line: a bypass must
// be stopped, a false block must pass. control is the ID of the case of Control.
func (f Finding) Case(h discover.Hook, registered, id, control string) string {
	head := caseHead(id, string(f.What), h, registered)
	switch f.What {
	case Injection:
		file := "{tmp}/hookwatch-executed"
		var value any = fmt.Sprintf(f.Value, file)
		for _, key := range slices.Backward(f.Field) {
			value = map[string]any{key: value}
		}
		return head + fmt.Sprintf(", tool: %s, payload: %s, expect: {files: [{path: %s, absent: true}]}}", inJSON(f.Input.Tool), inJSON(value), inJSON(file))
	case Choke:
		return ""
	case FalseBlock:
		return head + inputKeys(f.Input) + fmt.Sprintf(", control: %s, expect: {effect: proceeds}}", control)
	default:
		return head + inputKeys(f.Input) + fmt.Sprintf(", expect: {effect: %s}}", f.Of)
	}
}

// Control returns the case of the input that the finding started from, which must stay stopped.
func (f Finding) Control(h discover.Hook, registered, id string) string {
	return caseHead(id, "stopped", h, registered) + inputKeys(f.From) + fmt.Sprintf(", expect: {effect: %s}}", f.Of)
}

func caseHead(id, category string, h discover.Hook, registered string) string {
	return fmt.Sprintf("{id: %s, name: %s_%s, category: %s, registered: %s, event: %s", id, category, strings.ToLower(id), category, inJSON(registered), h.Event)
}

// inputKeys returns the keys of a case that give the input.
func inputKeys(in check.Input) string {
	switch {
	case in.Command != "":
		return fmt.Sprintf(", tool: %s, command: %s", inJSON(in.Tool), inJSON(in.Command))
	case in.File != "":
		file := in.File
		if !path.IsAbs(file) {
			file = "{project}/" + file
		}
		return fmt.Sprintf(", tool: %s, file_path: %s", inJSON(in.Tool), inJSON(file))
	default:
		return ", payload: {prompt: " + inJSON(in.Prompt) + "}"
	}
}

// inJSON returns a value in JSON, which YAML includes.
func inJSON(value any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // strings and maps of strings always encode
	return strings.TrimSpace(b.String())
}

// Append returns the lines by which a suite file gets cases for the findings, each with its
// control. Existing is the file's text; the lines start it if it is empty, and must be appended to
// it otherwise. Inputs that it has already are left out. Count is the number of cases.
func Append(existing, name string, guards []Guard, registered func(discover.Hook) string) (lines string, count int, err error) {
	var b strings.Builder
	indent, start, err := catalog.Continue(existing)
	if err != nil {
		return "", 0, err
	}
	if b.WriteString(start); existing == "" {
		b.WriteString("# Inputs that hookwatch prove found: what a guard must stop as well, and what it must let through.\n")
		fmt.Fprintf(&b, "suite: %s\ncases:\n", name)
	}
	next := catalog.Next(existing, "PV")
	put := func(c func(id string) string) string {
		id := fmt.Sprintf("PV%03d", next)
		line := c(id)
		if line == "" {
			return ""
		}
		_, input, _ := strings.Cut(line, "registered:")
		if before, _, found := strings.Cut(existing+b.String(), input); found {
			all := usedID.FindAllStringSubmatch(before, -1)
			return "PV" + all[len(all)-1][1]
		}
		fmt.Fprintf(&b, "%s- %s\n", indent, line)
		next++
		count++
		return id
	}
	for _, g := range guards {
		controls := map[check.Input]string{}
		for _, f := range g.Findings {
			if _, known := controls[f.From]; !known && f.What != Injection {
				controls[f.From] = put(func(id string) string { return f.Control(g.Hook, registered(g.Hook), id) })
			}
			put(func(id string) string { return f.Case(g.Hook, registered(g.Hook), id, controls[f.From]) })
		}
	}
	if count == 0 {
		return "", 0, nil
	}
	return b.String(), count, nil
}

var usedID = regexp.MustCompile(`\bid: "?PV(\d+)`)

// Severity returns how serious a finding is.
func (f Finding) Severity() suites.Severity {
	switch {
	case f.What == Injection:
		return suites.Error
	case f.What == Bypass && f.Kind == Habit:
		return suites.Warning
	default:
		return suites.Info
	}
}
