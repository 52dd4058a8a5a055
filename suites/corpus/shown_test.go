package corpus

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites/record"
)

// observedFile has records of sessions with client 2.1.332: of each kind the first one, and the calls that
// they are about, shortened. /p is the project.
const observedFile = "testdata/claude-2.1.332"

func observed(tb testing.TB) string {
	tb.Helper()
	text, err := os.ReadFile(observedFile + ".jsonl")
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// newTranscript returns the state of reading a transcript.
func newTranscript(roots []string, yield func(Shown)) *transcript {
	return &transcript{
		Sessions: &Sessions{IDs: map[string]bool{}, Skipped: map[string]int{}},
		yield:    yield, roots: roots, seen: map[string]bool{}, calls: map[string]calling{}, named: map[string]bool{},
	}
}

// TestShown checks what each kind of record shows. The expected lines were compared with what the hooks
// of these sessions had recorded of their own runs.
func TestShown(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	r := newTranscript([]string{"/p"}, func(s Shown) {
		if s.Payload != nil {
			fmt.Fprintf(&b, "%s %s %s\n", s.Event, s.Value, s.ID)
			return
		}
		fmt.Fprintf(&b, "    %s:%s %q %v %s", s.Event, s.Value, s.Command, s.Outcomes, s.Took)
		if s.Async {
			fmt.Fprint(&b, " async")
		}
		fmt.Fprintf(&b, " %.40q\n", s.Text)
	})
	err := record.Lines(strings.NewReader(observed(t)), func(_ int, line []byte) bool {
		r.line("", line)
		return true
	})
	if err != nil || r.BadLines > 0 {
		t.Fatal(err, r.Bad)
	}
	fmt.Fprintln(&b, "skipped", r.Skipped)
	want, err := os.ReadFile(observedFile + ".txt")
	if os.Getenv("UPDATE") != "" {
		err = os.WriteFile(observedFile+".txt", b.Bytes(), 0o644)
	}
	if diff := cmp.Diff(string(want), b.String()); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// TestBadLines checks that lines which cannot be read are counted and named, and that others of an
// unknown form are counted.
func TestBadLines(t *testing.T) {
	t.Parallel()
	r := newTranscript(nil, func(s Shown) { t.Error(s) })
	for i, line := range [][]byte{nil, {}, []byte("{"), []byte(`{"type":7,"cwd":"/p"}`), []byte(`{"type":"new","cwd":"/p","sessionId":"s"}`), []byte(`{"type":"new"}`)} {
		r.line(fmt.Sprintf("f:%d: ", i+1), line)
	}
	const want = "6 2 [f:1: the line is too long f:3: unexpected end of JSON input] map[ of another form:1 new:2] map[s:true]"
	if got := fmt.Sprint(r.Lines, r.BadLines, r.Bad, r.Skipped, r.IDs); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
