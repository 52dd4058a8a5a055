package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"hookwatch/suites"
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

// explainLines answers each line of standard input. A line that cannot be read is
// a problem that names it, and the others are answered all the same.
func (a *app) explainLines(version client.Version) error {
	doc := explainDocument{Version: 1, Client: string(version), Outputs: []explainedLine{}}
	var problems ProblemsError
	lines := bufio.NewReader(a.In)
	for number := 1; ; number++ {
		fired, err := read(lines)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			problems = append(problems, suites.Problem{What: fmt.Sprintf("line %d: %v", number, err)})
			continue
		}
		if fired.Event == "" {
			continue // an empty line
		}
		line, reading := explainLine(version, fired)
		if a.format == "json" {
			doc.Outputs = append(doc.Outputs, line)
		} else if err := a.explainLine(line, reading, number); err != nil {
			return err
		}
	}
	if a.format == "json" {
		if err := a.print(doc, 0, nil, nil); err != nil {
			return err
		}
	}
	if len(problems) > 0 {
		return problems
	}
	return nil
}

// explainLine prints one answer as soon as there is one.
func (a *app) explainLine(line explainedLine, reading client.Reading, number int) error {
	return a.print(nil, 1, func(int) any { return line }, func(w io.Writer) { lineText(w, line, reading, number) })
}
