//go:build systems

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// unread lists the fields that may be set and never read, and why.
var unread = map[string]string{
	"suites/client.Tool.On":                   "source of a fact",
	"suites/client.EntryKey.On":               "source of a fact",
	"suites/client/clients.Client.On":         "source of a fact",
	"suites/client.InForceMatcher.Runs":       "measured: tests compare predictions with it",
	"suites/client.InForceCondition.Runs":     "measured: tests compare predictions with it",
	"suites/client.InForceFile.Old":           "measured: tests compare predictions with it",
	"suites/client.InForceFile.Newer":         "measured: tests compare predictions with it",
	"suites/client.Settings.Dropped":          "tests compare it with what was measured",
	"suites/client/clients.Cell.Effect":       "measured: tests compare predictions with it",
	"suites/client/clients.Cell.Sees":         "measured: tests compare predictions with it",
	"suites/client/clients.Client.Documented": "source of a fact",
	"suites/corpus.kind.name":                 "names a row",
	"suites/sandbox.homeRow.why":              "gives the reason of a row",
	"suites/markers.Marker.SuiteWide":         "tests see by it how a claim was read",
	"suites.Case.Agent":                       "named in the digests of cases, which decide what is stale",
	"suites/record.Interruption.RunID":        "tests name the run by it",
	"watcher.Batch.Overflow":                  "tests see by it that the system's queue overflowed",
	"cmd/mutatetest.version.by":               "part of a key of a sync.Map",
	"cmd/mutatetest.version.path":             "part of a key of a sync.Map",
}

// TestFieldsAreRead finds fields of structs that no code but tests reads: what only sets them can go.
// A field counts as read if its struct is compared or a key of a map, if the field has a tag,
// because an encoder reads it, or if the template of the page names it. Like TestOtherSystems it needs export data of every package, which takes
// longer than the packages' tests, so it has the build tag too.
func TestFieldsAreRead(t *testing.T) {
	t.Parallel()
	f := fieldUses{set: token.NewFileSet(), packages: map[string]*types.Package{}, exports: map[string]string{}, read: map[*types.Var]bool{}}
	f.load(t)
	found := map[string]bool{}
	page, err := os.ReadFile("../../suites/report/page.html")
	if err != nil {
		t.Fatal(err)
	}
	for field, name := range f.fields() {
		if onPage := regexp.MustCompile(`\.` + field.Name() + `\b`); strings.HasPrefix(name, "suites/report.") && onPage.Match(page) {
			continue
		}
		if found[name] = true; unread[name] == "" {
			t.Errorf("%s: %s is never read", f.set.Position(field.Pos()), name)
		}
	}
	for name := range unread {
		if !found[name] {
			t.Errorf("%s is read: take it off the list", name)
		}
	}
}

// fieldUses are the packages of the program, of which those of other modules come from export data,
// and the fields that they read.
type fieldUses struct {
	set      *token.FileSet
	packages map[string]*types.Package
	exports  map[string]string // files with export data, by path
	read     map[*types.Var]bool
}

func (f *fieldUses) load(t *testing.T) {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-export", "-json=ImportPath,Dir,GoFiles,Export", "hookwatch/...")
	cmd.Env = append(cmd.Environ(), "GOOS=linux", "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	others := importer.ForCompiler(f.set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(f.exports[path]) })
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for { // a package follows those that it imports
		var p struct {
			ImportPath, Dir, Export string
			GoFiles                 []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		f.exports[p.ImportPath] = p.Export
		if !strings.HasPrefix(p.ImportPath, "hookwatch/") {
			continue
		}
		var files []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(f.set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{}, Uses: map[*ast.Ident]types.Object{}}
		conf := types.Config{Importer: importFunc(func(path string) (*types.Package, error) {
			if ours := f.packages[path]; ours != nil {
				return ours, nil
			}
			return others.Import(path)
		})}
		if f.packages[p.ImportPath], err = conf.Check(p.ImportPath, f.set, files, info); err != nil {
			t.Fatal(err)
		}
		f.uses(files, info)
	}
}

type importFunc func(path string) (*types.Package, error)

func (f importFunc) Import(path string) (*types.Package, error) { return f(path) }

// uses marks the fields that files read.
func (f *fieldUses) uses(files []*ast.File, info *types.Info) {
	written := map[ast.Expr]bool{}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, to := range n.Lhs {
					written[to] = true
					if i < len(n.Rhs) { // x.f = append(x.f, ...) reads nothing but what it sets
						if call, ok := n.Rhs[i].(*ast.CallExpr); ok && len(call.Args) > 0 && types.ExprString(call.Args[0]) == types.ExprString(to) {
							written[call.Args[0]] = types.ExprString(call.Fun) == "append"
						}
					}
				}
			case *ast.IncDecStmt:
				written[n.X] = true
			case *ast.BinaryExpr:
				if n.Op == token.EQL || n.Op == token.NEQ {
					f.compared(info.TypeOf(n.X))
				}
			case *ast.SelectorExpr:
				if s := info.Selections[n]; s != nil {
					f.selected(s, written[n])
				}
			case *ast.CallExpr:
				if info.TypeOf(n) == types.Typ[types.UnsafePointer] { // the system reads it
					if p, ok := info.TypeOf(n.Args[0]).Underlying().(*types.Pointer); ok {
						f.compared(p.Elem())
					}
				}
			case ast.Expr:
				if m, ok := info.TypeOf(n).(*types.Map); ok {
					f.compared(m.Key())
				}
			}
			return true
		})
	}
	for id, instance := range info.Instances {
		generic, ok := info.Uses[id].Type().(interface{ TypeParams() *types.TypeParamList })
		for i := range instance.TypeArgs.Len() {
			if ok && types.Comparable(generic.TypeParams().At(i)) {
				f.compared(instance.TypeArgs.At(i))
			}
		}
	}
}

// selected marks the fields on the way to a selected field or method, and the field itself unless it
// is written.
func (f *fieldUses) selected(s *types.Selection, written bool) {
	of, index := s.Recv(), s.Index()
	for i, at := range index {
		if p, ok := of.Underlying().(*types.Pointer); ok {
			of = p.Elem()
		}
		fields, ok := of.Underlying().(*types.Struct)
		last := i == len(index)-1
		if !ok || last && (written || s.Kind() != types.FieldVal) {
			return
		}
		f.read[fields.Field(at).Origin()] = true
		of = fields.Field(at).Type()
	}
}

// compared marks the fields of a struct that is compared.
func (f *fieldUses) compared(of types.Type) {
	if of == nil || !types.Comparable(of) {
		return
	}
	if s, ok := of.Underlying().(*types.Struct); ok {
		for field := range s.Fields() {
			f.read[field.Origin()] = true
			f.compared(field.Type())
		}
	}
}

// fields returns the fields that are not read, with their names.
func (f *fieldUses) fields() map[*types.Var]string {
	all := map[*types.Var]string{}
	for path, p := range f.packages {
		for _, name := range p.Scope().Names() {
			of, ok := p.Scope().Lookup(name).(*types.TypeName)
			if !ok || of.IsAlias() {
				continue
			}
			s, ok := of.Type().Underlying().(*types.Struct)
			if !ok {
				continue
			}
			for i := range s.NumFields() {
				if field := s.Field(i); field.Pkg() == p && !f.read[field.Origin()] && s.Tag(i) == "" && field.Name() != "_" && !field.Embedded() {
					all[field] = fmt.Sprintf("%s.%s.%s", strings.TrimPrefix(path, "hookwatch/"), name, field.Name())
				}
			}
		}
	}
	return all
}
