package suites

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// IsFilter reports whether a tool reads and writes the hook's own JSON. Such a one
// finds nothing, and a hook calls it so often that what it says is no news.
func IsFilter(tool string) bool { return slices.Contains([]string{"jaq", "jq", "gojq"}, tool) }

// IsFetcher reports whether a tool hands over what somebody else says: what that means
// is not its doing.
func IsFetcher(tool string) bool { return slices.Contains([]string{"curl", "wget"}, tool) }

// FilterProbe is what shows that such a tool works: on Input the filter gives Want.
var FilterProbe = struct{ Filter, Input, Want string }{".a", `{"a":[1,"b"]}`, `[1,"b"]`}

// Digest identifies content, wherever contents are compared: 32 hexadecimal digits of
// its SHA-256 sum.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:16])
}

// ToolsDigest is one digest for a set of tools, for a record.
func ToolsDigest(tools []Tool) string {
	var b strings.Builder
	for _, t := range tools {
		fmt.Fprintf(&b, "%s %s\n", t.Name, t.Digest)
	}
	return Digest([]byte(b.String()))[:16]
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
