package project

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"hookwatch/suites/discover"
)

// AddUser adds what the person's own settings register, in ~/.claude or where
// CLAUDE_CONFIG_DIR says, and gives what is wrong with them.
func (p *Project) AddUser() (warnings []string, err error) {
	dir := os.Getenv("CLAUDE_CONFIG_DIR")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, err
		}
		dir = filepath.Join(home, ".claude")
	}
	file := filepath.Join(dir, "settings.json")
	own, err := discover.Hooks(p.Reader.Anywhere(), p.Root(), nil, []discover.Source{{File: file, Scope: discover.InUser}})
	if err != nil {
		return nil, err
	}
	if len(own.Files) == 0 {
		if len(own.Problems) > 0 {
			return nil, errors.New("--user: " + own.Problems[0].What)
		}
		return nil, fmt.Errorf("--user: there is no %s", file)
	}
	for _, problem := range own.Problems {
		warnings = append(warnings, problem.Error())
	}
	p.Registered = p.Registered.With(own)
	return warnings, nil
}
