package trace

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
)

// A Key is the identity of a statement or a word, 24 bits of a hash. Two that
// share one are both taken for met, which selects too much and never too little.
type Key uint32

const keyBytes = 3

// A Set holds keys, sorted, each as three bytes: it can be compared, interned
// and searched as it is. As JSON it is base64.
type Set string

// NewSet packs keys.
func NewSet(keys map[Key]bool) Set {
	sorted := make([]Key, 0, len(keys))
	for k := range keys {
		sorted = append(sorted, k)
	}
	slices.Sort(sorted)
	var b strings.Builder
	for _, k := range sorted {
		b.Write([]byte{byte(k >> 16), byte(k >> 8), byte(k)})
	}
	return Set(b.String())
}

// Len is the number of keys.
func (s Set) Len() int { return len(s) / keyBytes }

func (s Set) at(i int) Key {
	return Key(s[i*keyBytes])<<16 | Key(s[i*keyBytes+1])<<8 | Key(s[i*keyBytes+2])
}

// Has reports whether the key is in the set.
func (s Set) Has(k Key) bool {
	low, high := 0, s.Len()
	for low < high {
		if mid := (low + high) / 2; s.at(mid) < k {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low < s.Len() && s.at(low) == k
}

// MarshalText encodes the set.
func (s Set) MarshalText() ([]byte, error) {
	return []byte(base64.RawStdEncoding.EncodeToString([]byte(s))), nil
}

// UnmarshalText decodes a set and refuses one that Has could not search.
func (s *Set) UnmarshalText(text []byte) error {
	raw, err := base64.RawStdEncoding.DecodeString(string(text))
	if err != nil {
		return err
	}
	if len(raw)%keyBytes != 0 {
		return fmt.Errorf("set of %d bytes: not a multiple of %d", len(raw), keyBytes)
	}
	set := Set(raw)
	for i := 1; i < set.Len(); i++ {
		if set.at(i-1) >= set.at(i) {
			return fmt.Errorf("set is not sorted at key %d", i)
		}
	}
	*s = set
	return nil
}
