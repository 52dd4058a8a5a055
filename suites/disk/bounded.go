package disk

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// readAll reads a file of about the given size, which may grow meanwhile, into no more
// memory than it takes: contents are kept.
func readAll(f io.Reader, path string, size, limit int64) ([]byte, error) {
	if size <= 0 {
		size = unknownSize
	}
	f = io.LimitReader(f, limit+1)
	b := make([]byte, 0, min(size, limit)+1) // with room for the read that finds the end
	for {
		n, err := f.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case int64(len(b)) > limit:
			return nil, tooLarge(path, limit)
		case errors.Is(err, io.EOF):
			return b, nil
		case err != nil:
			return b, err
		case len(b) == cap(b):
			b = slices.Grow(b, len(b))
		}
	}
}

// unknownSize, in bytes, is for files that do not say how large they are.
const unknownSize = 4 << 10

func tooLarge(path string, limit int64) error {
	return &Error{path, Size, fmt.Sprintf("more than %d bytes", limit)}
}
