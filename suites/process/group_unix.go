//go:build unix && !linux

package process

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }
}

// endGroup kills the remaining processes of the group and reports whether there were any.
func endGroup(cmd *exec.Cmd) bool { return unix.Kill(-cmd.Process.Pid, unix.SIGKILL) == nil }

func signalOf(p *os.ProcessState) string {
	if ws, ok := p.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return unix.SignalName(ws.Signal())
	}
	return ""
}
