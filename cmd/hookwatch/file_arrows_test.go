package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A builtPackage is a package as go list tells of it.
type builtPackage struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// TestFileArrows: inside a package, too, the arrows run one way. A file may use what
// another one declares only if that one uses nothing of it, not by a third one either.
func TestFileArrows(t *testing.T) {
	t.Parallel()
	exports := map[string]string{}
	var ours []builtPackage
	for _, p := range listPackages(t) {
		exports[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, "hookwatch/") {
			ours = append(ours, p)
		}
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	for _, p := range ours {
		name := strings.TrimPrefix(p.ImportPath, "hookwatch/")
		if circles := circles(fileUses(t, p, open)); len(circles) > 0 {
			t.Errorf("%s: files use one another in a circle: %s", name, strings.Join(circles, " "))
		}
	}
}

// listPackages lists what the program is made of, with the compiler's view of it.
func listPackages(t *testing.T) (out []builtPackage) {
	t.Helper()
	list, err := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", "hookwatch/cmd/hookwatch").Output()
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(strings.NewReader(string(list)))
	for {
		var p builtPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
}

// fileUses says of each file of a package which others of it declare what it uses.
func fileUses(t *testing.T, p builtPackage, open importer.Lookup) map[string]map[string]bool {
	t.Helper()
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := &types.Info{Uses: make(map[*ast.Ident]types.Object)}
	conf := types.Config{Importer: importer.ForCompiler(set, "gc", open)}
	pkg, err := conf.Check(p.ImportPath, set, files, info)
	if err != nil {
		t.Fatal(err)
	}
	uses := map[string]map[string]bool{}
	for ident, object := range info.Uses {
		if object.Pkg() != pkg || object.Pos() == token.NoPos {
			continue
		}
		from, to := filepath.Base(set.Position(ident.Pos()).Filename), filepath.Base(set.Position(object.Pos()).Filename)
		if from != to {
			if uses[from] == nil {
				uses[from] = map[string]bool{}
			}
			uses[from][to] = true
		}
	}
	return uses
}

// circles lists the files that come back to themselves.
func circles(uses map[string]map[string]bool) (out []string) {
	for file := range uses {
		seen := map[string]bool{}
		var follow func(string)
		follow = func(from string) {
			for to := range uses[from] {
				if !seen[to] {
					seen[to] = true
					follow(to)
				}
			}
		}
		if follow(file); seen[file] {
			out = append(out, file)
		}
	}
	slices.Sort(out)
	return out
}
