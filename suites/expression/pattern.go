package expression

import (
	"fmt"
	"regexp/syntax"
)

// maxPattern bounds the number of instructions of a regular expression: matching
// takes up to that many steps for each byte of the text.
const maxPattern = 20_000

// checkPattern parses without compiling: compiling finds no other errors, and
// takes seconds for a large repetition.
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

// patternSize is the number of instructions that a regular expression compiles to,
// at most; ok is false for one that is invalid or too large.
func patternSize(source string) (size int, ok bool) {
	if len(source) > MaxSource {
		return 0, false
	}
	re, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return len(source), true // the parser's answer is all there is to it
	}
	size = instructions(re)
	return size, size <= maxPattern
}

// instructions estimates the size of the compiled expression. It does not overflow:
// the parser refuses repetitions of more than 1000, nested ones too.
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
