package markers

import (
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// summary formats markers as "line:column ref ids".
func summary(d *Document) []string {
	var got []string
	for _, m := range d.Markers {
		s := fmt.Sprintf("%d:%d %s [%s]", m.Line, m.Column, m.Ref, strings.Join(m.IDs, " "))
		if m.SuiteWide {
			s += " suite-wide"
		}
		if m.Unresolved {
			s += " unresolved"
		}
		got = append(got, s)
	}
	return got
}

func TestRead(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, doc string
		want      []string
	}{
		{"sentence", "P01 blocks [verify: a.sh §x].", []string{"1:21 a.sh §x [P01]"}},
		{"two sentences, one line", "P01 is [verify: a.sh §x]. P02 is [VERIFY : b.sh].",
			[]string{"1:17 a.sh §x [P01]", "1:44 b.sh [P02]"}},
		{"after the full stop", "P01 blocks.\n[verify: a.sh §x]\n\nOther.", []string{"2:10 a.sh §x [P01]"}},
		{"before the next sentence", "P01 blocks. [verify: a.sh §x] The rest is P02.", []string{"1:22 a.sh §x [P01]"}},
		{"inside a sentence that starts with it", "P01 is.\n\n[verify: a.sh] covers P02.", []string{"3:10 a.sh [P02]"}},
		{"abbreviation and code do not end a sentence", "P01 reads `a. B` e.g. here [verify: a.sh].", []string{"1:37 a.sh [P01]"}},
		{"abbreviation before a capital", "P01 is as others (e.g. P02, cf. P03) [verify: a.sh]. P04.", []string{"1:47 a.sh [P01 P02 P03]"}},
		{"no link definition", "[verify: a.sh]: P01\n", []string{"1:10 a.sh [P01]"}},
		{"list below", "[verify: a.sh]:\n- P01: x as P02\n- P03\n", []string{"1:10 a.sh [P01 P03]"}},
		{"items below", "- these [verify: a.sh]\n  - P01\n  - P02\n- P03\n", []string{"1:18 a.sh [P01 P02]"}},
		{"earlier sentence", "P01 is. So it goes [verify: a.sh]. And on [verify: b.sh].", []string{"1:29 a.sh [P01]", "1:52 b.sh []"}},
		{"several sources, wrapped", "P01 is [verify: a.sh §long\nname, §B,\nb.md §C].",
			[]string{"1:17 a.sh §long name [P01]", "2:7 a.sh §B [P01]", "3:1 b.md §C [P01]"}},
		{"characters, not bytes", "P01 – é [verify: a.sh §é].", []string{"1:18 a.sh §é [P01]"}},
		{"row", "| ID | What |\n| --- | --- |\n| P01 | as P02 [verify: a.sh §x, §y] |\n| P03 | - |\n",
			[]string{"3:25 a.sh §x [P01]", "3:34 a.sh §y [P01]"}},
		{"row without an ID in front", "| What | ID |\n| --- | --- |\n| x [verify: a.sh] | P03 |\n", []string{"3:14 a.sh [P03]"}},
		{"list item", "- agent (P28): it fires.\n  Shown by text.\n  [verify: a.sh]\n- P29 [verify: b.sh]\n",
			[]string{"3:12 a.sh [P28]", "4:16 b.sh [P29]"}},
		{"enclosing list", "1. P01 and P02\n   - deep [verify: a.sh]\n", []string{"2:20 a.sh [P01 P02]"}},
		{"label", "**Live (P28)**: it runs. It is blocked.\n[verify: a.sh]", []string{"2:10 a.sh [P28]"}},
		{"below a table", "| ID |\n| --- |\n| P01 |\n| P02 |\n\n[verify: a.sh §x]\n", []string{"6:10 a.sh §x [P01 P02]"}},
		{"above a table", "**Tools** [verify: a.sh]:\n\n| ID |\n| --- |\n| P01 |\n", []string{"1:20 a.sh [P01]"}},
		{"without a table", "Block cases verify [verify: a.sh].\n\n| ID |\n| --- |\n| P01 |\n", []string{"1:29 a.sh []"}},
		{"suite-wide", "## A\n\nAll rows verify [verify: a.sh].\n\n| ID |\n| --- |\n| P01 |\n\n### B\n\n| ID |\n| --- |\n| P02 |\n\n## C\n\n| ID |\n| --- |\n| P03 |\n",
			[]string{"3:26 a.sh [P01 P02] suite-wide"}},
		{"all of a section, and a claim of its own behind it",
			"## A\n\n**Decision**: x tests all types [verify: a.sh], plus others (P09).\n\n| Type | Clean | Bad | Used |\n| --- | --- | --- | --- |\n| sh | P01 | P02 | as P03 |\n| css | P04 | — | - |\n\n## B\n\n| ID |\n| --- |\n| P05 |\n",
			[]string{"3:42 a.sh [P01 P02 P04] suite-wide"}},
		{"all, and IDs in front", "P01 tests all types [verify: a.sh], plus P02.", []string{"1:30 a.sh [P01 P02]"}},
		{"rows of what a label names", "## A\n\n| ID | Tool |\n| --- | --- |\n| P01 | `uv` |\n| P02 | `claude` |\n\n**`claude` order** [verify: a.md]:\n\n1. there\n\n## B\n\n| P03 | `claude` |\n| --- | --- |\n",
			[]string{"8:29 a.md [P02]"}},
		{"rows of a kind that no label introduces", "| ID | What |\n| --- | --- |\n| P01 | `a` |\n| P02 | Allowlisted command |\n| P03 | allowlist |\n\nAllowlist cases verify [verify: a.md].\n",
			[]string{"7:33 a.md [P02]"}},
		{"rows of a kind next to those below its label", "**Compound cases**:\n\n| ID | What |\n| --- | --- |\n| P01 | `a` |\n\n| ID | Name |\n| --- | --- |\n| P02 | pipe_compound |\n| M03 | ts_compound |\n| P04 | compound words |\n\nCompound cases verify [verify: a.md].\n",
			[]string{"13:32 a.md [P01 P02]"}},
		{"quote", "> P01 is\n> so [verify: a.sh\n> §b c].", []string{"2:15 a.sh §b c [P01]"}},
		{"unresolved", "P01 may [verify: unresolved].", []string{"1:18 unresolved [P01] unresolved"}},
		{"no source", "P01 may [verify:].", []string{"1:17  [P01]"}},
		{"own section", "P01 is [verify: §D3].", []string{"1:17 §D3 [P01]"}},
		{"brackets and code inside", "P01 [verify: a.json §x[0], §y `]` z].", []string{"1:14 a.json §x[0] [P01]", "1:28 a.json §y ] z [P01]"}},
		{"mentions", "P01 `[verify: a.sh]` and \\[verify: b.sh].\n\n```\n[verify: c.sh]\n```\n\n    [verify: d.sh]\n\n<!-- [verify: e.sh] -->\n", nil},
		{"unclosed", "P01 [verify: a.sh", nil},
		{"emphasis marks are text", "P01 [verify: a.sh §_lint_ts `x` *y*].", []string{"1:14 a.sh §_lint_ts x *y* [P01]"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := summary(Read("spec.md", []byte(tt.doc), nil))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadClaim(t *testing.T) {
	t.Parallel()
	d := Read("docs/s.md", []byte("First. P01\nblocks pip [verify: a.sh].\n\n| P02 | x [verify: b.sh] |\n| --- | --- |\n"), nil)
	want := []string{"P01 blocks pip.", "P02 | x"}
	for i, m := range d.Markers {
		if m.Claim != want[i] || m.Spec != "docs/s.md" || m.At().String() != fmt.Sprintf("docs/s.md:%d:%d", m.Line, m.Column) {
			t.Errorf("marker %d: claim %q at %s, want %q", i, m.Claim, m.At(), want[i])
		}
	}
}

func TestReadAliases(t *testing.T) {
	t.Parallel()
	doc := "ADR-PM = `docs/specs/pm.md`\n\nWe write README = docs/R.md.\nHere (`X` = `x.sh`), N = 1.5 and `Y = y.sh`.\n\n[verify: ADR-PM §D3, README]\n"
	d := Read("s.md", []byte(doc), nil)
	want := map[string]string{"ADR-PM": "docs/specs/pm.md", "README": "docs/R.md", "X": "x.sh", "Y": "y.sh"}
	if diff := cmp.Diff(want, d.Aliases); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"6:10 ADR-PM §D3 []", "6:22 README []"}, summary(d)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	known := NewIDs([]string{"P01", "P02", "P10", "P100", "no-secrets", "block", "M1", "M9", "M10", "M12"})
	tests := []struct {
		name, text string
		known      *IDs
		want       string
	}{
		{"one", "P01", nil, "P01"},
		{"ranges with dash and hyphen", "M08–M11 and M20-M21", nil, "M08 M09 M10 M11 M20 M21"},
		{"ranges in words", "M1 to M3, M5 through M6, M7..M8", nil, "M1 M2 M3 M5 M6 M7 M8"},
		{"short ends", "DEP09-11 and DEP20–22", nil, "DEP09 DEP10 DEP11 DEP20 DEP21 DEP22"},
		{"unequal numbers of digits", "M9-M12, M98–M101", nil, "M9 M10 M11 M12 M98 M99 M100 M101"},
		{"with a suite", "pm/P01-P02, pm/P07–pm/P08, DEP24, P01", nil, "pm/P01 pm/P02 pm/P07 pm/P08 DEP24 P01"},
		{"of two suites", "pm/P01–ml/P03", nil, "pm/P01 ml/P03"},
		{"an em dash is none", "M22 — M23", nil, "M22 M23"},
		{"of two letters", "M19 - P20", nil, "M19 P20"},
		{"backwards", "M30–M28", nil, "M30"},
		{"without end", "P1–P9999", nil, "P1"},
		{"variant", "M16b", nil, "M16b"},
		{"none", "the X of TCP", nil, ""},
		{"known of other shapes", "P01, P02, no-secrets, block", known, "P01 P02 no-secrets"},
		{"range as the cases spell it", "M9–M12 and P1-P2", known, "M9 M10 M11 M12 P01 P02"},
		{"with a known suite", "pm/P01", known, "pm/P01"},
		{"letters of cases, unknown number", "M7, P200, P2000", known, "M7 P200"},
		{"other letters", "Q17, Q1, Q777, Q01-Q02", known, "Q17 Q01 Q02"},
		{"rules of linters and standards", "F841 SC2086 MD013 DL3007 UTF8 B101", known, ""},
		{"names of sections", "D3, D12, D5–D9, D12–D14", known, "D5 D6 D7 D8 D9"},
	}
	for _, tt := range tests {
		r := &idReader{tt.known, map[string]bool{"D3": true, "D12": true}}
		if got := strings.Join(r.find(tt.text), " "); got != tt.want {
			t.Errorf("%s: IDs of %q are %q, want %q", tt.name, tt.text, got, tt.want)
		}
	}
}

// FuzzTable checks that documents are read as with goldmark's own tables.
func FuzzTable(f *testing.F) {
	for _, seed := range []string{
		"| a | b |\n|---|:-:|\n| 1 | 2 | 3 |\n| 4\n",
		"text\n*more*\na | b\n-|-\nc | d",
		"| a |\n|---|---|\n| b | c |",
		"| a | b | c |\n|---|---|\n",
		"| a | b |\n|---|---|\n| `x\\|y\\|z` | **`\\|`** |\n| \\| ` \\|\n",
		"> | a |\n> |:--|\n> | [verify: a.sh] `b\\|`\n\n- a | b\n  --|--\n  c | d\n",
		"a\n-\n", "a\n-", "|\n|-\n", "||\n||", "a\n:-", "a\n    -|", "a|b\n\f-|-\n", "a\n-|\n\\|\n", "| `a |\n|-|\n| b` | `c\\|", "a\n\t:-:\n\n|\n-\n|", "a\nb|c\n--|--|--\nd|e\n--|--\n",
	} {
		f.Add(seed)
	}
	reference := goldmark.New(goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
	)), goldmark.WithExtensions(extension.Table)).Parser()
	f.Fuzz(func(t *testing.T, src string) {
		if isIntricate([]byte(src)) {
			return
		}
		if diff := cmp.Diff(tree(reference, src), tree(reader(), src)); diff != "" {
			t.Errorf("goldmark's tables (-) and hookwatch's (+) of %q:\n%s", src, diff)
		}
	})
}

// tree lists the nodes of a document with their source, one a line.
func tree(p parser.Parser, src string) []string {
	var nodes []string
	depth := 0
	_ = ast.Walk(p.Parse(text.NewReader([]byte(src))), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			depth--
			return ast.WalkContinue, nil
		}
		var where any
		if t, ok := n.(*ast.Text); ok {
			where = t.Segment
		} else if n.Type() != ast.TypeInline {
			where = n.Lines().Sliced(0, n.Lines().Len())
		}
		nodes = append(nodes, strings.Repeat(" ", depth)+fmt.Sprint(n.Kind(), where))
		depth++
		return ast.WalkContinue, nil
	})
	return nodes
}

