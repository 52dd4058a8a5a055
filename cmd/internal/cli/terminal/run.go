package terminal

import (
	"fmt"
	"os"
)

// Run lets a command of the person's have the program's own streams, and waits for its
// end. It is no hook: it runs as the person would run it.
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
