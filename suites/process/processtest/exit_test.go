package processtest_test

import (
	"errors"
	"os"
	"os/exec"
	"testing"

	"hookwatch/suites/process/processtest"
)

const asProgram = "PROGRAMTEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		processtest.Exit(7)
	}
	os.Exit(m.Run())
}

// TestSilent tests something only in a test binary built with -cover.
func TestSilent(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"", t.TempDir()} {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = []string{asProgram + "=1", "GOCOVERDIR=" + dir, "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if len(out) > 0 || !errors.As(err, &exit) || exit.ExitCode() != 7 {
			t.Errorf("GOCOVERDIR %q: %v, want exit code 7, and printed %q, want nothing", dir, err, out)
		}
	}
}
