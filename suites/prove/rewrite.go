// Package prove searches for inputs that a guard should treat otherwise than it does: commands that
// do what a stopped one does and are let through, and commands that are stopped although they only
// mention one. What a command does is decided by running it in a sandbox, never by its text.
package prove

import (
	_ "embed"
	"encoding/base64"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites/shell"
)

// A Kind ranks rewrites, the most habitual first.
type Kind int

// The kinds of rewrites.
const (
	Habit Kind = iota
	Quoting
	Wrapping
	Obfuscation
	kinds
)

var kindNames = []string{"habit", "quoting", "wrapping", "obfuscation"}

func (k Kind) String() string { return kindNames[k] }

// MarshalText returns the kind's name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// A Rewrite is one text that may do the same as another.
type Rewrite struct {
	Kind Kind
	Rule string // with the number of the variant, such as "prefix/3"
	Text string
}

// A rule returns variants of a command.
type rule struct {
	name    string
	kind    Kind
	rewrite func(*command) []string
}

var rules = []rule{
	{"option-order", Habit, eachCall(optionOrder)},
	{"option-form", Habit, eachCall(optionForm)},
	{"global-option", Habit, eachCall(globalOption)},
	{"refspec", Habit, eachCall(refspec)},
	{"path", Habit, eachCall(pathForm)},
	{"sequence", Habit, sequence},
	{"prefix", Habit, eachCall(prefix)},
	{"spacing", Habit, eachCall(spacing)},
	{"program-path", Habit, eachCall(programPath)},
	{"reader", Habit, eachCall(reader)},
	{"redirect", Habit, downloads},
	{"quotes", Quoting, eachCall(quotes)},
	{"variable", Quoting, eachCall(variable)},
	{"glob", Quoting, eachCall(glob)},
	{"shell", Wrapping, inShell},
	{"encoded", Obfuscation, encoded},
	{"escaped-letters", Obfuscation, eachCall(escapedLetters)},
}

// forms are the rewrites that put a text into another, by their kind.
var forms = sync.OnceValue(func() (all map[string][]string) {
	if err := yaml.Unmarshal(formsFile, &all); err != nil {
		panic(err) // the file is a part of the program
	}
	return all
})

//go:embed forms.yaml
var formsFile []byte

// filled returns the forms of a kind with a text.
func filled(kind, text string) (all []string) {
	for _, form := range forms()[kind] {
		all = append(all, fmt.Sprintf(form, text))
	}
	return all
}

// Rewrites returns the variants of a command, the most habitual first, each text once. Every text
// parses. Whether one does the same is for its execution to show.
func Rewrites(text string) ([]Rewrite, error) {
	c, err := parsed(text)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{text: true}
	var out []Rewrite
	for _, r := range rules {
		for i, t := range r.rewrite(c) {
			if seen[t] {
				continue
			}
			seen[t] = true
			if _, err := shell.Parse(t); err != nil {
				continue // the command has a form that the rule does not expect
			}
			out = append(out, Rewrite{r.kind, fmt.Sprintf("%s/%d", r.name, i), t})
		}
	}
	slices.SortStableFunc(out, func(a, b Rewrite) int { return int(a.Kind - b.Kind) })
	return out, nil
}

// eachCall applies a rule to every call of a command.
func eachCall(of func(*command, call) []string) func(*command) []string {
	return func(c *command) (all []string) {
		for _, call := range c.calls {
			all = append(all, of(c, call)...)
		}
		return all
	}
}

