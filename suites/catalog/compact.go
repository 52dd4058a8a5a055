package catalog

import (
	"strings"
	"unique"

	"hookwatch/suites"
)

// compact moves what stays of many cases out of what their reading leaves behind:
// their steps into one list, their texts into one text. Else each small text
// would keep a page of what is not needed any more.
func compact(cases []suites.Case) {
	n := 0
	for i := range cases {
		n += len(cases[i].Steps)
		cases[i].Hook = unique.Make(cases[i].Hook).Value()
	}
	steps := make([]suites.Step, 0, n)
	for i := range cases {
		from := len(steps)
		steps = append(steps, cases[i].Steps...)
		cases[i].Steps = steps[from:len(steps):len(steps)]
	}
	var all strings.Builder
	size := 0
	texts(cases, func(s *string) { size += len(*s) })
	all.Grow(size)
	texts(cases, func(s *string) { all.WriteString(*s) })
	rest := all.String()
	texts(cases, func(s *string) { *s, rest = rest[:len(*s)], rest[len(*s):] })
}

// texts hands over the texts that most cases have, in their order.
func texts(cases []suites.Case, do func(*string)) {
	for i := range cases {
		c := &cases[i]
		do(&c.ID)
		do(&c.Name)
		do(&c.Category)
		do(&c.Summary)
		for j := range c.Steps {
			do(&c.Steps[j].Command)
			do(&c.Steps[j].FilePath)
		}
	}
}
