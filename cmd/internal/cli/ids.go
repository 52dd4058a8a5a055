package cli

import (
	"fmt"
	"strings"

	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
)

// pick finds the cases that IDs name. Every ID that names none is told.
func pick(p *project.Project, asked []string) ([]*suites.Case, error) {
	var picked []*suites.Case
	var unknown []string
	for _, id := range asked {
		found := named(p, id)
		if len(found) == 0 {
			unknown = append(unknown, id)
		}
		picked = append(picked, found...)
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("no case %s (hookwatch list shows all)", strings.Join(unknown, ", "))
	}
	return picked, nil
}

// named finds the cases of a project that an ID means.
func named(p *project.Project, id string) []*suites.Case {
	return pickCases(p.Cases, id, func(c *suites.Case) (suites.Key, string) { return c.Key(), c.Name })
}
