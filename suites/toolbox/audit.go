package toolbox

import (
	"context"

	"hookwatch/suites"
)

// Look does what the check says. The error is for what hookwatch itself could
// not do.
func (m *AuditedMachine) Look(ctx context.Context, c *suites.Check) (suites.Finding, error) {
	switch {
	case c.Tool != "":
		return m.tool(ctx, c)
	case c.File != "":
		return m.file(c), nil
	default:
		return m.registered(c.Registered), nil
	}
}
