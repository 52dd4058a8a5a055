package cli

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"

	"hookwatch/cmd/internal/cli/terminal"
	"hookwatch/config"
	"hookwatch/suites/catalog"
	"hookwatch/suites/disk"
)

// vscodeTask watches in the background. Its problem matcher reads the lines of --format line.
//
//go:embed vscode-task.json
var vscodeTask []byte

// The schemas that the settings of Visual Studio Code name.
const (
	configSchema = ".vscode/hookwatch-config.schema.json"
	suiteSchema  = ".vscode/hookwatch-suite.schema.json"
)

// vscodeFiles returns, by the names of files, what Visual Studio Code needs to show what is wrong and to
// check the project's YAML.
func vscodeFiles(cfg *config.Config) map[string][]insertion {
	return map[string][]insertion{
		".vscode/tasks.json": {
			{Key: "version", Value: "2.0.0"},
			{Path: []string{"tasks"}, Value: json.RawMessage(vscodeTask), Present: lineBegin},
		},
		".vscode/settings.json": {
			{Path: []string{"yaml.schemas"}, Key: configSchema, Value: []string{config.FileName}},
			{Path: []string{"yaml.schemas"}, Key: suiteSchema, Value: cfg.OwnSuites()},
		},
	}
}

// initEditor writes the files of an editor. One that exists gets what it lacks after asking. It stays as
// it is if that would not leave its rest unchanged, and what it lacks is printed.
func initEditor(a *app, g globals, editor string, yes bool) (failed error) {
	if editor != "vscode" {
		return fmt.Errorf("--editor %s: only vscode has files to write (hookwatch help editors describes Neovim and Zed)", editor)
	}
	cfg, err := g.loadConfig()
	if err != nil {
		return err
	}
	for name, schema := range map[string][]byte{configSchema: config.Schema(), suiteSchema: catalog.Schema()} {
		if err := writeNew(cfg.Root, name, schema); err != nil && (!errors.Is(err, fs.ErrExist) || disk.IsRefused(err)) {
			return err
		}
	}
	files := vscodeFiles(cfg)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		adds := files[name]
		done, err := addTo(a, cfg.Root, name, adds, yes)
		if err == nil {
			writef(a.Out, "%s %s\n", done, name)
			continue
		}
		failed = errors.Join(failed, fmt.Errorf("%s is as it was: %w", name, err))
		var lacks []byte
		for _, in := range adds {
			lacks, _ = in.into(lacks) // an empty file takes everything
		}
		writef(a.Out, "add to %s:\n%s", name, lacks)
	}
	if failed == nil {
		writef(a.Out, "\nNext: run the task hookwatch in Visual Studio Code (Terminal, Run Task)\n")
	}
	return failed
}

// addTo adds to a file what it lacks, and returns what was done.
func addTo(a *app, root, file string, adds []insertion, yes bool) (done string, err error) {
	const largest = 1 << 20
	d, err := disk.Make(root, filepath.Join(root, filepath.FromSlash(path.Dir(file))))
	if err != nil {
		return "", err
	}
	defer d.Close()
	before, err := d.ReadFile(path.Base(file), largest)
	isNew := errors.Is(err, fs.ErrNotExist)
	if err != nil && !isNew {
		return "", err
	}
	after := before
	for _, in := range adds {
		if after, err = in.into(after); err != nil {
			return "", fmt.Errorf("%s:%w", file, err)
		}
	}
	switch {
	case isNew:
		return "wrote", writeNew(root, file, after)
	case bytes.Equal(before, after):
		return "kept", nil
	case yes:
	case !terminal.Is(a.In) || !terminal.Is(a.Out):
		return "", errors.New("there is no terminal to ask on (--yes adds without asking)")
	default:
		if agreed, err := confirm(a.Out, a.In, "Add to "+file+" what hookwatch needs, and leave the rest as it is?"); err != nil || !agreed {
			return "", errors.Join(err, errors.New("you did not agree"))
		}
	}
	return "extended", d.Replace(path.Base(file), after, disk.Synced)
}
