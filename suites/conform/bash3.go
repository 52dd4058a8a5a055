package conform

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// judgeBash judges the first construct of a bash script that bash 3.2 does not have, which is the one of macOS.
func judgeBash(hook, name, text string) []Finding {
	first, _, _ := strings.Cut(text, "\n")
	byName := strings.HasSuffix(name, ".sh") && !strings.HasPrefix(first, "#!")
	if !byName && !startsBash().MatchString(first) || asksSystem().MatchString(text) {
		return nil
	}
	file, err := shell.Parse(text)
	if err != nil {
		return nil // a finding of its own
	}
	use, at := newerThanBash3(file)
	if use == "" {
		return nil
	}
	what, severity := name+" uses "+use+", which macOS's bash 3.2 does not have", suites.Warning
	if !strings.Contains(first, "/bin/bash") {
		what, severity = what+"; another bash may be the first in PATH there", suites.Info
	}
	f := FindingOf("not-portable", hook, suites.Position{File: name, Line: int(at.Line()), Column: int(at.Col())}, what, severity)
	f.Remedy = "write it for bash 3.2 (while read, tr, case), or deny if BASH_VERSINFO is too low"
	return []Finding{f}
}

var startsBash = pattern.Lazy(`^#!.*\bbash\b`)

// newerThanBash3 returns the first construct that bash 3.2 does not have, and its place; "" if there is none. A command
// whose failure has an alternative does not count.
func newerThanBash3(file *syntax.File) (use string, at syntax.Pos) {
	syntax.Walk(file, func(node syntax.Node) bool {
		if node == nil || use != "" {
			return false
		}
		if found := newer(node); found != "" {
			use, at = found, node.Pos()
		}
		alternative, _ := node.(*syntax.BinaryCmd)
		return alternative == nil || alternative.Op != syntax.OrStmt
	})
	return use, at
}

// newer returns a construct by which a node needs a bash later than 3.2, or "".
func newer(node syntax.Node) string {
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
var newerDeclaration = pattern.Lazy(`^(?:\w+ -[a-z]*A|(?:declare|local|typeset) -[a-zA-Z]*n)`)

// newerExpansions change the case of a value, or quote it.
var newerExpansions = []syntax.ParExpOperator{syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll, syntax.OtherParamOps}
