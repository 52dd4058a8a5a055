package scripts

import (
	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// sourced matches the comment by which a script says what it sources.
var sourced = pattern.Lazy(`^\s*shellcheck\s.*\bsource=`)

// codeOf returns a script's text without what only people read: its comments, and
// the words of messages. What they speak of is no dependency. A script that
// reads its own text may find anything in them.
func codeOf(text string, read *shell.Script, messages map[*shell.Word]bool) string {
	for _, p := range read.Parameters {
		harmless := p.InTest || p.Of != nil && ofPath[p.Of.Name()]
		if (p.Name == "0" || p.Name == "BASH_SOURCE") && p.Variable() != "" && !harmless {
			return text
		}
	}
	code := []byte(text)
	blank := func(s shell.Span) {
		for i := s.Start; i < min(s.End, len(code)); i++ {
			code[i] = ' '
		}
	}
	for _, c := range read.Comments {
		if !sourced().MatchString(c.Text) {
			blank(c.Span)
		}
	}
	for w := range messages {
		for _, p := range w.Parts {
			if p.Kind == shell.Literal {
				blank(p.Span)
			}
		}
	}
	return string(code)
}

// ofPath are the commands that look at a path and not into its file: they may be
// given the script's own ($0, BASH_SOURCE).
var ofPath = set("dirname basename readlink realpath cd pushd echo printf test [")
