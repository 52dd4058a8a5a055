package scripts

// KnownTools are programs that hooks run; a literal word that is one of them
// counts wherever it stands.
var KnownTools = set(`
	jq jaq gojq yq uv uvx ruff ty mypy pyright biome eslint prettier tsc oxlint knip jscpd
	shellcheck shfmt yamllint hadolint taplo markdownlint markdownlint-cli2 semgrep gitleaks
	bandit vulture flake8 black isort pylint pytest pip pip3 poetry pipenv
	node npm npx pnpm yarn bun bunx deno python python3 ruby perl php go gofmt golangci-lint cargo rustfmt rustc
	git gh curl wget docker make terraform tofu claude actionlint check-jsonschema ast-grep rg fd ctags
	osascript notify-send terminal-notifier say timeout gtimeout sqlite3 openssl shasum sha256sum`)

// builtins are names that bash does not look for in PATH.
var builtins = set(`
	. : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown
	echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile
	popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true
	type typeset ulimit umask unalias unset wait`)

// ToolFiles are the configuration files that a program finds by itself.
var ToolFiles = map[string][]string{
	"ruff":              {"ruff.toml", ".ruff.toml", "pyproject.toml"},
	"ty":                {"ty.toml", "pyproject.toml"},
	"mypy":              {"mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg"},
	"black":             {"pyproject.toml"},
	"uv":                {"uv.toml", "pyproject.toml", "uv.lock"},
	"flake8":            {".flake8", "setup.cfg", "tox.ini"},
	"bandit":            {".bandit", "pyproject.toml"},
	"vulture":           {"pyproject.toml"},
	"pylint":            {".pylintrc", "pylintrc", "pyproject.toml"},
	"pytest":            {"pytest.ini", "pyproject.toml", "setup.cfg"},
	"biome":             {"biome.json", "biome.jsonc"},
	"prettier":          {".prettierrc", ".prettierrc.json", "package.json"},
	"eslint":            {".eslintrc.json", "eslint.config.js", "eslint.config.mjs", "package.json"},
	"tsc":               {"tsconfig.json"},
	"oxlint":            {".oxlintrc.json"},
	"knip":              {"knip.json", "package.json"},
	"jscpd":             {".jscpd.json"},
	"npm":               {"package.json", ".npmrc"},
	"npx":               {"package.json", ".npmrc"},
	"shellcheck":        {".shellcheckrc", "shellcheckrc"},
	"shfmt":             {".editorconfig"},
	"yamllint":          {".yamllint", ".yamllint.yaml", ".yamllint.yml"},
	"hadolint":          {".hadolint.yaml", ".hadolint.yml"},
	"taplo":             {"taplo.toml", ".taplo.toml"},
	"markdownlint":      {".markdownlint.json", ".markdownlint.jsonc", ".markdownlint.yaml"},
	"markdownlint-cli2": {".markdownlint-cli2.jsonc", ".markdownlint-cli2.yaml", ".markdownlint.jsonc", ".markdownlint.json", ".markdownlint.yaml"},
	"semgrep":           {".semgrep.yml", ".semgrepignore"},
	"gitleaks":          {".gitleaks.toml"},
	"golangci-lint":     {".golangci.yml", ".golangci.yaml"},
}
