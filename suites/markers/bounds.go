package markers

import (
	"bytes"
	"errors"
)

// Bounds of one document. Those of people are far below; a file that goes beyond
// would take minutes to read, or memory for all that it claims.
const (
	mostMarkers = 4_000
	mostClaims  = 200_000 // IDs of all markers together
	mostQuotes  = 100     // block quotes within each other
	mostLinks   = 50_000_000
	mostEntries = 20_000 // sections of a source
	mostNames   = 500    // among which the nearest is looked for
)

var (
	errIntricate = errors.New("it nests too deep or has too many links in a paragraph: it is not read as Markdown")
	errMarkers   = errors.New("it has too many markers, or markers about too many cases: it is not read (at most 4,000 markers; split it)")
)

// intricate reports whether Markdown would take its parser a time that grows with
// the square of its length: what begins like a link is tried as one up to the end
// of its paragraph.
func intricate(src []byte) bool {
	length, links := 0, 0
	for line := range bytes.Lines(src) {
		plain := bytes.TrimLeft(line, "> \t")
		if bytes.Count(line[:len(line)-len(plain)], []byte(">")) > mostQuotes {
			return true
		}
		if len(bytes.TrimSpace(plain)) == 0 {
			length, links = 0, 0
			continue
		}
		length += len(line)
		if links += bytes.Count(line, []byte("](")); links*length > mostLinks {
			return true
		}
	}
	return false
}
