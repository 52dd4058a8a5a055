package process

import (
	"io/fs"
	"net"
	"strconv"

	"hookwatch/suites/process/supervisor"
)

// WriteFile makes a file, with its directories, as what runs in the box sees
// them, while a command runs, too. One call of the box's file methods at a time.
func (b *Box) WriteFile(path, content string, mode fs.FileMode) error {
	_, err := b.request("write", path, supervisor.Write, path, strconv.FormatUint(uint64(mode.Perm()), 8), content)
	return err
}

// ReadFile gives the first bytes, at most DefaultLimit, of a regular file as what
// runs in the box sees it.
func (b *Box) ReadFile(path string) ([]byte, error) {
	a, err := b.request("read", path, supervisor.Read, path, strconv.Itoa(DefaultLimit))
	if err != nil {
		return nil, err
	}
	return []byte(a.fields[2]), nil
}

// Listen opens a port on the loopback of the box.
func (b *Box) Listen() (net.Listener, error) {
	a, err := b.request("listen", "127.0.0.1", supervisor.Listen)
	if err != nil {
		return nil, err
	}
	defer a.file.Close()
	return net.FileListener(a.file)
}

func (b *Box) request(op, path string, fields ...string) (answer, error) {
	a, err := b.ask(b.replies, fields...)
	if err == nil {
		if errno := errnoIn(a.fields[1]); errno != 0 {
			err = errno
		}
	}
	if err != nil {
		return answer{}, &fs.PathError{Op: op, Path: path, Err: err}
	}
	return a, nil
}
