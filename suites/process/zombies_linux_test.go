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
	"stopped, as process 1": func(t *testing.T) { b := confined(t); kill(t, b, unix.SIGSTOP); b.Close() },
	"stopped when it is asked": func(t *testing.T) {
		b := confined(t)
		b.patience = 10 * time.Millisecond
		kill(t, b, unix.SIGSTOP)
		if err := b.WriteFile(filepath.Join(t.TempDir(), "f"), "", 0o600); err == nil {
			t.Error("a stopped supervisor answered")
		}
	},
	"stopped after its commands ended": func(t *testing.T) {
		b := opened(t)
		defer b.Close() // on a busy machine what is left is killed before it stops the supervisor
		b.patience = 200 * time.Millisecond
		c := Command{Argv: []string{"bash", "-c", "(setsid bash -c 'sleep 0.05; kill -STOP '$PPID &)"}, Env: []string{"PATH=" + os.Getenv("PATH")}}
		if results, err := b.Run(context.Background(), c); err != nil || results[0].Exit != 0 {
			t.Errorf("%+v, %v", results, err)
		}
	},
	"robbed of its descriptors":               func(t *testing.T) { rob(t, opened(t)) },
	"robbed of its descriptors, as process 1": func(t *testing.T) { rob(t, confined(t)) },
	"killed while it is open":                 func(t *testing.T) { kill(t, opened(t), unix.SIGKILL) },
	"stopped":                                 func(t *testing.T) { b := opened(t); kill(t, b, unix.SIGSTOP); b.Close() },
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
		r := &Reserve{spawner: &spawner{direct: spawnAfter}}
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
		r.spawner.end()
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

// confined opens a supervisor that is process 1 of namespaces.
func confined(t *testing.T) *Supervisor {
	t.Helper()
	needsNamespaces(t)
	b, err := Open(Setup{Steps: []Step{{"loopback"}}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// rob takes the right to open and to poll descriptors from a supervisor whose commands run, as a hook
// with its rights can where calls are not filtered. The commands must end, although none has a timeout.
func rob(t *testing.T, b *Supervisor) {
	t.Helper()
	b.began = func() {
		if err := unix.Prlimit(b.process.Pid, unix.RLIMIT_NOFILE, &unix.Rlimit{}, nil); err != nil {
			t.Error(err)
		}
	}
	c := Command{Argv: []string{"bash", "-c", "setsid sleep 1000 & sleep 1000"}, Env: []string{"PATH=" + os.Getenv("PATH")}}
	if results, err := b.Run(context.Background(), c); err != nil || results[0].Signal != "SIGKILL" {
		t.Errorf("%+v, %v", results, err)
	}
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
