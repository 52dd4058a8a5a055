package reference

import "embed"

// Linters is a project with hooks for a formatter, linters, package managers and the protection
// of their configuration.
var Linters = Starter{
	Name:  "linters",
	About: "lint every edit, hold package managers to the project's, protect linter configuration",
	files: lintersFiles,
}

//go:embed linters/.claude/hooks/approve_configs.sh
//go:embed linters/.claude/hooks/config.json
//go:embed linters/.claude/hooks/enforce_package_managers.sh
//go:embed linters/.claude/hooks/multi_linter.sh
//go:embed linters/.claude/hooks/protect_linter_configs.sh
//go:embed linters/.claude/hooks/stop_config_guardian.sh
//go:embed linters/.claude/settings.json
//go:embed linters/.claude/subprocess-settings.json
//go:embed linters/.claude/tests/hooks/suites/own.yaml
//go:embed linters/.hookwatch.yaml
//go:embed linters/.jscpd.json
//go:embed linters/.markdownlint-cli2.jsonc
//go:embed linters/.ruff.toml
//go:embed linters/.yamllint
//go:embed linters/README.md
//go:embed linters/docs/REFERENCE.md
//go:embed linters/docs/specs/adr-config-protection.md
//go:embed linters/docs/specs/adr-package-manager-enforcement.md
//go:embed linters/docs/specs/hook-verification.md
//go:embed linters/docs/specs/linter-verification.md
//go:embed linters/taplo.toml
var lintersFiles embed.FS
