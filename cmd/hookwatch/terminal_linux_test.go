package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hookwatch/cmd/internal/cli/terminal/testdata/terminaltest"
)

// A pty is a terminal with a program on it.
type pty struct {
	t      *testing.T
	master *os.File
	before *unix.Termios
	mu     sync.Mutex
	out    bytes.Buffer
	more   chan struct{} // receives for each output
	ended  chan error
	signal func(os.Signal) error
}

// onTerminal starts the program on its own terminal; typed is input that arrives before the program
// reads.
func onTerminal(t *testing.T, root, typed string, args ...string) *pty {
	t.Helper()
	return commandOnTerminal(t, program(t, root, args...), typed, 100, usualRows)
}

// usualRows is the height of terminals on which it does not matter.
const usualRows = 40

// commandOnTerminal starts a command on a terminal of so many columns and rows.
func commandOnTerminal(t *testing.T, cmd *exec.Cmd, typed string, columns, rows uint16) *pty {
	t.Helper()
	master, slave := terminaltest.Open(t, columns, rows)
	defer slave.Close()
	p := &pty{t: t, master: master, more: make(chan struct{}, 1), ended: make(chan error, 1)}
	p.before = p.state()
	if _, err := master.WriteString(typed); err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(cmd.Env, "TERM=xterm")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.signal = cmd.Process.Signal
	go p.read()
	go func() { p.ended <- cmd.Wait() }()
	return p
}

// resize sets the number of columns and rows; the kernel notifies the program.
func (p *pty) resize(columns, rows uint16) {
	p.t.Helper()
	if err := unix.IoctlSetWinsize(int(p.master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns}); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pty) read() {
	buf := make([]byte, 4096)
	for {
		n, err := p.master.Read(buf)
		p.mu.Lock()
		p.out.Write(buf[:n])
		p.mu.Unlock()
		select {
		case p.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (p *pty) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String()
}

// wait waits until the terminal has shown a text so many times.
func (p *pty) wait(text string, times int) {
	p.t.Helper()
	p.until(text, func(shown string) bool { return strings.Count(shown, text) >= times })
}

// until waits until the output of the terminal is as expected.
func (p *pty) until(text string, is func(shown string) bool) {
	p.t.Helper()
	timeout := time.After(ceiling)
	for !is(p.text()) {
		select {
		case <-p.more:
		case err := <-p.ended:
			p.t.Fatalf("it ended (%v) before it showed %q:\n%q", err, text, p.text())
		case <-timeout:
			p.t.Fatalf("no %q in\n%q", text, p.text())
		}
	}
}

// types presses keys.
func (p *pty) types(keys string) {
	p.t.Helper()
	if _, err := p.master.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pty) end() {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(ceiling):
		p.t.Fatalf("it did not end:\n%q", p.text())
	}
}

func (p *pty) state() *unix.Termios {
	p.t.Helper()
	s, err := unix.IoctlGetTermios(int(p.master.Fd()), unix.TCGETS)
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

// TestTerminalIsLeftSane: however a session ends, the terminal is as it was
// before; after SIGKILL, which nothing can be done about, lines still end and
// Ctrl-C still works.
func TestTerminalIsLeftSane(t *testing.T) {
	t.Parallel()
	root := newReference(t)
	for name, end := range map[string]func(*pty){
		"q":       func(p *pty) { _, _ = p.master.WriteString("q") },
		"Ctrl-C":  func(p *pty) { _, _ = p.master.WriteString("\x03") },
		"Ctrl-D":  func(p *pty) { _, _ = p.master.WriteString("\x04") },
		"SIGTERM": func(p *pty) { _ = p.signal(unix.SIGTERM) },
		"SIGHUP":  func(p *pty) { _ = p.signal(unix.SIGHUP) },
		"twice":   func(p *pty) { _ = p.signal(unix.SIGINT); _ = p.signal(unix.SIGTERM) },
		"SIGKILL": func(p *pty) { _ = p.signal(unix.SIGKILL) },
	} {
		p := onTerminal(t, root, "")
		p.wait("q quit", 1)
		during := p.state()
		if during.Lflag&(unix.ICANON|unix.ECHO) != 0 || during.Lflag&unix.ISIG == 0 || during.Oflag&unix.OPOST == 0 {
			t.Errorf("%s: while it watches: %+v", name, during)
		}
		end(p)
		p.end()
		after := p.state()
		if name == "SIGKILL" {
			if after.Lflag&unix.ISIG == 0 || after.Oflag&unix.OPOST == 0 || after.Iflag != p.before.Iflag {
				t.Errorf("%s leaves %+v, before %+v", name, after, p.before)
			}
		} else if *after != *p.before {
			t.Errorf("%s leaves %+v, before %+v", name, after, p.before)
		}
		if strings.Contains(p.text(), "\x1b[?") || strings.Contains(p.text(), "\x1b]") {
			t.Errorf("%s: modes of the terminal were changed: %q", name, p.text())
		}
	}
}

// TestTypedBefore: what was typed before the session began, and the sequences of
// keys that are no letters, are no commands.
func TestTypedBefore(t *testing.T) {
	t.Parallel()
	p := onTerminal(t, newReference(t), "q\n")
	p.wait("q quit", 1)
	if _, err := p.master.WriteString("\x1b[A\x1b[24;2~\x1bOQ\x1bqh"); err != nil {
		t.Fatal(err)
	}
	p.wait("show this", 1) // it still listens
	if _, err := p.master.WriteString("q"); err != nil {
		t.Fatal(err)
	}
	p.end()
}

// TestAsksFirst checks that transcripts are read, and the agent's hook is registered, only if the user
// agrees.
func TestAsksFirst(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args, answer, shown string
		written             bool
	}{
		{"record --transcripts", "n", "no transcript is read", false},
		{"record --transcripts", "", "no transcript is read", false},
		{"record --transcripts", "y", "1 transcript read, 30 payloads added", true},
		{"init --agent", "no", "nothing was written", false},
		{"init --agent", "yes", "wrote .claude/skills/hookwatch/SKILL.md", true},
	} {
		p := newRecordPlace(t)
		name := strings.Map(func(r rune) rune {
			if r == '/' || r == '_' || r == '.' {
				return '-'
			}
			return r
		}, p.project)
		transcribe(t, filepath.Join(p.dir, "home/.claude/projects", name, "s.jsonl"), seeded(p.project)[:15])
		cmd := exec.Command(os.Args[0], strings.Fields(tt.args)...)
		cmd.Dir, cmd.Env = p.project, p.env
		terminal := commandOnTerminal(t, cmd, "", 300, usualRows)
		terminal.wait("? [y/N] ", 1)
		if before := p.written(t); len(before) > 0 {
			t.Errorf("%s: %v is written before the user agrees", tt.args, before)
		}
		terminal.types(tt.answer + "\n")
		terminal.end()
		for timeout := time.After(ceiling); !strings.Contains(terminal.text(), tt.shown); {
			select {
			case <-terminal.more:
			case <-timeout:
				t.Fatalf("%s, %q: no %q in\n%s", tt.args, tt.answer, tt.shown, terminal.text())
			}
		}
		if written := p.written(t); len(written) > 0 != tt.written {
			t.Errorf("%s, %q: %v is written, and it shows\n%s", tt.args, tt.answer, written, terminal.text())
		}
	}
}

// written returns the files of the state folder, and those that init --agent writes.
func (p *recordPlace) written(t *testing.T) (all []string) {
	t.Helper()
	for _, pattern := range []string{"state/hookwatch/*/corpus/*", "p/.claude/skills/*"} {
		found, err := filepath.Glob(filepath.Join(p.dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	return all
}
