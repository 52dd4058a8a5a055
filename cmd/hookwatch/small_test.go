package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

const smallHook = ".claude/hooks/h.sh"

// newSmall makes a project of one hook and some cases that take no time: A1, A2, ...
func newSmall(t testing.TB, cases int) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "small")
	var suite strings.Builder
	fmt.Fprintf(&suite, "suite: s\nevent: Stop\nhook: %s\ncases:\n", smallHook)
	for i := range cases {
		fmt.Fprintf(&suite, "  - {id: A%d, name: a_%d, expect: {exit: 0}}\n", i+1, i+1)
	}
	writeFiles(t, root, map[string]string{
		smallHook:         "#!/bin/bash\n",
		"suites/s.yaml":   suite.String(),
		".hookwatch.yaml": "verify: off\nsuites: [suites/*.yaml]\nnotify: {desktop: false, settle: 20ms}\n",
	})
	return root
}