// To update the golden file: go test ./suites/markers -run TestForms -update
var update = flag.Bool("update", false, "rewrite testdata/forms.golden")

// formIDs are the cases of the project in testdata/forms.
func formIDs() *IDs {
	ids := []string{}
	for prefix, n := range map[string]int{"M": 36, "P": 12, "Q": 4} {
		for i := range n {
			id := fmt.Sprintf("%s%02d", prefix, i+1)
			ids = append(ids, id)
		}
	}
	return NewIDs(ids)
}

// onDisk returns a Resolver for a directory.
func onDisk(dir string, known ...string) *Resolver {
	return &Resolver{
		Read:  func(p string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, filepath.FromSlash(p))) },
		Known: func() []string { return known },
	}
}

// TestForms reads a document with every form of a marker.
func TestForms(t *testing.T) {
	t.Parallel()
	const dir, spec, golden = "testdata/forms", "docs/specs/forms.md", "testdata/forms.golden"
	src, err := os.ReadFile(path.Join(dir, spec))
	if err != nil {
		t.Fatal(err)
	}
	doc := Read(spec, src, formIDs())
	r := onDisk(dir, "hooks/lint.sh", "a/twin.md", "b/twin.md", "docs/GUIDE.md")
	var got strings.Builder
	for _, m := range doc.Markers {
		fmt.Fprintf(&got, "%d:%d %s [%s]", m.Line, m.Column, m.Ref, strings.Join(m.IDs, " "))
		if m.SuiteWide {
			got.WriteString(" suite-wide")
		}
		fmt.Fprintf(&got, "\n\t-> %s\n\t%q\n", describe(r.Resolve(m.Ref, doc)), m.Claim)
	}
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
