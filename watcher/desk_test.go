//go:build linux

package watcher

import (
	"maps"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/verdict"
)

// A desk schedules cases like a session, with the functions of package verdict. Its cases
// read files of a disk in memory, which takes some time.
type desk struct {
	w       *world
	scope   scope
	cases   []*suites.Case
	read    map[string]string // content by path, as read for the selection
	stamps  map[string]string
	queue   *verdict.Queue
	running map[suites.Key]*flight
	tries   map[suites.Key]int
	present map[suites.Key]result
	runs    int
}

// A flight is a running case.
type flight struct {
	c       *suites.Case
	inputs  []suites.Input
	digests suites.Digests
	stamps  []string
	readAt  []time.Time // of the inputs
	saw     []string
	ends    time.Time
	stale   bool
}

// A result is the content that a case saw.
type result struct {
	digests suites.Digests
	saw     string
	ended   time.Time
	flight  *flight
}

func newDesk(w *world, s scope) *desk {
	d := &desk{
		w: w, scope: s, read: map[string]string{}, stamps: map[string]string{}, queue: verdict.NewQueue(0),
		running: map[suites.Key]*flight{}, tries: map[suites.Key]int{}, present: map[suites.Key]result{},
	}
	for _, id := range slices.Sorted(maps.Keys(pureCases)) {
		d.cases = append(d.cases, &suites.Case{Suite: "s", ID: id, Digest: id})
	}
	d.begin(verdict.All(d.cases, verdict.NeverRun))
	return d
}

// inputs returns a case's inputs as they were last read.
func (d *desk) inputs(c *suites.Case) []suites.Input {
	var out []suites.Input
	for _, p := range pureCases[c.ID] {
		if _, known := d.read[p]; !known {
			d.stamps[p], d.read[p] = d.w.stamp(p), d.w.content(p)
		}
		out = append(out, suites.Input{Path: p, Digest: d.read[p]})
	}
	return out
}

func digestsOf(inputs []suites.Input) suites.Digests {
	var s strings.Builder
	for _, in := range inputs {
		s.WriteString(in.Digest + "|")
	}
	return suites.Digests{Case: "c", Inputs: s.String()}
}

// changed handles a batch.
func (d *desk) changed(b Batch) {
	var changed, restored []string
	for _, c := range b.Changes {
		rel := strings.TrimPrefix(c.Path, pureRoot+"/")
		delete(d.read, rel)
		delete(d.stamps, rel)
		if c.Kind == Restored || c.Kind == Removed { // as a session does
			restored = append(restored, rel)
		}
		if c.Kind != Restored {
			changed = append(changed, rel)
		}
		if c.Kind != Modified {
			d.w.core.tree.retarget(d.scope) // as when the project is loaded again
		}
	}
	d.doubt(restored)
	for _, f := range d.running {
		if verdict.IsSuperseded(f.c, f.c, f.inputs, changed) {
			d.cancel(f)
		}
	}
	d.begin(d.stale())
}

// doubt discards results if a file was different for a moment and its stamp does not show
// that.
func (d *desk) doubt(restored []string) {
	for _, f := range d.running {
		if d.unseen(f, restored) {
			d.cancel(f)
		}
	}
	for k, v := range d.present {
		if d.running[k] == nil && d.w.now.Sub(v.ended) < time.Second && d.unseen(v.flight, restored) {
			v.digests.Inputs = ""
			d.present[k] = v
		}
	}
}

// unseen reports whether a file of a flight was restored without a change of its stamp.
func (d *desk) unseen(f *flight, restored []string) bool {
	for i, in := range f.inputs {
		if slices.Contains(restored, in.Path) && d.w.stamp(in.Path) == f.stamps[i] {
			return true
		}
	}
	return false
}

func (d *desk) cancel(f *flight) {
	f.stale = true
	f.ends = d.w.now
}

func (d *desk) past(c *suites.Case) verdict.Past {
	if f := d.running[c.Key()]; f != nil && !f.stale {
		return verdict.Past{Known: true, Digests: f.digests}
	}
	v, known := d.present[c.Key()]
	return verdict.Past{Known: known, Digests: v.digests}
}

func (d *desk) stale() (selected []verdict.Selected) {
	for _, c := range d.cases {
		of := verdict.Candidate{Case: c, Past: d.past(c), Now: digestsOf(d.inputs(c)), Inputs: verdict.InputChange{Because: []string{"changed"}}}
		if sel, stale := verdict.Stale(of); stale {
			selected = append(selected, sel)
		}
	}
	return selected
}

func (d *desk) begin(selected []verdict.Selected) {
	for _, s := range selected {
		if f := d.running[s.Case.Key()]; f != nil {
			d.cancel(f)
			continue
		}
		d.queue.Add(s.Case, verdict.Rank{})
	}
}

// next returns when the next event of a running case is due.
func (d *desk) next() (at time.Time, any bool) {
	sooner := func(t time.Time) {
		if !any || t.Before(at) {
			at, any = t, true
		}
	}
	for _, f := range d.running {
		if !d.w.halted {
			sooner(f.ends)
		}
		for _, t := range f.readAt {
			sooner(t)
		}
	}
	if !any && !d.w.halted && d.queue.Len() > 0 {
		return d.w.now, true
	}
	return at, any
}

// work lets cases continue, end and start.
func (d *desk) work() {
	for _, k := range slices.SortedFunc(maps.Keys(d.running), func(a, b suites.Key) int { return strings.Compare(a.ID, b.ID) }) {
		f := d.running[k]
		for len(f.readAt) > 0 && !f.readAt[0].After(d.w.now) {
			f.saw = append(f.saw, d.w.content(f.inputs[len(f.saw)].Path))
			f.readAt = f.readAt[1:]
		}
		if !f.ends.After(d.w.now) && !d.w.halted {
			d.finish(f)
		}
	}
	if d.w.halted {
		return
	}
	for _, c := range d.queue.Next(2-len(d.running), len(d.running), false) {
		d.start(c)
	}
}

func (d *desk) start(c *suites.Case) {
	d.runs++
	f := &flight{c: c, inputs: d.inputs(c)}
	f.digests = digestsOf(f.inputs)
	at := d.w.now
	for _, in := range f.inputs {
		f.stamps = append(f.stamps, d.stamps[in.Path])
		at = at.Add(time.Duration(d.w.r.IntN(4000)) * time.Microsecond)
		f.readAt = append(f.readAt, at)
	}
	f.ends = at.Add(time.Duration(d.w.r.IntN(3000)) * time.Microsecond)
	d.running[c.Key()] = f
	d.w.note("start %s on %s", c.ID, f.digests.Inputs)
}

func (d *desk) finish(f *flight) {
	key := f.c.Key()
	delete(d.running, key)
	disturbed := false
	for i, in := range f.inputs {
		if d.w.stamp(in.Path) != f.stamps[i] {
			disturbed = true
			delete(d.read, in.Path)
			delete(d.stamps, in.Path)
		}
	}
	next := verdict.Finish(f.stale, disturbed, d.tries[key], true)
	if next == verdict.Again {
		d.queue.Add(f.c, verdict.Rank{})
		if !f.stale {
			d.tries[key]++
		}
		return
	}
	delete(d.tries, key)
	d.present[key] = result{f.digests, strings.Join(f.saw, "|") + "|", d.w.now, f}
	d.w.note("end of %s on %s, saw %v", f.c.ID, f.digests.Inputs, f.saw)
}
