// Command differtest compares hookwatch's model of a client with the client itself, on random projects:
// a seed gives settings of all layers, a plugin and calls of the model. One session of the real client
// plays them. Then every event of the session is asked of hookwatch in the same project, and what
// differs is printed, each kind once, with the smallest project that still shows it. The client is right
// by definition; differences that are kept are in a table, and make it exit with 1 otherwise.
//
//	differtest [-client CLIENT] [-n PROJECTS] [-seed SEED] PROGRAM
//
// The client is started with a dummy key, a HOME of its own and a scripted model on loopback. The
// commands of a project are its own recorder. It is for the developers of hookwatch and no part of it;
// .ci/differ installs the client and runs it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"

	"hookwatch/suites"
	"hookwatch/suites/bench"
	"hookwatch/suites/client/clients"
)

type options struct {
	program string
	draws   draws
	client  string
	n       int
	seed    uint64
	jobs    int
	shrinks int
	keep    bool
	first   bool
	table   bool
	battery string
	played  string // a file with projects
	record  string
}

func main() { os.Exit(exit(os.Args[1:], os.Stdout, os.Stderr)) }

var errDiffers = errors.New("hookwatch and the client differ")

func exit(args []string, out, complaints io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	o, err := parse(args)
	if err == nil {
		err = compareAll(ctx, o, out)
	}
	if err == nil {
		return 0
	}
	fmt.Fprintln(complaints, "differtest:", err)
	if errors.Is(err, errDiffers) {
		return 1
	}
	return 2
}

func parse(args []string) (options, error) {
	var o options
	f := flag.NewFlagSet("differtest", flag.ContinueOnError)
	f.StringVar(&o.client, "client", clients.Claude, "the client: "+strings.Join(playable, ", "))
	f.IntVar(&o.n, "n", 60, "number of projects")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the first project; the next ones count up")
	f.IntVar(&o.jobs, "jobs", 2, "clients at a time")
	f.IntVar(&o.shrinks, "shrink", 12, "clients that are started to make a project smaller, for each kind of difference")
	f.BoolVar(&o.keep, "keep", false, "keep the directories of projects, and print their paths and, for -projects, the smallest ones that differ")
	f.BoolVar(&o.first, "first", false, "end with the first project that differs")
	f.BoolVar(&o.table, "known", false, "print known differences as well")
	f.StringVar(&o.battery, "battery", "", "play batteries instead of random projects: rules, patterns, forms, plugin, settings or all")
	f.StringVar(&o.played, "projects", "", "play the projects of this file, which -record wrote, again")
	f.StringVar(&o.record, "record", "", "append sessions that show no difference, and whose hooks end at once, to this file")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() != 1 || o.n < 1 || o.jobs < 1 {
		return o, errors.New("usage: differtest [-client CLIENT] [-n PROJECTS] [-seed SEED] PROGRAM")
	}
	o.program = f.Arg(0)
	return o, nil
}

func compareAll(ctx context.Context, o options, out io.Writer) error {
	d, err := readDraws(o.client)
	if err != nil {
		return err
	}
	o.draws = d
	nth := func(i int) project { return d.project(o.seed + uint64(i)) }
	if o.battery != "" {
		all := d.batteries(o.battery)
		o.n, nth = len(all), func(i int) project { return all[i] }
	}
	if o.played != "" {
		all, err := readProjects(o.played)
		if err != nil {
			return err
		}
		o.n, nth = len(all), func(i int) project { return all[i] }
	}
	q := newQueue(ctx, o, nth)
	defer q.close()
	t := tally{out: out, calls: map[suites.Effect]int{}, kinds: map[string]int{}, known: map[string]int{}}
	for range o.n {
		r := q.next()
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.take(ctx, o, r); err != nil {
			return fmt.Errorf("seed %d: %w", r.project.Seed, err)
		}
		if o.first && len(t.kinds) > 0 {
			break
		}
	}
	return t.summary()
}

// take counts the differences of one session and prints differences of new kinds.
func (t *tally) take(ctx context.Context, o options, r result) error {
	if o.keep {
		fmt.Fprintf(t.out, "seed %d is in %s\n", r.project.Seed, r.session.dir)
	} else {
		defer r.session.remove()
	}
	if r.err != nil {
		fmt.Fprintf(t.out, "NOT PLAYED  seed %d: %v\n", r.project.Seed, r.err)
		t.kinds["not played"]++
		return nil
	}
	if r.failed != nil {
		return r.failed
	}
	t.projects++
	t.firings += r.session.firings
	for _, effect := range r.session.calls {
		t.calls[effect]++
	}
	slow := slices.ContainsFunc(r.project.Entries, func(e entry) bool { return e.Output.Sleep > 0 })
	differs := slices.ContainsFunc(r.differences, func(d difference) bool { return d.known == "" })
	if o.record != "" && !slow && !differs {
		if err := r.session.record(o.record, r.seen); err != nil {
			return err
		}
	}
	for _, diff := range r.differences {
		if t.isFresh(diff, o.table) {
			small, again := shrink(ctx, o, r.project, diff)
			if !again {
				fmt.Fprintf(t.out, "NOT REPEATED  seed %d: %s\n", r.project.Seed, diff.kind)
				delete(t.kinds, diff.kind)
				continue
			}
			t.print(diff, small)
			if o.keep {
				line, err := json.Marshal(recording{Project: small})
				if err != nil {
					return err
				}
				fmt.Fprintf(t.out, "%s\n", line)
			}
		}
	}
	return nil
}

// A result is a project that was played and compared.
type result struct {
	project     project
	session     *sessionOnDisk
	seen        []observed
	differences []difference
	err         error // of the client
	failed      error // of hookwatch
}

// A queue plays and compares projects, several at a time, and returns them in order.
type queue struct {
	results []chan result
	cancel  context.CancelFunc
	players sync.WaitGroup
}

func newQueue(ctx context.Context, o options, nth func(i int) project) *queue {
	ctx, cancel := context.WithCancel(ctx)
	q := &queue{cancel: cancel}
	for range o.n {
		q.results = append(q.results, make(chan result, 1))
	}
	results := q.results
	q.players.Go(func() {
		_ = bench.New(o.jobs, nil).Each(ctx, len(results), func(ctx context.Context, i int) error {
			r := result{project: nth(i)}
			if r.session, r.err = play(ctx, o, r.project); r.err == nil {
				r.seen, r.failed = r.session.observe()
			}
			if r.err == nil && r.failed == nil {
				r.differences, r.failed = r.session.compare(ctx, r.seen)
			}
			results[i] <- r
			return nil
		})
	})
	return q
}

func (q *queue) next() result {
	r := <-q.results[0]
	q.results = q.results[1:]
	return r
}

// close ends the players, and removes what they played and nobody wants.
func (q *queue) close() {
	q.cancel()
	q.players.Wait()
	for _, played := range q.results {
		select {
		case r := <-played:
			r.session.remove()
		default:
		}
	}
}
