package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// arrows lists, for every package, which packages of hookwatch it may import.
// The way through them is one: change, selection, run, record, verdict, notice.
// config, watcher and the suites family do not know one another, but that config
// reads a form of YAML, guesses at misspelt words and tells its problems as suites
// do, and reads and writes through the same door; only cmd sees all. An import that
// is not on the list fails the test, and so does an arrow that nothing uses.
var arrows = map[string]string{
	"cmd/hookwatch":                 "cmd/internal/cli",
	"cmd/internal/check":            "cmd/internal/project suites suites/conform suites/conform/finding suites/discover suites/process suites/run",
	"cmd/internal/cli":              "cmd/internal/check cmd/internal/cli/archived cmd/internal/cli/checked cmd/internal/cli/compare cmd/internal/cli/coverage cmd/internal/cli/doctor cmd/internal/cli/exit cmd/internal/cli/explain cmd/internal/cli/fire cmd/internal/cli/firstsuite cmd/internal/cli/history cmd/internal/cli/ids cmd/internal/cli/invocation cmd/internal/cli/keyboard cmd/internal/cli/list cmd/internal/cli/livehooks cmd/internal/cli/page cmd/internal/cli/schema cmd/internal/cli/show cmd/internal/cli/suitelist cmd/internal/cli/terminal cmd/internal/cli/topics cmd/internal/cli/trustview cmd/internal/cli/verify cmd/internal/cli/why cmd/internal/contract cmd/internal/engine cmd/internal/engine/equipment cmd/internal/engine/filing cmd/internal/engine/sandboxes cmd/internal/engine/state cmd/internal/live cmd/internal/notify cmd/internal/notify/desktop cmd/internal/notify/human cmd/internal/notify/jsonview cmd/internal/project config config/trust suites suites/catalog suites/client suites/depend/cover suites/discover suites/disk suites/plan suites/printable suites/process suites/record suites/record/foreign suites/reference suites/report suites/run suites/spelling suites/verdict watcher",
	"cmd/internal/cli/archived":     "suites/record",
	"cmd/internal/cli/checked":      "cmd/internal/check cmd/internal/cli/page cmd/internal/notify cmd/internal/project suites suites/conform suites/conform/finding",
	"cmd/internal/cli/compare":      "suites suites/verdict",
	"cmd/internal/cli/coverage":     "cmd/internal/cli/page cmd/internal/engine/state cmd/internal/notify suites/depend/cover",
	"cmd/internal/cli/doctor":       "cmd/internal/cli/page cmd/internal/engine cmd/internal/engine/equipment cmd/internal/engine/modes cmd/internal/notify cmd/internal/project suites",
	"cmd/internal/cli/event":        "suites/client suites/spelling",
	"cmd/internal/cli/exit":         "cmd/internal/cli/page config suites",
	"cmd/internal/cli/explain":      "cmd/internal/cli/page suites suites/client suites/client/firing suites/conform/rules suites/spelling",
	"cmd/internal/cli/fire":         "cmd/internal/cli/event cmd/internal/cli/page suites suites/client suites/run",
	"cmd/internal/cli/firstsuite":   "cmd/internal/project config suites/client suites/conform suites/discover suites/disk",
	"cmd/internal/cli/history":      "cmd/internal/cli/ids cmd/internal/cli/page suites suites/record suites/verdict",
	"cmd/internal/cli/ids":          "suites suites/idrange",
	"cmd/internal/cli/invocation":   "cmd/internal/project suites suites/printable suites/shell",
	"cmd/internal/cli/keyboard":     "cmd/internal/cli/terminal cmd/internal/engine cmd/internal/notify suites",
	"cmd/internal/cli/list":         "cmd/internal/cli/page cmd/internal/project suites suites/discover",
	"cmd/internal/cli/livehooks":    "cmd/internal/cli/exit cmd/internal/cli/page cmd/internal/live cmd/internal/notify cmd/internal/project suites",
	"cmd/internal/cli/page":         "suites/printable",
	"cmd/internal/cli/schema":       "cmd/internal/cli/event config suites/catalog suites/client suites/client/outputschema",
	"cmd/internal/cli/show":         "cmd/internal/cli/ids cmd/internal/cli/page cmd/internal/notify cmd/internal/project suites suites/catalog suites/printable suites/run",
	"cmd/internal/cli/suitelist":    "cmd/internal/cli/page suites",
	"cmd/internal/cli/terminal":     "",
	"cmd/internal/cli/topics":       "",
	"cmd/internal/cli/trustview":    "cmd/internal/cli/page config config/trust",
	"cmd/internal/cli/verify":       "cmd/internal/cli/page cmd/internal/engine/state cmd/internal/notify cmd/internal/project suites/depend/cover",
	"cmd/internal/cli/why":          "cmd/internal/cli/page cmd/internal/engine/state cmd/internal/notify suites",
	"cmd/internal/contract":         "cmd/internal/cli/page cmd/internal/notify suites suites/client suites/client/cells suites/client/inforce suites/discover suites/live suites/run",
	"cmd/internal/engine":           "cmd/internal/engine/decide cmd/internal/engine/equipment cmd/internal/engine/filing cmd/internal/engine/freshness cmd/internal/engine/sandboxes cmd/internal/engine/state cmd/internal/engine/verdicts cmd/internal/notify cmd/internal/project config suites suites/depend suites/depend/trace suites/plan suites/record suites/run suites/selection suites/tracing suites/verdict watcher",
	"cmd/internal/engine/decide":    "cmd/internal/engine/verdicts suites suites/plan suites/verdict",
	"cmd/internal/engine/equipment": "cmd/internal/project config suites suites/discover suites/isolate suites/process suites/run suites/toolbox",
	"cmd/internal/engine/filing":    "cmd/internal/engine/state cmd/internal/notify cmd/internal/project suites suites/catalog suites/record suites/record/foreign suites/report suites/verdict",
	"cmd/internal/engine/freshness": "cmd/internal/project suites suites/depend suites/disk suites/plan",
	"cmd/internal/engine/modes":     "cmd/internal/engine cmd/internal/notify config suites suites/disk suites/isolate suites/plan suites/process",
	"cmd/internal/engine/sandboxes": "config suites suites/isolate/trees suites/run suites/run/placed",
	"cmd/internal/engine/state":     "cmd/internal/engine/decide cmd/internal/engine/equipment cmd/internal/engine/freshness cmd/internal/engine/verdicts cmd/internal/notify cmd/internal/project suites suites/depend/cover suites/depend/trace suites/plan suites/record suites/record/foreign suites/selection suites/toolbox suites/tracing",
	"cmd/internal/engine/verdicts":  "suites suites/pattern",
	"cmd/internal/live":             "suites suites/client suites/client/payload suites/conform suites/discover suites/run suites/shell",
	"cmd/internal/project":          "cmd/internal/notify config suites suites/catalog suites/conform suites/conform/finding suites/depend suites/depend/keys suites/discover suites/disk suites/isolate suites/isolate/mask suites/live suites/markers suites/plan suites/process suites/record watcher",
	"cmd/internal/notify":           "suites suites/idrange suites/printable",
	"cmd/internal/notify/desktop":   "cmd/internal/notify suites suites/printable",
	"cmd/internal/notify/human":     "cmd/internal/notify suites suites/cause suites/idrange suites/pattern suites/printable",
	"cmd/internal/notify/jsonview":  "cmd/internal/notify suites suites/cause",

	"config":       "config/trust suites suites/disk suites/pattern suites/spelling suites/yamlform",
	"config/trust": "suites/disk",
	"watcher":      "suites/disk",

	"suites":                     "",
	"suites/audit":               "suites suites/client/matcher suites/discover suites/disk suites/pattern suites/process",
	"suites/catalog":             "suites suites/client suites/pattern suites/spelling suites/yamlform",
	"suites/cause":               "suites suites/pattern",
	"suites/client":              "suites suites/client/matcher suites/pattern",
	"suites/client/cells":        "suites suites/client suites/pattern",
	"suites/client/firing":       "suites/client suites/client/settings suites/spelling",
	"suites/client/inforce":      "suites/client suites/client/settings",
	"suites/client/matcher":      "suites/pattern",
	"suites/client/outputschema": "suites/client",
	"suites/client/payload":      "suites/client",
	"suites/client/settings":     "suites suites/client suites/jsontree",
	"suites/conform":             "suites suites/client suites/client/matcher suites/client/payload suites/conform/finding suites/conform/intent suites/conform/misnamed suites/discover suites/disk suites/pattern suites/shell suites/spelling suites/symptom",
	"suites/conform/finding":     "suites suites/conform/rules suites/pattern",
	"suites/conform/intent":      "suites/pattern",
	"suites/conform/misnamed":    "suites/pattern",
	"suites/conform/rules":       "suites",
	"suites/depend":              "suites suites/depend/scripts suites/disk suites/markers",
	"suites/depend/cover":        "suites suites/depend/trace",
	"suites/depend/edit":         "suites/depend/trace",
	"suites/depend/keys":         "suites/jsontree suites/shell",
	"suites/depend/narrow":       "suites suites/depend suites/depend/edit suites/depend/keys suites/depend/trace suites/pattern",
	"suites/depend/scripts":      "suites/pattern suites/shell",
	"suites/depend/trace":        "suites/pattern suites/shell",
	"suites/disk":                "",
	"suites/discover":            "suites suites/client suites/client/matcher suites/client/settings suites/disk suites/pattern suites/shell",
	"suites/idrange":             "suites/pattern",
	"suites/jsontree":            "",
	"suites/markers":             "suites suites/idrange suites/jsontree suites/pattern suites/shell",
	"suites/plan":                "suites",
	"suites/isolate":             "suites suites/disk suites/isolate/mask suites/isolate/mounts suites/isolate/syscalls suites/isolate/trees suites/pattern suites/process suites/process/supervisor",
	"suites/isolate/mask":        "suites/disk suites/isolate/mounts",
	"suites/isolate/mounts":      "suites/disk",
	"suites/isolate/syscalls":    "suites/process/supervisor",
	"suites/isolate/trees":       "suites/disk suites/pattern",
	"suites/pattern":             "",
	"suites/process":             "suites/process/supervisor",
	"suites/process/supervisor":  "",
	"suites/record":              "suites suites/disk suites/record/basis suites/record/foreign suites/record/jsonl suites/record/lock suites/record/origin suites/record/rolling",
	"suites/record/basis":        "suites suites/disk suites/record/jsonl",
	"suites/record/foreign":      "suites",
	"suites/record/jsonl":        "suites",
	"suites/record/lock":         "suites/disk",
	"suites/record/origin":       "suites/disk",
	"suites/record/rolling":      "suites suites/disk suites/record/jsonl",
	"suites/reference":           "suites/disk",
	"suites/report":              "suites suites/cause suites/idrange suites/pattern suites/printable suites/verdict",
	"suites/live":                "suites suites/client suites/pattern",
	"suites/run":                 "suites suites/audit suites/client suites/client/payload suites/discover suites/disk suites/isolate suites/isolate/trees suites/live suites/process suites/run/calls suites/run/driver suites/run/farm suites/run/gitstate suites/run/launch suites/run/played suites/run/pool suites/run/server suites/run/surround suites/symptom suites/toolbox",
	"suites/run/driver":          "suites/live suites/process",
	"suites/run/calls":           "suites suites/shell",
	"suites/run/farm":            "suites",
	"suites/run/gitstate":        "suites",
	"suites/run/launch":          "suites/disk suites/process suites/spelling",
	"suites/run/played":          "suites suites/client suites/discover suites/live suites/run/driver",
	"suites/run/pool":            "suites/isolate suites/isolate/trees suites/process",
	"suites/run/placed":          "suites/disk",
	"suites/run/server":          "suites",
	"suites/run/surround":        "suites suites/disk suites/isolate suites/isolate/trees suites/process suites/run/placed",
	"suites/shell":               "",
	"suites/printable":           "",
	"suites/spelling":            "",
	"suites/toolbox":             "suites suites/audit suites/disk suites/isolate/trees suites/process",
	"suites/selection":           "suites suites/depend suites/depend/narrow suites/depend/trace suites/disk suites/record/basis",
	"suites/tracing":             "suites suites/depend/trace",
	"suites/verdict":             "suites suites/cause suites/pattern suites/symptom",
	"suites/yamlform":            "suites suites/spelling",

	"watcher/editstest":                "", // tests alone import what ends in test: see TestShipped
	"cmd/internal/notify/notifytest":   "cmd/internal/notify suites",
	"cmd/internal/project/projecttest": "cmd/internal/project config",
	"suites/process/processtest":       "",
	"suites/symptom":                   "suites suites/client suites/pattern",
}

