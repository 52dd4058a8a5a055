//go:build man

package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra/doc"

	"hookwatch/cmd/internal/version"
)

// WriteManual writes a page of section 1 for each command, and one of section 7 for each topic. Their
// date is that of SOURCE_DATE_EPOCH, in seconds, or today.
func WriteManual(dir string) error {
	root := newRoot(newApp(Streams{Out: io.Discard, Err: io.Discard}))
	root.DisableAutoGenTag = true
	for _, c := range root.Commands() {
		c.DisableAutoGenTag = true
		if c.RunE == nil && c.Run == nil { // a topic
			root.RemoveCommand(c)
		}
	}
	header := doc.GenManHeader{Section: "1", Source: programName + " " + version.Number}
	if err := doc.GenManTree(root, &header, dir); err != nil {
		return err
	}
	for _, t := range allTopics() {
		name := programName + "-" + t.Name
		page := fmt.Sprintf("%% %s 7 \"\" \"%s\" \"\"\n\n# NAME\n%s - %s\n\n%s", strings.ToUpper(name), header.Source, name, t.Short, t.text())
		if err := os.WriteFile(filepath.Join(dir, name+".7"), md2man.Render([]byte(page)), 0o644); err != nil {
			return err
		}
	}
	return nil
}
