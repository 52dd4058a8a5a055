package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"hookwatch/config"
	"hookwatch/suites/disk"
	"hookwatch/suites/isolate"
)

// confined reads what lies in the project or was agreed to; masked files are not
// told from others.
func confined(cfg *config.Config) disk.Reader {
	return disk.Reader{Root: cfg.Root, Agreed: cfg.Agreed}
}

// newReader makes the one reader of a project: what isolation hides from hooks is
// not read for them either. What that is, is found out for the first file. What was
// saved lately is taken from pinned, which may be nil.
func newReader(cfg *config.Config, pinned *disk.Pinned) disk.Reader {
	hiding := sync.OnceValue(func() *isolate.Hiding { return IsolationOptions(cfg, os.Environ()).Hiding() })
	r := confined(cfg)
	r.Pinned = pinned
	r.Hidden = func(real string) bool { return hiding().Hides(real) }
	return r
}

// inside reports whether a path that need not exist lies where the project's
// reader may look, as far as its name tells.
func inside(r disk.Reader, file string) bool {
	for up := filepath.Clean(file); ; up = filepath.Dir(up) {
		_, err := r.Resolve(up)
		if err == nil || !errors.Is(err, fs.ErrNotExist) || up == filepath.Dir(up) {
			return err == nil
		}
	}
}
