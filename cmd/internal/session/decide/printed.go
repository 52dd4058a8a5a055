package decide

import (
	"hash/fnv"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// Printed is a checksum of the output and exit code of a run: a trace belongs to a verdict only
// if the traced run printed the same. Long numbers are left out, because PIDs, session numbers,
// temporary names and times differ between runs. For a case with steps only the step in its
// record is compared, because the record has no other output; a difference in another step shows
// only in the verdict.
type Printed uint64

func printedOf(exit *int, stdout, stderr string) Printed {
	h := fnv.New64a()
	if exit != nil {
		h.Write([]byte{1, byte(*exit)})
	}
	for _, text := range []string{stdout, stderr} {
		h.Write([]byte{0})
		h.Write(withoutNumbers(text))
	}
	return Printed(h.Sum64())
}

// scratch matches names made by mktemp.
var scratch = pattern.Lazy(`\btmp\.[A-Za-z0-9]{6,}`)

// PrintedBy returns the checksum of one step of a run that is not recorded.
func PrintedBy(r suites.Result) Printed {
	return printedOf(exitOf(&r), Text(r.Stdout, r.StdoutBytes), Text(r.Stderr, r.StderrBytes))
}

// exitOf returns the exit code of a step, or nil if it did not exit by itself.
func exitOf(r *suites.Result) *int {
	if r.NotStarted == "" && r.Signal == "" && !r.TimedOut {
		return &r.Exit
	}
	return nil
}

// longNumber is the number of digits from which a number may differ in the next run. The parts of
// a time or a version are counted together.
const longNumber = 3

func withoutNumbers(text string) []byte {
	if strings.Contains(text, "tmp.") {
		text = scratch().ReplaceAllString(text, "tmp.")
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		end, digits := i, 0
		for end < len(text) && (isDigit(text[end]) || digits > 0 && (text[end] == ':' || text[end] == '.')) {
			if isDigit(text[end]) {
				digits++
			}
			end++
		}
		switch {
		case digits >= longNumber:
			out = append(out, '0')
		case digits > 0:
			out = append(out, text[i:end]...)
		default:
			out = append(out, text[i])
			end++
		}
		i = end
	}
	return out
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
