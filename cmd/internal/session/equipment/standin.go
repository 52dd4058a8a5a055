package equipment

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"hookwatch/cmd/internal/project"
	"hookwatch/suites/process"
)

// JSONTool is the stand-in for a JSON tool that the machine lacks: hookwatch runs it when started
// under that name.
const JSONTool = "gojq 0.12.19"

// standIns adds the named tools to the end of the search path if the real ones are absent. It
// returns the stand-ins by name and the new environment.
func standIns(names []string, temp string, env []string) (map[string]string, []string, error) {
	offered := make(map[string]string)
	if temp == "" { // only their names are needed
		for _, name := range names {
			if _, err := process.LookPath(name, "/", env); err != nil {
				offered[name] = JSONTool
			}
		}
		return offered, env, nil
	}
	dir := filepath.Join(temp, "stand-ins")
	for _, name := range names {
		if _, err := process.LookPath(name, "/", env); err == nil {
			continue
		}
		self, err := os.Executable()
		if err != nil {
			return nil, nil, err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, nil, err
		}
		link := filepath.Join(dir, name)
		if err := os.Symlink(self, link); err != nil && !os.IsExist(err) {
			return nil, nil, fmt.Errorf("stand-in %s: %w", name, err)
		}
		offered[name] = JSONTool
	}
	if len(offered) == 0 {
		return offered, env, nil
	}
	search := process.Getenv(env, "PATH") + string(filepath.ListSeparator) + dir
	return offered, process.With(slices.Clone(env), map[string]string{"PATH": search}), nil
}

// standing returns the stand-ins that a hook can reach.
func standing(p *project.Project, standIn map[string]string, hook string) []string {
	if len(standIn) == 0 {
		return nil
	}
	var out []string
	for _, name := range p.Graph.Tools(hook) {
		if what, ok := standIn[name]; ok {
			out = append(out, name+"="+what)
		}
	}
	return out
}
