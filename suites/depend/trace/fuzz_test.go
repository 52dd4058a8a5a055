package trace_test

import (
	"errors"
	"testing"

	"hookwatch/suites/depend/script"
	"hookwatch/suites/depend/trace"
)

func FuzzParse(f *testing.F) {
	for _, s := range scripts {
		f.Add(s)
	}
	f.Add("f() ( a )\nf <<X\n$(b)\nX\n")
	f.Fuzz(func(t *testing.T, src string) {
		s, err := trace.Parse("h.sh", []byte(src))
		if err != nil {
			return
		}
		again, err := trace.Parse("h.sh", []byte(src))
		if err != nil || again.Structure != s.Structure || len(again.Statements) != len(s.Statements) {
			t.Fatalf("the second reading differs: %v", err)
		}
		for i, st := range s.Statements {
			if st.Key != again.Statements[i].Key {
				t.Errorf("statement %d has two keys", i)
			}
			if st.Start > st.End {
				t.Errorf("statement at lines %d-%d", st.Start, st.End)
			}
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("B\x1f/p\x1fhook.sh\x00E\x1f7\x1f2\x1f\x1fhook.sh\x1f/p\x1fecho one\x00"))
	f.Add([]byte("E\x1f7\x1f2\x1ff\x1fenvironment\x1f/p\x1fg\x00"))
	f.Add([]byte("B\x1f/p\x1fhook.sh\x00E\x1f7\x1f2\x1ff\x1fhook.sh\x1f/p\x1fcase x in \x00E\x1f7\x1f3\x1ff\x1fhook.sh\x1f/p\x1fecho one\x00"))
	f.Add([]byte("E\x1f7\x1fx\x1f\x1f\x1f\x1f\x00rest"))
	f.Add([]byte("B\x1f/p\x1fhook.sh\x00V\x1ff\x1fhook.sh\x1f/p\x1f\x1fcase x in \x1fx=y\x1fz\x00E\x1f7\x1f2\x1ff\x1fhook.sh\x1f/p\x1fcase x in \x00"))
	f.Add([]byte("V\x1ff\x1fhook.sh\x1f/p\x1fl\x00"))
	parsed, err := trace.Parse("h.sh", []byte("f() {\n  case x in\n    x) echo one ;;\n  esac\n}\nf\n"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, log []byte) {
		got := trace.Decode(map[string][]byte{"bash/log": log}, trace.Run{
			Resolve: func(name, dir string) string {
				if dir == "" {
					return ""
				}
				return name
			},
			Script: func(path string, _ trace.Language) (*script.Script, error) {
				if path == "hook.sh" {
					return parsed, nil
				}
				return nil, errors.New("not there")
			},
			Hooks: []string{"hook.sh"},
		})
		if met := got.Files["hook.sh"]; met == nil || !met.Main && met.Whole == "" {
			t.Errorf("a hook that did not start is not whole: %+v", met)
		}
	})
}
