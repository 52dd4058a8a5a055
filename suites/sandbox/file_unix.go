//go:build unix

package sandbox

import (
	"io/fs"
	"os"
	"syscall"
)

// heldBy returns the disk space of a file in bytes, less than its size if it has holes.
func heldBy(fi fs.FileInfo) int64 {
	const block = 512
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return int64(st.Blocks) * block
	}
	return fi.Size()
}

// A fileID identifies a file independently of its names.
type fileID struct{ device, inode uint64 }

func identity(fi fs.FileInfo) (fileID, bool) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return fileID{}, false
	}
	return fileID{uint64(st.Dev), st.Ino}, true
}

// namesOf returns the number of names (hard links) of a regular file.
func namesOf(fi fs.FileInfo) int {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok && fi.Mode().IsRegular() {
		return int(st.Nlink)
	}
	return 1
}

// ownerOf returns the user who owns a file. It does not follow links.
func ownerOf(path string) (uid int, known bool) {
	fi, err := os.Lstat(path)
	if err != nil {
		return 0, false
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}

func isOwned(fi fs.FileInfo) bool {
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}

// openToOthers reports whether other users can write to a directory.
func openToOthers(fi fs.FileInfo) bool { return fi.Mode().Perm()&0o022 != 0 }

// openToAll reports whether all users can replace entries of a directory.
func openToAll(fi fs.FileInfo) bool {
	return fi.Mode().Perm()&0o002 != 0 && fi.Mode()&fs.ModeSticky == 0
}

// readSmall returns the content of a regular file of at most that many bytes, and nil for others. An
// os.File takes twice as many system calls, and there are hundreds of such files.
func readSmall(path string, atMost int64) []byte {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer syscall.Close(fd)
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil || st.Mode&syscall.S_IFMT != syscall.S_IFREG || st.Size > atMost {
		return nil
	}
	content := make([]byte, st.Size)
	for read := 0; read < len(content); {
		n, err := syscall.Read(fd, content[read:])
		if err == syscall.EINTR {
			continue
		} else if err != nil || n == 0 {
			return nil
		}
		read += n
	}
	return content
}
