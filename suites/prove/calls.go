package prove

import (
	"path"
	"slices"
	"strings"

	"hookwatch/suites/shell"
)

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
	if !s.known {
		return strings.Join(slices.Concat([]string{joined(c.Dir, dirOr(dir)), s.program}, settings, s.operands), "\x00")
	}
	if s.program == "git branch" { // -D is -d with force
		s.options = expand(s.options, "D", "d", "f")
	}
	if s.program == "rm" || s.program == "chmod" || s.program == "chown" {
		if s.program == "rm" {
			s.options = expand(s.options, "R", "r")
		}
		if s.program != "rm" && len(s.operands) > 0 { // the first operand is a mode or an owner
			for i := range s.operands[1:] {
				s.operands[i+1] = joined(c.Dir, s.operands[i+1])
			}
		}
	}
	operands := slices.Clone(s.operands)
	if s.program == "git push" {
		operands = s.refspecs(operands)
	}
	at := joined(c.Dir, dirOr(dir))
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

func dirOr(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
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
