package edit_test

import "testing"

const arms = `#!/bin/bash
case $1 in
  a)
    echo a
    ;;
  b|c)
    echo b
    ;;
  d)
    ;;
  *)
    echo other
    ;;
esac
`

// An edit of an arm affects the cases that compared its pattern.
func TestArms(t *testing.T) {
	t.Parallel()
	second := []int{2, 3, 6, 7}       // the second arm matched
	last := []int{2, 3, 6, 9, 11, 12} // the last one
	for name, tt := range map[string]struct {
		lines []int
		replacement
	}{
		"earlier pattern":              {second, replacement{"a)", "x)", "pattern changed at line 3"}},
		"own pattern":                  {second, replacement{"b|c)", "b)", "pattern changed at line 6"}},
		"later pattern":                {second, replacement{"d)", "x)", ""}},
		"last pattern":                 {second, replacement{"*)", "?*)", ""}},
		"last pattern compared":        {last, replacement{"*)", "?*)", "pattern changed at line 11"}},
		"body of another":              {last, replacement{"echo b", "echo B", ""}},
		"new body of an empty arm":     {last, replacement{"d)\n", "d)\n    echo d\n", "new statement"}},
		"new body of a later arm":      {second, replacement{"d)\n", "d)\n    echo d\n", ""}},
		"new arm before the own":       {second, replacement{"  b|c)", "  x)\n    ;;\n  b|c)", "new pattern at lines 6-7"}},
		"new arm after the own":        {second, replacement{"  d)", "  x)\n    ;;\n  d)", ""}},
		"new arm at the end":           {second, replacement{"esac", "  x) echo x ;;\nesac", ""}},
		"arm removed that matched":     {second, replacement{"  b|c)\n    echo b\n    ;;\n", "", "pattern removed"}},
		"arm removed that did not":     {last, replacement{"  b|c)\n    echo b\n    ;;\n", "", ""}},
		"empty arm removed":            {last, replacement{"  d)\n    ;;\n", "", "pattern removed"}},
		"later arm removed":            {second, replacement{"  d)\n    ;;\n", "", ""}},
		"later arms exchanged":         {second, replacement{"  d)\n    ;;\n  *)\n    echo other\n    ;;\n", "  *)\n    echo other\n    ;;\n  d)\n    ;;\n", ""}},
		"arms exchanged":               {last, replacement{"  d)\n    ;;\n  *)\n    echo other\n    ;;\n", "  *)\n    echo other\n    ;;\n  d)\n    ;;\n", "pattern"}},
		"later arm falls into another": {second, replacement{"    echo b\n    ;;", "    echo b\n    ;&", "statement changed"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.check(t, file, arms, came(t, arms, tt.lines...))
		})
	}
}

// An arm whose pattern runs a command may do so in vain, and its removal counts then.
func TestPatternsWithEffects(t *testing.T) {
	t.Parallel()
	const src = "case $1 in\n  $(next))\n    echo a\n    ;;\n  b)\n    echo b\n    ;;\nesac\n"
	replacement{"  $(next))\n    echo a\n    ;;\n", "", "pattern removed"}.check(t, file, src, came(t, src, 1, 2, 5, 6))
}
