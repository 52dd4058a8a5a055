package printable

// Prefix is the longest start of clean text that fits the columns.
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
