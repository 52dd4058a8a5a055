package conform

import (
	"path"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/discover"
)

// Static judges the tree without running anything.
func Static(t Tree) []Finding {
	all := append(t.registrations(), t.contents()...)
	FindingsPerFile(all)
	all = append(all, t.unregistered()...)
	all = append(all, t.denies()...)
	if len(t.Clients) > 0 {
		all = append(all, t.elsewhere()...)
	}
	return MergeFindings(all)
}

// Registrations judges the registration of hooks, and whether their commands can be started. It
// reads only the first lines of scripts.
func Registrations(t Tree) []Finding { return MergeFindings(t.registrations()) }

func (t Tree) registrations() []Finding {
	all := t.settings()
	for _, h := range t.hooks() {
		own := slices.Concat(t.matched(h), timeout(h), condition(h))
		if h.Type == "command" {
			own = append(own, append(t.command(h), t.files(h)...)...)
		}
		for _, f := range own {
			all = append(all, f.forEvent(h.Event))
		}
	}
	return all
}

// settings judges the files that register hooks.
func (t Tree) settings() (all []Finding) {
	all = append(all, RefusedFiles("settings-dropped", t.Registered.Dropped)...)
	all = append(all, RefusedFiles("entry-ignored", t.Registered.Ignored)...)
	if at := t.Registered.DisabledBy; at.Line > 0 {
		all = append(all, FindingOf("hooks-disabled", "", at, "disableAllHooks is true"))
	}
	for _, file := range t.Stray {
		all = append(all, FindingOf("file-not-read", "", suites.Position{File: file}, "hooks stand in "+file))
	}
	return append(all, t.loose()...)
}

// loose judges files in the form of a plugin's hooks that do not belong to a plugin.
func (t Tree) loose() (all []Finding) {
	hooks := map[string][]string{}
	var files []string
	for _, h := range t.Registered.Others {
		file := h.Source.File
		if h.Scope != discover.InTemplate || !discover.IsPluginFile(file) {
			continue
		}
		if hooks[file] = append(hooks[file], h.ID); len(hooks[file]) == 1 {
			files = append(files, file)
		}
	}
	for _, file := range files {
		manifest := path.Join(path.Dir(path.Dir(file)), ".claude-plugin/plugin.json")
		f := FindingOf("file-not-read", "", suites.Position{File: file}, file+" has the form of a plugin's hooks, but "+manifest+" does not exist", suites.Warning)
		f.Effect = "the client reads this file only as part of a plugin; otherwise none of its hooks ever runs"
		f.Remedy = "add " + manifest + ", or move the hooks into .claude/settings.json"
		f.Hooks = hooks[file]
		all = append(all, f)
	}
	return all
}

// unregistered judges scripts of the hook directories that nothing runs.
func (t Tree) unregistered() (all []Finding) {
	text := t.named()
	var idle []string
	for _, s := range t.Scripts {
		if isHookScript(s) && !strings.Contains(text, path.Base(s)) {
			idle = append(idle, s)
		}
	}
	for _, s := range idle {
		severity := suites.Info
		if len(idle) == len(t.Scripts) {
			severity = suites.Warning // nothing at all is registered
		}
		all = append(all, FindingOf("unregistered-script", "", suites.Position{File: s}, s+" is registered nowhere", severity))
	}
	for _, h := range t.Registered.Others {
		if h.Scope == discover.InGuess && !slices.Contains(idle, h.Scripts[0]) {
			all = append(all, FindingOf("unregistered-script", h.ID, h.Source, h.Scripts[0]+" is registered nowhere: that it is for "+h.Event+" is a guess", suites.Info))
		}
	}
	return all
}

// named returns all text that can name a script: commands and scripts.
func (t Tree) named() string {
	var b strings.Builder
	for _, hooks := range [][]discover.Hook{t.Registered.Hooks, t.Registered.Others, t.Registered.Elsewhere} {
		for _, h := range hooks {
			b.WriteString(h.Command + " " + strings.Join(h.Args, " ") + "\n")
			for _, s := range h.Scripts {
				b.WriteString(t.read(s) + "\n")
			}
		}
	}
	for _, p := range t.Registered.Dropped {
		b.WriteString(t.read(p.At.File) + "\n") // dropped settings still name their scripts
	}
	for _, file := range runners {
		b.WriteString(t.read(file) + "\n")
	}
	for _, s := range t.Scripts {
		b.WriteString(strings.ReplaceAll(t.read(s), path.Base(s), "") + "\n") // a script's references to itself do not count
	}
	return b.String()
}

// runners are files by which programs other than the client run scripts.
var runners = []string{".pre-commit-config.yaml", "lefthook.yml", "Makefile", "justfile", "package.json", ".husky/pre-commit", "pyproject.toml", "Taskfile.yml"}

// isHookScript excludes libraries and tests, which hooks or users run.
func isHookScript(s string) bool {
	for _, part := range strings.Split(path.Dir(s), "/") {
		if slices.Contains([]string{"lib", "libs", "common", "utils", "shared", "test", "tests", "examples"}, part) {
			return false
		}
	}
	base := path.Base(s)
	return !discover.IsOfGit(s) && !strings.Contains(base, "test") && !strings.HasPrefix(base, "_") && !strings.HasSuffix(base, ".md")
}
