package trace_test

import (
	"slices"
	"strings"
	"testing"

	"hookwatch/suites/depend/script"
	"hookwatch/suites/depend/trace"
)

// A replacement is an edit of a hook, and whether it affects a case.
type replacement struct {
	old, new string
	want     string // part of the reason; "" if the case is not affected
}

// check compares the hook before and after the edit, given the trace of the case.
func (r replacement) check(t *testing.T, file, hook string, ran *trace.Trace) {
	t.Helper()
	if !strings.Contains(hook, r.old) {
		t.Fatal("no such text")
	}
	after := strings.Replace(hook, r.old, r.new, 1)
	affected, why := trace.Affected(trace.Compare(file, []byte(hook), []byte(after)), ran)
	if affected != (r.want != "") || !strings.Contains(why, r.want) {
		t.Errorf("affected %v: %s; want %q", affected, why, r.want)
	}
}

// came returns the trace of a run that reached the statements which begin on these lines, and
// entered the functions that contain them.
func came(t *testing.T, src string, lines ...int) *trace.Trace {
	t.Helper()
	s, err := trace.Parse("h.sh", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	statements, functions, words := map[script.Key]bool{}, map[script.Key]bool{}, map[script.Key]bool{}
	for _, st := range s.Statements {
		if st.Function != nil || !slices.Contains(lines, st.Start) {
			continue
		}
		statements[st.Key] = true
		if st.In.Function != nil {
			functions[trace.WordKey(st.In.Function.Name)] = true
		}
		for _, w := range st.Facts.Words {
			words[trace.WordKey(w)] = true
		}
	}
	return &trace.Trace{
		Files: map[string]*trace.Met{file: {
			Digest: s.Digest, Main: true, Statements: trace.NewSet(statements), Functions: trace.NewSet(functions),
		}},
		Words: trace.NewSet(words),
	}
}

const base = `#!/bin/bash
set -u
one() {
  echo one
  if [[ $1 == a ]]; then
    echo a
  elif [[ $1 == b ]]; then
    echo b
  fi
  echo end
}
two() {
  echo two
}
case $1 in
  x) one a ;;
  y) two ;;
esac
for f in $2; do
  echo "$f"
done
v=$(
  echo inner
)
echo last
`

func TestAffected(t *testing.T) {
	t.Parallel()
	// The case runs one a: lines 2, 15, 16, 4, 5, 6, 10, no statement of the loop.
	met := []int{2, 15, 16, 4, 5, 6, 10, 22, 25}
	tests := map[string]struct {
		replace  []string // old, new, ...
		affected bool
		because  string
	}{
		"met statement":            {[]string{"echo a\n", "echo A\n"}, true, "line 6 in one"},
		"other branch":             {[]string{"echo b\n", "echo B\n"}, false, "nothing that changed"},
		"other function":           {[]string{"echo two", "echo TWO"}, false, ""},
		"condition met":            {[]string{"$1 == a ]]", "$1 == c ]]"}, true, "line 5"},
		"condition not met":        {[]string{"$1 == b ]]", "$1 == c ]]"}, false, ""},
		"new before met":           {[]string{"    echo a\n", "    echo new\n    echo a\n"}, true, "new statement"},
		"new behind met":           {[]string{"echo a\n", "echo a\n    echo new\n"}, true, "new statement"},
		"new where not met":        {[]string{"echo b\n", "echo b\n    echo new\n"}, false, ""},
		"new at top of function":   {[]string{"one() {\n", "one() {\n  echo new\n"}, true, ""},
		"new in other function":    {[]string{"two() {\n", "two() {\n  echo new\n"}, false, ""},
		"new at top of file":       {[]string{"set -u\n", "echo new\nset -u\n"}, true, ""},
		"new else":                 {[]string{"    echo b\n", "    echo b\n  else\n    echo c\n"}, false, ""},
		"pattern compared":         {[]string{"x) one", "z) one"}, true, "pattern changed at line 16"},
		"pattern not compared":     {[]string{"y) two", "z) two"}, false, ""},
		"word of case":             {[]string{"case $1", "case $2"}, true, "lines 15-18"},
		"item's body":              {[]string{"y) two", "y) two; two"}, false, ""},
		"new item first":           {[]string{"  x) one", "  z) two ;;\n  x) one"}, true, "new pattern"},
		"new item last":            {[]string{"esac", "  z) two ;;\nesac"}, false, ""},
		"item removed":             {[]string{"  y) two ;;\n", ""}, false, ""},
		"items exchanged":          {[]string{"  x) one a ;;\n", "", "esac", "  x) one a ;;\nesac"}, true, ""},
		"falls through":            {[]string{"one a ;;", "one a ;&"}, true, "statement changed"},
		"loop over nothing":        {[]string{"in $2;", "in $3;"}, true, ""},
		"body of the loop":         {[]string{`echo "$f"`, `echo "$f" x`}, false, ""},
		"inside a substitution":    {[]string{"echo inner", "echo other"}, true, "lines 22-24"},
		"last removed":             {[]string{"echo last\n", ""}, true, "removed"},
		"function called renamed":  {[]string{"one() {", "uno() {"}, true, ""},
		"function unused renamed":  {[]string{"two() {", "dos() {"}, false, ""},
		"function added":           {[]string{"two() {", "three() { :; }\ntwo() {"}, false, ""},
		"function hides a command": {[]string{"two() {", "echo() { :; }\ntwo() {"}, true, "function echo added"},
		"function moved":           {[]string{"two() {\n  echo two\n}\n", "", "echo last\n", "two() {\n  echo two\n}\necho last\n"}, false, ""},
		"met function moved":       {[]string{"one() {", "echo first\none() {"}, true, ""},
		"functions exchanged":      {[]string{"one() {", "two() {\n  echo two\n}\none() {", "}\ntwo() {\n  echo two\n}\ncase", "}\ncase"}, false, "white space"},
		"shell of a function":      {[]string{"two() {\n  echo two\n}", "two() (\n  echo two\n)"}, false, ""},
		"wrapped":                  {[]string{"  echo end\n", "  if true; then\n    echo end\n  fi\n"}, true, "line"},
		"comment":                  {[]string{"echo b\n", "# about b\n    echo b # here\n"}, false, "comments or white space"},
		"indentation":              {[]string{"    echo", "\t\techo", "  echo", " echo"}, false, "comments or white space"},
		"joined lines":             {[]string{"; then\n", "\nthen "}, false, "comments or white space"},
		"interpreter":              {[]string{"#!/bin/bash", "#!/bin/sh"}, true, "interpreter"},
		"does not parse":           {[]string{"fi\n", "\n"}, true, "cannot be parsed"},
		"carriage returns":         {[]string{"echo b\n", "echo b\r\n"}, true, "carriage"},
		"extended pattern":         {[]string{"y) two", "!(y)) two"}, true, "extended pattern"},
		"own text":                 {[]string{"echo b\n", "cat \"$0\"\n"}, true, "own text"},
		"line numbers":             {[]string{"echo b\n", "echo $LINENO\n"}, true, "LINENO"},
		"line numbers in a trap":   {[]string{"echo b\n", "trap 'echo $LINENO' ERR\n"}, true, "LINENO"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after := strings.NewReplacer(tt.replace...).Replace(base)
			if after == base {
				t.Fatal("the edit changes nothing")
			}
			e := trace.Compare(file, []byte(base), []byte(after))
			got, because := trace.Affected(e, came(t, base, met...))
			if got != tt.affected || !strings.Contains(because, tt.because) {
				t.Errorf("affected %v: %s; want %v: %s\nedits %v", got, because, tt.affected, tt.because, e.List)
			}
			back := trace.Compare(file, []byte(base), []byte(base))
			if affected, _ := trace.Affected(back, nil); affected {
				t.Error("the same content affects a case")
			}
		})
	}
}

