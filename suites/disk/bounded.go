package disk

import (
	"bytes"
	"fmt"
	"io"
)

// readAll reads a file of about the given size, which may grow meanwhile.
func readAll(f io.Reader, path string, size, limit int64) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(int(min(size, limit)) + bytes.MinRead)
	_, err := b.ReadFrom(io.LimitReader(f, limit+1))
	if err == nil && int64(b.Len()) > limit {
		return nil, tooLarge(path, limit)
	}
	return b.Bytes(), err
}

func tooLarge(path string, limit int64) error {
	return &Error{path, Size, fmt.Sprintf("more than %d bytes", limit)}
}
