package isolate

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// nextData is where, from an offset on, a file has data next, and where that
// ends; not ok where there is none.
func nextData(f *os.File, from, size int64) (begin, end int64, ok bool) {
	begin, err := f.Seek(from, unix.SEEK_DATA)
	if errors.Is(err, unix.ENXIO) {
		return 0, 0, false
	}
	if err != nil { // the file system knows no holes
		return from, size, true
	}
	if end, err = f.Seek(begin, unix.SEEK_HOLE); err != nil {
		end = size
	}
	return begin, end, true
}
