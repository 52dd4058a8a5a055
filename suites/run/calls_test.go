package run

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
)

// written returns a call as shims write it.
func written(c suites.ToolCall) string {
	fields := append([]string{c.Tool, strconv.Itoa(c.Exit), string(c.Stdout), string(c.Stderr)}, c.Args...)
	return strings.Join(fields, fieldEnd) + callEnd
}

// FuzzParse checks that parse returns the calls that shims wrote, except for parts that were cut,
// and only complete calls from any other log.
func FuzzParse(f *testing.F) {
	f.Add("t", 0, "out", "err", "arg", 3, "t\x1f0\x1fout\x1ferr\x1farg\x1e")
	f.Add("t", -1, "", "a\nb", "", 0, "t\x1f0\x1fout\x1ferr\x1e\x1et\x1fx\x1f\x1f\x1e t")
	f.Fuzz(func(t *testing.T, tool string, exit int, stdout, stderr, arg string, cut int, log string) {
		plain := strings.NewReplacer(fieldEnd, "", callEnd, "") // as tr does
		call := suites.ToolCall{
			Tool: plain.Replace(tool), Exit: exit, Stdout: []byte(plain.Replace(stdout)), Stderr: []byte(plain.Replace(stderr)), Args: []string{plain.Replace(arg), ""},
		}
		whole := written(call)
		torn := whole[:min(max(cut, 0), len(whole)-1)]
		if diff := cmp.Diff([]suites.ToolCall{call, call}, parse(whole+whole+torn)); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		for _, c := range parse(log) {
			_, said, _ := strings.Cut(written(c)[len(c.Tool)+1:], fieldEnd) // numbers have many forms
			if !strings.Contains(log, c.Tool+fieldEnd) || !strings.Contains(log, fieldEnd+said) {
				t.Errorf("%+v is not in the log", c)
			}
		}
	})
}
