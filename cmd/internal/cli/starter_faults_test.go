package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites/process/testdata/processtest"
	"hookwatch/suites/reference"
)

// TestStarterFaults breaks the guard of the starter commands as a tired author does, and checks that cases of its own
// suite find each fault, one of four or if the tests are exhaustive all, and that they pass with the guard as it is.
func TestStarterFaults(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"python3", "shfmt", "git"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no %s: %v", tool, err)
		}
	}
	faults := map[string]struct{ old, new, failing string }{
		"":                             {"", "", ""},
		"a program is not listed":      {`"sudo": ("ughpCDRT", 0), `, ``, "CM05"},
		"an early return":              {"if not words:\n            return\n        if words[0] is UNKNOWN", "if len(words) < 4:\n            return\n        if words[0] is UNKNOWN", "CM06"},
		"exit code 1":                  {"            sys.exit(2)", "            sys.exit(1)", "CM40 CM41"},
		"an exception lets pass":       {"            sys.exit(2)", "            sys.exit(0)", "CM40 CM41"},
		"options as they are spelled":  {"name.startswith(a) for a in long", "name == a for a in long", "CM10"},
		"letters one by one":           {"set(letters) & set(short)", `set(letters) & {a[1:] for a in options}`, "CM02"},
		"a program is not looked into": {"return self.call(words + given)", "return", "CM09"},
		"a decision of another event":  {`"permissionDecision": "deny"`, `"decision": "block"`, "CM01 CM07"},
		"the directory is forgotten":   {`name in ("cd", "pushd")`, `name in ("pushd",)`, "CM08"},
		"a form is forgotten":          {`a[0:1] in ("+", ":")`, `a[0:1] == "+"`, "CM24"},
		"what is unknown is empty":     {"return text if text is UNKNOWN else re.split", "return [''] if text is UNKNOWN else re.split", "CM13"},
		"a pattern over the text":      {`tool = payload["tool_input"]`, `tool = payload["tool_input"]; assert "git push --force" not in tool["command"]`, "CM30 CM32"},
	}
	cases := ""
	for _, fault := range faults {
		cases += " " + fault.failing
	}
	for _, name := range processtest.Sample(slices.Sorted(maps.Keys(faults)), 4) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fault, dir := faults[name], t.TempDir()
			if _, err := reference.Commands.Extract(dir); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, ".claude/hooks/guard_commands.py")
			guard, err := os.ReadFile(file)
			if err != nil || !strings.Contains(string(guard), fault.old) {
				t.Fatalf("the guard has no %q: %v", fault.old, err)
			}
			ids := strings.Fields(fault.failing)
			if name == "" {
				ids = slices.Compact(slices.Sorted(slices.Values(strings.Fields(cases))))
			} else if err := os.WriteFile(file, []byte(strings.Replace(string(guard), fault.old, fault.new, 1)), 0o644); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			root := newRoot(newApp(Streams{In: strings.NewReader(""), Out: &out, Err: io.Discard}))
			root.SetArgs(append([]string{"-C", dir, "--format", "jsonl", "run"}, ids...))
			_ = root.ExecuteContext(t.Context())
			for _, id := range ids {
				verdict := ""
				for line := range strings.Lines(out.String()) {
					var event struct{ Case struct{ ID, Status string } }
					if json.Unmarshal([]byte(line), &event) == nil && event.Case.ID == id {
						verdict = event.Case.Status
					}
				}
				if want := map[bool]string{true: "pass", false: "fail"}[name == ""]; verdict != want {
					t.Errorf("%s: %q, want %s\n%s", id, verdict, want, out.String())
				}
			}
		})
	}
}
