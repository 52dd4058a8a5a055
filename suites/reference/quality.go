package reference

import "embed"

// Quality is a project with a plugin that runs the project's own checks.
var Quality = Starter{
	Name:  "quality",
	About: "run the project's checks after edits and before a subagent is done",
	files: qualityFiles,
}

//go:embed quality/.claude/tests/hooks/suites/patterns.yaml
//go:embed quality/.hookwatch.yaml
//go:embed quality/CLAUDE.md
//go:embed quality/README.md
//go:embed quality/docs/specs/quality-hooks.md
//go:embed quality/plugin/.claude-plugin/plugin.json
//go:embed quality/plugin/hooks/hooks.json
//go:embed quality/plugin/hooks/post-tool-use.sh
//go:embed quality/plugin/hooks/quality-checks.json
//go:embed quality/plugin/hooks/session-start.sh
//go:embed quality/plugin/hooks/shared-functions.sh
//go:embed quality/plugin/hooks/subagent-stop.sh
//go:embed quality/scripts/check.sh
//go:embed quality/scripts/test.sh
var qualityFiles embed.FS
