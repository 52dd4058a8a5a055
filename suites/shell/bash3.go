package shell

import (
	"regexp"
	"slices"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// NewerThanBash3 returns the first construct of a script that bash 3.2 does not have, and its place; "" if there is
// none, or if the script does not parse. A command whose failure has an alternative does not count.
func NewerThanBash3(text string) (use string, line, column int) {
	file, err := Parse(text)
	if err != nil {
		return "", 0, 0
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		if node == nil || use != "" {
			return false
		}
		if use = findNewer(node); use != "" {
			line, column = int(node.Pos().Line()), int(node.Pos().Col())
		}
		alternative, _ := node.(*syntax.BinaryCmd)
		return alternative == nil || alternative.Op != syntax.OrStmt
	})
	return use, line, column
}

// findNewer returns a construct by which a node needs a bash later than 3.2, or "".
func findNewer(node syntax.Node) string {
	switch n := node.(type) {
	case *syntax.CallExpr:
		if len(n.Args) == 0 {
			return ""
		}
		switch command := n.Args[0].Lit(); {
		case command == "mapfile", command == "readarray":
			return command
		case command == "wait" && len(n.Args) > 1 && n.Args[1].Lit() == "-n":
			return "wait -n"
		}
	case *syntax.DeclClause:
		for _, a := range n.Args {
			if a.Naked && a.Value != nil && newerDeclaration().MatchString(n.Variant.Value+" "+a.Value.Lit()) {
				return n.Variant.Value + " " + a.Value.Lit()
			}
		}
	case *syntax.ParamExp:
		if n.Exp != nil && slices.Contains(newerExpansions, n.Exp.Op) {
			return "${" + n.Param.Value + n.Exp.Op.String() + "}"
		}
	case *syntax.CaseItem:
		if n.Op != syntax.Break {
			return n.Op.String()
		}
	case *syntax.Redirect:
		if n.Op == syntax.AppAll {
			return n.Op.String()
		}
	case *syntax.BinaryCmd:
		if n.Op == syntax.PipeAll {
			return n.Op.String()
		}
	case *syntax.UnaryTest:
		if n.Op == syntax.TsVarSet {
			return "[[ -v ]]"
		}
	case *syntax.CoprocClause:
		return "coproc"
	}
	return ""
}

// newerDeclaration matches the declaration of an associative list, or of another name for a variable.
var newerDeclaration = lazy(`^(?:\w+ -[a-z]*A|(?:declare|local|typeset) -[a-zA-Z]*n)`)

// newerExpansions change the case of a value, or quote it.
var newerExpansions = []syntax.ParExpOperator{syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll, syntax.OtherParamOps}

// lazy returns a function that compiles expr on its first call, because few runs need an expression.
func lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
