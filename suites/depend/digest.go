package depend

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"

	"hookwatch/suites/depend/scripts"
	"hookwatch/suites/disk"
)

// What is read of a file: a larger one than the first is not looked into, a larger
// one than the second is told from others by its size and time.
const (
	lookAtMost   = 1 << 20
	digestAtMost = 64 << 20
)

// Digests of files whose content is not looked at. Each differs from that of a file
// that is not there, which is "".
const (
	unreadable = "unreadable"
	masked     = "masked" // whatever it holds: not even a digest of that is kept
)

// digestOf hashes a file's execute bit and content, and gives the content when it
// is to be kept and not too large for that.
func digestOf(f *disk.File, keep bool) (digest string, content []byte, err error) {
	sum := sha256.New()
	runnable := byte('-')
	if f.Info.Mode()&0o111 != 0 {
		runnable = 'x'
	}
	sum.Write([]byte{runnable})
	switch {
	case !keep:
		_, err = io.Copy(sum, io.LimitReader(f, digestAtMost))
	case f.Info.Size() > lookAtMost:
		head := make([]byte, scripts.HeadSize)
		if _, err = io.ReadFull(f, head); err == nil {
			sum.Write(head)
			_, err = io.Copy(sum, io.LimitReader(f, digestAtMost-scripts.HeadSize))
		}
		switch {
		case err != nil:
		case scripts.IsBinary(head): // a program, whose text says nothing anyway
			content = head
		default:
			return hex.EncodeToString(sum.Sum(nil)[:16]), nil, tooLarge(f.Real)
		}
	default:
		content, err = f.ReadAll(lookAtMost)
		sum.Write(content)
	}
	if err != nil {
		return unreadable, nil, err
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), content, nil
}

func tooLarge(path string) error {
	return &disk.Error{Path: path, Reason: disk.Size, Detail: fmt.Sprintf("more than %d MB", lookAtMost>>20)}
}

// refused is the digest of a file that was not opened.
func refused(abs string, err error) (digest string, why error) {
	switch disk.ReasonOf(err) {
	case disk.Hidden:
		return masked, err
	case disk.Size:
		fi, statErr := os.Stat(abs)
		if statErr != nil {
			return "", statErr
		}
		return fmt.Sprintf("~%x-%x", fi.Size(), fi.ModTime().UnixNano()), err
	case disk.Kind:
		return "", &fs.PathError{Op: "read", Path: abs, Err: fs.ErrInvalid}
	}
	if fi, statErr := os.Stat(abs); statErr == nil && fi.Mode().IsRegular() {
		return unreadable, err
	}
	return "", err
}

// unread stands for a script whose content is not looked at: it may use anything.
func unread(err error) *scripts.Script {
	why := "it cannot be read"
	switch disk.ReasonOf(err) {
	case disk.Hidden:
		why = "it is masked"
	case disk.Size:
		why = fmt.Sprintf("it is larger than %d MB", lookAtMost>>20)
	}
	return &scripts.Script{Language: why, Opaque: why, Computed: why}
}
