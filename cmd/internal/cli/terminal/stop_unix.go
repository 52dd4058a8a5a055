//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// noticed is how long a stop may take to be noticed by who asked for it.
const noticed = time.Second

// Stop stops the program as Ctrl-Z does, with what it was started with, until it is
// continued. Where nobody could continue it, the system does not stop it.
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
