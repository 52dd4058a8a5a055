package decide

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// TextLimit is the number of bytes of one stream that a record keeps.
const TextLimit = 64 << 10

// Text converts output of a process for a record: at most TextLimit bytes, followed by a line
// with the full size if some are missing. Bytes that are not UTF-8 are shown as \xNN, followed by
// a note. total is the number of bytes written, if that is more than b holds.
func Text(b []byte, total int64) string {
	total = max(total, int64(len(b)))
	var text strings.Builder
	text.Grow(min(len(b), TextLimit))
	rest, invalid := b, false
	for len(rest) > 0 {
		r, n := utf8.DecodeRune(rest)
		shown := rest[:n]
		if r == utf8.RuneError && n == 1 {
			shown = fmt.Appendf(nil, `\x%02x`, rest[0])
		}
		if text.Len()+len(shown) > TextLimit {
			break
		}
		invalid = invalid || r == utf8.RuneError && n == 1
		text.Write(shown)
		rest = rest[n:]
	}
	if invalid {
		text.WriteString("\n[hookwatch: not all of this is UTF-8; other bytes are shown as \\xNN]")
	}
	if kept := int64(len(b) - len(rest)); kept < total {
		fmt.Fprintf(&text, "\n[hookwatch: cut after %d of %d bytes]", kept, total)
	}
	return text.String()
}
