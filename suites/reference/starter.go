// Package reference contains the starter projects: hooks, their settings and configuration, and
// documents whose markers name the dependencies of their tests.
package reference

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites/disk"
)

// A Starter is a project to begin with. Its files are embedded one by one, in a file named after
// it, because embedding a folder would include files that runs have left in it.
type Starter struct {
	Name  string // also the name of its folder here
	About string // the purpose of its hooks, in a line
	files embed.FS
}

// A File is one file of a starter project.
type File struct {
	Path    string      // slash path from the project's root
	Mode    fs.FileMode // permission bits, 0755 for scripts
	Content []byte
}

// Files returns the project's files, sorted by path. The caller owns the result.
func (s Starter) Files() []File {
	var files []File
	err := fs.WalkDir(s.files, s.Name, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := s.files.ReadFile(name)
		files = append(files, File{strings.TrimPrefix(name, s.Name+"/"), mode(name), content})
		return err
	})
	if err != nil {
		panic(err) // the file system is part of the program
	}
	return files
}

// mode returns the permission bits, which embedding drops.
func mode(name string) fs.FileMode {
	if path.Ext(name) == ".sh" {
		return 0o755
	}
	return 0o644
}

// Extract writes the project into dir, which it creates if it is missing, and returns the slash
// paths of the written files, relative to dir. It overwrites nothing: if any of the files
// exists, it writes none and returns an error that lists them. It follows no link below dir.
func (s Starter) Extract(dir string) (written []string, err error) {
	files := s.Files()
	if err := checkFree(dir, files); err != nil {
		return nil, err
	}
	made, err := disk.Make(disk.Existing(dir), dir)
	if err != nil {
		return nil, fmt.Errorf("starter project: %w", err)
	}
	defer made.Close()
	for _, f := range files {
		if err := disk.WriteNew(dir, filepath.Join(dir, filepath.FromSlash(f.Path)), f.Content, f.Mode); err != nil { // it may have appeared since the check
			return written, fmt.Errorf("starter project: %w", err)
		}
		written = append(written, f.Path)
	}
	return written, nil
}

// checkFree returns an error if any of the project's files exists already.
func checkFree(dir string, files []File) error {
	var taken []string
	for _, f := range files {
		switch there, err := disk.Exists(dir, filepath.Join(dir, filepath.FromSlash(f.Path))); {
		case err != nil:
			return fmt.Errorf("starter project: %w", err)
		case there:
			taken = append(taken, f.Path)
		}
	}
	if len(taken) > 0 {
		return fmt.Errorf("%s: %w, nothing was written: %s (choose an empty directory, or move them away)",
			dir, fs.ErrExist, strings.Join(taken, ", "))
	}
	return nil
}

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

// First is the project to begin with: one guard, and a case for each thing that it must stop or let
// through. Its hook needs nothing but bash and jq.
var First = Starter{
	Name:  "first",
	About: "one guard in bash that is understood at a glance, with twelve cases",
	files: firstFiles,
}

//go:embed first/.claude/hooks/guard.sh
//go:embed first/.claude/settings.json
//go:embed first/.claude/tests/hooks/suites/guard.yaml
//go:embed first/.hookwatch.yaml
//go:embed first/README.md
var firstFiles embed.FS

// quality is a project with a plugin that runs the project's own checks.
var quality = Starter{
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

// guards is a project of small hooks, one per pattern, that keep an agent from irreversible
// actions.
var guards = Starter{
	Name:  "guards",
	About: "small hooks to learn from: deny, rewrite, advise, escalate, ask for evidence, send back",
	files: guardsFiles,
}

//go:embed guards/.claude/hooks/advise_branch.sh
//go:embed guards/.claude/hooks/check_syntax.sh
//go:embed guards/.claude/hooks/deny_destructive.sh
//go:embed guards/.claude/hooks/gate_failing_tests.sh
//go:embed guards/.claude/hooks/lib.sh
//go:embed guards/.claude/hooks/record_tests.sh
//go:embed guards/.claude/hooks/require_tests.sh
//go:embed guards/.claude/hooks/rewrite_force_push.sh
//go:embed guards/.claude/hooks/session_start.sh
//go:embed guards/.claude/hooks/stop_untested.sh
//go:embed guards/.claude/settings.json
//go:embed guards/.claude/tests/hooks/suites/advise.yaml
//go:embed guards/.claude/tests/hooks/suites/deny.yaml
//go:embed guards/.claude/tests/hooks/suites/escalate.yaml
//go:embed guards/.claude/tests/hooks/suites/evidence.yaml
//go:embed guards/.claude/tests/hooks/suites/feedback.yaml
//go:embed guards/.claude/tests/hooks/suites/record.yaml
//go:embed guards/.claude/tests/hooks/suites/rewrite.yaml
//go:embed guards/.claude/tests/hooks/suites/session.yaml
//go:embed guards/.claude/tests/hooks/suites/stop.yaml
//go:embed guards/.claude/tests/hooks/suites/together.yaml
//go:embed guards/.gitignore
//go:embed guards/.hookwatch.yaml
//go:embed guards/README.md
//go:embed guards/docs/GUARDS.md
var guardsFiles embed.FS

// Starters returns the starter projects, sorted by name.
func Starters() []Starter {
	return []Starter{Commands, First, guards, Linters, quality}
}

// Names returns the names of the starter projects.
func Names() []string {
	var names []string
	for _, s := range Starters() {
		names = append(names, s.Name)
	}
	return names
}

// Find returns the starter project with a name.
func Find(name string) (Starter, bool) {
	all := Starters()
	at := slices.IndexFunc(all, func(s Starter) bool { return s.Name == name })
	if at < 0 {
		return Starter{}, false
	}
	return all[at], true
}

// Listing returns a text with one line per starter project.
func Listing() string {
	var lines strings.Builder
	for _, s := range Starters() {
		fmt.Fprintf(&lines, "  %-8s  %s\n", s.Name, s.About)
	}
	return lines.String()
}
