package run_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hookwatch/suites"
	"hookwatch/suites/process"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
)

// usualHome lists files of a HOME as developers have it: toolchains, and private directories.
var usualHome = strings.Fields(`.bashrc .profile .bash_history .gitconfig .npmrc .netrc .viminfo .claude.json .claude/settings.json .claude/hooks/guard.sh
	.claude/commands/a.md .claude/agents/a.md .claude/projects/-p/a.jsonl .claude/history.jsonl .claude/todos/a.json .claude/plugins/cache/p/hooks/hooks.json
	.ssh/id_ed25519 .ssh/config .ssh/known_hosts .aws/credentials .aws/config .kube/config .docker/config.json .config/gh/hosts.yml .config/gcloud/x.db
	.config/Code/User/settings.json .config/google-chrome/Default/Cookies .mozilla/firefox/p/logins.json .gnupg/pubring.kbx .local/bin/tool
	.local/share/keyrings/login.keyring .local/share/uv/tools/t/bin/t .local/share/pnpm/store/x .local/state/hookwatch/p/results/a.jsonl .pyenv/shims/python
	.nvm/versions/node/v22/bin/node .cargo/bin/cargo .rustup/toolchains/s/bin/rustc go/bin/gopls go/pkg/mod/x .npm/_cacache/x .npm/_logs/x .cache/uv/x
	.cache/pip/x Documents/a.txt Downloads/b.zip src/one/README.md src/two/README.md`)

// BenchmarkHome measures a case with a usual HOME: its time, and that of the processors for it.
func BenchmarkHome(b *testing.B) {
	p, home := newProject(b), b.TempDir()
	p.write("hook.sh", "#!/bin/bash\nexit 0\n", 0o755)
	for _, name := range usualHome {
		at := filepath.Join(home, name)
		if os.MkdirAll(filepath.Dir(at), 0o755) != nil || os.WriteFile(at, []byte("{}\n"), 0o644) != nil {
			b.Fatal(at)
		}
	}
	o := run.Options{Root: p.root, Temp: p.temp, Timeout: time.Minute}
	o.Env = process.With(run.Environment(os.Environ(), nil), map[string]string{"HOME": home, "PATH": filepath.Join(home, ".local/bin") + ":" + filepath.Join(home, ".cargo/bin") + ":/usr/bin:/bin"})
	choice, err := sandbox.Choose("namespaces", sandbox.Options{Root: p.root, Home: home, Size: 256_000_000, Processes: 1000, Memory: 2 << 30}, o.Temp)
	if err != nil {
		b.Skip(err)
	}
	o.Isolation = choice
	r := run.New(o)
	c := &suites.Case{Suite: "s", ID: "A", Hook: "hook.sh", Steps: []suites.Step{{Event: "Stop"}}}
	begin, cases := processors(b), 0
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		o, err := r.Make(b.Context(), suites.Request{Case: c})
		if err != nil || o.Last().Exit != 0 {
			b.Fatalf("%v, %+v", err, o)
		}
		took = append(took, time.Since(start))
		cases++
	}
	b.ReportMetric(ms(median(took)), "ms")
	b.ReportMetric(ms(processors(b)-begin)/float64(cases), "cpu-ms")
}

// processors returns the time of the processors for this process and its children.
func processors(b *testing.B) time.Duration {
	total := ofChildren(b)
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return total + time.Duration(u.Utime.Nano()+u.Stime.Nano())
}
