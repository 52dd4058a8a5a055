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

// TestReserveRefills: the next supervisor is started when a box is closed; once its
// commands have started where none is ready for another case.
func TestReserveRefills(t *testing.T) {
	t.Parallel()
	for size, early := range map[int]int{1: 1, 2: 0} {
		r := &Reserve{size: size, coming: size}
		for range size {
			r.add()
		}
		b, err := r.Open(Setup{})
		if err != nil {
			t.Fatal(err)
		}
		started := func() int {
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.coming + len(r.ready) - (size - 1)
		}
		if n := started(); n != 0 {
			t.Errorf("of %d: %d started before the commands", size, n)
		}
		if _, err := b.Run(context.Background(), Command{Argv: []string{"/bin/sh", "-c", "exit 3"}}); err != nil {
			t.Fatal(err)
		}
		if n := started(); n != early {
			t.Errorf("of %d: %d started once the commands had, want %d", size, n, early)
		}
		b.Close()
		if n := started(); n != 1 {
			t.Errorf("of %d: %d started when the box was closed, want 1", size, n)
		}
		r.Close()
	}
}
