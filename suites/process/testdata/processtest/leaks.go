package processtest

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// leakBound is how long goroutines may take to end after the tests.
const leakBound = time.Minute

// VerifyTestMain runs the tests of a package and then waits until no goroutine of theirs is left.
// goleak's function of this name waits for about a second, in which a busy machine does not end the
// supervisors that tests leave to end by themselves. cleanup, if not nil, runs at the end.
func VerifyTestMain(m *testing.M, cleanup func(), options ...goleak.Option) {
	code := m.Run()
	for end := time.Now().Add(leakBound); code == 0; {
		err := goleak.Find(options...)
		if err == nil {
			break
		}
		if time.Now().After(end) {
			fmt.Fprintf(os.Stderr, "goroutines are left after the tests: %v\n", err)
			code = 1
		}
	}
	if cleanup != nil {
		cleanup()
	}
	os.Exit(code)
}
