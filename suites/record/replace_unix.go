//go:build !windows

package record

import (
	"path/filepath"

	"github.com/google/renameio/v2"
)

// replace puts data at path, whole or not at all, and waits for the disk.
func replace(path string, data []byte) error {
	return renameio.WriteFile(path, data, 0o644, renameio.WithTempDir(filepath.Dir(path)))
}
