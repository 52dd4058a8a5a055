package pattern

// Nearest returns the word that was most likely meant, or "" if none is similar.
func Nearest(s string, words []string) string {
	best, limit := "", min(2, len(s)/2)+1
	for _, w := range words {
		if max(len(s), len(w))-min(len(s), len(w)) >= limit {
			continue // the distance is at least the difference in length, and long texts are slow to compare
		}
		if d := distance(s, w); d < limit {
			best, limit = w, d
		}
	}
	return best
}

// NearestHint asks whether the nearest word was meant. It returns "" if none is similar.
func NearestHint(s string, words []string) string {
	if near := Nearest(s, words); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}

// distance returns the number of bytes to add, drop or replace to turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
