package discover

import (
	"bytes"
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A word is what a shell word comes to. It is known only if every part of it is.
type word struct {
	text  string
	known bool
}

// program is the base name of what the word runs, "" while that is unknown.
func (w word) program() string {
	if !w.known || w.text == "" {
		return ""
	}
	if w.text == "." {
		return "source"
	}
	return path.Base(w.text)
}

func (r *resolver) word(w *syntax.Word) word {
	text, known := r.parts(w.Parts, true)
	if len(text) > maxWord {
		return word{}
	}
	return word{text, known}
}

// parts joins the parts of a word; bare tells that they stand outside of quotes,
// where a leading ~ is the home directory and a backslash quotes.
func (r *resolver) parts(parts []syntax.WordPart, bare bool) (string, bool) {
	var text strings.Builder
	for i, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text.WriteString(r.literal(part.Value, bare, i == 0))
		case *syntax.SglQuoted:
			text.WriteString(part.Value)
		case *syntax.DblQuoted:
			inner, known := r.parts(part.Parts, false)
			if !known {
				return "", false
			}
			text.WriteString(inner)
		case *syntax.ParamExp:
			value, known := r.parameter(part)
			if !known {
				return "", false
			}
			text.WriteString(value)
		case *syntax.CmdSubst:
			value, known := r.substitution(part)
			if !known {
				return "", false
			}
			text.WriteString(value)
		default:
			return "", false
		}
	}
	return text.String(), true
}

func (r *resolver) literal(value string, bare, first bool) string {
	if home := r.vars["HOME"]; bare && first && home != "" && (value == "~" || strings.HasPrefix(value, "~/")) {
		value = home + value[1:]
	}
	var text strings.Builder
	for i := 0; i < len(value); i++ {
		if value[i] == '\\' && i+1 < len(value) && (bare || strings.IndexByte("$`\"\\\n", value[i+1]) >= 0) {
			i++
			if value[i] == '\n' {
				continue
			}
		}
		text.WriteByte(value[i])
	}
	return text.String()
}

// parameter expands $NAME, ${NAME} and ${NAME:-default}; any other operation is
// unknown.
func (r *resolver) parameter(p *syntax.ParamExp) (string, bool) {
	if p.Param == nil || p.Excl || p.Length || p.Width || p.Index != nil || p.Slice != nil || p.Repl != nil {
		return "", false
	}
	value, known := r.vars[p.Param.Value]
	if p.Exp == nil {
		return value, known
	}
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		if !known && p.Exp.Word != nil {
			return r.parts(p.Exp.Word.Parts, true)
		}
		return value, known
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return value, known
	default:
		return "", false
	}
}

// substitution knows the two commands by which hooks find their project.
func (r *resolver) substitution(s *syntax.CmdSubst) (string, bool) {
	if len(s.Stmts) != 1 || s.Stmts[0].Cmd == nil {
		return "", false
	}
	var command bytes.Buffer
	if syntax.NewPrinter().Print(&command, s.Stmts[0].Cmd) != nil {
		return "", false
	}
	switch command.String() {
	case "pwd":
		return r.cwd, true
	case "git rev-parse --show-toplevel":
		return r.hook.Root, true
	default:
		return "", false
	}
}

// A resolver reads a command as the shell would and notes which files of the
// project it names.
type resolver struct {
	hook   Hook
	config string            // the directory that plays ~/.claude, "" when it is none of the project's
	cwd    string            // where a relative path starts; follows a plain cd
	vars   map[string]string // known variables
	nested int               // shells within shells
	found  []string
	direct []string // of found, those that are programs themselves
}

// Bounds for commands that feed on themselves, such as A='sh -c "$A"'.
const (
	maxNested = 8
	maxWord   = 1 << 16 // bytes
)
