package cli

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"hookwatch/config"
	"hookwatch/suites/catalog"
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

// initEditor writes the files with which an editor shows what is wrong and checks the project's YAML.
func initEditor(a *app, g globals, editor string, yes bool) error {
	if editor != "vscode" {
		return fmt.Errorf("--editor %s: only vscode has files to write (hookwatch help editors describes Neovim and Zed)", editor)
	}
	cfg, err := g.loadConfig()
	if err != nil {
		return err
	}
	if err := writeDrafts(a, cfg.Root, yes, []draft{
		{name: configSchema, content: config.Schema()},
		{name: suiteSchema, content: catalog.Schema()},
		{name: ".vscode/tasks.json", adds: []insertion{
			{Key: "version", Value: "2.0.0"},
			{Path: []string{"tasks"}, Value: json.RawMessage(vscodeTask), Present: lineBegin},
		}},
		{name: ".vscode/settings.json", adds: []insertion{
			{Path: []string{"yaml.schemas"}, Key: configSchema, Value: []string{config.FileName}},
			{Path: []string{"yaml.schemas"}, Key: suiteSchema, Value: cfg.OwnSuites()},
		}},
	}); err != nil {
		return err
	}
	writef(a.Out, "\nNext: run the task hookwatch in Visual Studio Code (Terminal, Run Task)\n")
	return nil
}
