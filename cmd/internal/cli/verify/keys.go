package verify

import (
	"io"

	"hookwatch/cmd/internal/cli/page"
	"hookwatch/cmd/internal/project"
)

// Key is a key of the hooks' configuration that no script reads or no
// case covers.
type Key struct {
	File    string `json:"file"`
	Line    int    `json:"line"` // 0 where it is not known
	Key     string `json:"key"`
	Read    bool   `json:"read"`
	Covered bool   `json:"covered"`
}

// Keys are those of the project where all of it is verified; a few of its
// documents say nothing about the configuration.
func Keys(p *project.Project, specs []string) []Key {
	found := []Key{}
	if len(specs) == 0 {
		for _, k := range p.ConfigKeys() {
			found = append(found, Key(k))
		}
	}
	return found
}

// KeysText says what is odd about the keys; none of it fails anything.
func KeysText(w io.Writer, keys []Key) {
	for _, k := range keys {
		what := "no case covers it"
		switch {
		case !k.Read && !k.Covered:
			what = "no script reads it, and no case covers it"
		case !k.Read:
			what = "no script reads it"
		}
		page.Writef(w, "%s:%d  %s: %s\n", k.File, k.Line, k.Key, what)
	}
}
