package trace

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
)

// An event is one line of the log: a command that bash was about to run.
type event struct {
	file     string // as bash names it; "" for code that is in no file
	dir      string // the working directory, where file is relative
	function string // "" at top level
	line     int
	text     string // squeezed
	cut      bool   // text is only a beginning
}

// A start is one bash that began.
type start struct{ dir, file string }

const fieldMark = "\x1f"

// readLog gives the starts and the distinct events of a log. A log that ends in
// the middle of a line says that the writer was killed.
func readLog(log []byte) (starts []start, events []event, err error) {
	seen := map[string]bool{}
	for len(log) > 0 {
		line, rest, whole := bytes.Cut(log, []byte{0})
		if !whole {
			return starts, events, errors.New("its log ends within a line")
		}
		log = rest
		if seen[string(line)] {
			continue
		}
		seen[string(line)] = true
		f := strings.Split(string(line), fieldMark)
		switch {
		case f[0] == "B" && len(f) == 3:
			starts = append(starts, start{f[1], f[2]})
		case f[0] == "E" && len(f) >= 6:
			e, err := eventOf(f[1:])
			if err != nil {
				return starts, events, err
			}
			events = append(events, e)
		default:
			return starts, events, errors.New("its log holds a torn line")
		}
	}
	return starts, events, nil
}

func eventOf(f []string) (event, error) {
	line, err := strconv.Atoi(f[0])
	if err != nil {
		return event{}, errors.New("its log holds a line number that is none")
	}
	text := strings.Join(f[4:], fieldMark) // the command may hold the mark itself
	return event{
		function: f[1], file: f[2], dir: f[3], line: line,
		text: squeeze(text), cut: len(text) >= textLimit, // bytes may be what the locale counts
	}, nil
}

// rewritten tells of a run whether the text of an event can be another than the
// command's: in functions, which traps may call, and everywhere by an alias.
func rewritten(events []event) (inFunctions, everywhere bool) {
	for _, e := range events {
		inFunctions = inFunctions || strings.HasPrefix(e.text, "trap")
		everywhere = everywhere || strings.Contains(e.text, "expand_aliases")
	}
	return inFunctions, everywhere
}
