package notify

import (
	"fmt"
	"os"
)

// desktopService uses macOS's own osascript by its absolute path, because one from PATH
// may be a project's. Title and body are arguments of the script, never part of its text.
func desktopService() (send func(notification) error, hangUp func()) {
	return func(n notification) error {
		p, err := os.StartProcess("/usr/bin/osascript", []string{"osascript",
			"-e", "on run argv",
			"-e", "display notification (item 2 of argv) with title (item 1 of argv)",
			"-e", "end run", n.title, n.body}, &os.ProcAttr{Env: os.Environ()})
		if err != nil {
			return err
		}
		state, err := p.Wait()
		if err == nil && !state.Success() {
			err = fmt.Errorf("osascript: %s", state)
		}
		return err
	}, func() {}
}
