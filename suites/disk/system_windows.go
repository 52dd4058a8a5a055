package disk

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

func tryLock(f *os.File) (bool, error) {
	const all = ^uint32(0)
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, all, all, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// unlock does nothing, because children do not inherit the handle and closing it releases
// the lock.
func unlock(*os.File) error { return nil }

// isShared returns false, because hard links are not detected on Windows.
func isShared(fs.FileInfo) bool { return false }

// isUsersOwn returns true, because owners are unknown on Windows.
func isUsersOwn(fs.FileInfo) bool { return true }

// A FileID is always zero here, because the system does not report it with a file's
// metadata.
type FileID struct{ dev, ino uint64 }

func systemFacts(fs.FileInfo) (id FileID, changed int64) { return FileID{}, 0 }

func openReal(real string) (*os.File, error) { return openAndLook(real) }
