package decide

import (
	"hash/fnv"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// Printed is a sum that stands for what a run of a case printed and how it ended: a trace
// tells of a verdict only if the traced run printed the same. Long numbers are
// left out, for PIDs, session numbers, temporary names and times differ. Of a case
// with steps only the one that its record shows is compared, for a record has no
// more: that another step went otherwise is seen only by the verdict.
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

// scratch matches what mktemp makes up.
var scratch = pattern.Lazy(`\btmp\.[A-Za-z0-9]{6,}`)

// PrintedBy is the sum of one step of a run that is not on record.
func PrintedBy(r suites.Result) Printed {
	return printedOf(exitOf(&r), Text(r.Stdout, r.StdoutBytes), Text(r.Stderr, r.StderrBytes))
}

// exitOf is the exit code of a step, nil where it did not exit by itself.
func exitOf(r *suites.Result) *int {
	if r.NotStarted == "" && r.Signal == "" && !r.TimedOut {
		return &r.Exit
	}
	return nil
}

// longNumber is the number of digits from which a number may be another one in
// the next run. The parts of a time or a version count together.
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
