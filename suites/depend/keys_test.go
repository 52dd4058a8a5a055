package depend_test

import (
	"slices"
	"strings"
	"testing"

	"hookwatch/suites/depend"
)

func texts(paths []depend.KeyPath) string {
	var list []string
	for _, p := range paths {
		list = append(list, p.String())
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func TestDiff(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ old, new, want string }{
		"same":           {`{"a": 1}`, "{\n\"a\":1 }", ""},
		"scalar":         {`{"a": {"b": 1, "c": 2}}`, `{"a": {"b": 1, "c": 3}}`, ".a.c"},
		"kind":           {`{"a": "1"}`, `{"a": 1}`, ".a"},
		"null":           {`{"a": null}`, `{"a": "<nil>"}`, ".a"},
		"added":          {`{"a": 1}`, `{"a": 1, "b": {"c": 1}}`, ".b"},
		"removed":        {`{"a": 1, "b": 2}`, `{"a": 1}`, ".b"},
		"array":          {`{"a": {"l": [1, 2]}}`, `{"a": {"l": [2, 1]}}`, ".a.l"},
		"in an array":    {`{"l": [{"x": 1}]}`, `{"l": [{"x": 2}]}`, ".l"},
		"order":          {`{"a": {"x": 1, "y": 2}}`, `{"a": {"y": 2, "x": 1}}`, ".a"},
		"added in front": {`{"a": 1}`, `{"b": 1, "a": 1}`, ".b"},
		"twice":          {`{"a": 1, "a": 2}`, `{"a": 2}`, "."},
		"number's text":  {`{"a": 1.0}`, `{"a": 1}`, ".a"},
		"whole":          {`[]`, `{}`, "."},
		"odd keys":       {`{"a b": 1, "": 1, "1x": 1}`, `{"a b": 2, "": 2, "1x": 2}`, `."" ."1x" ."a b"`},
		"several":        {`{"a": 1, "b": {"c": 1}, "d": 1}`, `{"a": 2, "b": {"c": 2}, "d": 1}`, ".a .b.c"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			paths, err := depend.ChangedKeys([]byte(tt.old), []byte(tt.new))
			if got := texts(paths); err != nil || got != tt.want {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
	for _, bad := range []string{"", "{", `{"a"}`, "{} {}", `{"a":1}x`} {
		if _, err := depend.ChangedKeys([]byte(bad), []byte("{}")); err == nil {
			t.Errorf("%q was taken for a document", bad)
		}
	}
}

func TestReads(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		`.a.b`:                          ".a.b",
		`.a["b"].c // false`:            ".a.b.c",
		`.a | .b, .c`:                   ".a.b .a.c",
		`.a[] | .b`:                     ".a",
		`.a | to_entries[] | .key`:      ".a",
		`.a // {} | keys`:               ".a",
		`.a?.b?`:                        ".a.b",
		`.x | select(.y == 1) | .z`:     ".x.y .x.z",
		`if .a then .b else .c end`:     ".a .b .c",
		`[.a, {b: .c}]`:                 ".",
		`"\(.a) \(.b.c)"`:               ".a .b.c",
		`.a as $x | .b | $x`:            ".a",
		`. as $all | .b`:                ".",
		`def f: .x; .a | f`:             ".",
		`..`:                            ".",
		`.`:                             ".",
		`empty`:                         "",
		`true`:                          "",
		`.a.b, .a`:                      ".a",
		`.a |= 1`:                       ".",
		`getpath(["a"])`:                ".",
		`.[$k]`:                         ".",
		`.a | .["b" + .c]`:              ".a",
		`try .a catch .`:                ".a",
		`reduce .a[] as $x (0; . + $x)`: ".",
		`@json`:                         ".",
		`.a | @json`:                    ".a",
		`-.a`:                           ".a",
		`.a | not`:                      ".a",
	}
	for filter, want := range tests {
		paths, err := depend.FilterKeys(filter)
		if got := texts(paths); err != nil || got != want {
			t.Errorf("%s reads %s, %v; want %s", filter, got, err, want)
		}
	}
	if _, err := depend.FilterKeys(".a |"); err == nil {
		t.Error("half a filter was read")
	}
}

func TestScript(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ src, want, unknown string }{
		"literal":               {`jq -r '.a.b' config.json`, ".a.b", ""},
		"by a variable":         {`f="${D}/config.json"` + "\n" + `jaq -e ".a // false" "${f}" 2>/dev/null`, ".a", ""},
		"by redirection":        {`jq .a.b < "$D/config.json"`, ".a.b", ""},
		"tool in variable":      {"for J in jaq jq ''; do :; done\n" + `"$J" -r '.a' "$D/config.json"`, ".a", ""},
		"with arguments":        {`jq --arg x 1 '.a' config.json`, ".a", ""},
		"two":                   {"jq .a config.json; jq .b.c config.json", ".a .b.c", ""},
		"tested only":           {`[[ -f config.json ]] || exit 0; [ -r config.json ] && jq .a config.json`, ".a", ""},
		"not named":             {`jq .a other.json`, "", ""},
		"filter put together":   {`jq ".a.${x}" config.json`, "", "line 1"},
		"from a file":           {`jq -f prog config.json`, "", "line 1"},
		"read otherwise":        {"jq .a config.json\ncat config.json", ".a", "line 2"},
		"variable given on":     {"f=x/config.json\nread_it \"$f\"", "", "line 2"},
		"part of a word":        {`jq .a "$f"; f=config.json; cp $f.bak`, ".a", "line 1"},
		"given to a child":      {`C=config.json python3 read.py`, "", "line 1"},
		"exported":              {"C=config.json\nexport C\njq .a $C; python3 read.py", ".a", "line 2"},
		"declared for export":   {`declare -rx C=$D/config.json; jq .a "$C"`, ".a", "line 1"},
		"usual options":         {"set -euo pipefail\nset -- \"$@\"\njq .a config.json", ".a", ""},
		"all exported":          {"set -a\nC=config.json; jq .a $C", ".a", "line 1"},
		"by another name":       {"C=config.json; n=C\njq .a \"${!n}\"", "", "line 2"},
		"by a reference":        {"C=config.json; declare -n n=C\njq .a \"$n\"", "", "line 1"},
		"a function in between": {"jq() { command jq \".b, $2\" \"$3\"; }\njq .a config.json", ".a", "line 1"},
		"does not parse":        {"if", "", "parsed"},
		"bad filter":            {"jq '.a |' config.json", "", "line 1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := depend.KeysRead([][]byte{[]byte(tt.src)}, "config.json")
			if got := texts(r.Paths); got != tt.want || (r.Unknown == "") != (tt.unknown == "") || !strings.Contains(r.Unknown, tt.unknown) {
				t.Errorf("reads %s, unknown %q; want %s, %q", got, r.Unknown, tt.want, tt.unknown)
			}
		})
	}
}

// White space matters to programs that read text, but not to filters.
func TestText(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]bool{
		"jq .a config.json":                                             false,
		`jq ".a.$x" config.json`:                                        false,
		"C=config.json\njaq -r \".a[\\\"$x\\\"]\" \"$C\"":               false,
		"jq -R . config.json":                                           true,
		"jq -nR . config.json":                                          true,
		"jq --rawfile t config.json -n '$t'":                            true,
		"jq 'input_line_number' config.json":                            true,
		"grep a config.json":                                            true,
		"jq \".a.$x\" config.json; cat config.json":                     true,
		"C=config.json; jq \".$x\" $C; while read -r l; do :; done <$C": true,
	} {
		if r := depend.KeysRead([][]byte{[]byte(src)}, "config.json"); (r.Text != "") != want {
			t.Errorf("%s: %q, want %v", src, r.Text, want)
		}
	}
}

