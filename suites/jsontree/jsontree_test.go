package jsontree

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	t.Parallel()
	const text = " {\"b\": [1.50, null],\n \"a\": {\"x\": true}, \"b\": \"é\"} "
	v, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := Value{Kind: '{', Start: 1, End: 50, Members: []Member{
		{"b", 2, Value{Kind: '[', Start: 7, End: 19, Members: []Member{
			{"", 8, Value{Scalar: json.Number("1.50"), Start: 8, End: 12}}, {"", 14, Value{Start: 14, End: 18}},
		}}},
		{"a", 22, Value{Kind: '{', Start: 27, End: 38, Members: []Member{{"x", 28, Value{Scalar: true, Start: 33, End: 37}}}}},
		{"b", 40, Value{Scalar: "é", Start: 45, End: 49}},
	}}
	if diff := cmp.Diff(want, v); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if last, _ := v.Get("b"); last.Scalar != "é" {
		t.Errorf("b is %v", last.Scalar)
	}
	if _, found := v.Get("c"); found {
		t.Error("there is no c")
	}
	if line, column := NewLines([]byte(text)).At(v.Members[2].At); line != 2 || column != 20 {
		t.Errorf("the second b is at %d:%d", line, column)
	}
}

func TestParseFails(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", "{} {}", `{"a":1,}`, "// x\n{}", "\ufeff{}", strings.Repeat("[", 20000) + strings.Repeat("]", 20000)} {
		if _, err := Parse([]byte(text)); err == nil {
			t.Errorf("%.20s: no error", text)
		}
	}
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"b": 1, "a": [true, "x"]}`: `{"a":[true,"x",],"b":1,}`,
		`{"a":[true,"x"],"b":1}`:     `{"a":[true,"x",],"b":1,}`,
		`null`:                       "null",
	} {
		v, err := Parse([]byte(text))
		if got := string(v.Canonical(nil)); err != nil || got != want {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
}

// FuzzParse checks that values equal those of the standard library and have the right offsets.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a": [1, {"b": null}], "a": "x\u00e9"}`, "[]", " 1e9 ", `{"":{}}`, "{", `"\ud800"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 4<<10 {
			return // each value is parsed again below
		}
		v, err := Parse(text)
		if (err == nil) != json.Valid(text) {
			t.Fatalf("read with %v, valid: %v", err, json.Valid(text))
		}
		if err != nil {
			return
		}
		checkPlaces(t, text, v)
		line, column := NewLines(text).At(v.Start)
		if before := string(text[:v.Start]); line != strings.Count(before, "\n")+1 || column < 1 {
			t.Errorf("offset %d is %d:%d", v.Start, line, column)
		}
	})
}

func checkPlaces(t *testing.T, text []byte, v Value) {
	t.Helper()
	again, err := Parse(text[v.Start:v.End])
	if err != nil || string(again.Canonical(nil)) != string(v.Canonical(nil)) {
		t.Fatalf("%q at %d-%d is read as %s, %v", text, v.Start, v.End, again.Canonical(nil), err)
	}
	for _, m := range v.Members {
		if v.Kind == '{' {
			var key string
			if err := json.Unmarshal([]byte(firstString(text[m.At:])), &key); err != nil || key != m.Key {
				t.Fatalf("key %q at %d: %q, %v", m.Key, m.At, key, err)
			}
		}
		checkPlaces(t, text, m.Value)
	}
}

// firstString returns the JSON string at the start of a text.
func firstString(text []byte) string {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return string(text[:i+1])
		}
	}
	return fmt.Sprintf("%q has no end", text)
}
