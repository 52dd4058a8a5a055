// Command mutatetest measures the selection of cases by edit: it edits a hook, a library, config.json
// or settings.json in one place at a time, runs every case that depends on the file on each result
// (and a few others), and compares the outcomes that changed with the cases that a session would
// have selected. A case whose outcome changed and that was not selected is a miss, and makes it exit
// with 1.
//
//	mutatetest [-project DIR] [-suites pm,pm-more] [-suite-file FILE]
//
// The mutants are chosen by the seed, and as many of each operator and hook as -max says; -for bounds
// the time. The rule that is measured is the one without markers, which add cases and never leave one
// out; the table has a column for the cases that they add, and one for the cases that really changed.
//
// It works on a temporary copy of the project and runs the edited hooks there. It is for the
// developers of hookwatch and no part of it; .ci/mutate builds and runs it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	gojqcli "github.com/itchyny/gojq/cli"
)

type options struct {
	project    string
	suites     []string
	suiteFiles []string
	filter     string
	operators  []string
	seed       uint64
	max        int
	jobs       int
	path       string
	history    string
	commits    int
	timeout    time.Duration
	budget     time.Duration
	least      int
	dry        bool
	verbose    bool
}

func main() { os.Exit(exit()) }

// standsIn reports whether the program was started under the name of a JSON tool:
// it is that tool then, as hookwatch is, which hooks find as a stand-in.
func standsIn() bool {
	name := filepath.Base(os.Args[0])
	return name == "jq" || name == "jaq"
}

// exit is the program, and its exit code.
func exit() int {
	if standsIn() {
		return gojqcli.Run()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	o, err := parse(os.Args[1:])
	if err == nil {
		err = measure(ctx, o, os.Stdout)
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errMissed):
		fmt.Fprintln(os.Stderr, "mutatetest:", err)
		return 1
	default:
		fmt.Fprintln(os.Stderr, "mutatetest:", err)
		return 2
	}
}

func parse(args []string) (options, error) {
	var o options
	var suites, files, only string
	f := flag.NewFlagSet("mutatetest", flag.ContinueOnError)
	f.StringVar(&o.project, "project", "suites/reference/linters", "project `directory`, which is copied")
	f.StringVar(&suites, "suites", "", "suites to run, separated by commas; empty: all with a bash hook")
	f.StringVar(&files, "suite-file", "", "suite `files` from outside the project, separated by commas")
	f.StringVar(&o.filter, "ids", "", "run only cases whose ID starts with one of these, separated by commas")
	f.StringVar(&only, "only", "", "operators, separated by commas; study: "+strings.Join(Study, ","))
	f.Uint64Var(&o.seed, "seed", 1, "seed for choosing mutants")
	f.IntVar(&o.max, "max", 30, "maximum number of mutants of each operator and hook; 0: all")
	f.IntVar(&o.jobs, "jobs", runtime.NumCPU(), "cases at a time")
	f.StringVar(&o.path, "path", "", "`directory` put in front of PATH")
	f.StringVar(&o.history, "history", "", "replay commits too: `GITDIR:path` of the hook")
	f.IntVar(&o.commits, "commits", 10, "number of commits that -history replays")
	f.DurationVar(&o.timeout, "timeout", 0, "of a step, because an edit can make a hook hang; 0: 2s")
	f.DurationVar(&o.budget, "for", 0, "start no mutant after this time; 0: run all that were chosen")
	f.IntVar(&o.least, "least", 0, "fail if fewer mutants change an outcome")
	f.BoolVar(&o.dry, "dry", false, "print what would be selected, without running mutants")
	f.BoolVar(&o.verbose, "v", false, "print a line for each mutant")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	o.suites, o.suiteFiles = fields(suites), fields(files)
	var err error
	o.operators, err = chosen(only)
	return o, err
}

func fields(list string) []string {
	return strings.FieldsFunc(list, func(c rune) bool { return c == ',' || c == ' ' })
}

func chosen(only string) ([]string, error) {
	var list []string
	for _, name := range fields(only) {
		switch {
		case name == "study":
			list = append(list, Study...)
		case slices.Contains(OperatorNames, name):
			list = append(list, name)
		default:
			return nil, fmt.Errorf("unknown operator %q: one of study, %v", name, OperatorNames)
		}
	}
	if len(list) == 0 {
		return OperatorNames, nil
	}
	return list, nil
}