// optionOrder moves options behind and before the operands, and reverses them.
func optionOrder(c *command, of call) (all []string) {
	var head, options, operands []word
	var groups [][]word
	for i, w := range of.words {
		switch w.role {
		case program, global, sub:
			head = append(head, w)
		case longOption, shortOption:
			groups = append(groups, of.words[i:i+1])
		case value:
			last := len(groups) - 1
			groups[last] = of.words[i-1 : i+1]
		case end:
			return nil
		case operand:
			operands = append(operands, w)
		}
	}
	if _, known := of.grammar(); !known || len(groups) == 0 {
		return nil
	}
	options = slices.Concat(groups...)
	all = append(all, c.with(of, slices.Concat(head, operands, options)), c.with(of, slices.Concat(head, options, operands)))
	if len(operands) > 1 {
		all = append(all, c.with(of, slices.Concat(head, operands[:1], options, operands[1:])))
	}
	if len(groups) > 1 {
		slices.Reverse(groups)
		all = append(all, c.with(of, slices.Concat(head, slices.Concat(groups...), operands)), c.with(of, slices.Concat(head, groups[0], operands, slices.Concat(groups[1:]...))))
	}
	return all
}

// optionForm writes options short, long, apart and together, and with options that change nothing.
func optionForm(c *command, of call) (all []string) {
	g, known := of.grammar()
	if !known {
		return nil
	}
	long := map[string]string{}
	for name, letter := range g.long {
		if letter != "" && (long[letter] == "" || name < long[letter]) {
			long[letter] = name
		}
	}
	for i, w := range of.words {
		switch w.role {
		case longOption:
			name, text, has := strings.Cut(w.value[2:], "=")
			letter := g.long[name]
			if letter == "" {
				continue
			}
			if has {
				all = append(all, c.replaced(of, i, "-"+letter, shell.Quote(text)))
				continue
			}
			all = append(all, c.replaced(of, i, "-"+letter))
			if strings.Contains(g.valued, letter) {
				continue
			}
			for _, q := range g.quiet {
				all = append(all, c.replaced(of, i, "-"+string(q)+letter), c.replaced(of, i, "-"+string(q), w.source))
			}
		case shortOption:
			all = append(all, shortForms(c, of, g, long, i)...)
		}
	}
	if together, ok := gathered(of, g); ok {
		all = append(all, c.with(of, together))
	}
	if at := of.roles(operand); g.paths && len(at) > 0 && len(of.roles(end)) == 0 && at[0] > of.lastOption() {
		all = append(all, c.replaced(of, at[0], "--", of.words[at[0]].source))
	}
	return all
}

func (c *call) lastOption() int {
	at := c.roles(longOption, shortOption, value)
	if len(at) == 0 {
		return 0
	}
	return at[len(at)-1]
}

// shortForms returns other forms of a word with one-letter options.
func shortForms(c *command, of call, g grammar, long map[string]string, i int) (all []string) {
	letters := of.words[i].value[1:]
	if strings.ContainsFunc(letters, func(r rune) bool { return strings.ContainsRune(g.valued, r) }) {
		if name := long[letters]; len(letters) == 1 && name != "" && i+1 < len(of.words) && of.words[i+1].role == value {
			text := of.words[i+1].source
			all = append(all, c.fused(of, i, "--"+name+"="+text), c.fused(of, i, of.words[i].source+text))
		}
		return all
	}
	var apart, named []string
	reversed := "-"
	for _, l := range letters {
		apart = append(apart, "-"+string(l))
		reversed = "-" + string(l) + reversed[1:]
		if name := long[string(l)]; name != "" {
			named = append(named, "--"+name)
		} else {
			named = append(named, "-"+string(l))
		}
	}
	if len(letters) > 1 {
		all = append(all, c.replaced(of, i, apart...), c.replaced(of, i, reversed))
		slices.Reverse(apart)
		all = append(all, c.replaced(of, i, apart...))
	}
	all = append(all, c.replaced(of, i, named...))
	if name := of.name(); name == "rm" && strings.Contains(letters, "r") {
		all = append(all, c.replaced(of, i, "-"+strings.ReplaceAll(letters, "r", "R")), c.replaced(of, i, strings.ReplaceAll(reversed, "r", "R")))
	}
	if letters == "D" && splitCall(of.values()).program == "git branch" {
		all = append(all, c.replaced(of, i, "-d", "-f"), c.replaced(of, i, "-df"), c.replaced(of, i, "--delete", "--force"))
	}
	for _, q := range g.quiet {
		all = append(all, c.replaced(of, i, "-"+string(q)+letters), c.replaced(of, i, "-"+letters+string(q)), c.replaced(of, i, "-"+string(q), of.words[i].source))
	}
	return all
}

