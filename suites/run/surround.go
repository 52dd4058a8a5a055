package run

import (
	"context"
	"io/fs"
	"net"

	"hookwatch/suites"
	"hookwatch/suites/isolate"
	"hookwatch/suites/process"
)

// Surroundings are where a case's commands run and its files lie.
type Surroundings interface {
	// Run runs commands side by side, until all of them and all that they started
	// are gone.
	Run(ctx context.Context, commands ...process.Command) ([]process.Result, error)
	// Write makes a file for the case, with its directories.
	Write(path, content string, mode fs.FileMode) error
	Read(path string) ([]byte, error)
	Listen() (net.Listener, error)
	// ReadOwn gives a regular file of at most limit bytes in the case's directory.
	ReadOwn(name string, limit int64) ([]byte, error)
	// LinkOwn makes a symbolic link in the case's directory, unless it is there.
	LinkOwn(name, target string) error
	// Begin notes what is there before the case does anything.
	Begin()
	// Changes tells what it did since, with absolute paths, and what it tried in
	// vain; processes is how many had to be ended at once.
	Changes(processes int) (changes []suites.Change, stopped []string)
	// Close ends everything that runs.
	Close()
}

// Confined surroundings are a sandbox with views of its own.
type Confined struct{ *isolate.Sandbox }

func (c Confined) Write(path, content string, mode fs.FileMode) error {
	return c.WriteFile(path, content, mode)
}

func (c Confined) Read(path string) ([]byte, error) { return c.ReadFile(path) }

func (c Confined) ReadOwn(name string, limit int64) ([]byte, error) {
	return isolate.ReadBelow(c.Dir(), name, limit)
}

func (c Confined) LinkOwn(name, target string) error { return isolate.LinkBelow(c.Dir(), name, target) }
