package watcher

import (
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var (
	absent = state{}
	blank  = state{digest: "0", empty: true}
	one    = state{digest: "1"}
	two    = state{digest: "2"}
)

func TestBacklog(t *testing.T) {
	t.Parallel()
	type look struct {
		at int // milliseconds
		state
	}
	tests := map[string]struct {
		looks []look // at path p, whose baseline is one
		at    int    // of the batch, in milliseconds
		want  []Change
		since int
		next  int // when to check again; 0 means not without an event
	}{
		"nothing":                  {},
		"at once":                  {looks: []look{{1, two}}, at: 1, want: []Change{{"p", Modified, "2", "1"}}, since: 1},
		"same":                     {looks: []look{{1, one}}, at: 1},
		"there and back":           {looks: []look{{1, two}, {2, one}}, at: 9, want: []Change{{"p", Restored, "1", "1"}}, since: 2},
		"removed, too early":       {looks: []look{{1, absent}}, at: 10, next: 11},
		"removed":                  {looks: []look{{1, absent}}, at: 11, want: []Change{{"p", Removed, "", "1"}}, since: 1},
		"emptied, too early":       {looks: []look{{1, blank}}, at: 10, next: 11},
		"emptied":                  {looks: []look{{1, blank}}, at: 11, want: []Change{{"p", Modified, "0", "1"}}, since: 1},
		"gone, empty, written":     {looks: []look{{1, absent}, {2, blank}, {3, two}}, at: 3, want: []Change{{"p", Modified, "2", "1"}}, since: 1},
		"gone, empty: one hold":    {looks: []look{{1, absent}, {9, blank}}, at: 11, want: []Change{{"p", Modified, "0", "1"}}, since: 1},
		"written, then gone":       {looks: []look{{1, two}, {9, absent}}, at: 11, next: 19},
		"gone and back unchanged":  {looks: []look{{1, absent}, {5, one}}, at: 30, want: []Change{{"p", Restored, "1", "1"}}, since: 5},
		"latest content of a file": {looks: []look{{1, two}, {2, state{digest: "3"}}}, at: 5, want: []Change{{"p", Modified, "3", "1"}}, since: 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBacklog(10 * time.Millisecond)
			b.baseline("p", one)
			for _, l := range tt.looks {
				b.observe("p", l.state, ms(l.at))
			}
			got, ready := b.batch(ms(tt.at))
			if ready != (tt.want != nil) || !cmp.Equal(got.Changes, tt.want) {
				t.Errorf("batch is %v, want %v", got.Changes, tt.want)
			}
			if ready && !got.At.Equal(ms(tt.since)) {
				t.Errorf("batch of %v, want %v", got.At, ms(tt.since))
			}
			next, waits := b.next(ms(tt.at))
			if waits != (tt.next != 0) || waits && !next.Equal(ms(tt.next)) {
				t.Errorf("next look is %v %v, want %v", next, waits, tt.next)
			}
		})
	}
}

func ms(n int) time.Time { return time.UnixMilli(int64(n)) }

func TestBacklogOrderAndKinds(t *testing.T) {
	t.Parallel()
	b := newBacklog(0)
	b.baseline("b", one)
	b.baseline("c", one)
	b.overflow = true
	for path, s := range map[string]state{"a": two, "b": absent, "c": two, "d": absent} {
		b.observe(path, s, ms(1))
	}
	got, _ := b.batch(ms(1))
	want := Batch{ms(1), []Change{{"a", Created, "2", ""}, {"b", Removed, "", "1"}, {"c", Modified, "2", "1"}}, true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	b.deliver(got)
	if again, ready := b.batch(ms(2)); ready || again.Overflow {
		t.Errorf("a delivered batch is handed out again: %v", again)
	}
	b.observe("b", one, ms(3))
	if got, _ := b.batch(ms(3)); !cmp.Equal(got.Changes, []Change{{"b", Created, "1", ""}}) {
		t.Errorf("after its removal b is reported as %v", got.Changes)
	}
	b.forget("b")
	if b.knows("b") || !b.knows("c") {
		t.Error("forget(b) forgot something else")
	}
}

// TestBacklogSequences generates sequences of states, receipts and pauses with a clock of
// its own. In the end the receiver must know the last state, and it must never receive a
// state that it already knew.
func TestBacklogSequences(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	ops := make([]byte, 12)
	for range 100_000 {
		for i := range ops {
			ops[i] = byte(r.Uint32())
		}
		checkSequence(t, ops)
	}
}

func FuzzBacklog(f *testing.F) {
	f.Add([]byte{0x00, 0x41, 0x82, 0xff})
	f.Fuzz(checkSequence)
}

func checkSequence(t *testing.T, ops []byte) {
	t.Helper()
	b := newBacklog(8 * time.Millisecond)
	disk, account := map[string]string{}, map[string]string{}
	now := 1
	receive := func() {
		batch, ready := b.batch(ms(now))
		if !ready {
			return
		}
		for _, c := range batch.Changes {
			if account[c.Path] == c.Digest && c.Kind != Restored {
				t.Fatalf("%x: %s reported twice as %q", ops, c.Path, c.Digest)
			}
			if c.Digest != disk[c.Path] {
				t.Fatalf("%x: %s reported as %q when it was %q", ops, c.Path, c.Digest, disk[c.Path])
			}
			account[c.Path] = c.Digest
		}
		b.deliver(batch)
	}
	for _, op := range ops {
		path, s := string('p'+rune(op&3)), []state{absent, blank, one, two}[op>>2&3]
		disk[path] = s.digest
		b.observe(path, s, ms(now))
		now += int(op >> 4 & 7)
		if op&0x80 != 0 {
			receive()
		}
	}
	for at, waits := b.next(ms(now)); waits; at, waits = b.next(ms(now)) {
		now = int(at.UnixMilli())
	}
	receive()
	maps.DeleteFunc(disk, func(p, d string) bool { return d == account[p] })
	if len(disk) > 0 {
		t.Fatalf("%x: never reported: %v", ops, disk)
	}
}
