//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// noticed is the maximum wait for a stop signal to take effect.
const noticed = time.Second

// Stop suspends the process group like Ctrl-Z, until it is continued. The system ignores the
// signal if no process could continue the group.
func Stop() error {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	select {
	case <-continued:
	case <-time.After(noticed):
	}
	return nil
}

// Resizes returns a channel that receives a value after the terminal's size changed, until stop
// is called.
func Resizes() (resized <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGWINCH)
	return c, func() { signal.Stop(c) }
}
