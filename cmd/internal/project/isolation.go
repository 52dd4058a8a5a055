package project

import (
	"os"
	"os/user"
	"path/filepath"

	"hookwatch/config"
	"hookwatch/suites/disk"
	"hookwatch/suites/isolate"
	"hookwatch/suites/process"
)

// IsolationOptions are what the configuration says of sandboxes; env is what
// hooks get.
func IsolationOptions(cfg *config.Config, env []string) isolate.Options {
	o := isolate.Options{
		Root:      cfg.Root,
		Home:      process.Getenv(env, "HOME"),
		Mask:      cfg.Sandbox.Mask,
		Unmask:    cfg.Sandbox.Unmask,
		Size:      int64(cfg.Sandbox.Size),
		Processes: cfg.Sandbox.Processes,
		Memory:    int64(cfg.Sandbox.Memory),
	}
	if u, err := user.Current(); err == nil { // HOME may be unset, or another
		o.OwnHome = u.HomeDir
	}
	if self, err := os.Executable(); err == nil {
		o.Shown = []string{self} // stand-ins are links to it
	}
	if filepath.IsAbs(cfg.Live.Client) { // any other is in PATH or in the project
		o.Shown = append(o.Shown, filepath.Dir(disk.Real(cfg.Live.Client)))
	}
	return o
}
