package run_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/disk"
	"hookwatch/suites/process"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
	"hookwatch/suites/verdict"
)

// privateFiles are files of HOME that no hook needs, of every kind that people have: clients and
// their sessions, credentials, browsers, mail, wallets, histories, editors, backups, documents.
var privateFiles = strings.Fields(`
	.claude.json .claude.json.backup .claude/.credentials.json .claude/history.jsonl .claude/projects/-home-u-p/s.jsonl .claude/file-history/a/b@v1
	.claude/todos/a.json .claude/shell-snapshots/s.sh .claude/session-env/a/env .claude/paste-cache/a.txt .claude/statsig/id .claude/debug/a.txt
	.claude/ide/1.lock .claude/backups/a.json .claude/plans/a.md .claude/transcripts/a.jsonl .claude/telemetry/a.json .claude/local/.env .claude/teams/a.json
	.claude/tasks/a.json .claude/image-cache/a.png .claude/plugins/data/p/token.json .claude/plugins/config.json .claude/stats-cache.json .claude/policy.json
	.copilot/config.json .copilot/session-state/a.jsonl .copilot/mcp-config.json .copilot/logs/a.log .qwen/oauth_creds.json .qwen/settings.json
	.factory/auth.json .factory/sessions/a.jsonl .factory/settings.json .codex/auth.json .codex/sessions/2026/a.jsonl .codex/history.jsonl .codex/config.toml
	.codex/log/a.log .gemini/oauth_creds.json .gemini/settings.json .gemini/tmp/a/logs.json .cursor/mcp.json .cursor/cli-config.json .cursor/chats/a.db
	.config/claude/credentials.json .anthropic/key .openai/key .config/openai/key .local/share/opencode/auth.json .config/opencode/opencode.json .aider.conf.yml
	.aider.chat.history.md .continue/config.json .codeium/config.json .config/github-copilot/apps.json .config/goose/config.yaml .local/share/amp/secrets.json
	.config/amp/settings.json .local/share/goose/sessions/a .ollama/id_ed25519 .lmstudio/key .config/io.datasette.llm/keys.json .mcp-auth/a.json
	.local/state/hookwatch/p/results/a.jsonl .local/state/hookwatch/p/corpus/a.json .local/state/hookwatch/trust.json
	.ssh/id_ed25519 .ssh/id_rsa .ssh/config .ssh/known_hosts .ssh/agent/a .gnupg/private-keys-v1.d/a.key .gnupg/pubring.kbx .age/key.txt
	.config/sops/age/keys.txt .password-store/a.gpg .netrc .authinfo .authinfo.gpg .git-credentials .config/git/credentials .config/gh/hosts.yml
	.config/hub .config/glab-cli/config.yml .config/tea/config.yml .gist .gitlab-token .aws/credentials .aws/config .aws/sso/cache/a.json .azure/accessTokens.json
	.config/gcloud/credentials.db .config/gcloud/application_default_credentials.json .boto .s3cfg .config/rclone/rclone.conf .config/doctl/config.yaml
	.config/hcloud/cli.toml .config/linode-cli .oci/config .oci/key.pem .config/scw/config.yaml .fly/config.yml .config/netlify/config.json .vercel/auth.json
	.local/share/com.vercel.cli/auth.json .wrangler/config.toml .config/.wrangler/a.toml .heroku/a .config/stripe/config.toml .config/op/config .vault-token
	.terraform.d/credentials.tfrc.json .terraformrc .pulumi/credentials.json .kube/config .kube/cache/a .docker/config.json .docker/contexts/a/tls/key.pem
	.config/containers/auth.json .config/helm/repositories.yaml .config/helm/registry/config.json .minikube/profiles/a/client.key .config/argocd/config
	.config/doppler/.doppler.yaml .doppler/.doppler.yaml .infisical/a.json .chef/a.pem .ansible/vault .vagrant.d/insecure_private_key .config/teleport/a .tsh/keys/a
	.npmrc .yarnrc .yarnrc.yml .npm/_logs/a.log .npm/_cacache.bak/a .config/configstore/a.json .pypirc .config/pypoetry/auth.toml .config/pip/pip.conf .pip/pip.conf
	.local/share/uv/credentials/credentials.toml .cargo/credentials .cargo/credentials.toml .cargo/config.toml .gem/credentials .bundle/config .composer/auth.json
	.config/composer/auth.json .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties .gradle/init.gradle .nuget/NuGet/NuGet.Config
	.dotnet/corefx/cryptography/x509stores/my/a.pfx .hex/hex.config .pub-cache/credentials.json .config/dart/pub-credentials.json .sbt/.credentials
	.ivy2/.credentials .conda/token .condarc .huggingface/token .cache/huggingface/token .config/huggingface/token .kaggle/kaggle.json .jupyter/a.json
	.config/ngrok/ngrok.yml .ngrok2/ngrok.yml .wandb/a .netrc.bak .config/wandb/settings
	.pgpass .my.cnf .mylogin.cnf .mongorc.js .dbshell .rediscli_history .psql_history .mysql_history .sqlite_history .config/dbeaver/a.json
	.local/share/DBeaverData/a .local/share/keyrings/login.keyring .local/share/kwalletd/a.kwl .pki/nssdb/key4.db .config/Bitwarden/data.json
	.config/KeePass/a.kdbx .keepassxc/a.kdbx Passwords.kdbx .config/1Password/settings/a.json
	.mozilla/firefox/p/logins.json .mozilla/firefox/p/cookies.sqlite .config/google-chrome/Default/Cookies .config/chromium/Default/History
	.config/BraveSoftware/Brave-Browser/Default/Cookies .config/microsoft-edge/Default/Cookies .config/vivaldi/Default/Cookies .config/opera/Cookies
	snap/firefox/common/.mozilla/firefox/p/logins.json snap/chromium/common/chromium/Default/Cookies .var/app/org.mozilla.firefox/.mozilla/firefox/p/key4.db
	.var/app/com.google.Chrome/config/google-chrome/Default/Cookies .cache/mozilla/firefox/p/cache2/a .cache/google-chrome/Default/a .local/share/epiphany/a
	.thunderbird/p/Mail/Inbox .config/evolution/a Mail/inbox .mbox .muttrc .msmtprc .mbsyncrc .offlineimaprc .fetchmailrc .local/share/evolution/mail/a
	.config/Slack/storage/a .config/discord/Local/a .config/Signal/sql/db.sqlite .config/Element/a .local/share/TelegramDesktop/tdata/a .config/zoomus.conf
	.config/teams/a .config/skypeforlinux/a .weechat/sec.conf .irssi/config .purple/accounts.xml
	.config/Code/User/settings.json .config/Code/User/globalStorage/state.vscdb .vscode/argv.json .vscode-server/data/Machine/a .config/Cursor/User/settings.json
	.config/VSCodium/User/a .config/JetBrains/a/options/a.xml .local/share/JetBrains/a .config/sublime-text/a .config/zed/settings.json .emacs.d/auth.el .vim/secret.vim
	.viminfo .config/nvim/secret.lua .local/state/nvim/shada/main.shada .local/share/nvim/a
	.bitcoin/wallet.dat .ethereum/keystore/a .electrum/wallets/default .config/solana/id.json .monero/wallet.keys .config/Exodus/a .config/atomic/a .litecoin/wallet.dat
	.bash_history .zsh_history .python_history .node_repl_history .local/share/fish/fish_history .lesshst .wget-hsts .bashrc .zshrc .profile .bash_profile
	.zshenv .env .envrc .secrets .config/secrets/a .rhosts .smbcredentials .subversion/auth/a .Xauthority .ICEauthority .config/direnv/a .config/fish/config.fish
	.local/share/atuin/history.db .config/atuin/config.toml .local/share/zoxide/db.zo .local/share/recently-used.xbel .local/share/Trash/files/a
	.config/filezilla/sitemanager.xml .config/remmina/a .local/share/remmina/a.remmina .config/transmission/settings.json .config/syncthing/key.pem .config/tailscale/a
	.config/openvpn/a .config/wireguard/wg0.conf .config/obs-studio/a .config/spotify/a .config/systemd/user/a.service .config/autostart/a.desktop .dbus/a
	Documents/tax.pdf Downloads/invoice.pdf Desktop/notes.txt Pictures/a.jpg backup.tar notes.txt src/other-client/secret.txt src/other-client/.env work/plan.md
	dotfiles/private.sh .dotfiles/private.sh .local/share/chezmoi/private_a .config/chezmoi/chezmoi.toml`)

