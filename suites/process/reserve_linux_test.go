package process

import (
	"context"
	"testing"
)

func TestReserve(t *testing.T) {
	t.Parallel()
	r := new(Reserve)
	r.size = 1
	r.coming = 1
	r.add()
	if len(r.ready) != 1 || r.coming != 0 {
		t.Fatalf("%d ready, %d coming", len(r.ready), r.coming)
	}
	first := r.ready[0]
	b, err := r.Open(Setup{})
	if err != nil || b != first {
		t.Fatalf("not the one that was ready: %v", err)
	}
	wantRuns(t, b)

	r.Close()

	r = &Reserve{size: 1, coming: 1}
	r.add()
	dead := r.ready[0]
	if err := dead.process.Kill(); err != nil {
		t.Fatal(err)
	}
	for range dead.answers { // until its end is noticed
	}
	b, err = r.Open(Setup{})
	if err != nil || b == dead {
		t.Fatalf("a dead supervisor was handed out: %v", err)
	}
	wantRuns(t, b)
	r.Close()
}

func wantRuns(t *testing.T, b *Box) {
	t.Helper()
	defer b.Close()
	res, err := b.Run(context.Background(), Command{Argv: []string{"/bin/sh", "-c", "exit 3"}})
	if err != nil || res[0].Exit != 3 {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestReserveClosed(t *testing.T) {
	t.Parallel()
	r := &Reserve{size: 1, coming: 1}
	r.Close()
	r.add()
	if len(r.ready) != 0 {
		t.Error("a closed reserve keeps a supervisor")
	}
}

// TestReserveShrinks: what is no longer to be kept ready ends, and one that comes
// too late is not kept.
func TestReserveShrinks(t *testing.T) {
	t.Parallel()
	r := &Reserve{size: 2, coming: 3}
	r.add()
	r.add()
	surplus := r.ready[1]
	r.Resize(1)
	for range surplus.answers { // until its end is noticed
	}
	r.add()
	if len(r.ready) != 1 || r.coming != 0 || !r.ready[0].alive() {
		t.Errorf("%d ready, %d coming", len(r.ready), r.coming)
	}
	r.Close()
}

// TestReserveRefills: the next supervisor is started once the commands of a box
// have, or when the box is closed without any.
func TestReserveRefills(t *testing.T) {
	t.Parallel()
	for _, commands := range []int{1, 0} {
		filled := make(chan int, 2)
		b, err := Open(Setup{})
		if err != nil {
			t.Fatal(err)
		}
		b.began = func() { filled <- 1 }
		if commands > 0 {
			if _, err := b.Run(context.Background(), Command{Argv: []string{"/bin/sh", "-c", "exit 3"}}); err != nil {
				t.Fatal(err)
			}
			if len(filled) != 1 {
				t.Error("commands have started, and nobody was told")
			}
		} else if len(filled) != 0 {
			t.Error("told of commands before there were any")
		}
		b.Close()
		if len(filled) == 0 {
			t.Error("a box was closed, and nobody was told")
		}
	}
	r := new(Reserve)
	r.size, r.coming = 1, 1
	r.add()
	b, err := r.Open(Setup{})
	if err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	if r.coming != 0 {
		t.Error("another supervisor is started before the commands")
	}
	r.mu.Unlock()
	wantRuns(t, b)
	r.mu.Lock()
	if r.coming+len(r.ready) != 1 {
		t.Errorf("%d ready, %d coming, want one", len(r.ready), r.coming)
	}
	r.mu.Unlock()
	r.Close()
}
