package catalog

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"hookwatch/suites"
)

func digestOf(t *testing.T, file string) string {
	t.Helper()
	s, problems := Load("s.yaml", []byte(file))
	if len(problems) > 0 || len(s.Cases) != 1 {
		t.Fatal(problems)
	}
	return s.Cases[0].Digest
}

func TestDigestIgnoresForm(t *testing.T) {
	t.Parallel()
	first := digestOf(t, oneCase("payload: {a: 1, b: [x]}\nenv: {A: x, B: y}\nexpect: {exit: 0, stdout: {contains: a}}"))
	for name, file := range map[string]string{
		"order, comments, quotes": "# moved\n\nevent: \"Stop\"\nhook: 'h.sh'\nsuite: s\ncases:\n- expect:\n    stdout:\n      contains: [a]\n    exit: 0\n" +
			"  name: a\n  id: A # same\n  env:\n    B: y\n    A: x\n  payload:\n    b:\n    - x\n    a: 1\n",
		"what it is called":      oneCase("payload: {a: 1, b: [x]}\nenv: {A: x, B: y}\nexpect: {exit: 0, stdout: {contains: a}}\nsummary: new\nverify: [a §b]\ncontradicts: c"),
		"said by the suite":      "env: {A: x}\n" + oneCase("payload: {a: 1, b: [x]}\nenv: {B: y}\nexpect: {exit: 0, stdout: {contains: a}}"),
		"default said aloud":     oneCase("layer: 1\nserial: false\npayload: {a: 1, b: [x]}\nenv: {A: x, B: y}\nexpect: {exit: 0, stdout: {contains: a}}"),
		"nothing of a stream":    oneCase("payload: {a: 1, b: [x]}\nenv: {A: x, B: y}\nexpect: {exit: 0, stdout: {contains: a}, stderr: {}}"),
		"one step, as a list":    oneCase("env: {A: x, B: y}\nsteps: [{payload: {a: 1, b: [x]}, expect: {exit: 0, stdout: {contains: a}}}]"),
		"a suite's other agent ": "agent: other\n" + oneCase("payload: {a: 1, b: [x]}\nenv: {A: x, B: y}\nexpect: {exit: 0, stdout: {contains: a}}"),
	} {
		if got := digestOf(t, file); got != first {
			t.Errorf("%s: %s, want %s", name, got, first)
		}
	}
}

// TestDigestSeesEveryField checks that each field of a case, and of the values in it, changes
// the digest, except those listed as cosmetic. A new field must be added to one of the two
// lists.
func TestDigestSeesEveryField(t *testing.T) {
	t.Parallel()
	cosmetic := map[string]bool{"AskedLive": true, "Name": true, "Summary": true, "Contradicts": true, "Verify": true, "Agent": true, "Digest": true, "At.File": true, "At.Line": true, "At.Column": true}
	for _, field := range []string{"Before", "Holds", "Paths", "Stop"} {
		cosmetic["Turns."+field] = true // no suite sets them
	}
	full := func() *suites.Case {
		c := &suites.Case{}
		fill(reflect.ValueOf(c).Elem())
		return c
	}
	before := digest(full())
	seen := 0
	leaves(reflect.ValueOf(full()).Elem(), "", func(path string, change func(*suites.Case)) {
		c := full()
		change(c)
		seen++
		if changed := digest(c) != before; changed == cosmetic[path] {
			t.Errorf("%s: changing it changes the digest: %v", path, changed)
		}
	})
	if seen < 50 {
		t.Errorf("only %d fields were looked at", seen)
	}
}

// fill sets every field to a value, and every list and map to one item.
func fill(v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte(`{"a":1}`))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case v.Kind() == reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("k"), reflect.ValueOf("v"))
	case v.Kind() == reflect.String:
		v.SetString("v")
	}
}

// leaves calls do with a change for each value that contains no others.
func leaves(v reflect.Value, path string, do func(string, func(*suites.Case))) {
	switch {
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			leaves(v.Field(i), strings.TrimPrefix(path+"."+v.Type().Field(i).Name, "."), do)
		}
	case v.Kind() == reflect.Pointer:
		leaves(v.Elem(), path, do)
	case v.Kind() == reflect.Slice && v.Type() != reflect.TypeFor[json.RawMessage]():
		leaves(v.Index(0), path, do)
	default:
		do(path, func(c *suites.Case) { mutate(at(reflect.ValueOf(c).Elem(), path)) })
	}
}

func at(v reflect.Value, path string) reflect.Value {
	for name := range strings.SplitSeq(path, ".") {
		v = inner(v.FieldByName(name))
	}
	return v
}

func inner(v reflect.Value) reflect.Value {
	switch {
	case v.Kind() == reflect.Pointer:
		return inner(v.Elem())
	case v.Kind() == reflect.Slice && v.Type() != reflect.TypeFor[json.RawMessage]():
		return inner(v.Index(0))
	}
	return v
}

func mutate(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("other")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Uint32:
		v.SetUint(v.Uint() + 1)
	case reflect.Slice:
		v.SetBytes([]byte(`{"a":2}`))
	case reflect.Map:
		v.SetMapIndex(reflect.ValueOf("k"), reflect.ValueOf("other"))
	default:
		panic("no way to change a " + v.Kind().String())
	}
}