// Gaps in a trace have priority over its content.
func TestBlindTraces(t *testing.T) {
	t.Parallel()
	other := strings.Replace(base, "echo b\n", "echo B\n", 1) // irrelevant to the case
	comment := strings.Replace(base, "echo b\n", "# b\n    echo b\n", 1)
	tests := map[string]struct {
		change  func(*trace.Trace)
		after   string
		because string
	}{
		"incomplete":    {func(t *trace.Trace) { t.Incomplete = "killed" }, other, "killed"},
		"opaque":        {func(t *trace.Trace) { t.Opaque = "it runs sh" }, other, "it runs sh"},
		"other content": {func(t *trace.Trace) { t.Files[file].Digest = "x" }, other, "another content"},
		"whole":         {func(t *trace.Trace) { t.Files[file].Whole = "no bash" }, other, "no bash"},
		"read by name":  {func(t *trace.Trace) { t.Names = []string{"*.sh"} }, other, "*.sh"},
		"comment read":  {func(t *trace.Trace) { t.Names = []string{"guard.sh"} }, comment, "guard.sh"},
		"names lines":   {func(t *trace.Trace) { t.Lines = true }, comment, "lines moved"},
		"no trace":      {nil, other, "no trace"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := came(t, base, 2, 15)
			e := trace.Compare(file, []byte(base), []byte(tt.after))
			if affected, because := trace.Affected(e, tr); affected {
				t.Fatalf("affected even without: %s", because)
			}
			if tt.change == nil {
				tr = nil
			} else {
				tt.change(tr)
			}
			affected, because := trace.Affected(e, tr)
			if !affected || !strings.Contains(because, tt.because) {
				t.Errorf("affected %v: %s; want %s", affected, because, tt.because)
			}
		})
	}
}

