//go:build linux

package watcher

import (
	"path"
	"testing"
	"time"

	"hookwatch/watcher/testdata/editstest"
)

// TestRetargetTells checks that a file which was different for a moment is reported as
// restored, even if another interest was set before the watcher checked it, because a case
// may have read it in that moment.
func TestRetargetReports(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, file string
		taken      bool // the watcher has received the events, but not checked the file yet
		edits      []editstest.Op
	}{
		{"a link to another directory and back, heard of", "current/t.sh", true, []editstest.Op{
			{Verb: editstest.Symlink, Path: "n", Text: "v2"}, {Verb: editstest.Rename, Path: "n", To: "current"},
			{Verb: editstest.Symlink, Path: "n", Text: "v1"}, {Verb: editstest.Rename, Path: "n", To: "current"}}},
		{"a link to another directory and back", "current/t.sh", false, []editstest.Op{
			{Verb: editstest.Symlink, Path: "n", Text: "v2"}, {Verb: editstest.Rename, Path: "n", To: "current"},
			{Verb: editstest.Symlink, Path: "n", Text: "v1"}, {Verb: editstest.Rename, Path: "n", To: "current"}}},
		{"a file written twice, heard of", "v1/t.sh", true, []editstest.Op{
			{Verb: editstest.Overwrite, Path: "v1/t.sh", Text: "2"}, {Verb: editstest.Overwrite, Path: "v1/t.sh", Text: "1"}}},
		{"a file written twice", "v1/t.sh", false, []editstest.Op{
			{Verb: editstest.Overwrite, Path: "v1/t.sh", Text: "2"}, {Verb: editstest.Overwrite, Path: "v1/t.sh", Text: "1"}}},
		{"the target of a link written twice", "current/t.sh", false, []editstest.Op{
			{Verb: editstest.Overwrite, Path: "v1/t.sh", Text: "2"}, {Verb: editstest.Overwrite, Path: "v1/t.sh", Text: "1"}}},
		{"a directory renamed there and back, heard of", "v1/t.sh", true, []editstest.Op{
			{Verb: editstest.Rename, Path: "v1", To: "v3"}, {Verb: editstest.Rename, Path: "v3", To: "v1"}}},
		{"a directory renamed there and back", "v1/t.sh", false, []editstest.Op{
			{Verb: editstest.Rename, Path: "v1", To: "v3"}, {Verb: editstest.Rename, Path: "v3", To: "v1"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := editedMemory{newMemory(1000), "/p", nil}
			for _, op := range []editstest.Op{
				{Verb: editstest.Mkdir, Path: "v1"}, {Verb: editstest.Mkdir, Path: "v2"},
				{Verb: editstest.Overwrite, Path: "v1/t.sh", Text: "1"}, {Verb: editstest.Overwrite, Path: "v2/t.sh", Text: "2"},
				{Verb: editstest.Symlink, Path: "current", Text: "v1"},
			} {
				m.do(op)
			}
			scope, err := newScope(Interest{Files: []string{"/p/current/t.sh", "/p/v1/t.sh"}, Dirs: []string{"/p"}, Ignore: func(string, bool) bool { return false }})
			ok(t, err)
			c := newCore(Options{Poll: defaultPoll, MaxFileSize: defaultMaxSize}, m.memory, m.memory, &notes{}, func() time.Time { return m.now })
			c.tree.retarget(scope)
			c.take(m.mail())
			for c.step() {
			}
			m.now = m.now.Add(10 * settle)
			for _, op := range tt.edits {
				m.do(op)
				m.now = m.now.Add(settle / 10)
			}
			if tt.taken {
				c.take(m.mail())
			}
			c.tree.retarget(scope)
			c.take(m.mail())
			for c.step() {
			}
			m.now = m.now.Add(10 * settle)
			b, _ := c.backlog.batch(m.now)
			for _, change := range b.Changes {
				if change.Path == path.Join("/p", tt.file) {
					return
				}
			}
			t.Errorf("%s is not reported, only %v", tt.file, b.Changes)
		})
	}
}
