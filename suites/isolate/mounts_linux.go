package isolate

import (
	"os"
	"strconv"
	"strings"
)

const mountInfo = "/proc/self/mountinfo"

// mounts lists what is mounted where, in the order of mounting.
func mounts() []mount {
	b, err := os.ReadFile(mountInfo)
	if err != nil {
		return nil
	}
	var all []mount
	for line := range strings.Lines(string(b)) {
		before, after, ok := strings.Cut(line, " - ")
		fields, kind := strings.Fields(before), strings.Fields(after)
		if !ok || len(fields) < 5 || len(kind) == 0 {
			continue
		}
		all = append(all, mount{at: unescape(fields[4]), kind: kind[0], device: fields[2], root: unescape(fields[3])})
	}
	return all
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