func TestShowsFunctions(t *testing.T) {
	t.Parallel()
	const src = base + "outer() {\n  inner() {\n    echo in\n  }\n}\n"
	shown := func(names ...string) func(*trace.Trace) {
		keys := map[script.Key]bool{}
		for _, n := range names {
			keys[trace.WordKey(n)] = true
		}
		return func(tr *trace.Trace) { tr.Shown = trace.NewSet(keys) }
	}
	all := func(tr *trace.Trace) { tr.Shows = true }
	exported := func(change func(*trace.Trace)) func(*trace.Trace) {
		return func(tr *trace.Trace) {
			shown("two")(tr)
			tr.Exported, tr.Shown = tr.Shown, ""
			change(tr)
		}
	}
	for name, tt := range map[string]struct {
		shows    func(*trace.Trace)
		old, new string
		affected bool
	}{
		"any, one changed":               {all, "echo two", "echo TWO", true},
		"any, one added":                 {all, "two() {", "three() { :; }\ntwo() {", true},
		"any, one gone":                  {all, "two() {\n  echo two\n}\n", "", true},
		"any, none changed":              {all, `echo "$f"`, `echo "$f" x`, false},
		"the one that changed":           {shown("two"), "echo two", "echo TWO", true},
		"the one that is gone":           {shown("two"), "two() {\n  echo two\n}\n", "", true},
		"the one defined otherwise":      {shown("two"), "two() {\n  echo two\n}", "two() (\n  echo two\n)", true},
		"exported, to who does not look": {exported(func(*trace.Trace) {}), "echo two", "echo TWO", false},
		"exported, to who looks":         {exported(func(tr *trace.Trace) { tr.Environment = true }), "echo two", "echo TWO", true},
		"exported, to who is not known":  {exported(func(tr *trace.Trace) { tr.Dynamic = true }), "echo two", "echo TWO", true},
		"another, to who looks":          {exported(func(tr *trace.Trace) { tr.Environment = true }), "echo end", "echo END", false},
		"another":                        {shown("one", "outer"), "echo two", "echo TWO", false},
		"the one that the change is in":  {shown("outer"), "echo in\n", "echo IN\n", true},
		"the one that it defines":        {shown("inner"), "echo in\n", "echo IN\n", true},
	} {
		tr := came(t, src, 2)
		tt.shows(tr)
		e := trace.Compare(file, []byte(src), []byte(strings.Replace(src, tt.old, tt.new, 1)))
		if affected, because := trace.Affected(e, tr); affected != tt.affected {
			t.Errorf("%s: affected %v: %s", name, affected, because)
		}
	}
}

func TestCarry(t *testing.T) {
	t.Parallel()
	tr := came(t, base, 2, 15, 16, 4, 5, 6, 10)
	next := strings.Replace(base, "echo two", "echo TWO\n  echo more", 1)
	e := trace.Compare(file, []byte(base), []byte(next))
	if affected, because := trace.Affected(e, tr); affected {
		t.Fatal(because)
	}
	carried := tr.Carry(e)
	for after, want := range map[string]bool{
		strings.Replace(next, "echo a\n", "echo A\n", 1): true,
		strings.Replace(next, "echo b\n", "echo B\n", 1): false,
	} {
		e := trace.Compare(file, []byte(next), []byte(after))
		if got, because := trace.Affected(e, carried); got != want {
			t.Errorf("affected %v: %s; want %v", got, because, want)
		}
		if got, _ := trace.Affected(e, tr); !got {
			t.Error("the trace was taken for one of a content that it is not of")
		}
	}
	if tr.Files[file].Digest != e.Old {
		t.Error("Carry changed the trace itself")
	}
}

