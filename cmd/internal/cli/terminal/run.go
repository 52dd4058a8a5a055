package terminal

import (
	"fmt"
	"os"
)

// Run runs a command of the user with the program's own streams, and waits for it to end. It is
// not isolated, because it is no hook: it runs as if the user had started it.
func Run(command []string) error {
	p, err := os.StartProcess(command[0], command, &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
	if err != nil {
		return err
	}
	state, err := p.Wait()
	if err == nil && !state.Success() {
		return fmt.Errorf("%v", state)
	}
	return err
}