func TestOverlap(t *testing.T) {
	t.Parallel()
	a, ab, c := depend.KeyPath{"a"}, depend.KeyPath{"a", "b"}, depend.KeyPath{"c"}
	for _, tt := range []struct {
		read, changed []depend.KeyPath
		want          bool
	}{
		{[]depend.KeyPath{ab}, []depend.KeyPath{a}, true},
		{[]depend.KeyPath{a}, []depend.KeyPath{ab}, true},
		{[]depend.KeyPath{{}}, []depend.KeyPath{ab}, true},
		{[]depend.KeyPath{ab}, []depend.KeyPath{{"a", "x"}, c}, false},
		{nil, []depend.KeyPath{a}, false},
	} {
		if _, got := depend.OverlappingKeys(tt.read, tt.changed); got != tt.want {
			t.Errorf("%v over %v: %v", tt.read, tt.changed, got)
		}
	}
}

func FuzzDiff(f *testing.F) {
	f.Add([]byte(`{"a": [1, {"b": null}]}`), []byte(`{"a": {}}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		forth, err := depend.ChangedKeys(a, b)
		if err != nil {
			return
		}
		back, err := depend.ChangedKeys(b, a)
		if err != nil || texts(forth) != texts(back) {
			t.Errorf("%s one way, %s, %v the other", texts(forth), texts(back), err)
		}
		if same, err := depend.ChangedKeys(a, a); err != nil || len(same) > 0 {
			t.Errorf("a document differs from itself: %s, %v", texts(same), err)
		}
	})
}

func FuzzKeysRead(f *testing.F) {
	f.Add(`jq -r '.a.b | keys' "$D/config.json" | cat`)
	f.Add("f=config.json; jq \".a[\\\"b\\\"]\" <$f")
	f.Fuzz(func(_ *testing.T, src string) {
		depend.KeysRead([][]byte{[]byte(src)}, "config.json")
		_, _ = depend.FilterKeys(src)
	})
}

// TestDiffLine checks that an error for invalid JSON contains its line.
func TestDiffLine(t *testing.T) {
	t.Parallel()
	_, err := depend.ChangedKeys([]byte(`{}`), []byte("{\n  \"a\": 1\n  \"b\": 2\n}"))
	if want := `new content: line 3: invalid character '"' after object key:value pair`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
