package process

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"hookwatch/suites/process/supervisor"
)

// self is hookwatch's own program, whatever became of its file.
const self = "/proc/self/exe"

// run starts the command under a supervisor of its own: see that package.
func run(ctx context.Context, path string, c Command) (Result, error) {
	r := Result{Exit: -1}
	s, child, err := pipes()
	if err != nil {
		return r, fmt.Errorf("run %s: %w", path, err)
	}
	defer s.close()
	sup, err := startSupervisor(path, c, child)
	closeAll(child[:])
	if err != nil {
		return r, fmt.Errorf("run %s: start its supervisor: %w", path, err)
	}
	defer sup.close()
	s.pump(&r, c.Stdin, c.Limit)
	rep := sup.wait(ctx)
	r.markEnd(ctx)
	if !rep.whole {
		// Something ended the supervisor itself; with it went its grip on the
		// hook's descendants, which are ours now (see Adopt).
		endOrphans()
		s.close()
	}
	bound := time.AfterFunc(killBound, s.close) // a stranger may hold the pipes
	s.wg.Wait()
	bound.Stop()
	return r.fill(rep, path), nil
}

// fill takes over what the supervisor reported.
func (r Result) fill(rep report, path string) Result {
	if rep.errno != 0 {
		r.StartError = &fs.PathError{Op: "run", Path: path, Err: rep.errno}
		return r
	}
	r.Started = true
	r.LeftBehind = rep.left
	r.UserTime = time.Duration(rep.userUS) * time.Microsecond
	r.SystemTime = time.Duration(rep.systemUS) * time.Microsecond
	r.MaxRSS = rep.maxRSSKB << 10
	ws := syscall.WaitStatus(rep.status)
	switch {
	case !rep.whole:
		r.Signal = "SIGKILL"
	case ws.Signaled():
		r.Signal = unix.SignalName(ws.Signal())
	default:
		r.Exit = ws.ExitStatus()
	}
	return r
}

// supervising is a running supervisor, seen from hookwatch.
type supervising struct {
	process *os.Process
	control *os.File
	reports chan report
	reader  *os.File
}

func startSupervisor(path string, c Command, child [3]*os.File) (*supervising, error) {
	controlR, controlW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer controlR.Close()
	reportR, reportW, err := os.Pipe()
	if err != nil {
		_ = controlW.Close()
		return nil, err
	}
	defer reportW.Close()
	argv := append([]string{"hookwatch-case", path}, c.Argv[1:]...)
	grace := strconv.FormatInt(stragglerGrace.Milliseconds(), 10)
	attr := &os.ProcAttr{
		Dir:   c.Dir,
		Env:   append(append([]string(nil), c.Env...), supervisor.Env+"="+grace),
		Files: []*os.File{child[0], child[1], child[2], controlR, reportW},
		Sys:   &syscall.SysProcAttr{Setsid: true}, // no terminal for hooks
	}
	p, err := startRegistered(func() (*os.Process, error) { return os.StartProcess(self, argv, attr) })
	if err != nil {
		closeAll([]*os.File{controlW, reportR})
		return nil, err
	}
	s := &supervising{process: p, control: controlW, reader: reportR, reports: make(chan report, 1)}
	go func() { s.reports <- readReport(reportR) }()
	return s, nil
}

// wait returns the report. When the context ends first, everything is ended.
func (s *supervising) wait(ctx context.Context) report {
	var rep report
	select {
	case rep = <-s.reports:
	case <-ctx.Done():
		_ = s.control.Close()
		bound := time.NewTimer(killBound)
		defer bound.Stop()
		select {
		case rep = <-s.reports:
		case <-bound.C:
			_ = s.process.Kill() // stopped or stuck: its children become ours
			_ = s.reader.Close()
			rep = <-s.reports
		}
	}
	_, _ = s.process.Wait()
	unregister(s.process.Pid)
	return rep
}

func (s *supervising) close() { closeAll([]*os.File{s.control, s.reader}) }