// neededFiles are files of HOME that hooks need, with the reason in the name of their directory.
var neededFiles = strings.Fields(`
	.claude/hooks/guard.sh .claude/hooks/lib/a.py .claude/scripts/a.sh .claude/statusline.sh .claude/CLAUDE.md .claude/agents/a.md .claude/commands/a.md
	.claude/skills/s/SKILL.md .claude/plugins/cache/p/hooks/hooks.json .claude/plugins/marketplaces/m/p/hooks/a.sh .pyenv/versions/3/bin/python
	.nvm/versions/node/v22/bin/node .rustup/toolchains/s/bin/rustc .cargo/bin/cargo go/bin/gopls go/pkg/mod/m/a.go .local/bin/tool .local/lib/python3/site-packages/m.py
	.local/share/uv/tools/ruff/bin/ruff .local/share/pnpm/prettier .npm/_npx/a/b .npm/_cacache/a .npm-global/lib/node_modules/m/index.js .volta/bin/node
	.asdf/shims/node .tool-versions .config/git/ignore .prettierrc .config/ruff/ruff.toml .cache/uv/a .cache/pre-commit/a opt/bin/mytool opt/lib/mytool/a.py
	work/tools/bin/other work/tools/data/a .cache/c/node_modules/.bin/c .cache/c/node_modules/@c/c/c.js shown/by/unmask src/project/main.go`)

