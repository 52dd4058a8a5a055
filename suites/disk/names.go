package disk

import "strings"

// NameLimit is how many bytes of a file's name may be a suite's, a case's or an
// agent's: file systems take 255, and stamps, endings and what temporary files
// are called come on top.
const NameLimit = 180

// IsDevice reports whether Windows takes a name for a device's, with any ending.
func IsDevice(name string) bool {
	base, _, _ := strings.Cut(strings.ToUpper(name), ".")
	switch base = strings.TrimRight(base, " "); base {
	case "CON", "PRN", "AUX", "NUL":
		return true
	}
	port := strings.TrimPrefix(strings.TrimPrefix(base, "COM"), "LPT")
	return len(base) > len(port) && len(port) == 1 && port >= "0" && port <= "9"
}
