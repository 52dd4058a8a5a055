//go:build systems

package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestOtherSystems type-checks the program and its tests for the systems that it is also built
// for, from source: a compiler for each would take a minute more. The function bodies of other
// modules are skipped.
func TestOtherSystems(t *testing.T) {
	t.Parallel()
	for _, system := range []string{"darwin", "windows"} {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			checkTypes(t, system)
		})
	}
}

// A listedPackage is a package as go list describes it.
type listedPackage struct {
	ImportPath, Dir, ForTest string
	GoFiles                  []string
	ImportMap                map[string]string
	Module                   *struct {
		Main      bool
		GoVersion string
	}
}

func checkTypes(t *testing.T, system string) {
	t.Helper()
	list := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,Dir,ForTest,GoFiles,ImportMap,Module", "hookwatch/...")
	list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
	list.Stderr = t.Output()
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	checked := map[string]*types.Package{"unsafe": types.Unsafe}
	files := token.NewFileSet()
	ours := 0
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listedPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") { // the latter is generated
			continue
		}
		config := types.Config{
			IgnoreFuncBodies: p.Module == nil || !p.Module.Main,
			FakeImportC:      true,
			Sizes:            types.SizesFor("gc", runtime.GOARCH),
			Importer: importing(func(path string) (*types.Package, error) {
				if mapped, ok := p.ImportMap[path]; ok {
					path = mapped
				}
				if checked[path] == nil {
					return nil, errors.New("not listed: " + path)
				}
				return checked[path], nil
			}),
			Error: func(err error) {
				if p.Module != nil && p.Module.Main {
					t.Error(err)
				}
			},
		}
		if p.Module != nil {
			config.GoVersion = "go" + p.Module.GoVersion
		}
		var syntax []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			syntax = append(syntax, file)
		}
		if !config.IgnoreFuncBodies {
			ours++
		}
		name, _, _ := strings.Cut(p.ImportPath, " ")
		checked[p.ImportPath], _ = config.Check(name, files, syntax, nil) // errors are reported above
	}
	t.Logf("%d packages, of %d of other modules", ours, len(checked)-ours)
}

type importing func(path string) (*types.Package, error)

func (f importing) Import(path string) (*types.Package, error) { return f(path) }
