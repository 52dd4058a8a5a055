package cli

import (
	"slices"
	"strings"
	"testing"
)

// TestFormats: an unknown format is refused for every command, a known one that has
// nothing to print for a command too; help and completion list them all.
func TestFormats(t *testing.T) {
	t.Parallel()
	names := formatNames()
	if !slices.Contains(names, "human") || !slices.IsSorted(names) {
		t.Errorf("formats %q", names)
	}
	arguments := map[string]string{"fire": "PreToolUse", "query": "length", "show": "P01"} // without which they are refused anyway
	for _, command := range append(commandNames(), "") {
		args := strings.Fields(command + " " + arguments[command] + " --format xml")
		if code, out, stderr := call(t, t.TempDir(), "", args...); code != Usage || out != "" || !strings.Contains(stderr, "--format xml: want "+anyFormat()) {
			t.Errorf("%v: exit %d, %s%s", args, code, out, stderr)
		}
	}
	_, help, _ := call(t, ".", "", "help", "flags")
	_, completed, _ := call(t, ".", "", "__complete", "--format", "")
	for _, name := range names {
		f := formats[name]
		if f.name != name || f.view == nil && f.write == nil {
			t.Errorf("format %s prints nothing, or is registered as %s", f.name, name)
		}
		if !strings.Contains(help, f.help) || !strings.Contains(completed, name+"\t"+f.help) {
			t.Errorf("help or completion does not describe %s: %s%s", name, help, completed)
		}
		for _, tt := range []struct {
			args    []string
			refused bool
		}{
			{[]string{"suites"}, f.write == nil},
			{[]string{"run", "X1"}, f.view == nil},
			{[]string{}, f.view == nil || f.onceOnly},
			{[]string{"--once"}, f.view == nil},
		} {
			_, out, stderr := call(t, t.TempDir(), "", append(tt.args, "--format", name)...)
			if refused := strings.Contains(stderr, "--format "+name+" "); refused != tt.refused || refused && out != "" {
				t.Errorf("%v --format %s: refused %v, want %v: %s", tt.args, name, refused, tt.refused, stderr)
			}
		}
	}
}
