package cli

import "strings"

// installs tells, by the registry that has them, how to get the tools that hooks
// of this field call. A name with "=" is called otherwise there.
var installs = []struct{ command, tools string }{
	{"npm install --global ", "@biomejs/biome=biome markdownlint-cli2 @taplo/cli=taplo oxlint eslint prettier typescript=tsc jscpd pnpm yarn bun @anthropic-ai/claude-code=claude"},
	{"uv tool install ", "ruff ty black mypy bandit vulture flake8 pylint yamllint semgrep pre-commit poetry pipenv"},
	{"sudo apt-get install ", "jq shellcheck shfmt git curl gawk nodejs=node npm python3 python3-pip=pip perl ruby coreutils=timeout dash file xxd procps=pgrep sqlite3 rsync tree"},
	{"cargo install --locked ", "jaq ripgrep=rg fd-find=fd sd hyperfine just"},
	{"brew install ", "hadolint gitleaks actionlint yq gh terraform trivy deno"},
	{"go install ", "mvdan.cc/sh/v3/cmd/shfmt@latest=shfmt golang.org/x/tools/cmd/goimports@latest=goimports github.com/itchyny/gojq/cmd/gojq@latest=gojq github.com/golangci/golangci-lint/v2/cmd/golangci-lint@latest=golangci-lint"},
	{"curl -LsSf https://astral.sh/uv/install.sh | sh", "=uv"},
	{"curl https://sh.rustup.rs -sSf | sh", "=cargo =rustc"},
}

// install is the command that gets a tool, "" where none is known.
func install(tool string) string {
	for _, registry := range installs {
		for _, entry := range strings.Fields(registry.tools) {
			name, called := entry, entry
			if i := strings.LastIndexByte(entry, '='); i >= 0 {
				name, called = entry[:i], entry[i+1:]
			}
			if called == tool {
				return registry.command + name
			}
		}
	}
	return ""
}

// toInstall tells in a line how to get the tools for want of which a run was
// aborted; a name alone where that is not known.
func toInstall(missing []string) string {
	var parts []string
	for _, tool := range missing {
		if how := install(tool); how != "" {
			tool += " by " + how
		}
		parts = append(parts, tool)
	}
	return strings.Join(parts, "; ")
}
