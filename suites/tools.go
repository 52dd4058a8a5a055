package suites

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// ToolsDigest is one digest for a set of tools, for a record.
func ToolsDigest(tools []Tool) string {
	var b strings.Builder
	for _, t := range tools {
		fmt.Fprintf(&b, "%s %s\n", t.Name, t.Digest)
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:8])
}

// ToolSet picks tools out of an environment by name. One that is not listed there
// is taken for absent.
func (e *Environment) ToolSet(names []string) []Tool {
	byName := make(map[string]Tool, len(e.Tools))
	for _, t := range e.Tools {
		byName[t.Name] = t
	}
	set := make([]Tool, len(names))
	for i, name := range names {
		if set[i] = byName[name]; set[i].Name == "" {
			set[i].Name = name
		}
	}
	return set
}
