package cli

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rs/zerolog"
)

// TestTextGoesThroughWritef checks that no file of this package and those below it prints
// directly, except into a buffer of its own.
func TestTextGoesThroughWritef(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	parts, err2 := filepath.Glob("*/*.go")
	if err = errors.Join(err, err2); err != nil || len(files) == 0 || len(parts) == 0 {
		t.Fatal("no files", err)
	}
	fset := token.NewFileSet()
	for _, name := range append(files, parts...) {
		if strings.HasSuffix(name, "_test.go") || name == "page.go" {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			from, _ := sel.X.(*ast.Ident)
			if from == nil || from.Name != "fmt" && from.Name != "io" || !strings.HasPrefix(sel.Sel.Name, "Fprint") && sel.Sel.Name != "WriteString" {
				return true
			}
			if _, buffer := call.Args[0].(*ast.UnaryExpr); !buffer {
				t.Errorf("%s: %s.%s: text for people goes through writef, which makes its operands printable", fset.Position(call.Pos()), from.Name, sel.Sel.Name)
			}
			return true
		})
	}
}

// TestLogColour checks that colour is added after text is made printable, and that no colour
// comes from the text.
func TestLogColour(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	var b bytes.Buffer
	log := zerolog.New(consoleWriter(&b, true))
	log.Error().Str("path", evilText).Err(errFailed).Msg(evilText)
	log.Warn().Msg("\x1b[31mred\x1b[0m")
	text := b.String()
	if !strings.Contains(text, "\x1b[") {
		t.Error("no colour")
	}
	for line := range strings.Lines(text) {
		if what := obeyed(regexp.MustCompile("\x1b\\[[0-9]+m").ReplaceAllString(line, "")); what != "" {
			t.Error(what)
		}
	}
	if !strings.Contains(text, "warning: ") {
		t.Errorf("another word for a warning than that of a session: %q", text)
	}
	if strings.Count(text, "\n") != 2 || strings.Contains(text, "\x1b[31mred") {
		t.Errorf("%q", text)
	}
}

func TestWritef(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	writef(&b, "%s|%d|%5.1f|%v|%q\n", "a\nb\x1b[m", 12, 1.25, []string{"\u202e"}, "\x9b")
	writef(&b, "%s|%s\n", output("    x\r"), "    x")
	rowf(&b, "%s\t%s\n", strings.Repeat("n", 10_000), "\t")
	want := `a\nb\x1b[m|12|  1.2|[\u202e]|"\x9b"` + "\n" + `    x\r|  \x20\x20x` + "\n" + strings.Repeat("n", 184) + `... +9816 bytes` + "\t" + `\t` + "\n"
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
