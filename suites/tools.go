package suites

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// IsFilter reports whether a tool is a JSON filter, with which a hook reads and writes its own
// JSON. A filter finds no problems itself, and hooks call it so often that reporting its output
// helps no one.
func IsFilter(tool string) bool { return slices.Contains([]string{"jaq", "jq", "gojq"}, tool) }

// IsFetcher reports whether a tool returns content from elsewhere, for which it is not responsible.
func IsFetcher(tool string) bool { return slices.Contains([]string{"curl", "wget"}, tool) }

// FilterProbe shows that a JSON filter works if Filter returns Want for Input.
var FilterProbe = struct{ Filter, Input, Want string }{".a", `{"a":[1,"b"]}`, `[1,"b"]`}

// Digest identifies content, everywhere that contents are compared, by the first 32 hexadecimal
// digits of its SHA-256 sum.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:16])
}

// ToolsDigest returns the digest of a set of tools, as records contain it.
func ToolsDigest(tools []Tool) string {
	var b strings.Builder
	for _, t := range tools {
		fmt.Fprintf(&b, "%s %s\n", t.Name, t.Digest)
	}
	return Digest([]byte(b.String()))[:16]
}

// ToolSet returns the tools with the given names. A tool that the environment does not list counts
// as absent.
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