func TestArrows(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "hookwatch/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	seen := map[string]bool{}
	for {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		from := strings.TrimPrefix(p.ImportPath, "hookwatch/")
		seen[from] = true
		checkArrows(t, from, p.Imports)
	}
	for from := range arrows {
		if !seen[from] {
			t.Errorf("the list names %s, which is no package", from)
		}
	}
}

// TestShipped keeps what tests and development need apart from what ships. Each
// package of the module is part of the program on some system, or its name ends
// in "test", and the program has it on none.
func TestShipped(t *testing.T) {
	t.Parallel()
	shipped := map[string]bool{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, p := range packages(t, system, "-deps", "hookwatch/cmd/hookwatch") {
			shipped[p] = true
			if p == "testing" || strings.HasPrefix(p, "hookwatch/") && strings.HasSuffix(p, "test") {
				t.Errorf("the program for %s has %s, which is for tests", system, p)
			}
		}
	}
	for _, p := range packages(t, "linux", "hookwatch/...") {
		if !shipped[p] && !strings.HasSuffix(p, "test") {
			t.Errorf("%s is no part of the program: what tests alone use has a name that ends in test; a program goes to a module of its own", p)
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

// pure lists the packages that decide and do nothing else.
var pure = []string{"cmd/internal/engine/decide", "cmd/internal/engine/verdicts", "suites/client/cells", "suites/client/inforce", "suites/live", "suites/plan"}

// TestPure keeps disk, processes, clock and goroutines out of what decides.
func TestPure(t *testing.T) {
	t.Parallel()
	const ours = `{{if and (gt (len .ImportPath) 10) (eq (slice .ImportPath 0 10) "hookwatch/")}}{{join .Imports " "}}{{end}}`
	for _, name := range pure {
		for _, p := range packages(t, "linux", "-deps", "-f", ours, "hookwatch/"+name) {
			if slices.Contains([]string{"io/fs", "net", "os", "os/exec", "path/filepath", "syscall"}, p) {
				t.Errorf("%s, or what it imports, imports %s", name, p)
			}
		}
		files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(name), "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no files: %v", name, err)
		}
		for _, file := range files {
			if what := impure(t, file); what != "" && !strings.HasSuffix(file, "_test.go") {
				t.Errorf("%s: %s is no part of a decision", file, what)
			}
		}
	}
}

// impure names what a file does beside computing values.
func impure(t *testing.T, file string) (what string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
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

func checkArrows(t *testing.T, from string, imports []string) {
	t.Helper()
	allowed, listed := arrows[from]
	if !listed {
		t.Errorf("package %s is not on the list", from)
	}
	var used []string
	for _, i := range imports {
		if to, ours := strings.CutPrefix(i, "hookwatch/"); ours {
			used = append(used, to)
			if !slices.Contains(strings.Fields(allowed), to) {
				t.Errorf("%s imports %s, which is not allowed", from, to)
			}
		}
	}
	for _, to := range strings.Fields(allowed) {
		if !slices.Contains(used, to) {
			t.Errorf("%s may import %s, but does not: take the arrow off the list", from, to)
		}
	}
}
