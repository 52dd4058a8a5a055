package record

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
)

const otherToolLine = `{"hook":"enforce_package_managers.sh","test_name":"pip_blocked","category":"block","input_summary":"pip install requests","expected_decision":"block","expected_exit":0,"actual_decision":"block","actual_exit":0,"actual_output":"{}","actual_stderr":"","pass":true,"note":"absent","timestamp":"2026-02-20T14:30:45Z","duration_ms":2000}`

func mustJSON(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func readAll(t *testing.T, text string) ([]suites.Record, []string) {
	t.Helper()
	var records []suites.Record
	warned, err := readJSONL("x.jsonl", strings.NewReader(text), newBudget(), func(r suites.Record) bool {
		records = append(records, r)
		return true
	})
	mustJSON(t, err)
	return records, warned
}

func TestReadSkipsWhatIsNoRecord(t *testing.T) {
	t.Parallel()
	long := `{"test_name":"long","pass":true,"actual_output":"` + strings.Repeat("x", 3<<20) + `"}`
	pretty := "{\n  \"test_name\": \"pretty\",\n  \"pass\": true,\n  \"digests\": {\n    \"case\": \"}\"\n  }\n}\n"
	for _, c := range []struct {
		name, text string
		want       string // test names
		warnings   []string
	}{
		{"nothing", "", "", nil},
		{"blank lines", "\n\r\n  \n" + otherToolLine + "\r\n", "pip_blocked", nil},
		{"byte order mark", "\ufeff" + otherToolLine + "\n", "pip_blocked", nil},
		{"no last newline", otherToolLine, "pip_blocked", nil},
		{"torn last line", otherToolLine + "\n" + otherToolLine[:100], "pip_blocked",
			[]string{"x.jsonl:2: the last line is torn and was skipped: byte 101: unexpected EOF"}},
		{"malformed line between", otherToolLine + "\nnot json\n" + otherToolLine + "\n", "pip_blocked pip_blocked",
			[]string{"x.jsonl:2: skipped: byte 2: invalid character 'o' in literal null (expecting 'u')"}},
		{"megabytes", otherToolLine + "\n" + long + "\n" + otherToolLine + "\n", "pip_blocked long pip_blocked", nil},
		{"no record", "{}\n[1]\nnull\n7\n" + otherToolLine + "\n", "pip_blocked", []string{
			`x.jsonl:1: skipped: not a test record: it has no "pass"`,
			`x.jsonl:2: skipped: not a test record: not a JSON object`,
			`x.jsonl:3: skipped: not a test record: it has no "pass"`,
			`x.jsonl:4: skipped: not a test record: not a JSON object`}},
		{"no name", `{"pass":true}` + "\n", "", []string{"x.jsonl:1: skipped: not a test record: it has neither test_name nor id"}},
		{"over lines", pretty + pretty + otherToolLine + "\n", "pretty pretty pip_blocked", nil},
		{"torn over lines", pretty[:20] + "\n" + otherToolLine + "\n" + pretty[:20], "pip_blocked", []string{
			"x.jsonl:1: skipped: byte 21: unexpected EOF",
			"x.jsonl:4: the last line is torn and was skipped: byte 21: unexpected EOF"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			records, warned := readAll(t, c.text)
			var names []string
			for _, r := range records {
				names = append(names, r.TestName)
			}
			if got := strings.Join(names, " "); got != c.want {
				t.Errorf("records %q, want %q", got, c.want)
			}
			if !slices.Equal(warned, c.warnings) {
				t.Errorf("warnings %q, want %q", warned, c.warnings)
			}
		})
	}
}

func TestReadCountsTheWarningsItLeavesOut(t *testing.T) {
	t.Parallel()
	_, warned := readAll(t, strings.Repeat("?\n", 50))
	if len(warned) != warningLimit+1 || warned[warningLimit] != "x.jsonl: 30 more lines skipped" {
		t.Errorf("got %d warnings, last %q", len(warned), warned[len(warned)-1])
	}
}

func TestReadSkipsALineBeyondTheLimit(t *testing.T) {
	t.Parallel()
	huge := `{"test_name":"huge","pass":true,"note":"` + strings.Repeat("x", lineLimit) + `"}`
	records, warned := readAll(t, huge+"\n"+otherToolLine+"\n")
	if len(records) != 1 {
		t.Errorf("%d records", len(records))
	}
	if d := cmp.Diff([]string{"x.jsonl:1: skipped: a line of more than 8 MiB"}, warned); d != "" {
		t.Errorf("warnings (-want +got):\n%s", d)
	}
}

func TestDecodeTakesWhatOtherToolsWrite(t *testing.T) {
	t.Parallel()
	number := func(n int) *int { return &n }
	for _, c := range []struct {
		name, line string
		want       suites.Record
	}{
		{"null exits", `{"test_name":"a","expected_exit":null,"actual_exit":null,"pass":true}`, suites.Record{TestName: "a", Pass: true}},
		{"numbers as text", `{"test_name":"a","expected_exit":"2","actual_exit":2.0,"duration_ms":"12","layer":"2","pass":true}`,
			suites.Record{TestName: "a", Pass: true, ExpectedExit: number(2), ActualExit: number(2), DurationMS: 12, Layer: suites.Live}},
		{"booleans as numbers and text", `{"test_name":"a","pass":1,"note":true}`, suites.Record{TestName: "a", Pass: true, Note: "true"}},
		{"false as text", `{"test_name":"a","pass":"False"}`, suites.Record{TestName: "a"}},
		{"null texts", `{"test_name":"a","pass":true,"note":null,"actual_output":null,"digests":null}`, suites.Record{TestName: "a", Pass: true}},
		{"objects as output", `{"test_name":"a","pass":true,"actual_output":{"decision": "block"},"digests":3}`,
			suites.Record{TestName: "a", Pass: true, ActualOutput: `{"decision":"block"}`}},
		{"names in another case", `{"Test_Name":"a","PASS":true,"pass":true,"ID":"x"}`, suites.Record{TestName: "a", ID: "x", Pass: true}},
		{"a name twice", `{"test_name":"a","note":"b","pass":false,"pass":true,"note":"c"}`, suites.Record{TestName: "a", Note: "c", Pass: true}},
		{"no UTF-8", "{\"test_name\":\"a\\ud800\xff\",\"pass\":true}", suites.Record{TestName: "a\ufffd\ufffd", Pass: true}},
		{"no whole exit", `{"test_name":"a","pass":true,"actual_exit":1.5,"expected_exit":"n/a"}`, suites.Record{TestName: "a", Pass: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := decode([]byte(c.line))
			mustJSON(t, err)
			c.want.Settle()
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
	if _, err := decode([]byte(`{"test_name":"a","pass":"maybe"}`)); err == nil || err.Error() != `"pass" is "maybe", want true or false` {
		t.Errorf("got %v", err)
	}
}

func TestEncodeKeepsFieldOrderAndWritesNoHTMLEscapes(t *testing.T) {
	t.Parallel()
	r := suites.Record{TestName: "case_P01", Suite: "pm", ID: "P01", RunID: "r", Pass: true, Note: "a < b && c > d\nsecond line",
		Timestamp: "2026-03-01T12:00:00Z", Layer: suites.Direct, Digests: suites.Digests{Case: "c", Inputs: "in-P01", Tools: "t"}}
	line, err := encode(&r)
	mustJSON(t, err)
	if !bytes.Contains(line, []byte(`a < b && c > d\nsecond line`)) || bytes.Count(line, []byte("\n")) != 1 {
		t.Errorf("line is %s", line)
	}
	at := -1
	for _, field := range []string{"hook", "test_name", "category", "input_summary", "expected_decision", "expected_exit", "actual_decision",
		"actual_exit", "actual_output", "actual_stderr", "pass", "note", "timestamp", "duration_ms", "id", "suite", "layer", "run_id", "digests", "client", "isolation"} {
		i := bytes.Index(line, fmt.Appendf(nil, "%q:", field))
		if i <= at {
			t.Errorf("field %s at %d, after one at %d", field, i, at)
		}
		at = i
	}
}

func FuzzReadRecords(f *testing.F) {
	f.Add([]byte(otherToolLine + "\n"))
	f.Add([]byte("{\n\"test_name\":\"a\",\n\"pass\":true\n}\n"))
	f.Add([]byte(otherToolLine[:50] + "\n" + otherToolLine))
	f.Add([]byte("\xff\xfe{\n{\n}\r\n\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		records, _ := readAll(t, string(text))
		for i := range records {
			line, err := encode(&records[i])
			mustJSON(t, err)
			again, warned := readAll(t, string(line))
			if len(again) != 1 || len(warned) != 0 {
				t.Fatalf("what was read cannot be read again: %q %q", line, warned)
			}
			second, err := encode(&again[0])
			mustJSON(t, err)
			if !bytes.Equal(line, second) {
				t.Fatalf("record changed:\n%s%s", line, second)
			}
		}
		after, _ := readAll(t, string(text)+"\n"+otherToolLine+"\n")
		if len(after) < 1 || after[len(after)-1].TestName != "pip_blocked" {
			t.Fatalf("a whole line after %q was lost", text)
		}
	})
}
