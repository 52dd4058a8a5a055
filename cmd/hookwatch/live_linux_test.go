package main

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// withClient puts a copy of the real client to where everybody can start it.
func withClient(t *testing.T, p *place) (path string) {
	t.Helper()
	dir := os.Getenv(realClient)
	if dir == "" {
		t.Skip(realClient + " is not set: see .ci/live")
	}
	bin := filepath.Join(p.dir, "client")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "cp", "-L", filepath.Join(dir, "claude"), bin).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin + ":/usr/local/bin:/usr/bin:/bin"
}

// TestRealClientOrdinaryUser checks that the real client fires hooks for an ordinary user as it
// does for root.
func TestRealClientOrdinaryUser(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path := withClient(t, p)
	for want, args := range map[string][]string{
		"PASS 1  FAIL 0  SKIP 0": {"run", "P28"},
		": 4 of 4 hooks fired":   {"check", "--live"},
	} {
		cmd := p.program(args...)
		cmd.Env = append(cmd.Env, "PATH="+path)
		if out, err := p.run(cmd, os.Getuid() == 0); err != nil || !strings.Contains(out, want) {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}

// TestRealClientReadsNoHome checks that no file of the user is opened, although login, settings,
// memory and keys are where a client looks for them. The log of strace covers hookwatch and its
// descendants.
func TestRealClientReadsNoHome(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is absent")
	}
	for _, isolation := range []string{"auto", "namespaces"} {
		t.Run(isolation, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			path := withClient(t, p)
			home := filepath.Join(p.dir, "home")
			betraying := []string{
				".claude.json", ".claude/settings.json", ".claude/settings.local.json", ".claude/.credentials.json", ".claude/CLAUDE.md",
				".claude/plugins/installed_plugins.json", ".config/claude/settings.json", ".netrc", ".npmrc", ".aws/credentials", ".ssh/id_rsa",
			}
			files := map[string]string{}
			for _, f := range betraying {
				files[f] = `{"oauthAccount": {"emailAddress": "me"}, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "touch ` + p.dir + `/betrayed"}]}]}}`
			}
			writeFiles(t, home, files)
			log := filepath.Join(p.dir, "strace.log")
			cmd := p.program("fire", "Stop", "--live", "--isolation", isolation)
			cmd.Path, cmd.Args = strace, append([]string{strace, "-f", "-qq", "-e", "trace=open,openat,openat2", "-o", log}, cmd.Args...)
			cmd.Env = append(cmd.Env, "PATH="+path, "ANTHROPIC_API_KEY=mine", "CLAUDE_CONFIG_DIR="+home+"/.claude")
			if out, err := p.run(cmd, false); err != nil || !strings.Contains(out, "effect    ") {
				t.Fatalf("%v\n%s", err, out)
			}
			opened, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			if !regexp.MustCompile(`open\w*\(.*/fire-[^"]*/home/\.claude`).Match(opened) {
				t.Error("the client is not seen to open its own HOME")
			}
			homes := []string{home}
			if me, err := user.Current(); err == nil {
				homes = append(homes, me.HomeDir)
			}
			for line := range strings.Lines(string(opened)) {
				for _, h := range homes {
					for _, f := range betraying {
						if strings.Contains(line, `"`+h+"/"+f+`"`) {
							t.Errorf("a process opens a file of the user: %s", line)
						}
					}
				}
			}
			for _, f := range betraying {
				if now, err := os.ReadFile(filepath.Join(home, f)); err != nil || string(now) != files[f] {
					t.Errorf("%s is not what it was: %v", f, err)
				}
			}
			if _, err := os.Lstat(filepath.Join(p.dir, "betrayed")); err == nil {
				t.Error("a hook of the user's own settings ran")
			}
		})
	}
}
