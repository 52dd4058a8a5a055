package supervisor

import "unsafe"

// A message is a list of fields. On the wire it is its length, then each field after its
// own length, all as 32 bits, little-endian.

// MaxMessage is the maximum length of a message: a longer one is not from hookwatch.
const MaxMessage = 64 << 20

// Encode returns the message with the given fields.
func Encode(fields ...string) []byte {
	size := 0
	for _, f := range fields {
		size += 4 + len(f)
	}
	b := appendLength(make([]byte, 0, 4+size), size)
	for _, f := range fields {
		b = append(appendLength(b, len(f)), f...)
	}
	return b
}

// Length decodes the length in front of a message.
func Length(head [4]byte) int {
	return int(head[0]) | int(head[1])<<8 | int(head[2])<<16 | int(head[3])<<24
}

// Decode splits a message, without its length, into fields. ok is false if their lengths
// do not add up.
func Decode(b []byte) (fields []string, ok bool) {
	for len(b) > 0 {
		if len(b) < 4 {
			return nil, false
		}
		n := Length([4]byte(b))
		if n < 0 || n > len(b)-4 {
			return nil, false
		}
		fields = append(fields, text(b[4:4+n]))
		b = b[4+n:]
	}
	return fields, true
}

func appendLength(b []byte, n int) []byte {
	return append(b, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
}

// text returns b as a string that shares its memory. b must not be written to any more.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// The uses of a path, in the order of their first occurrence in an answer to Accesses.
const (
	Asked   = 'a' // existence or metadata
	Opened  = 'o' // opened for reading
	Data    = 'd' // opened for reading by a program other than bash
	Listed  = 'l'
	Ran     = 'r'
	Wrote   = 'w' // or removed, or changed in another way
	Created = 'c' // it did not exist before
	Tried   = 't' // to lock it; only of commands that take turns
)
