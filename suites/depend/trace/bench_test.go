package trace_test

import (
	"fmt"
	"strings"
	"testing"

	"hookwatch/suites/depend/trace"
)

// large returns a script of about 1,500 lines.
func large() []byte {
	var b strings.Builder
	b.WriteString("#!/bin/bash\n")
	for i := range 150 {
		fmt.Fprintf(&b, "f%d() {\n  local x=$1\n  if [[ $x == %d ]]; then\n    echo \"is $x\" | sed 's/a/b/'\n  else\n    y=$(printf '%%s' \"$x\" |\n      tr a b)\n  fi\n  echo \"$y\"\n}\n", i, i)
	}
	return []byte(b.String())
}

// BenchmarkParse measures the parsing that each save of a large script causes twice.
func BenchmarkParse(b *testing.B) {
	src := large()
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := trace.Parse("h.sh", src); err != nil {
			b.Fatal(err)
		}
	}
}
