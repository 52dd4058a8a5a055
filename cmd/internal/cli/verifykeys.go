package cli

import (
	"io"

	"hookwatch/cmd/internal/project"
)

// VerifyKey is a key of the hooks' configuration that no script reads or no
// case covers.
type VerifyKey struct {
	File    string `json:"file"`
	Line    int    `json:"line"` // 0 where it is not known
	Key     string `json:"key"`
	Read    bool   `json:"read"`
	Covered bool   `json:"covered"`
}

// configKeys are those of the project where all of it is verified; a few of its
// documents say nothing about the configuration.
func configKeys(p *project.Project, specs []string) []VerifyKey {
	found := []VerifyKey{}
	if len(specs) == 0 {
		for _, k := range p.ConfigKeys() {
			found = append(found, VerifyKey(k))
		}
	}
	return found
}

// keysHuman says what is odd about the keys; none of it fails anything.
func keysHuman(w io.Writer, keys []VerifyKey) {
	for _, k := range keys {
		what := "no case covers it"
		switch {
		case !k.Read && !k.Covered:
			what = "no script reads it, and no case covers it"
		case !k.Read:
			what = "no script reads it"
		}
		writef(w, "%s:%d  %s: %s\n", k.File, k.Line, k.Key, what)
	}
}
