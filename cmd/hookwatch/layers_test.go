package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A layer defines which packages of hookwatch the packages below a path may import
// directly, their own subpackages always among them. The first layer that matches
// decides.
type layer struct {
	of  string // packages at or below these paths, space separated
	may string // may import only what is at or below these paths; "" is nothing
	not string // of that, may not import what is at or below these
}

// layers run from the program to its leaves: change, selection, run, record,
// verdict, view. Only cmd sees everything; config, watcher and suites do not know
// one another's internals.
var layers = []layer{
	{of: "cmd/hookwatch", may: "cmd/internal/cli"},
	{of: "cmd/mutatetest cmd/differtest", may: "cmd/internal/session config suites"},
	{of: "cmd/internal/cli", may: "cmd/internal config suites watcher"},
	// Views see the events of a session, and nothing of how it runs.
	{of: "cmd/internal/notify", may: "cmd/internal/session suites", not: "suites/run suites/process suites/sandbox suites/record suites/depend"},
	{of: "cmd/internal/session", may: "cmd/internal config suites watcher", not: "cmd/internal/cli cmd/internal/notify cmd/internal/compare cmd/internal/revision"},
	// Comparing revisions needs projects and no command.
	{of: "cmd/internal/compare", may: "cmd/internal/revision cmd/internal/session config suites"},
	{of: "cmd/internal/revision", may: "suites"},
	// The version is printed before other packages are initialised.
	{of: "cmd/internal/version", may: ""},
	{of: "config", may: "config suites/disk suites/pattern suites/yamlform suites"},
	{of: "watcher", may: "watcher suites/disk"},
	// The supervisor is executed once for each case, so its imports cost time in each of them.
	{of: "suites/process/supervisor", may: ""},
	{of: "suites/process", may: "suites/process"},
	{of: "suites/disk suites/jsontree suites/pattern suites/printable suites/shell", may: ""},
	// The behaviour of clients consists of facts and functions of values.
	{of: "suites/client", may: "suites suites/jsontree suites/pattern", not: "suites/run suites/process suites/sandbox suites/record suites/depend suites/check suites/discover"},
	{of: "suites/sandbox", may: "suites suites/disk suites/sandbox suites/pattern suites/process", not: "suites/run suites/record suites/depend"},
	// Parsers do not know what their statements are used for.
	{of: "suites/depend/script suites/depend/python suites/depend/javascript", may: "suites suites/depend/script suites/depend/javascript suites/pattern", not: "suites/depend/trace suites/mutate suites/score suites/shell suites/run suites/process suites/sandbox"},
	// Nothing that selects, records or judges starts a process.
	{of: "suites/depend suites/markers suites/record suites/verdict suites/report suites/check suites/prove suites/mutate suites/score suites/corpus", may: "suites", not: "suites/run suites/process suites/sandbox"},
	{of: "suites/run", may: "suites", not: "suites/record suites/depend suites/verdict suites/check suites/prove suites/score"},
	{of: "suites", may: "suites"},
}

// TestLayers holds the layers.
func TestLayers(t *testing.T) {
	t.Parallel()
	for from, imports := range importsOf(t) {
		i := slices.IndexFunc(layers, func(l layer) bool { return at(from, l.of) })
		if i < 0 {
			t.Errorf("%s is in no layer: cmd, config, suites and watcher hold all packages", from)
			continue
		}
		for _, to := range imports {
			if l := layers[i]; !at(to, from) && (!at(to, l.may) || at(to, l.not)) {
				t.Errorf("%s imports %s; packages below %q import only %q, and not %q", from, to, l.of, l.may, l.not)
			}
		}
	}
}

// at reports whether a package is at or below one of the paths.
func at(name, paths string) bool {
	return slices.ContainsFunc(strings.Fields(paths), func(p string) bool { return name == p || strings.HasPrefix(name, p+"/") })
}

// importsOf returns the packages of hookwatch with their imports among these.
func importsOf(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "hookwatch/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		from := strings.TrimPrefix(p.ImportPath, "hookwatch/")
		all[from] = nil
		for _, i := range p.Imports {
			if to, ours := strings.CutPrefix(i, "hookwatch/"); ours {
				all[from] = append(all[from], to)
			}
		}
	}
}