// TestHomeList checks that a hook reads none of the private files of HOME, that nothing of them is in
// its outcome, and that what hooks need is there.
func TestHomeList(t *testing.T) {
	t.Parallel()
	if len(privateFiles) < 200 {
		t.Fatalf("only %d private files", len(privateFiles))
	}
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	for _, name := range privateFiles {
		write(t, filepath.Join(home, name), secret+" of "+name+"\n")
	}
	for _, name := range neededFiles {
		write(t, filepath.Join(home, name), "needed\n")
	}
	write(t, filepath.Join(home, ".claude/settings.json"), `{"env": {"TOKEN": "`+secret+`"}, "permissions": {"deny": ["needed"]}, "apiKeyHelper": "echo `+secret+`"}`)
	write(t, filepath.Join(home, ".gitconfig"), "[user]\n\tname = needed\n[credential]\n\thelper = "+secret+"\n[http]\n\textraheader = "+secret+"\n[url \"https://"+secret+"@x\"]\n\tinsteadOf = y\n[alias]\n\tt = !echo token "+secret+"\n")
	p := &project{t, filepath.Join(home, "src/project"), t.TempDir()}
	p.write("hook.sh", `#!/bin/bash
cd "$HOME" || exit 3
while read -r f; do cat "$f"; done <"$CLAUDE_PROJECT_DIR/private" 2>/dev/null
a=s3cret; grep -rhs "$a-of-the-test" . ; find . -name '*.kdbx' -o -name 'wa*.dat'
while read -r f; do [[ -s $f && -r $f ]] || echo "lacks $f"; done <"$CLAUDE_PROJECT_DIR/needed"
[[ $(git config --global user.name) == needed ]] || echo lacks git
grep -q '"deny"' .claude/settings.json || echo lacks settings
mkdir -p .cache/own .claude/logs && echo x >.cache/own/x && echo x >.claude/logs/x || echo lacks writing
`, 0o755)
	p.write("private", strings.Join(append(slices.Clone(privateFiles), ".claude/settings.json", ".gitconfig"), "\n")+"\n", 0o644)
	p.write("needed", strings.Join(neededFiles, "\n")+"\n", 0o644)
	o := run.Options{Root: p.root, Temp: p.temp, Timeout: time.Minute}
	path := strings.Join([]string{filepath.Join(home, "opt/bin"), filepath.Join(home, "work/tools/bin"), filepath.Join(home, ".cache/c/node_modules/.bin"), "/usr/bin", "/bin"}, ":")
	o.Env = process.With(run.Environment(os.Environ(), nil), map[string]string{"HOME": home, "PATH": path})
	bounds := sandbox.Options{Root: p.root, Home: home, Unmask: []string{"shown"}, Size: 8 << 20, Processes: 100}
	choice, err := sandbox.Choose("namespaces", bounds, p.temp)
	if err != nil {
		t.Fatal(err)
	}
	o.Isolation = choice
	r := run.New(o)
	c := &suites.Case{Suite: "s", ID: "A", Hook: "hook.sh", Steps: []suites.Step{{Event: "Stop"}}}
	out, err := r.TraceCase(t.Context(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	res := out.Last()
	if text := string(res.Stdout); res.Exit != 0 || strings.Contains(text, "lacks") || strings.Contains(text, "Passwords") || strings.Contains(text, "wallet") {
		t.Errorf("exit %d\n%s\n%s", res.Exit, text, res.Stderr)
	}
	if all, err := json.Marshal([]any{out.Results, out.Changes, out.Stopped, out.Accesses}); err != nil || strings.Contains(string(all), secret) || strings.Contains(string(res.Stdout), secret) {
		t.Errorf("the outcome contains a private file: %v\n%s", err, res.Stdout)
	}
	for _, change := range out.Changes {
		if change.Kind != suites.Created {
			t.Errorf("%+v", change)
		}
	}
	world := bounds.World(true, filepath.SplitList(path))
	reader := disk.Reader{World: world.Means}
	for _, name := range append(slices.Clone(privateFiles), ".claude/settings.json", ".gitconfig") {
		if b, err := reader.ReadFile(filepath.Join(home, name), 1<<20); err == nil {
			t.Errorf("hookwatch reads %s: %s", name, b)
		}
	}
	for _, name := range neededFiles {
		if _, err := reader.ReadFile(filepath.Join(home, name), 1<<20); err != nil {
			t.Errorf("hookwatch does not read %s: %v", name, err)
		}
	}
	if err := r.Remove(out); err != nil {
		t.Error(err)
	}
}

// TestWithheld checks that files of HOME that a hook looks for and does not see are named: those in
// its messages, and if paths are recorded, all.
func TestWithheld(t *testing.T) {
	t.Parallel()
	p, home := newProject(t), t.TempDir()
	for _, name := range []string{".guard/rules", ".config/guard/more", "notes.txt", ".netrc", ".claude/hooks/a.sh"} {
		write(t, filepath.Join(home, name), "x")
	}
	p.write("hook.sh", "#!/bin/bash\ncat ~/.guard/rules ~/.nothing ~/.netrc ~/.claude/hooks/a.sh\n[[ -f ~/.config/guard/more ]] && exit 2\necho about ~/notes.txt\nexit 0\n", 0o755)
	r := runnerOf(t, p, home)
	r.Reader = disk.Reader{World: sandbox.Options{Root: p.root, Home: home}.World(true, nil).Means}
	c := &suites.Case{Suite: "s", ID: "A", Hook: "hook.sh", Steps: []suites.Step{{Event: "Stop", Expect: suites.Expectation{Exit: code(0)}}}}
	for _, observed := range []bool{false, true} {
		want := []string{"~/.guard/rules"}
		fire := r.Case
		if observed {
			want = append(want, "~/.config/guard/more")
			fire = func(ctx context.Context, c *suites.Case) (suites.Outcome, error) { return r.TraceCase(ctx, c, nil) }
		}
		o, err := fire(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(o.Withheld)
		slices.Sort(want)
		if !slices.Equal(o.Withheld, want) {
			t.Errorf("observed %v: %q, want %q\n%s", observed, o.Withheld, want, o.Last().Stderr)
		}
		if v := verdict.Judge(c, o, time.Second); !strings.Contains(v.Note, "looked for ~/.guard/rules, which cases do not see (sandbox.unmask: [.guard/rules])") {
			t.Errorf("the verdict is %+v", v)
		}
		if err := r.Remove(o); err != nil {
			t.Error(err)
		}
	}
}
