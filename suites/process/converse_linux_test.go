package process

import (
	"bufio"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestConverse has a conversation with a child, line by line, and writes files for it in
// the meantime.
func TestConverse(t *testing.T) {
	t.Parallel()
	s, err := Open(Setup{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	dir := t.TempDir()
	var heard []string
	results, err := s.Run(t.Context(), Command{
		Argv: []string{"sh", "-c", `while read -r name; do cat "$name"; done; echo end`}, Dir: dir,
		Env: []string{"PATH=/usr/bin:/bin"}, Timeout: time.Minute,
		Converse: func(stdin io.WriteCloser, stdout io.Reader) {
			lines := bufio.NewScanner(stdout)
			for _, name := range []string{"one", "two"} {
				if err := s.WriteFile(filepath.Join(dir, name), "content of "+name+"\n", 0o644); err != nil {
					t.Error(err)
				}
				_, _ = io.WriteString(stdin, name+"\n")
				lines.Scan()
				heard = append(heard, lines.Text())
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"content of one", "content of two"}, heard); d != "" {
		t.Errorf("answers (-want +got):\n%s", d)
	}
	if got := string(results[0].Stdout.Bytes); got != "content of one\ncontent of two\nend\n" || results[0].Exit != 0 {
		t.Errorf("kept %q, exit %d", got, results[0].Exit)
	}
}

// TestConverseWithoutAnswer checks that a conversation ends if the child ends or is killed.
func TestConverseWithoutAnswer(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{"ends": "exit 3", "never answers": "sleep 60"} {
		over := false
		r, err := Run(t.Context(), Command{
			Argv: []string{"sh", "-c", script}, Dir: t.TempDir(), Env: []string{"PATH=/usr/bin:/bin"}, Timeout: 300 * time.Millisecond,
			Converse: func(stdin io.WriteCloser, stdout io.Reader) {
				_, _ = io.ReadAll(stdout)
				over = true
			},
		})
		if err != nil || !over || r.TimedOut != (name == "never answers") {
			t.Errorf("%s: over %v, %+v, %v", name, over, r, err)
		}
	}
}