// gathered returns the words with all one-letter options in one.
func gathered(of call, g grammar) (words []word, ok bool) {
	letters, first, n := "", -1, 0
	for _, w := range of.words {
		letter := ""
		switch {
		case w.role == longOption:
			letter = g.long[strings.TrimPrefix(w.value, "--")]
		case w.role == shortOption:
			letter = w.value[1:]
		}
		if letter == "" || strings.ContainsAny(letter, g.valued) && g.valued != "" {
			words = append(words, w)
			continue
		}
		if n++; first < 0 {
			first = len(words)
			words = append(words, word{})
		}
		letters += letter
	}
	if n < 2 {
		return nil, false
	}
	words[first].source = "-" + letters
	return words, true
}

// globalOption puts options of git before its subcommand.
func globalOption(c *command, of call) (all []string) {
	if of.name() != "git" {
		return nil
	}
	for _, o := range forms()["git"] {
		all = append(all, c.replaced(of, 0, of.words[0].source, o))
	}
	return all
}

// refspec forces, deletes and names a branch in the refspec of git push.
func refspec(c *command, of call) (all []string) {
	s := splitCall(of.values())
	at := of.roles(operand)
	if s.program != "git push" || len(at) != 2 {
		return nil
	}
	ref := of.words[at[1]].value
	if !of.words[at[1]].plain || strings.ContainsAny(ref, "+:") || ref == "HEAD" {
		return nil
	}
	for i, r := range []string{"refs/heads/" + ref, ref + ":" + ref, "refs/heads/" + ref + ":refs/heads/" + ref} {
		if i > 0 && s.has("d") {
			break
		}
		all = append(all, c.replaced(of, at[1], r))
	}
	for _, o := range []struct{ letter, long, mark string }{{"f", "--force", "+"}, {"d", "--delete", ":"}} {
		for i, w := range of.words {
			if w.value != "-"+o.letter && w.value != o.long {
				continue
			}
			words := slices.Clone(of.words)
			words[at[1]].source = o.mark + ref
			all = append(all, c.with(of, slices.Delete(words, i, i+1)))
			if o.mark == "+" {
				words = slices.Clone(of.words)
				words[at[1]].source = "+refs/heads/" + ref
				all = append(all, c.with(of, slices.Delete(words, i, i+1)))
			}
		}
	}
	return all
}

// takesPaths are programs without a grammar here whose operands are paths.
var takesPaths = []string{"cat", "head", "tail", "less", "more", "cp", "mv", "ln", "touch", "tee", "truncate", "grep", "rm", "source", ".", "ls", "nano", "vim"}

// pathForm writes paths in other ways.
func pathForm(c *command, of call) (all []string) {
	g, _ := of.grammar()
	if !g.paths && !slices.Contains(takesPaths, of.name()) {
		return nil
	}
	for _, i := range of.roles(operand) {
		w := of.words[i]
		if strings.HasPrefix(w.value, "-") || w.source == "" {
			continue
		}
		for _, form := range pathForms(w.source, of.name() == "rm") {
			all = append(all, c.replaced(of, i, form))
		}
		if dir, base := path.Split(w.source); dir != "" && base != "" && len(of.roles(operand)) == 1 && !strings.ContainsAny(w.source, `"'`) {
			all = append(all, "cd "+strings.TrimSuffix(dir, "/")+" && "+c.replaced(of, i, base))
		}
	}
	return all
}