// TestShipped keeps packages for tests and development out of the program: packages in testdata,
// and those with a name that ends in "test". Every other package is part of the program on some
// system.
func TestShipped(t *testing.T) {
	t.Parallel()
	shipped := map[string]bool{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, p := range packages(t, system, "-deps", "hookwatch/cmd/hookwatch") {
			shipped[p] = true
			if p == "testing" || strings.HasPrefix(p, "hookwatch/") && (strings.HasSuffix(p, "test") || strings.Contains(p, "/testdata/")) {
				t.Errorf("the program for %s has %s, which is for tests", system, p)
			}
		}
	}
	for _, p := range packages(t, "linux", "hookwatch/...") {
		if !shipped[p] && !strings.HasSuffix(p, "test") {
			t.Errorf("%s is not part of the program: move it to testdata if only tests import it; a program for development has a name that ends in test", p)
		}
	}
}

// packages lists packages as they are on a system.
func packages(t *testing.T, system string, args ...string) []string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Env = append(cmd.Environ(), "GOOS="+system, "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}

// pure lists the packages that decide and do nothing else, and pureFiles the files that do so in
// a package that does more.
var pure = []string{"suites/client", "suites/live", "suites/verdict"}

const pureFiles = "cmd/internal/session/decide_*.go"

// outside lists packages that reach disk, processes or network.
var outside = []string{"io/fs", "net", "os", "os/exec", "path/filepath", "syscall"}

// TestPure keeps disk, processes, clock and goroutines out of packages that decide.
func TestPure(t *testing.T) {
	t.Parallel()
	for _, name := range pure {
		notOutside(t, name, "hookwatch/"+name)
		for path, file := range parsed(t, name+"/*.go") {
			if what := impure(file); what != "" {
				t.Errorf("%s: %s is no part of a decision", path, what)
			}
		}
	}
}

// TestPureFiles keeps the same out of files that decide: they use nothing that the rest of their
// package declares.
func TestPureFiles(t *testing.T) {
	t.Parallel()
	files := parsed(t, pureFiles)
	declared := map[string]bool{}
	for _, file := range files {
		for name := range file.Scope.Objects {
			declared[name] = true
		}
	}
	for at, file := range files {
		if what := impure(file); what != "" {
			t.Errorf("%s: %s is no part of a decision", at, what)
		}
		imported := map[string]bool{}
		for _, i := range file.Imports {
			name := strings.Trim(i.Path.Value, `"`)
			imported[path.Base(name)] = true
			if slices.Contains(outside, name) || name == "io" {
				t.Errorf("%s imports %s", at, name)
			} else if strings.HasPrefix(name, "hookwatch/") {
				notOutside(t, at, name)
			}
		}
		for _, id := range file.Unresolved {
			if !declared[id.Name] && !imported[id.Name] && types.Universe.Lookup(id.Name) == nil {
				t.Errorf("%s uses %s, which is declared outside of %s", at, id.Name, pureFiles)
			}
		}
	}
}

// notOutside reports imports of packages that reach outside, by a package or what it imports of
// hookwatch.
func notOutside(t *testing.T, from, name string) {
	t.Helper()
	const ours = `{{if and (gt (len .ImportPath) 10) (eq (slice .ImportPath 0 10) "hookwatch/")}}{{join .Imports " "}}{{end}}`
	for _, p := range packages(t, "linux", "-deps", "-f", ours, name) {
		if slices.Contains(outside, p) {
			t.Errorf("%s, or what it imports, imports %s", from, p)
		}
	}
}

// parsed returns the files of a pattern that are no tests, by path.
func parsed(t *testing.T, pattern string) map[string]*ast.File {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]*ast.File{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		if files[path], err = parser.ParseFile(token.NewFileSet(), path, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	if len(files) == 0 {
		t.Fatalf("%s has no files", pattern)
	}
	return files
}

// TestAppIsSmall keeps commands functions of their options: what all of them share prints, and no
// command is a method of it.
func TestAppIsSmall(t *testing.T) {
	t.Parallel()
	const most = 15
	n := 0
	for _, file := range parsed(t, "cmd/internal/cli/*.go") {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && types.ExprString(f.Recv.List[0].Type) == "*app" {
				n++
			}
		}
	}
	if n == 0 || n > most {
		t.Errorf("app has %d methods, want at most %d", n, most)
	}
}

// impure names something that a file does other than computing values.
func impure(f *ast.File) (what string) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			what = "a goroutine"
		case *ast.ChanType:
			what = "a channel"
		case *ast.SelectorExpr:
			clock := []string{"Now", "Since", "Until", "After", "NewTimer", "Tick"}
			if pkg, ok := n.X.(*ast.Ident); ok && pkg.Name == "time" && slices.Contains(clock, n.Sel.Name) {
				what = "the clock"
			}
		}
		return true
	})
	return what
}
