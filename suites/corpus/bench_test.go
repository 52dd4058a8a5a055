package corpus

import (
	"strings"
	"testing"
)

// BenchmarkRedact measures the redactor with 10 kB of a program that has many of the hints.
func BenchmarkRedact(b *testing.B) {
	r := NewRedactor(testKey, "/work/project", "/home/me")
	text := strings.Repeat("func token(key string) { return api(secret) } // home @x\n", 180)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Text(text)
	}
}