// pathForms returns other ways to write a path.
func pathForms(source string, directory bool) (all []string) {
	switch rest, home := strings.CutPrefix(source, "~"); {
	case home && rest == "":
		all = []string{"~/", "$HOME", `"$HOME"`, "${HOME}"}
	case home && rest[0] == '/':
		all = []string{"$HOME" + rest, `"$HOME"` + rest, "${HOME}" + rest, "~/" + rest, "~/." + rest}
	case home:
		return nil
	case source == "/":
		return []string{"//", "/./"}
	case source == ".":
		return []string{"./", `"$PWD"`, "$PWD", "././"}
	case source[0] == '/':
		all = []string{"/" + source, "/." + source, "/tmp/.." + source}
	case source[0] != '$' && source[0] != '"' && source[0] != '\'':
		all = []string{"./" + source, ".//" + source, `"$PWD"/` + source, "$PWD/" + source, "././" + source}
		if rest, dotted := strings.CutPrefix(source, "./"); dotted {
			all = append(all, rest)
		}
	}
	if directory && !strings.HasSuffix(source, "/") && !strings.HasSuffix(source, "*") {
		all = append(all, source+"/")
	}
	return all
}

// sequence puts the command between others.
func sequence(c *command) []string { return filled("sequence", c.text) }

// prefix puts programs that start others before a call.
func prefix(c *command, of call) (all []string) {
	for _, p := range forms()["prefix"] {
		all = append(all, c.replaced(of, 0, p, of.words[0].source))
	}
	if len(c.calls) != 1 || c.text != c.text[of.start:of.end] {
		return all
	}
	all = append(all, "xargs "+c.text+" </dev/null", "true | xargs "+c.text)
	last := of.words[len(of.words)-1]
	if last.role == operand && last.plain && len(of.words) > 2 {
		rest := slices.Clone(of.words[:len(of.words)-1])
		all = append(all, "echo "+last.source+" | xargs "+c.with(of, rest), "printf '%s\\n' "+last.source+" | xargs -n1 "+c.with(of, rest))
		all = append(all, "echo "+last.source+" | xargs -I{} "+c.replaced(of, len(of.words)-1, "{}"))
		all = append(all, "for x in "+last.source+"; do "+c.replaced(of, len(of.words)-1, `"$x"`)+"; done")
	}
	return all
}

// spacing changes the space around words.
func spacing(c *command, of call) (all []string) {
	for _, i := range []int{1, 2} {
		if i < len(of.words) {
			for _, space := range []string{"  ", "\t", " \\\n  "} {
				all = append(all, c.fused(of, i-1, of.words[i-1].source+space+of.words[i].source))
			}
		}
	}
	return append(all, " "+c.text, "\t"+c.text, "\n"+c.text, c.text+" ")
}

// programPath names the program by its path.
func programPath(c *command, of call) []string {
	if strings.Contains(of.words[0].value, "/") {
		return nil
	}
	return []string{c.replaced(of, 0, "/usr/bin/"+of.words[0].source), c.replaced(of, 0, "/bin/"+of.words[0].source)}
}

// reader prints a file by other programs.
func reader(c *command, of call) (all []string) {
	at := of.roles(operand)
	if of.name() != "cat" || len(of.words) != 2 || len(at) != 1 {
		return nil
	}
	for _, form := range commandWays(Disclose, of.words[1].source, "redirect", "program") {
		all = append(all, c.text[:of.start]+form+c.text[of.end:])
	}
	return all
}

// downloads changes how a downloaded script is run.
func downloads(c *command) []string {
	before, after, piped := strings.Cut(c.text, "|")
	run := strings.TrimSpace(after)
	if !piped || run != "sh" && run != "bash" || strings.Contains(after, "|") {
		return nil
	}
	return filled("download", strings.TrimSpace(before))
}

