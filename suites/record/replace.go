package record

import (
	"os"
	"path/filepath"
	"strings"
)

// replaceUnsynced puts data at path, whole or not at all, without waiting for
// the disk: a killed process tears nothing, a power cut may.
func replaceUnsynced(path string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		_ = f.Close()
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// isLeftover reports whether name is a temporary file of replace, left by a
// process that was killed: ".RESULTS.md123456".
func isLeftover(name string) bool {
	base := strings.TrimRight(name, "0123456789")
	if base == name || !strings.HasPrefix(base, ".") {
		return false
	}
	switch base[1:] {
	case ignoreName, resultsName, comparisonName, markerName, inputsName, environmentName:
		return true
	}
	_, _, ok := splitName(base[1:])
	return ok
}
