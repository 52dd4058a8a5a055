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
		if !ok || !at(rest, 0).among(",", "}") {
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
		case at(t, 0).Kind == Name:
			t = t[1:]
		case text(t, 0) == "{":
			end := slices.IndexFunc(t, func(t Token) bool { return t.Text == "}" })
			other := func(t Token) bool { return t.Kind != Name && !t.among(",", ":") }
			if end < 0 || !matches(t, end+1, "= require") || slices.ContainsFunc(t[1:end], other) {
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
		for text(t, 0) == "!" || text(t, 0) == "-" && at(t, 1).Kind == Number {
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

// isPure reports whether a list of tokens is such an expression.
func (r *reader) isPure(t []Token) bool {
	rest, ok := r.pureExpression(t)
	return ok && len(rest) == 0
}

// pureOperand reads an operand of such an expression.
func (r *reader) pureOperand(t []Token) ([]Token, bool) {
	if rest, ok := arrowFunction(t); ok {
		return rest, true
	}
	switch at(t, 0).Kind {
	case String, Regexp, Number:
		return t[1:], true
	case Template:
		return t[1:], strings.HasSuffix(t[0].Text, "`")
	case Name:
		return r.pureName(t)
	}
	switch text(t, 0) {
	case "[":
		return r.pureList(t[1:], "]", false)
	case "{":
		return r.pureList(t[1:], "}", true)
	case "(":
		return closeParenthesis(r.pureExpression(t[1:]))
	}
	return nil, false
}

func closeParenthesis(rest []Token, ok bool) ([]Token, bool) {
	if !ok || text(rest, 0) != ")" {
		return nil, false
	}
	return rest[1:], true
}

// usesValue reports whether the tokens behind a value use a member of it or call it.
func usesValue(t []Token) bool { return at(t, 0).among(".", "[", "(") }

var (
	// constants are always defined.
	constants            = []string{"null", "true", "false", "undefined", "__dirname", "__filename", "process . env . <name>", "process . platform", "process . pid"}
	standardConstructors = script.Words("Set Map WeakMap WeakSet")
)

// pureName reads an operand that begins with a name.
func (r *reader) pureName(t []Token) ([]Token, bool) {
	for _, c := range constants {
		if end := match(t, 0, c); end > 0 {
			return t[end:], !usesValue(t[end:])
		}
	}
	name := t[0].Text
	switch {
	case name == "function", name == "async":
		return functionExpression(t)
	case matches(t, 0, "new <name> (") && standardConstructors[t[1].Text] && !r.known[t[1].Text]:
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
		return closeParenthesis(rest, ok)
	case matches(t, 0, "Object . freeze (") && !r.known["Object"]:
		return closeParenthesis(r.pureExpression(t[4:]))
	case matches(t, 0, "require ( <string> )") && isStandard(literal(t, 2)):
		rest := t[4:]
		for matches(rest, 0, ". promises") {
			rest = rest[2:]
		}
		return rest, !usesValue(rest)
	case r.known["path"] && matches(t, 0, "path . join (", "path . resolve ("):
		end := 4
		for at(t, end).Kind == String || at(t, end).among(",", "__dirname") {
			end++
		}
		rest, ok := closeParenthesis(t[end:], true)
		return rest, ok && !at(rest, 0).among(".", "[")
	case r.known[name]:
		next := at(t, 1)
		return t[1:], !usesValue(t[1:]) && next.Kind != Template && !next.among("?.", "=", "++", "--")
	}
	return nil, false
}

// functionExpression reads a function that is not called.
func functionExpression(t []Token) ([]Token, bool) {
	for i := range t {
		if t[i].Kind == Mark {
			return t[i+1:], true
		}
		if next := at(t, i+1); i > 0 && text(t, i) == ")" && next.Kind != Mark && !next.among(",", ")") {
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
		if depth == 0 && n >= 0 && !t[i].among("[", ",") {
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
			return t[1:], !usesValue(t[1:]) && text(t, 1) != "?."
		}
		if object {
			if !slices.Contains([]Kind{Name, String, Number}, at(t, 0).Kind) {
				return nil, false
			}
			switch text(t, 1) {
			case ":":
				t = t[2:]
			case "(": // a method
				i := slices.IndexFunc(t, func(t Token) bool { return t.Kind == Mark })
				parenthesis := func(t Token) bool { return t.among("(", ")") }
				if i < 0 || text(t, i-1) != ")" || t[0].Kind != Name || slices.ContainsFunc(t[2:i-1], parenthesis) {
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
	case at(t, i).Kind == Name:
		i++
	}
	if text(t, i) == "=>" && at(t, i+1).Kind == Mark {
		return t[i+2:], true
	}
	return nil, false
}
