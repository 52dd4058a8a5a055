package clients

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestLive requires that each measured client can be run: each event of its data has a name of the
// client, the templates of its texts exist, and a registered hook is read again.
func TestLive(t *testing.T) {
	t.Parallel()
	for _, c := range Clients() {
		if measured := c.Measured != "" && c.Name != Claude; measured != (c.Live.Program != "") {
			t.Errorf("%s: measured %v, and its program is %q", c.Name, measured, c.Live.Program)
		}
		if c.Live.Program == "" {
			continue
		}
		cells, err := c.Cells()
		if err != nil {
			t.Fatal(err)
		}
		for _, cell := range cells {
			if !slices.Contains(c.Live.Events, c.Events[cell.Event].As) {
				t.Errorf("%s: no session fires %s", c.Name, cell.Event)
			}
			file, text := c.Register(cell.Event, "sh hook.sh", 2*time.Second)
			if !c.Reads(file) {
				t.Errorf("%s: %s registers nothing", c.Name, file)
			}
			if c.Events[cell.Event].Claude {
				continue
			}
			hooks, problems := c.Hooks(file, text)
			if len(hooks) != 1 || len(problems) > 0 || hooks[0].Entry.Command != "sh hook.sh" || hooks[0].Entry.Timeout != 2*time.Second {
				t.Errorf("%s: %s is read as %+v %v", c.Name, text, hooks, problems)
			}
		}
		for _, text := range slices.Concat(c.Live.Arguments, values(c.Live.Home), values(c.Live.Variables)) {
			for _, name := range regexp.MustCompile(`\{[a-z]+\}`).FindAllString(text, -1) {
				if !slices.Contains([]string{"{url}", "{dir}", "{home}", "{prompt}", "{record}", "{start}"}, name) {
					t.Errorf("%s: unknown template %s in %s", c.Name, name, text)
				}
			}
		}
	}
}

func values(m map[string]string) (all []string) {
	for _, v := range m {
		all = append(all, v)
	}
	return all
}

// TestWrapped checks that only commands are replaced, whatever else a file has.
func TestWrapped(t *testing.T) {
	t.Parallel()
	codex, _ := ByName("codex")
	copilot, _ := ByName("copilot")
	wrap := func(event, command string) string { return event + ":" + command }
	for _, tt := range []struct {
		of         Client
		file, text string
		want       string
	}{
		{codex, ".codex/hooks.json", `{"a":1.50,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x","timeout":5,"odd":null}]}]}}`, `{"a":1.50,"hooks":{"Stop":[{"hooks":[{"command":"Stop:x","odd":null,"timeout":5,"type":"command"}]}]}}`},
		{codex, ".codex/hooks.json", `{"hooks": broken`, `{"hooks": broken`},
		{codex, ".codex/config.toml", "model = \"m\"\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = \"x\"\n", "command = 'Stop:x'"},
		{copilot, ".github/hooks/a.json", `{"hooks":{"agentStop":[{"bash":"x","powershell":"y"}]}}`, `{"hooks":{"agentStop":[{"bash":"agentStop:x","powershell":"y"}]}}`},
		{copilot, ".claude/settings.json", "\ufeff" + `{"hooks":{"Stop":[{"hooks":[{"command":"x"}]}]},"env":{"command":"x"}}`, `{"env":{"command":"x"},"hooks":{"Stop":[{"hooks":[{"command":"Stop:x"}]}]}}`},
	} {
		if got := string(tt.of.Wrap(tt.file, []byte(tt.text), wrap)); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s, want %s", tt.file, got, tt.want)
		}
	}
}

// TestCall checks the model's calls of a client's own tools.
func TestCall(t *testing.T) {
	t.Parallel()
	codex, _ := ByName("codex")
	for _, tt := range []struct{ tool, input, name, want string }{
		{"Bash", `{"command":"ls"}`, "exec_command", `{"cmd":"ls"}`},
		{"Write", `{"file_path":"/a","content":"b\nc\n"}`, "apply_patch", `"*** Begin Patch\n*** Add File: /a\n+b\n+c\n*** End Patch\n"`},
		{"Edit", `{"file_path":"/a","old_string":"b\nc","new_string":""}`, "apply_patch", `"*** Begin Patch\n*** Update File: /a\n@@\n-b\n-c\n+\n*** End Patch\n"`},
		{"Agent", `{}`, "", ""},
	} {
		name, got, ok := codex.Live.Call(tt.tool, []byte(tt.input))
		if name != tt.name || string(got) != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: %s %s", tt.tool, name, got)
		}
	}
}

func FuzzWrapped(f *testing.F) {
	codex, _ := ByName("codex")
	f.Add(`{"hooks":{"Stop":[{"hooks":[{"command":"x"}]}]}}`)
	f.Add("hooks = [1]\n")
	f.Fuzz(func(t *testing.T, text string) {
		same := func(_, command string) string { return command }
		codex.Wrap("config.toml", []byte(text), same)
		if out := codex.Wrap("hooks.json", []byte(text), same); string(out) != text && !json.Valid(out) {
			t.Errorf("%q becomes %q", text, out)
		}
	})
}
