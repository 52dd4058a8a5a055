package expression

import (
	"fmt"
	"regexp/syntax"
)

// maxPattern is the maximum number of instructions of a regular expression, because
// matching takes up to that many steps for each byte of the text.
const maxPattern = 20_000

// checkPattern parses without compiling, because compiling finds no other errors and takes
// seconds for a large repetition.
func checkPattern(source string) error {
	re, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return err
	}
	if size := instructions(re); size > maxPattern {
		return fmt.Errorf("its repetitions amount to %d instructions, at most %d are evaluated", size, maxPattern)
	}
	return nil
}

// patternSize returns the maximum number of instructions that a regular expression
// compiles to. ok is false if it is too large.
func patternSize(source string) (size int, ok bool) {
	if len(source) > MaxSource {
		return 0, false
	}
	re, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return len(source), true // only the parser reports an error
	}
	size = instructions(re)
	return size, size <= maxPattern
}

// instructions estimates the size of the compiled expression. It does not overflow,
// because the parser refuses repetitions of more than 1000, including nested ones.
func instructions(re *syntax.Regexp) int {
	n := 2 + len(re.Rune)/2
	for _, sub := range re.Sub {
		n += instructions(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Max, re.Min+1)
	}
	return n
}
