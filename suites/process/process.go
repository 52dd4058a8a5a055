// Package process runs child processes: launch, group, limits, capture and kill. It is the
// only package in hookwatch that starts programs, and everything that it started has ended
// when Run returns.
package process

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// DefaultLimit is the number of bytes that are kept of a stream.
const DefaultLimit = 1 << 20

// stragglerGrace is the time that processes left behind by a hook have to end by
// themselves. It is long enough for a process substitution to write its last line.
const stragglerGrace = 100 * time.Millisecond

// killBound is the time to wait for the end of a killed child before Run gives up. Only a
// process that the kernel cannot end outlives it.
const killBound = 2 * time.Second

// A Command describes a program to run. Env is the whole environment; no variables of this
// process are added.
type Command struct {
	Argv  []string // Argv[0] is looked up in the PATH of Env
	Dir   string
	Env   []string
	Stdin []byte
	// Converse, if set, is used instead of Stdin. It writes to the child while it runs and
	// reads its output, which is captured as well. Stdin is closed when it returns.
	Converse func(stdin io.WriteCloser, stdout io.Reader)
	// Sockets makes the standard streams sockets, which cannot be opened by a path such as /dev/stdin;
	// only on Linux.
	Sockets bool
	Timeout time.Duration // 0 means only the context limits it
	// Preparing is set for a command that prepares a case: the paths that it uses are not recorded.
	Preparing bool
	Limit     int // bytes kept of each stream; 0 means DefaultLimit
	// Turns, if set for the first of several commands, makes them take turns; see supervisor.Order.
	Turns []string
}

// A Result describes how the child ended.
type Result struct {
	StartError error  // why it could not be started
	Exit       int    // -1 if a signal ended it
	Signal     string // such as "SIGKILL"
	TimedOut   bool
	Stdout     Capture
	Stderr     Capture
	// StdinUnread reports that the child read nothing of its input (on Linux), or not all of one that
	// is larger than a pipe.
	StdinUnread bool
	LeftBehind  []string // names of some of the processes that outlived it, now dead
	HoldsOutput bool     // one of them had the output of a command open; known only on Linux
	Left        int      // number of processes that outlived it
	Most        int      // maximum number of processes and threads that were ended at once
	Refused     []string // names of system calls that were refused
	Memory      int64    // the limit in bytes, if it was ended for exceeding it
	Accesses    []string // of commands that took turns, with the first of them; see supervisor.Accessed
	Duration    time.Duration
}

// An Access is a path with the uses of it, in the order of their first occurrence; see the kinds of
// use in package supervisor.
type Access struct{ Path, Uses string }

// A Capture is the output of a stream, cut to the limit, and its total length.
type Capture struct {
	Bytes []byte
	Total int64
}

// LookPath finds a program as a shell in dir with this environment would. A name with a
// slash is a path, relative to dir.
func LookPath(name, dir string, env []string) (string, error) {
	if hasSlash(name) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return name, executable(name)
	}
	for _, d := range filepath.SplitList(Getenv(env, "PATH")) {
		d = cmp.Or(d, ".")
		if !filepath.IsAbs(d) {
			d = filepath.Join(dir, d)
		}
		p := filepath.Join(d, name)
		if executable(p) == nil {
			return p, nil
		}
	}
	return "", &fs.PathError{Op: "find", Path: name, Err: errNotInPath}
}

func hasSlash(name string) bool { return strings.ContainsRune(name, filepath.Separator) }

var errNotInPath = errors.New("not found in PATH")

func executable(path string) error {
	fi, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case fi.IsDir():
		return &fs.PathError{Op: "run", Path: path, Err: errors.New("is a directory")}
	case !runnable(fi):
		return &fs.PathError{Op: "run", Path: path, Err: fs.ErrPermission}
	}
	return nil
}

// Getenv returns the last value of key in env, or "".
func Getenv(env []string, key string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(env[i], "="); ok && k == key {
			return v
		}
	}
	return ""
}

// With returns env with some variables set.
func With(env []string, set map[string]string) []string {
	out := make([]string, 0, len(env)+len(set))
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if _, replaced := set[name]; !replaced {
			out = append(out, kv)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		out = append(out, name+"="+set[name])
	}
	return out
}

// Unset removes variables from env, which it modifies, and returns the result.
func Unset(env []string, names []string) []string {
	return slices.DeleteFunc(env, func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(names, name)
	})
}

