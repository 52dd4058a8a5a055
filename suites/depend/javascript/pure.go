package javascript

import (
	"slices"
	"strings"

	"hookwatch/suites/depend/script"
)

// exportsObject reads an object that is exported, whose keys are names.
func (r *reader) exportsObject(t []Token) ([]string, bool) {
	if text(t, 0) != "{" {
		return nil, false
	}
	names := []string{allExports}
	for i := 1; i < len(t)-1; {
		if t[i].Kind != Name {
			return nil, false
		}
		names = append(names, t[i].Text)
		switch text(t, i+1) {
		case ",", "}":
			if !r.known[t[i].Text] {
				return nil, false
			}
			i += 2
			continue
		case ":":
		default:
			return nil, false
		}
		rest, ok := r.pureExpression(t[i+2:])
		if !ok || len(rest) == 0 || text(rest, 0) != "," && text(rest, 0) != "}" {
			return nil, false
		}
		i = len(t) - len(rest) + 1
	}
	return names, text(t, len(t)-1) == "}"
}

// pureClass reports whether defining a class has no effect: it extends no other, and has neither
// static parts nor computed names.
func pureClass(t []Token) bool {
	depth := 0
	for i := range t {
		switch text(t, i) {
		case "extends":
			if depth == 0 {
				return false
			}
		case "static":
			return false
		case "[":
			if depth <= 1 {
				return false
			}
		}
		depth += nesting(text(t, i))
	}
	return true
}

func (r *reader) pureVariables(t []Token) bool {
	for {
		switch {
		case len(t) > 0 && t[0].Kind == Name:
			t = t[1:]
		case text(t, 0) == "{":
			end := slices.IndexFunc(t, func(t Token) bool { return t.Text == "}" })
			if end < 0 || match(t, end+1, "= require") == 0 || slices.ContainsFunc(t[1:end], func(t Token) bool { return t.Kind != Name && !t.among(",", ":") }) {
				return false
			}
			t = t[end+1:]
		default:
			return false
		}
		if text(t, 0) == "=" {
			rest, ok := r.pureExpression(t[1:])
			if !ok {
				return false
			}
			t = rest
		}
		if len(t) == 0 {
			return true
		}
		if text(t, 0) != "," {
			return false
		}
		t = t[1:]
	}
}

// pureExpression reads an expression whose evaluation has no effect and cannot fail, and returns
// the tokens after it.
func (r *reader) pureExpression(t []Token) (rest []Token, ok bool) {
	for {
		for text(t, 0) == "!" || text(t, 0) == "-" && len(t) > 1 && t[1].Kind == Number {
			t = t[1:]
		}
		if t, ok = r.pureOperand(t); !ok {
			return nil, false
		}
		switch text(t, 0) {
		case "||", "&&", "??", "===", "!==":
		case "?":
			if t, ok = r.pureExpression(t[1:]); !ok || text(t, 0) != ":" {
				return nil, false
			}
		default:
			return t, true
		}
		t = t[1:]
	}
}

// pureOperand reads an operand of such an expression.
func (r *reader) pureOperand(t []Token) ([]Token, bool) {
	if rest, ok := arrowFunction(t); ok {
		return rest, true
	}
	switch {
	case len(t) == 0:
		return nil, false
	case t[0].Kind == String, t[0].Kind == Regexp, t[0].Kind == Number:
		return t[1:], true
	case t[0].Kind == Template:
		return t[1:], strings.HasSuffix(t[0].Text, "`") && len(t[0].Text) > 1
	case t[0].Kind == Name:
		return r.pureName(t)
	case t[0].Kind != Punctuator:
	case t[0].Text == "[":
		return r.pureList(t[1:], "]", false)
	case t[0].Text == "{":
		return r.pureList(t[1:], "}", true)
	case t[0].Text == "(":
		return closed(r.pureExpression(t[1:]))
	}
	return nil, false
}

// closed reads a closing parenthesis.
func closed(rest []Token, ok bool) ([]Token, bool) {
	if !ok || text(rest, 0) != ")" {
		return nil, false
	}
	return rest[1:], true
}

// used reports whether a member of a value is used or the value is called, by its first token behind
// it.
func used(t []Token) bool { return slices.Contains([]string{".", "[", "("}, text(t, 0)) }

var (
	// constants are always defined.
	constants            = []string{"null", "true", "false", "undefined", "__dirname", "__filename", "process . env . <name>", "process . platform", "process . pid"}
	standardConstructors = script.Words("Set Map WeakMap WeakSet")
)

