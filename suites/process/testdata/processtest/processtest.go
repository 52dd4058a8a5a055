// Package processtest prepares the environment of tests that start many processes.
package processtest

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
)

// ResolveShims puts the directory of the real python3 first in PATH if python3 is a script of a
// version manager such as pyenv, which starts several shells before each start of Python.
func ResolveShims() error {
	shim, err := exec.LookPath("python3")
	if err != nil {
		return nil // tests that need it name it when they skip
	}
	text, err := os.ReadFile(shim)
	if err != nil || !bytes.HasPrefix(text, []byte("#!")) {
		return err
	}
	real, err := exec.Command(shim, "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		return err
	}
	dir := filepath.Dir(string(bytes.TrimSpace(real)))
	return os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// Overlap lets two tests run at a time on each processor, unless -parallel is set, because the
// tests of a package wait for processes and files most of the time.
func Overlap() error {
	flag.Parse()
	set := false
	flag.Visit(func(f *flag.Flag) { set = set || f.Name == "test.parallel" })
	if set {
		return nil
	}
	return flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0)))
}

// WriteProgram writes a file that the test will execute. No process is started meanwhile: until it
// executes its own program, it would have the file open for writing, and the kernel would refuse to
// execute that ("text file busy").
func WriteProgram(path string, text []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, text, 0o755)
}

// RunWithHome runs a package's tests with a HOME, because some of its values begin with it and a machine
// may have none.
func RunWithHome(m *testing.M) {
	if os.Getenv("HOME") == "" {
		_ = os.Setenv("HOME", filepath.Join(os.TempDir(), "home"))
	}
	os.Exit(m.Run())
}

// All is the variable that makes tests exhaustive.
const All = "HOOKWATCH_TEST_ALL"

// Exhaustive reports whether tests that take a sample by default run completely: if the variable All
// is set, as .ci/run sets it for these tests.
func Exhaustive() bool { return os.Getenv(All) != "" }

// Sample returns every nth value, beginning with the first, or all if the tests are exhaustive.
func Sample[T any](all []T, n int) []T {
	if Exhaustive() {
		return all
	}
	var some []T
	for i := 0; i < len(all); i += n {
		some = append(some, all[i])
	}
	return some
}
