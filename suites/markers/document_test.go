package markers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
		{"beside no table", "Block cases verify [verify: a.sh].\n\n| ID |\n| --- |\n| P01 |\n", []string{"1:29 a.sh []"}},
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
		{"rows of a kind beside those below its label", "**Compound cases**:\n\n| ID | What |\n| --- | --- |\n| P01 | `a` |\n\n| ID | Name |\n| --- | --- |\n| P02 | pipe_compound |\n| M03 | ts_compound |\n| P04 | compound words |\n\nCompound cases verify [verify: a.md].\n",
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
