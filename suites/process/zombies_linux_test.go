package process

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// endings are ways in which a supervisor comes to its end. None of them may leave a
// child of ours, dead or alive, though most never close the supervisor.
var endings = map[string]func(*testing.T){
	"killed while it is kept ready": func(t *testing.T) {
		r := &Reserve{size: 1, coming: 1}
		r.add()
		kill(t, r.ready[0], unix.SIGKILL)
	},
	"killed before its steps": func(t *testing.T) {
		b, err := prepare(Limits{}, nil, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		kill(t, b, unix.SIGKILL)
		if _, err := b.carryOut([]Step{{"dir", t.TempDir(), "755"}}); err == nil {
			t.Error("a dead supervisor did steps")
		}
	},
	"refused a step": func(t *testing.T) {
		if _, err := Open(Setup{Steps: []Step{{"mount", "", "/nowhere", "nothing", "0", ""}}}); err == nil {
			t.Error("an impossible step was done")
		}
	},
	"killed while it is open": func(t *testing.T) { kill(t, opened(t), unix.SIGKILL) },
	"stopped":                 func(t *testing.T) { b := opened(t); kill(t, b, unix.SIGSTOP); b.Close() },
	"killed by hooks that fork": func(t *testing.T) {
		if err := Adopt(); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			b := opened(t)
			_, _ = b.Run(context.Background(), Command{Argv: []string{"bash", "-c", `for i in {1..20}; do (setsid sleep 1000 &); done; kill -9 $PPID; sleep 1000`}, Env: []string{"PATH=" + os.Getenv("PATH")}})
		}
	},
	"interrupted": func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		b := opened(t)
		b.began = cancel
		_, _ = b.Run(ctx, Command{Argv: []string{"sleep", "1000"}, Env: []string{"PATH=" + os.Getenv("PATH")}})
		b.Close()
	},
	"started by a spawner": func(t *testing.T) {
		needsNamespaces(t)
		r := &Reserve{spawner: spawner{direct: spawnAfter}}
		for range 3 {
			b, err := r.Open(Setup{Steps: []Step{{"loopback"}}})
			if err != nil {
				t.Fatal(err)
			}
			b.Close()
		}
		if r.spawner.conn == nil {
			t.Error("there was no spawner")
		}
		r.Close()
	},
	"started for a closed reserve": func(*testing.T) {
		r := new(Reserve)
		r.Resize(3)
		r.Close()
	},
	"not asked any more": func(t *testing.T) { _ = opened(t).conn.Close() },
}

func opened(t *testing.T) *Supervisor {
	t.Helper()
	b, err := Open(Setup{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func kill(t *testing.T, b *Supervisor, sig unix.Signal) {
	t.Helper()
	if err := unix.Kill(b.process.Pid, sig); err != nil {
		t.Fatal(err)
	}
}

// TestNoZombies ends supervisors in processes of their own, whose children it counts.
func TestNoZombies(t *testing.T) {
	t.Parallel()
	const variable = "PROCESS_TEST_ENDING"
	if name := os.Getenv(variable); name != "" {
		endings[name](t)
		for limit := time.Now().Add(2 * time.Minute); len(childrenNow()) > 0; unix.Nanosleep(&unix.Timespec{Nsec: 1e6}, nil) {
			if time.Now().After(limit) {
				t.Fatalf("children are left: %q", childrenNow())
			}
		}
		return
	}
	for name := range endings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestNoZombies$")
			cmd.Env = append(os.Environ(), variable+"="+name)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// childrenNow returns the children of this process with their states.
func childrenNow() []string {
	var all []string
	files, _ := filepath.Glob("/proc/self/task/*/children")
	for _, f := range files {
		b, _ := os.ReadFile(f)
		for _, pid := range strings.Fields(string(b)) {
			if stat, err := os.ReadFile("/proc/" + pid + "/stat"); err == nil {
				all = append(all, strings.TrimSpace(string(stat)))
			}
		}
	}
	return all
}
