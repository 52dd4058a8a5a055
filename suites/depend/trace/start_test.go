package trace_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/depend/trace"
)

// TestStartDirectory checks that bash executes nothing of the name of the directory in which a trace
// is kept: it expands the value of BASH_ENV.
func TestStartDirectory(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("absent: bash")
	}
	for name, start := range map[string]func(string, []string) suites.Tracing{
		"statements": trace.LanguageOf("x.sh", nil).Start, "endings": trace.Endings,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "a $(touch made) `touch made` \\d")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			tracing := start(dir, nil)
			for file, content := range tracing.Files {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command(bash, "-c", "cd . && false")
			cmd.Dir = t.TempDir()
			cmd.Env = append(os.Environ(), "BASH_ENV="+tracing.Set["BASH_ENV"])
			_ = cmd.Run() // it fails
			log, err := os.ReadFile(filepath.Join(dir, tracing.Logs[0]))
			if made, _ := os.ReadDir(cmd.Dir); err != nil || len(log) == 0 || len(made) > 0 {
				t.Errorf("log %q, %v; made %v", log, err, made)
			}
		})
	}
}
