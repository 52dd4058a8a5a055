package process_test

import (
	"context"
	"os/exec"
	"testing"

	"hookwatch/suites/process"
)

// BenchmarkBare is the baseline: the same child with only os/exec.
func BenchmarkBare(b *testing.B) {
	for b.Loop() {
		cmd := exec.Command("bash", "-c", ":")
		cmd.Env = env()
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRun runs the child under its supervisor. The budget is 2 ms more than
// BenchmarkBare.
func BenchmarkRun(b *testing.B) {
	c := process.Command{Argv: []string{"bash", "-c", ":"}, Dir: "/", Env: env()}
	for b.Loop() {
		if r, err := process.Run(context.Background(), c); err != nil || r.Exit != 0 {
			b.Fatal(r, err)
		}
	}
}
