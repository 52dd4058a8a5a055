package trace_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/depend/script"
	"hookwatch/suites/depend/trace"
)

const file = "hooks/guard.sh"

const src = `#!/bin/bash
one() {
  echo one
  if [[ $1 == a ]]; then
    echo a
    echo more
  fi
  echo end
}
outer() {
  inner() {
    echo in
  }
  inner
}
one "$1"
case $2 in
  x) outer ;;
  y) echo y
     echo z ;;
esac
for f in $3; do
  echo "$f"
done
`

// ran returns a case that reached the statements which begin on these lines.
func ran(t *testing.T, s *script.Script, id string, lines ...int) trace.Traced {
	t.Helper()
	keys, functions := map[script.Key]bool{}, map[script.Key]bool{}
	for _, st := range s.Statements {
		if st.Function != nil || !slices.Contains(lines, st.Start) {
			continue
		}
		keys[st.Key] = true
		if st.In.Function != nil {
			functions[trace.WordKey(st.In.Function.Name)] = true
		}
	}
	return trace.Traced{Key: suites.Key{Suite: "s", ID: id}, Trace: &trace.Trace{Files: map[string]*trace.Met{
		file: {Digest: s.Digest, Main: true, Statements: trace.NewSet(keys), Functions: trace.NewSet(functions)},
	}}}
}