// pureName reads an operand that begins with a name.
func (r *reader) pureName(t []Token) ([]Token, bool) {
	for _, c := range constants {
		if end := match(t, 0, c); end > 0 {
			return t[end:], !used(t[end:])
		}
	}
	name := t[0].Text
	switch {
	case name == "function", name == "async":
		return functionExpression(t)
	case match(t, 0, "new <name> (") > 0 && standardConstructors[t[1].Text] && !r.known[t[1].Text]:
		if text(t, 3) == ")" {
			return t[4:], true
		}
		if text(t, 3) != "[" {
			return nil, false
		}
		rest, ok := r.pureList(t[4:], "]", false)
		if ok && t[1].Text != "Set" {
			ok = pairs(t[4 : len(t)-len(rest)])
		}
		return closed(rest, ok)
	case match(t, 0, "Object . freeze (") > 0 && !r.known["Object"]:
		return closed(r.pureExpression(t[4:]))
	case match(t, 0, "require ( <string> )") > 0 && standard(literal(t, 2)):
		rest := t[4:]
		for match(rest, 0, ". promises") > 0 {
			rest = rest[2:]
		}
		return rest, !used(rest)
	case r.known["path"] && (match(t, 0, "path . join (") > 0 || match(t, 0, "path . resolve (") > 0):
		end := 4
		for end < len(t) && (t[end].Kind == String || text(t, end) == "," || text(t, end) == "__dirname") {
			end++
		}
		rest, ok := closed(t[end:], true)
		return rest, ok && text(rest, 0) != "." && text(rest, 0) != "["
	case r.known[name]:
		rest := t[1:]
		effect := slices.Contains([]string{"?.", "=", "++", "--"}, text(rest, 0))
		return rest, !used(rest) && !effect && (len(rest) == 0 || rest[0].Kind != Template)
	}
	return nil, false
}

// functionExpression reads a function that is not called.
func functionExpression(t []Token) ([]Token, bool) {
	for i := range t {
		if t[i].Kind == Mark {
			return t[i+1:], true
		}
		if i > 0 && text(t, i) == ")" && (i+1 >= len(t) || t[i+1].Kind != Mark) && text(t, i+1) != "," && text(t, i+1) != ")" {
			break
		}
	}
	return nil, false
}

// pairs reports whether all elements of a list are lists themselves, as a Map needs.
func pairs(t []Token) bool {
	depth := 0
	for i := range t {
		n := nesting(text(t, i))
		if depth == 0 && n >= 0 && text(t, i) != "[" && text(t, i) != "," {
			return false
		}
		depth += n
	}
	return true
}

// pureList reads the elements of an array or object up to its end.
func (r *reader) pureList(t []Token, end string, object bool) ([]Token, bool) {
	for {
		if text(t, 0) == end {
			rest := t[1:]
			return rest, !used(rest) && text(rest, 0) != "?."
		}
		if object {
			if len(t) < 2 || t[0].Kind != Name && t[0].Kind != String && t[0].Kind != Number {
				return nil, false
			}
			switch {
			case text(t, 1) == ":":
				t = t[2:]
			case text(t, 1) == "(": // a method
				i := slices.IndexFunc(t, func(t Token) bool { return t.Kind == Mark })
				if i < 0 || text(t, i-1) != ")" || t[0].Kind != Name || slices.ContainsFunc(t[2:i-1], func(t Token) bool { return t.among("(", ")") }) {
					return nil, false
				}
				t = t[i+1:]
				if text(t, 0) == "," {
					t = t[1:]
				}
				continue
			}
		}
		var ok bool
		if t, ok = r.pureExpression(t); !ok {
			return nil, false
		}
		switch text(t, 0) {
		case ",":
			t = t[1:]
		case end:
		default:
			return nil, false
		}
	}
}

// arrowFunction reads an arrow function.
func arrowFunction(t []Token) ([]Token, bool) {
	i := 0
	if text(t, 0) == "async" {
		i++
	}
	switch {
	case text(t, i) == "(":
		depth := 0
		for ; i < len(t); i++ {
			if depth += nesting(text(t, i)); depth == 0 {
				break
			}
		}
		i++
	case i < len(t) && t[i].Kind == Name:
		i++
	}
	if text(t, i) == "=>" && i+1 < len(t) && t[i+1].Kind == Mark {
		return t[i+2:], true
	}
	return nil, false
}