// Open starts a supervisor. Without namespaces nothing but the context should fail.
func Open(s Setup) (*Supervisor, error) { return open(s, &spawning) }

// Run starts the commands concurrently and returns when all of them and all of their descendants
// have ended. The result of a command is in its Result; the error is a failure of hookwatch itself.
// Run must not be called concurrently.
func (b *Supervisor) Run(ctx context.Context, commands ...Command) ([]Result, error) {
	for i := range commands {
		if len(commands[i].Argv) == 0 {
			return nil, errors.New("run: no command")
		}
		commands[i].Limit = cmp.Or(commands[i].Limit, DefaultLimit)
	}
	return b.run(ctx, commands)
}

// Run runs one command with a new supervisor.
func Run(ctx context.Context, c Command) (Result, error) {
	b, err := Open(Setup{})
	if err != nil {
		return Result{}, err
	}
	defer b.Close()
	results, err := b.Run(ctx, c)
	if err != nil {
		return Result{}, err
	}
	return results[0], nil
}

// Limits are the limits of a supervisor's processes, with and without namespaces, as far as the system
// supports it; 0 is no limit.
type Limits struct {
	Memory    int64 // bytes used by all of them together
	FileSize  int64 // bytes of any file that they write
	Processes int   // processes and threads at a time; if the system counts them by supervisor
}

// OpenFiles is the maximum number of descriptors of a process: more than any hook needs,
// and few enough that hooks do not use up those of the machine.
const OpenFiles = 8192

// A MemoryBound is the way in which the memory limit of a supervisor is enforced.
type MemoryBound int

// The ways, the weakest first.
const (
	MemoryUnbounded MemoryBound = iota
	MemoryWatched               // the supervisor measures it every few milliseconds
	MemoryCgroup                // the kernel enforces it
)

// streams are the parent's ends of the child's standard streams.
type streams struct {
	stdin          *os.File
	stdout, stderr *os.File
	wg             sync.WaitGroup
}

// connect creates the three streams, each with open. The child's ends must be closed right after the start
// of the child.
func connect(open func() (r, w *os.File, err error)) (s *streams, child [3]*os.File, err error) {
	s = new(streams)
	for i, ours := range []**os.File{&s.stdin, &s.stdout, &s.stderr} {
		r, w, err := open()
		if err != nil {
			s.close()
			closeAll(child[:])
			return nil, child, err
		}
		if i == 0 {
			child[i], *ours = r, w
		} else {
			*ours, child[i] = r, w
		}
	}
	return s, child, nil
}

// pump copies all three streams concurrently, so that none can block another.
func (s *streams) pump(r *Result, c *Command) {
	s.wg.Go(func() { r.Stderr = drain(s.stderr, c.Limit) })
	if c.Converse == nil {
		s.wg.Go(func() { r.StdinUnread = feed(s.stdin, c.Stdin) })
		s.wg.Go(func() { r.Stdout = drain(s.stdout, c.Limit) })
		return
	}
	heard, copied := io.Pipe()
	s.wg.Go(func() {
		c.Converse(s.stdin, heard)
		_ = s.stdin.Close()
		_, _ = io.Copy(io.Discard, heard) // so that the child does not block
	})
	s.wg.Go(func() {
		defer copied.Close()
		r.Stdout = drain(io.TeeReader(s.stdout, copied), c.Limit)
	})
}

func (s *streams) close() { closeAll([]*os.File{s.stdin, s.stdout, s.stderr}) }

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}

// feed writes the input and closes w. It reports whether the child did not read all of it,
// which is not an error.
func feed(w *os.File, b []byte) (unread bool) {
	defer w.Close()
	_, err := w.Write(b)
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, fs.ErrClosed)
}

// drain reads to the end, keeps the first limit bytes and counts the rest, because a child
// that floods its output must neither block on a full pipe nor fill the memory of this
// process.
func drain(r io.Reader, limit int) Capture {
	var c Capture
	buf := bufferPool.Get().(*[]byte)
	defer bufferPool.Put(buf)
	for {
		n, err := r.Read(*buf)
		c.Total += int64(n)
		if room := limit - len(c.Bytes); room > 0 {
			c.Bytes = append(c.Bytes, (*buf)[:min(n, room)]...)
		}
		if err != nil {
			return c
		}
	}
}

var bufferPool = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}