func parse(t *testing.T, src string) *script.Script {
	t.Helper()
	s, err := trace.Parse("h.sh", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// counts formats lines as "3:2 4:1".
func counts(lines []trace.CoveredLine) string {
	var out []string
	for _, l := range lines {
		out = append(out, fmt.Sprintf("%d:%d", l.Line, l.Cases))
	}
	return strings.Join(out, " ")
}

func TestOf(t *testing.T) {
	t.Parallel()
	s := parse(t, src)
	other := ran(t, s, "OTHER", 3)
	other.Trace.Files[file].Digest = "another content"
	untraced := ran(t, s, "UNTRACED", 3)
	untraced.Trace.Files[file].Whole = "it was not started by a bash that is traced"
	elsewhere := trace.Traced{Key: suites.Key{Suite: "s", ID: "ELSE"}, Trace: &trace.Trace{}}
	cases := []trace.Traced{ran(t, s, "A", 3, 4, 5, 6, 8, 16, 17), ran(t, s, "B", 3, 4, 8, 16, 17, 20, 21), other, untraced, elsewhere}
	f := trace.Cover(file, s, cases)
	if f.Path != file || f.Cases != 2 {
		t.Errorf("%s, %d cases", f.Path, f.Cases)
	}
	// A loop over nothing has no event, so it has no line.
	if got, want := counts(f.Lines), "3:2 4:2 5:1 6:1 8:2 12:0 14:0 16:2 17:2 18:0 19:0 20:1 23:0"; got != want {
		t.Errorf("lines %s\nwant  %s", got, want)
	}
	want := []trace.CoveredFunction{
		{Name: "one", Line: 2, End: 9, Cases: []string{"s/A", "s/B"}},
		{Name: "outer", Line: 10, End: 15, Cases: []string{}},
		{Name: "inner", Line: 11, End: 13, Cases: []string{}},
	}
	if !reflect.DeepEqual(f.Functions, want) {
		t.Errorf("functions %+v\nwant %+v", f.Functions, want)
	}
	if got, want := fmt.Sprint(f.Gaps), "[line 12 in inner line 14 in outer lines 18-19 line 23]"; got != want {
		t.Errorf("gaps %s\nwant %s", got, want)
	}
	if f.Run() != 8 || f.Entered() != 1 {
		t.Errorf("%d lines run, %d functions entered; want 8 and 1", f.Run(), f.Entered())
	}
}

// The line of a pattern is not one on which a statement begins.
func TestOfArms(t *testing.T) {
	t.Parallel()
	s, err := trace.Parse("h.sh", []byte("case $1 in\n  a)\n    echo a\n    ;;\nesac\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := trace.Cover(file, s, []trace.Traced{ran(t, s, "A", 1, 2)}).Lines
	if want := []trace.CoveredLine{{Line: 1, Cases: 1, By: []suites.Key{{Suite: "s", ID: "A"}}}, {Line: 3, Cases: 0}}; !reflect.DeepEqual(got, want) {
		t.Errorf("lines %v, want %v", got, want)
	}
}

func TestOfNothing(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		src   string
		lines string
		gaps  string
	}{
		"empty file":     {"", "", "[]"},
		"no case":        {"a\nb\nf() {\n  c\n}\n", "1:0 2:0 4:0", "[lines 1-2 line 4 in f]"},
		"two on a line":  {"a; b\n", "1:0", "[line 1]"},
		"only functions": {"f() { :; }\n", "1:0", "[line 1 in f]"},
	} {
		f := trace.Cover(file, parse(t, tt.src), nil)
		if f.Cases != 0 || counts(f.Lines) != tt.lines || fmt.Sprint(f.Gaps) != tt.gaps {
			t.Errorf("%s: %d cases, lines %s, gaps %v; want %s, %s", name, f.Cases, counts(f.Lines), f.Gaps, tt.lines, tt.gaps)
		}
	}
}

const lcov = `TN:
SF:hooks/guard.sh
FN:2,one
FN:10,outer
FN:11,inner
FNDA:2,one
FNDA:1,outer
FNDA:1,inner
FNF:3
FNH:3
DA:3,2
DA:4,2
DA:5,0
DA:6,0
DA:8,2
DA:12,1
DA:14,1
DA:16,2
DA:17,2
DA:18,1
DA:19,0
DA:20,0
DA:23,0
LF:13
LH:8
end_of_record
TN:
SF:lib.sh
FNF:0
FNH:0
DA:1,0
LF:1
LH:0
end_of_record
`

func TestWriteLCOV(t *testing.T) {
	t.Parallel()
	s := parse(t, src)
	files := []trace.Coverage{
		trace.Cover(file, s, []trace.Traced{ran(t, s, "A", 3, 4, 8, 12, 14, 16, 17, 18), ran(t, s, "B", 3, 4, 8, 16, 17)}),
		trace.Cover("lib.sh", parse(t, "true\n"), nil),
	}
	var b strings.Builder
	if err := trace.WriteLCOV(&b, files); err != nil || b.String() != lcov {
		t.Errorf("%v\n%s\nwant\n%s", err, b.String(), lcov)
	}
	if err := trace.WriteLCOV(&full{room: 3}, files); !errors.Is(err, errFull) {
		t.Errorf("a full disk gives %v", err)
	}
}

var errFull = errors.New("no space left")

// full is a writer without space for one of the writes.
type full struct{ room int }

func (f *full) Write(b []byte) (int, error) {
	if f.room--; f.room == 0 {
		return 0, errFull
	}
	return len(b), nil
}

// large returns a script of about 1,500 lines.
func large() []byte {
	var b strings.Builder
	b.WriteString("#!/bin/bash\n")
	for i := range 150 {
		fmt.Fprintf(&b, "f%d() {\n  local x=$1\n  if [[ $x == %d ]]; then\n    echo \"is $x\" | sed 's/a/b/'\n  else\n    y=$(printf '%%s' \"$x\" |\n      tr a b)\n  fi\n  echo \"$y\"\n}\n", i, i)
	}
	return []byte(b.String())
}

// BenchmarkParse measures the parsing that each save of a large script causes twice.
func BenchmarkParse(b *testing.B) {
	src := large()
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := trace.Parse("h.sh", src); err != nil {
			b.Fatal(err)
		}
	}
}

func readAll(name string) (string, error) {
	data, err := os.ReadFile(name)
	return string(data), err
}

func TestSet(t *testing.T) {
	t.Parallel()
	keys := map[script.Key]bool{0: true, 5: true, 1 << 20: true, 1<<24 - 1: true}
	s := trace.NewSet(keys)
	for _, k := range []script.Key{0, 1, 4, 5, 6, 1 << 20, 1<<20 + 1, 1<<24 - 1} {
		if s.Has(k) != keys[k] {
			t.Errorf("Has(%d) = %v", k, s.Has(k))
		}
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var back trace.Set
	if err := json.Unmarshal(text, &back); err != nil || back != s {
		t.Errorf("round trip: %q, %v; want %q", back, err, s)
	}
	for _, bad := range []string{`"AAA"`, `"not base64!"`, `"AAACAAAB"`} {
		if err := json.Unmarshal([]byte(bad), &back); err == nil {
			t.Errorf("%s was taken for a set", bad)
		}
	}
}

// TestStartDirectory checks that bash executes nothing of the name of the directory in which a trace
// is kept: it expands the value of BASH_ENV.
func TestStartDirectory(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("absent: bash")
	}
	for name, start := range map[string]func(string, []string) suites.Tracing{
		"statements": trace.LanguageOf("x.sh", nil).Start, "endings": trace.StartErrTrap,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "a $(touch made) `touch made` \\d")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			tracing := start(dir, nil)
			for file, content := range tracing.Files {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command(bash, "-c", "cd . && false")
			cmd.Dir = t.TempDir()
			cmd.Env = append(os.Environ(), "BASH_ENV="+tracing.Set["BASH_ENV"])
			_ = cmd.Run() // it fails
			log, err := os.ReadFile(filepath.Join(dir, tracing.Logs[0]))
			if made, _ := os.ReadDir(cmd.Dir); err != nil || len(log) == 0 || len(made) > 0 {
				t.Errorf("log %q, %v; made %v", log, err, made)
			}
		})
	}
}