func TestUncovered(t *testing.T) {
	t.Parallel()
	after := strings.NewReplacer("echo b\n", "echo B\n    echo C\n", "echo a\n", "echo A\n", "echo two", "echo 2").Replace(base)
	e := trace.Compare(file, []byte(base), []byte(after))
	traces := []*trace.Trace{came(t, base, 2, 15, 4, 5, 6, 10), came(t, base, 2, 15)}
	var got []string
	for _, u := range trace.Uncovered(e, traces) {
		got = append(got, u.String())
	}
	want := []string{"statement changed at line 8 in one", "new statement at line 9 in one", "statement changed at line 14 in two"}
	if !slices.Equal(got, want) {
		t.Errorf("uncovered %q, want %q", got, want)
	}
	if u := trace.Uncovered(e, append(traces, nil)); u != nil {
		t.Errorf("uncovered %v although one case has no trace", u)
	}
}

func TestOtherFiles(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		path, src string
		affected  bool
	}{
		"python":            {"hooks/x.py", "#!/usr/bin/env python3\nx\n", true},
		"python by name":    {"hooks/x.py", "x\n", true},
		"posix bash":        {"hooks/x.sh", "#!/bin/bash --posix\nx\n", true},
		"dash":              {"hooks/x.sh", "#!/bin/sh\ny\nif x; then\n  x\nfi\n", true},
		"library":           {"hooks/x.sh", "f() {\n  x\n}\n", false},
		"bash":              {"hooks/x", "#!/usr/bin/env bash\nf() {\n  x\n}\n", false},
		"top of a library":  {"hooks/x.sh", "x\n", false},
		"reads what it has": {"hooks/x.sh", "f() { grep -c y \"${BASH_SOURCE[0]}\"; x; }\n", true},
		"its own directory": {"hooks/x.sh", "d=$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\nf() { x; }\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after := strings.ReplaceAll(tt.src, "x\n", "z\n")
			after = strings.ReplaceAll(after, "x;", "z;")
			e := trace.Compare(tt.path, []byte(tt.src), []byte(after))
			got, because := trace.Affected(e, came(t, base, 2))
			if got != tt.affected {
				t.Errorf("affected %v: %s", got, because)
			}
		})
	}
}

func FuzzCompare(f *testing.F) {
	f.Add(base, strings.Replace(base, "echo a", "echo c", 1))
	f.Add("if a; then b; fi", "if a\nthen b; else c; fi")
	f.Add("f() { a; }\nf", "f() ( a )\nf")
	f.Add("a <<X\n$(b)\nX\n", "a <<Y\n$(c)\nY\n")
	f.Add("case a in b) c;; esac", "case a in b) ;; esac")
	f.Add("a", "if")
	f.Add("a", "a")
	f.Fuzz(func(t *testing.T, before, after string) {
		e := trace.Compare(file, []byte(before), []byte(after))
		affected, because := trace.Affected(e, nil)
		_, oldErr := trace.Parse("h.sh", []byte(before))
		_, newErr := trace.Parse("h.sh", []byte(after))
		switch {
		case before == after:
			if affected {
				t.Errorf("the same content affects a case: %s", because)
			}
		case oldErr != nil || newErr != nil:
			if !affected {
				t.Errorf("a content that cannot be parsed does not affect a case: %s", because)
			}
		}
		for _, one := range e.List {
			if one.Old.From == 0 && one.New.From == 0 {
				t.Errorf("edit without a place: %s", one)
			}
		}
		_ = trace.Uncovered(e, []*trace.Trace{{}})
		if oldErr == nil {
			if all := everything(t, before); !affected && !e.None() {
				t.Errorf("an edit does not affect a case without a trace: %v %v", e.List, all)
			} else if hit, _ := trace.Affected(e, all); !hit && len(e.List) > 0 && !onlyUnused(e) {
				t.Errorf("an edit does not affect a case that executed everything: %v", e.List)
			}
		}
	})
}

