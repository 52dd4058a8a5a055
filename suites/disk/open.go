package disk

import (
	"os"
	"path/filepath"
	"syscall"
)

// openAndLook opens a file and makes sure that its path is still one without
// symbolic links.
func openAndLook(real string) (*os.File, error) {
	f, err := os.OpenFile(real, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if again, err := filepath.EvalSymlinks(real); err != nil || again != real {
		_ = f.Close()
		return nil, &Error{real, Moved, ""}
	}
	return f, nil
}
