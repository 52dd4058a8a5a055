package isolate

import (
	"os"
	"strconv"
	"strings"
)

const table = "/proc/self/mountinfo"

// List lists what is mounted where, in the order of mounting.
func List() []Mount {
	b, err := os.ReadFile(table)
	if err != nil {
		return nil
	}
	var all []Mount
	for line := range strings.Lines(string(b)) {
		before, after, ok := strings.Cut(line, " - ")
		fields, kind := strings.Fields(before), strings.Fields(after)
		if !ok || len(fields) < 5 || len(kind) == 0 {
			continue
		}
		all = append(all, Mount{At: unescape(fields[4]), Kind: kind[0], Device: fields[2], Root: unescape(fields[3])})
	}
	return all
}

// Watch makes a question whether anything was mounted or unmounted since it
// was last asked. The list itself is compared: polling it misses changes.
func Watch() func() bool {
	last := ""
	return func() bool {
		b, err := os.ReadFile(table)
		changed := err != nil || string(b) != last
		last = string(b)
		return changed
	}
}

// unescape undoes the octal escapes of mountinfo, as in "a\040b".
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
