package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"

	"hookwatch/suites/client"
)

// longestLine bounds a line of standard input, in bytes.
const longestLine = 16 << 20

// read reads what the next line says; an empty line says nothing.
func read(lines *bufio.Reader) (client.Firing, error) {
	text, err := readLine(lines)
	if err != nil || len(bytes.TrimSpace(text)) == 0 {
		return client.Firing{}, err
	}
	return client.ParseFiring(bytes.TrimPrefix(text, []byte("\ufeff")))
}

// readLine reads a line of bounded length; what is too long is read to its end.
func readLine(lines *bufio.Reader) ([]byte, error) {
	var text []byte
	tooLong := false
	for {
		part, err := lines.ReadSlice('\n')
		tooLong = tooLong || len(text)+len(part) > longestLine
		if !tooLong {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil && len(text) == 0 && !tooLong:
			return nil, err
		case tooLong:
			return nil, fmt.Errorf("longer than %d MiB", longestLine>>20)
		default:
			return text, nil
		}
	}
}
