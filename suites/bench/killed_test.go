package bench

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/process/testdata/processtest"
)

// writerVariable makes the test binary keep outcomes of a project until it is killed.
const writerVariable = "BENCH_TEST_WRITES_OF"

// firings is the number of different firings that these processes make.
const firings = 6

// openWritten opens the store of a project that several processes write to.
func openWritten(project string, fresh bool) (*Known, error) {
	k, err := OpenKnown(KnownOptions{Base: project, Dir: filepath.Join(project, "state"), Root: project, Fresh: fresh})
	if err == nil {
		k.audit = func() bool { return false }
		k.now = func() time.Time { return time.Now().Add(time.Hour) }
	}
	return k, err
}

// writeUntilKilled keeps outcomes for the same few firings, and prints a line after each. All differ in length and
// text, so that a mixture of two shows.
func writeUntilKilled(project string) error {
	for {
		k, err := openWritten(project, true)
		if err != nil {
			return err
		}
		for n := range firings {
			length := rand.IntN(200_000) // many pages, so that a write can be torn
			_, err = k.Outcome(firing(n), func() (suites.Outcome, error) {
				text := fmt.Sprintf("%d %d\n%s", n, length, strings.Repeat(string('a'+rune(rand.IntN(26))), length))
				return suites.Outcome{
					Results: []suites.Result{{Stdout: []byte(text)}}, Project: project, Root: project,
					Accesses: []suites.Access{{Path: filepath.Join(project, "lib.sh"), Kind: suites.Read}},
				}, nil
			})
			fmt.Println(n)
			if err != nil {
				return err
			}
		}
		if err := k.Close(); err != nil {
			return err
		}
	}
}

func firing(n int) suites.Firing { return suites.Firing{Input: fmt.Append(nil, "firing ", n)} }

// checkWritten returns how many outcomes are taken, and reports each that nobody wrote so.
func checkWritten(t *testing.T, project string) (taken int) {
	t.Helper()
	k, err := openWritten(project, false)
	if err != nil {
		t.Fatal(err)
	}
	unknown := errors.New("it is not known")
	for n := range firings {
		o, err := k.Outcome(firing(n), func() (suites.Outcome, error) { return suites.Outcome{}, unknown })
		if errors.Is(err, unknown) {
			continue
		}
		taken++
		text := string(o.Last().Stdout)
		head, body, _ := strings.Cut(text, "\n")
		if same := strings.TrimLeft(body, body[:min(1, len(body))]); err != nil || head != fmt.Sprintf("%d %d", n, len(body)) || same != "" {
			t.Errorf("the outcome of firing %d is %.20q, with %d bytes, %v", n, text, len(body), err)
		}
	}
	if err := k.Close(); err != nil {
		t.Error(err)
	}
	return taken
}

// TestKilledWhileWriting kills processes that write the same outcomes at the same time, and reads these all along.
func TestKilledWhileWriting(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be killed in the middle of a write there")
	}
	t.Parallel()
	rounds, writers := 3, 3
	if processtest.Exhaustive() {
		rounds, writers = 250, 4
	}
	s := newScene(t)
	taken := 0
	for range rounds {
		var running sync.WaitGroup
		for range writers {
			running.Go(func() { killAfter(t, s.project, 1+rand.IntN(3*firings)) })
		}
		ended := make(chan struct{})
		go func() { running.Wait(); close(ended) }()
		for over := false; !over; {
			select {
			case <-ended:
				over = true
			default:
			}
			taken += checkWritten(t, s.project)
		}
		if t.Failed() {
			return
		}
	}
	if taken == 0 {
		t.Error("no outcome was ever taken, so this showed nothing")
	}
	k, err := openWritten(s.project, false)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := k.dir.ReadDir()
	t.Logf("%d kills: %d outcomes taken, %d files are left; %v", rounds*writers, taken, len(entries), err)
	left := 0
	if err := errors.Join(k.prune(2), k.Close()); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(filepath.Join(s.project, "state")); err == nil {
		left = len(entries)
	}
	if left != 2 {
		t.Errorf("%d files are left, with those of killed processes, want 2", left)
	}
}

// killAfter starts a process that writes, and kills it after it has written a number of outcomes, while it writes on.
func killAfter(t *testing.T, project string, outcomes int) {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), writerVariable+"="+project)
	out, err := c.StdoutPipe()
	if err = errors.Join(err, c.Start()); err != nil {
		t.Error(err)
		return
	}
	seen := bufio.NewScanner(out)
	for i := 1; seen.Scan(); i++ {
		if strings.HasPrefix(seen.Text(), "error") {
			t.Error(seen.Text())
		}
		if i == outcomes {
			_ = c.Process.Kill()
		}
	}
	if err := c.Wait(); c.ProcessState.Exited() {
		t.Errorf("it ended by itself: %v", err)
	}
}
