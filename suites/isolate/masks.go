package isolate

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// credentials are the files and directories below HOME that hold secrets or the
// traces of a person: no hook test has business there.
var credentials = strings.Fields(`
	.ssh .gnupg .age .config/sops .password-store .netrc .authinfo .authinfo.gpg
	.aws .azure .config/gcloud .boto .s3cfg .config/rclone .config/doctl .config/hcloud .config/linode-cli
	.oci .config/scw .config/fly .fly .config/flyctl .config/netlify .netlify .wrangler .config/.wrangler
	.vercel .config/vercel .local/share/com.vercel.cli .heroku .config/stripe .config/op .vault-token
	.terraform.d/credentials.tfrc.json .terraformrc .pulumi/credentials.json
	.kube .docker/config.json .config/containers/auth.json .config/helm/registry
	.git-credentials .config/git/credentials .config/gh .config/hub .config/glab-cli .config/github-copilot
	.npmrc .yarnrc .yarnrc.yml .config/configstore .pypirc .config/pypoetry/auth.toml .config/pip .pip
	.cargo/credentials .cargo/credentials.toml .gem/credentials .bundle/config .composer/auth.json
	.config/composer/auth.json .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties
	.nuget/NuGet/NuGet.Config .hex .pub-cache/credentials.json .config/dart .sbt/.credentials .ivy2/.credentials
	.pgpass .my.cnf .mylogin.cnf .mongorc.js .dbshell .rediscli_history .psql_history .mysql_history .sqlite_history
	.claude.json .claude/.credentials.json .claude/history.jsonl .claude/projects .config/claude .anthropic
	.codex/auth.json .gemini .config/openai .openai .config/github-copilot .local/share/opencode/auth.json
	.huggingface .cache/huggingface/token .config/huggingface .kaggle .jupyter .config/ngrok .ngrok2
	.local/share/keyrings .local/share/kwalletd .pki .mozilla .thunderbird .config/google-chrome .config/chromium
	.config/BraveSoftware .config/Slack .config/discord .config/Signal .Xauthority .ICEauthority
	.bash_history .zsh_history .python_history .node_repl_history .local/share/fish .lesshst .viminfo
	.env .envrc .secrets .config/secrets .rhosts .smbcredentials .subversion/auth`)

// A mask hides one file or directory. What is in a hidden directory keeps its
// name, so that looking for it goes as it would, and loses its content.
type mask struct {
	path  string // without symbolic links
	names []string
	isDir bool
}

// Bounds of how much of a hidden directory is imitated.
const (
	maskDepth = 3
	maskNames = 100
)

// masks finds what has to be hidden. A directory that the project lies in is not.
func (o Options) masks() []mask {
	if o.Home == "" {
		return nil
	}
	home, root := real(o.Home), real(o.Root)
	present := make(map[string]bool) // most of the places are not there: one look tells
	if entries, err := os.ReadDir(home); err == nil {
		for _, e := range entries {
			present[e.Name()] = true
		}
	}
	var out []mask
	for _, name := range slices.Concat(credentials, o.Mask) {
		top, _, _ := strings.Cut(filepath.Clean(name), "/")
		if !present[top] || slices.Contains(o.Unmask, name) {
			continue
		}
		path := filepath.Join(home, name)
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		path = real(path)
		covered := slices.ContainsFunc(out, func(m mask) bool { return Within(m.path, path) })
		if covered || Within(path, root) || Within(path, home) {
			continue
		}
		out = append(out, newMask(path))
	}
	return out
}

func newMask(path string) mask {
	m := mask{path: path}
	fi, err := os.Lstat(path)
	if err != nil || !fi.IsDir() {
		return m
	}
	m.isDir = true
	_ = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(path, p)
		switch {
		case relErr != nil || rel == ".":
			return nil
		case err != nil, len(m.names) == maskNames:
			return fs.SkipDir
		}
		if d.IsDir() {
			m.names = append(m.names, rel+"/")
			if strings.Count(rel, "/")+1 >= maskDepth {
				return fs.SkipDir
			}
			return nil
		}
		m.names = append(m.names, rel)
		return nil
	})
	return m
}
