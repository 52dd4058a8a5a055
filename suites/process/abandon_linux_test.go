package process

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"time"
)

// TestAbandoned checks that a request to a supervisor that does not answer ends, although another
// process holds the other end of its connection.
func TestAbandoned(t *testing.T) {
	t.Parallel()
	conn, theirs, err := socket()
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close() // this test is that process
	p, err := os.StartProcess("/bin/sleep", []string{"sleep", "1000"}, &os.ProcAttr{Sys: &syscall.SysProcAttr{Setpgid: true}})
	if err != nil {
		t.Fatal(err)
	}
	b := &Supervisor{conn: conn, process: p, confined: true, patience: time.Millisecond, answers: make(chan answer, 1), replies: make(chan answer, 1)}
	go b.listen()
	if _, err := b.request("read", "x"); !errors.Is(err, errLost) {
		t.Errorf("got %v, want %v", err, errLost)
	}
}