// everything returns the trace of a run that reached every statement.
func everything(t *testing.T, src string) *trace.Trace {
	s, err := trace.Parse("h.sh", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	for i := range s.Statements {
		lines = append(lines, s.Statements[i].Start)
	}
	return came(t, src, lines...)
}

// onlyUnused reports whether all edits are of functions, which a run that reached every
// statement may not have called.
func onlyUnused(e *trace.Edits) bool {
	for _, one := range e.List {
		if !strings.HasPrefix(one.What, "function ") && one.Function == "" {
			return false
		}
	}
	return true
}

// A loop over nothing has no event, so every run that entered its block counts, however it
// entered.
func TestSilentStatements(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"item":     "a\ncase $1 in x)\n    for i in $2; do b; done\n    ;;\nesac\n",
		"then":     "a\nif true; then\n    for i in $2; do b; done\nfi\n",
		"group":    "a\n{\n    for i in $2; do b; done\n} >c\n",
		"function": "a\nf() {\n    for i in $2; do b; done\n}\nf\n",
		"file":     "for i in $2; do b; done\na\n",
	} {
		after := strings.Replace(src, "for i", "new\nfor i", 1)
		e := trace.Compare(file, []byte(src), []byte(after))
		if got, because := trace.Affected(e, came(t, src, 1, 2, 5)); !got {
			t.Errorf("%s: not affected: %s; %v", name, because, e.List)
		}
	}
}

// A file without an interpreter line may be run by a shell that another program starts.
func TestStartedUnseen(t *testing.T) {
	t.Parallel()
	const library = "echo a\n"
	e := trace.Compare("hooks/lib.sh", []byte(library), []byte("echo b\n"))
	tr := came(t, base, 2, 15)
	if affected, because := trace.Affected(e, tr); affected {
		t.Fatalf("affected even without: %s", because)
	}
	tr.Starts = true
	if affected, because := trace.Affected(e, tr); !affected || !strings.Contains(because, "not traced") {
		t.Errorf("affected %v: %s", affected, because)
	}
}

const arms = `#!/bin/bash
case $1 in
  a)
    echo a
    ;;
  b|c)
    echo b
    ;;
  d)
    ;;
  *)
    echo other
    ;;
esac
`

// An edit of an arm affects the cases that compared its pattern.
func TestArms(t *testing.T) {
	t.Parallel()
	second := []int{2, 3, 6, 7}       // the second arm matched
	last := []int{2, 3, 6, 9, 11, 12} // the last one
	for name, tt := range map[string]struct {
		lines []int
		replacement
	}{
		"earlier pattern":              {second, replacement{"a)", "x)", "pattern changed at line 3"}},
		"own pattern":                  {second, replacement{"b|c)", "b)", "pattern changed at line 6"}},
		"later pattern":                {second, replacement{"d)", "x)", ""}},
		"last pattern":                 {second, replacement{"*)", "?*)", ""}},
		"last pattern compared":        {last, replacement{"*)", "?*)", "pattern changed at line 11"}},
		"body of another":              {last, replacement{"echo b", "echo B", ""}},
		"new body of an empty arm":     {last, replacement{"d)\n", "d)\n    echo d\n", "new statement"}},
		"new body of a later arm":      {second, replacement{"d)\n", "d)\n    echo d\n", ""}},
		"new arm before the own":       {second, replacement{"  b|c)", "  x)\n    ;;\n  b|c)", "new pattern at lines 6-7"}},
		"new arm after the own":        {second, replacement{"  d)", "  x)\n    ;;\n  d)", ""}},
		"new arm at the end":           {second, replacement{"esac", "  x) echo x ;;\nesac", ""}},
		"arm removed that matched":     {second, replacement{"  b|c)\n    echo b\n    ;;\n", "", "pattern removed"}},
		"arm removed that did not":     {last, replacement{"  b|c)\n    echo b\n    ;;\n", "", ""}},
		"empty arm removed":            {last, replacement{"  d)\n    ;;\n", "", "pattern removed"}},
		"later arm removed":            {second, replacement{"  d)\n    ;;\n", "", ""}},
		"later arms exchanged":         {second, replacement{"  d)\n    ;;\n  *)\n    echo other\n    ;;\n", "  *)\n    echo other\n    ;;\n  d)\n    ;;\n", ""}},
		"arms exchanged":               {last, replacement{"  d)\n    ;;\n  *)\n    echo other\n    ;;\n", "  *)\n    echo other\n    ;;\n  d)\n    ;;\n", "pattern"}},
		"later arm falls into another": {second, replacement{"    echo b\n    ;;", "    echo b\n    ;&", "statement changed"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.check(t, file, arms, came(t, arms, tt.lines...))
		})
	}
}

// An arm whose pattern runs a command may do so in vain, and its removal counts then.
func TestPatternsWithEffects(t *testing.T) {
	t.Parallel()
	const src = "case $1 in\n  $(next))\n    echo a\n    ;;\n  b)\n    echo b\n    ;;\nesac\n"
	replacement{"  $(next))\n    echo a\n    ;;\n", "", "pattern removed"}.check(t, file, src, came(t, src, 1, 2, 5, 6))
}
