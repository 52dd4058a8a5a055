package sandbox

import (
	"io/fs"
	"os"
)

// heldBy returns the size of a file.
func heldBy(fi fs.FileInfo) int64 { return fi.Size() }

type fileID struct{ device, inode uint64 }

func identity(fs.FileInfo) (fileID, bool) { return fileID{}, false }

func namesOf(fs.FileInfo) int { return 1 }

// ownerOf returns false because owners are not known here.
func ownerOf(string) (uid int, known bool) { return 0, false }

func isOwned(fs.FileInfo) bool { return true }

func openToOthers(fs.FileInfo) bool { return false }

func openToAll(fs.FileInfo) bool { return false }

// readSmall returns the content of a regular file of at most that many bytes, and nil for others.
func readSmall(path string, atMost int64) []byte {
	if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() || fi.Size() > atMost {
		return nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return content
}
