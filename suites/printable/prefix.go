package printable

// Prefix returns the longest prefix of printable text that fits in the given number of columns.
func Prefix(text string, columns int) string {
	end := 0
	for i, r := range text {
		end = i + len(string(r))
		if Width(text[:end]) > columns {
			return text[:i]
		}
	}
	return text[:end]
}
