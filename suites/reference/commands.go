package reference

import "embed"

// Commands is a project with one guard that reads commands with a shell parser.
var Commands = Starter{
	Name:  "commands",
	About: "a guard that reads commands with a shell parser, and that hookwatch prove does not get around",
	files: commandsFiles,
}

//go:embed commands/.claude/hooks/guard_commands.py
//go:embed commands/.claude/settings.json
//go:embed commands/.claude/tests/hooks/suites/commands.yaml
//go:embed commands/.hookwatch.yaml
//go:embed commands/README.md
var commandsFiles embed.FS
