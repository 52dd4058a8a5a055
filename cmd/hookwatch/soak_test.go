//go:build linux

package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hookwatch/watcher/testdata/editstest"
)

// TestSoak edits a watched project for a long time, with all edits of the sequences and others by
// which a project grows and shrinks. The session must then use as much memory and as many files,
// processes and watches as after the first edits, and its records must equal those of a new full
// run.
// HOOKWATCH_TEST_SOAK sets the number of edits, HOOKWATCH_TEST_SEED their choice.
func TestSoak(t *testing.T) {
	t.Parallel()
	n, seed := number(t, "HOOKWATCH_TEST_SOAK", soakShort), number(t, "HOOKWATCH_TEST_SEED", int(time.Now().UnixNano()))
	t.Logf("seed %d, %d edits", seed, n)
	s := startSoak(t, uint64(seed))
	defer s.logHeard()
	samples := []soakSample{s.settled(0)}
	t.Log(soakHeader)
	t.Log(samples[0])
	most := soakSamples
	if n == soakShort {
		most = soakSamplesShort
	}
	for len(samples) <= most {
		until := n * len(samples) / most
		for s.edits < until {
			s.burst()
		}
		samples = append(samples, s.settled(s.edits))
		t.Log(samples[len(samples)-1])
	}
	s.quit()
	flat(t, samples)
}

// soakShort is how many edits a soak has in a plain test.
const soakShort = 8

// soakSamples is into how many parts the edits are divided by samples, in a plain test by fewer,
// because each has a full run.
const soakSamples, soakSamplesShort = 10, 2

// soakBurst is after how many sequences of edits the session is let come to rest.
const soakBurst = 8

// A soak is an edited session over a long time.
type soak struct {
	edited
	soaker *soaker
	socket string // where it reports its memory; "" if it does not
	temp   string
	began  time.Time
	edits  int
}

func startSoak(t testing.TB, seed uint64) *soak {
	t.Helper()
	root := newSoak(t)
	s := &soak{began: time.Now()}
	env := []string{"HOOKWATCH_JOBS=2"}
	if os.Getenv(releasedVariable) == "" {
		s.socket = filepath.Join(t.TempDir(), "s")
		env = append(env, measureSocket+"="+s.socket, profilesDir+"="+os.Getenv(profilesDir))
	}
	s.edited = edited{watched: watch(t, root, env...), isolation: "auto", sentinel: soakSentinel}
	for _, v := range s.cmd.Env {
		if dir, ok := strings.CutPrefix(v, "TMPDIR="); ok {
			s.temp = dir
		}
	}
	s.disk = realDisk{t, root, s.cmd.Process}
	s.soaker = &soaker{
		disk: s.disk, r: rand.New(rand.NewPCG(seed, 0x736f616b)), nonce: 1000, lines: map[string]string{},
		g: editstest.NewGenerator(soakProject(), seed),
	}
	s.rested()
	s.rests()
	// Without a configuration the built-in suites apply, which are read once and for
	// good: edits make it so for a moment, which the watcher may or may not meet.
	s.disk.Do(editstest.Op{Verb: editstest.Remove, Path: projectConfig})
	s.falls()
	s.soaker.put(projectConfig, soakConfiguration)
	s.rests()
	return s
}

// burst does some edits at the pace of people and of tools, and waits for the rest.
func (s *soak) burst() {
	s.t.Helper()
	s.heard = nil
	for range soakBurst {
		if s.soaker.r.IntN(2) == 0 {
			w := soakWays[s.soaker.r.IntN(len(soakWays))]
			w.edit(s.soaker)
			s.edits++
		} else {
			next := s.soaker.g.Next()
			for _, o := range next.Ops {
				s.disk.Do(o)
			}
			s.edits += len(next.Ways)
		}
		s.pause(time.Duration(s.soaker.r.IntN(60)) * time.Millisecond)
	}
	s.rests()
}

// pause reads events of the session for a while.
func (s *soak) pause(d time.Duration) {
	s.t.Helper()
	over := time.After(d)
	for {
		select {
		case ev, ok := <-s.events:
			if !ok {
				s.t.Fatal("hookwatch ended")
			}
			s.hear(ev)
		case <-over:
			return
		}
	}
}

// settled makes the project what it was in the beginning, compares the state on
// record with a fresh full run, and measures the session once nothing is left to do.
func (s *soak) settled(edits int) soakSample {
	s.t.Helper()
	s.soaker.restore()
	s.rests()
	s.rested()
	left, fresh := s.verdicts("present", s.path(".claude/tests/hooks/results")), s.fresh()
	maps.DeleteFunc(left, func(id string, _ stood) bool { _, there := fresh[id]; return !there })
	if diff := cmp.Diff(fresh, left); diff != "" {
		s.t.Errorf("after %d edits not as a full run has it (-full run +session):\n%s", edits, diff)
	}
	s.profile(edits)
	return s.sample(edits)
}

// profile writes a profile of the heap if a directory for it is set.
func (s *soak) profile(edits int) {
	dir := os.Getenv(profilesDir)
	if dir == "" || s.socket == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("heap-%d", edits)), ask(s.t, s.socket, "heap"), 0o644); err != nil {
		s.t.Fatal(err)
	}
}