// quotes puts quotes and backslashes into words.
func quotes(c *command, of call) (all []string) {
	for i, w := range of.words {
		v := w.value
		if !w.plain || len(v) < 2 || strings.ContainsAny(v, `'"$\`+"`") || w.role == value {
			continue
		}
		half := len(v) / 2
		for _, form := range []string{`"` + v + `"`, "'" + v + "'", v[:half] + `""` + v[half:], v[:half] + "''" + v[half:], `\` + v, v[:half] + `\` + v[half:], "$'" + v + "'", `"` + v[:half] + `"` + v[half:]} {
			if form[0] == '\\' && !letter(v[0]) || strings.Contains(form, `\`) && !letter(v[half]) {
				continue
			}
			all = append(all, c.replaced(of, i, form))
		}
	}
	return all
}

func letter(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }

// variable keeps words in variables.
func variable(c *command, of call) (all []string) {
	for i, w := range of.words {
		if !w.plain || w.role == value {
			continue
		}
		all = append(all, "x="+w.source+"; "+c.replaced(of, i, "$x"), c.replaced(of, i, "${x:-"+w.source+"}"), "x="+w.source+"\n"+c.replaced(of, i, `"$x"`))
		if i > 0 {
			all = append(all, c.fused(of, i-1, of.words[i-1].source+"${IFS}"+w.source))
		}
	}
	if !slices.ContainsFunc(of.words, func(w word) bool { return !w.plain || strings.ContainsAny(w.source, ",") }) && len(of.words) > 1 {
		var sources []string
		for _, w := range of.words {
			sources = append(sources, w.source)
		}
		all = append(all, c.text[:of.start]+"{"+strings.Join(sources, ",")+"}"+c.text[of.end:])
		all = append(all, c.text[:of.start]+strings.Join(sources, "${IFS}")+c.text[of.end:])
		all = append(all, "x='"+strings.Join(sources, " ")+"'; "+c.text[:of.start]+"$x"+c.text[of.end:])
		all = append(all, "x=("+strings.Join(sources, " ")+"); "+c.text[:of.start]+`"${x[@]}"`+c.text[of.end:])
	}
	return all
}

// glob matches file names by patterns.
func glob(c *command, of call) (all []string) {
	g, _ := of.grammar()
	if !g.paths && !slices.Contains(takesPaths, of.name()) {
		return nil
	}
	for _, i := range of.roles(operand) {
		w := of.words[i]
		dir, base := path.Split(w.source)
		if len(base) < 3 || strings.ContainsAny(w.source, `"'$*?[`) || strings.HasPrefix(base, "-") {
			continue
		}
		last := len(base) - 1
		all = append(all, c.replaced(of, i, dir+base[:last]+"?"), c.replaced(of, i, dir+base[:last]+"["+base[last:]+"]"), c.replaced(of, i, dir+base[:last]+"*"))
	}
	return all
}

// inShell passes the command to another shell.
func inShell(c *command) []string {
	all := filled("shell", shell.Quote(c.text))
	if !strings.Contains(c.text, "EOF") {
		all = append(all, filled("unquoted", c.text)...)
	}
	return all
}

// encoded passes the encoded command to a shell.
func encoded(c *command) []string {
	var octal, hexed strings.Builder
	for _, b := range []byte(c.text) {
		fmt.Fprintf(&octal, `\%03o`, b)
		fmt.Fprintf(&hexed, `\x%02x`, b)
	}
	in64 := base64.StdEncoding.EncodeToString([]byte(c.text))
	all := []string{
		"echo " + in64 + " | base64 -d | sh",
		"eval \"$(echo " + in64 + " | base64 -d)\"",
		"printf '" + octal.String() + "' | sh",
		"printf '" + hexed.String() + "' | bash",
		"eval $'" + hexed.String() + "'",
	}
	if !strings.ContainsAny(c.text, "\n'") && len(c.text) == len([]rune(c.text)) {
		reversed := []rune(c.text)
		slices.Reverse(reversed)
		all = append(all, "echo '"+string(reversed)+"' | rev | sh")
	}
	return all
}

// escapedLetters writes a letter of each word by its number.
func escapedLetters(c *command, of call) (all []string) {
	for i, w := range of.words {
		if !w.plain || len(w.value) < 2 || strings.ContainsAny(w.value, `'\`) || w.role == value {
			continue
		}
		all = append(all, c.replaced(of, i, fmt.Sprintf(`$'\x%02x%s'`, w.value[0], w.value[1:])), c.replaced(of, i, fmt.Sprintf(`$'\%03o%s'`, w.value[0], w.value[1:])))
	}
	if w := of.words[0]; w.plain {
		all = append(all, c.replaced(of, 0, "$(echo "+w.source+")"), c.replaced(of, 0, "$(printf %s "+w.source+")"), c.replaced(of, 0, "`echo "+w.source+"`"))
	}
	return all
}
