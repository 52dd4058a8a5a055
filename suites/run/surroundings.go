package run

import (
	"context"
	"io/fs"
	"net"

	"hookwatch/suites"
	"hookwatch/suites/isolate"
	"hookwatch/suites/isolate/trees"
	"hookwatch/suites/process"
)

// surroundings are where a case's commands run and its files lie.
type surroundings interface {
	// Run runs commands side by side, until all of them and all that they started
	// are gone.
	Run(ctx context.Context, commands ...process.Command) ([]process.Result, error)
	// write makes a file for the case, with its directories.
	write(path, content string, mode fs.FileMode) error
	read(path string) ([]byte, error)
	listen() (net.Listener, error)
	// readOwn gives a regular file of at most limit bytes in the case's directory.
	readOwn(name string, limit int64) ([]byte, error)
	// linkOwn makes a symbolic link in the case's directory, unless it is there.
	linkOwn(name, target string) error
	// begin notes what is there before the case does anything.
	begin()
	// changes tells what it did since, with absolute paths, and what it tried in
	// vain; processes is how many had to be ended at once.
	changes(processes int) (changes []suites.Change, stopped []string)
	// Close ends everything that runs.
	Close()
}

// confined surroundings are a sandbox with views of its own.
type confined struct{ *isolate.Sandbox }

func (c confined) write(path, content string, mode fs.FileMode) error {
	return c.WriteFile(path, content, mode)
}

func (c confined) read(path string) ([]byte, error) { return c.ReadFile(path) }

func (c confined) listen() (net.Listener, error) { return c.Listen() }

func (c confined) readOwn(name string, limit int64) ([]byte, error) {
	return trees.ReadBelow(c.Dir(), name, limit)
}

func (c confined) linkOwn(name, target string) error { return trees.LinkBelow(c.Dir(), name, target) }

func (c confined) begin() { c.Begin() }

func (c confined) changes(processes int) ([]suites.Change, []string) { return c.Changes(processes) }
