package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/cli/terminal"
	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/conform"
	"hookwatch/suites/corpus"
	"hookwatch/suites/discover"
	"hookwatch/suites/prove"
)

func (a *app) diffCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "diff BASE [HEAD]",
		Short: "Compare what the hooks of two revisions do",
		Long: `Fire the hooks of two revisions with the same calls, and report what the client would
do otherwise: what is newly allowed or blocked, other messages and rewrites, and hooks
that were registered, removed or moved. Without HEAD, the work tree is compared.

The calls are those of the cases, of recorded sessions (hookwatch record), those that
guards usually stop, and those that the scripts of either revision mention. A hook that is not affected is not fired. Output
that differs between two runs of the same hook, such as a time, is not compared. The
exit code is 0; with --strict it is 1 if anything is newly allowed.

--format markdown prints text for a pull request. See hookwatch help proving.`,
		Example: `  hookwatch diff HEAD
  hookwatch diff main HEAD --format markdown
  hookwatch diff --strict origin/main`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 {
				return errors.New("diff needs a revision and may have a second one, as in hookwatch diff main HEAD")
			}
			return nil
		},
		Annotations: map[string]string{findsFaults: ""},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.diff(cmd, args[0], append(args, "")[1])
		},
	}
}

func (a *app) diff(cmd *cobra.Command, base, head string) error {
	if len(a.suites) > 0 || a.filter != "" {
		return errors.New("--suite and --filter do not go with diff: it fires every hook that the change affects")
	}
	p, err := a.loadHooks()
	if err != nil {
		return err
	}
	r, close, err := a.bare(p)
	if err != nil {
		return err
	}
	defer close()
	if in := r.Isolation.Describe(); in.InPlace {
		return fmt.Errorf("diff runs the hooks of other revisions, and does so in a copy of the project only, not with isolation %s (hookwatch doctor says what is missing)", in.Name)
	}
	most, err := jobs(p)
	if err != nil {
		return err
	}
	r.Reuse = true
	r.KeepReady(most)
	d := differ{ctx: cmd.Context(), jobs: most}
	for i, name := range []string{base, head} {
		s, err := a.side(d.ctx, p, r, name)
		if err != nil {
			return err
		}
		defer s.close()
		s.runner.KeepReady(most)
		d.sides[i] = askedSide{side: s, tree: checkTree(s.project, os.Environ()), seen: map[string]seen{}}
	}
	if c, err := openCorpus(p.Config, false); err == nil { // most projects have none
		defer func() { _ = c.Close() }()
		if err := d.addRecorded(c); err != nil {
			return err
		}
	}
	if terminal.Is(cmd.ErrOrStderr()) && !a.verbose {
		d.progress = func(h *discover.Hook) {
			writef(cmd.ErrOrStderr(), clearLine+"%s  %.40s", session.Count(d.fired, "firing"), h.ID)
		}
		defer writef(cmd.ErrOrStderr(), clearLine)
	}
	began := time.Now()
	doc, err := d.compare()
	if err != nil {
		return err
	}
	doc.Project, doc.ranIn, doc.Millis = p.Name(), inIsolation(r.Isolation), time.Since(began).Milliseconds()
	if err := a.printFindings(result{
		doc, len(doc.Changes), doc.Line, func(w io.Writer) { printDiff(w, doc, a.verbose) }, doc.annotations(p, a.verbose), doc.headline(),
	}); err != nil {
		return err
	}
	if a.strict && doc.Allowed > 0 {
		return ErrFailed
	}
	return nil
}

// A differ compares two sides.
type differ struct {
	ctx      context.Context
	sides    [2]askedSide // base and head
	jobs     int
	progress func(*discover.Hook)
	mu       sync.Mutex // guards fired
	fired    int

	recorded  []*sentCall     // of real sessions
	differing map[string]bool // files that differ between the sides, as slash paths
	listing   map[string]bool // directories in which names differ, or may
}

// An askedSide is a side with what its hooks did.
type askedSide struct {
	*side
	tree conform.Tree
	seen map[string]seen // by hook and call
}

// A hookPair is one hook on both sides; one of them is nil if only the other registers it.
type hookPair struct{ hooks [2]*discover.Hook }

func (p hookPair) any() *discover.Hook { return cmp.Or(p.hooks[1], p.hooks[0]) }

// A sentCall is one event that is sent to hooks.
type sentCall struct {
	key   string
	label string
	from  string // the case that sends it
	c     *suites.Case
	step  int
	text  func(string) string // of what is reported, without the secrets of a recorded call; may be nil
}

// addRecorded adds the newest calls of real sessions.
func (d *differ) addRecorded(c *corpus.Corpus) error {
	const most = 200
	all, err := c.Payloads()
	slices.SortStableFunc(all, func(a, b corpus.Payload) int { return b.Last.Compare(a.Last) })
	for _, p := range all[:min(len(all), most)] {
		d.recorded = append(d.recorded, &sentCall{label: "recorded: " + label(p), from: "recorded/" + p.ID, c: c.Restore(c.Case(p)), text: c.Text})
	}
	return err
}

// seen is what a hook did with a call.
type seen struct {
	fired    bool // the client fires it
	effect   suites.Effect
	because  string
	decision string
	sees     string // texts that reach the model
	rewrite  string // of the input or output, as JSON
	output   string // exit code and streams
}

// rank orders what the client does with a call by how far it is kept from it.
func (s seen) rank() int {
	switch s.effect {
	case suites.Denied, suites.PromptBlocked, suites.SessionEnds, suites.AnotherTurn:
		return 3
	case suites.Asked, suites.ShownToModel:
		return 2
	case suites.Allowed:
		return 0
	case suites.Rewritten:
		if s.decision == "allow" || s.decision == "approve" {
			return 0
		}
	}
	return 1
}

// unfired is the behaviour of a hook that the client does not fire.
var unfired = seen{effect: suites.Proceeds, because: "the client does not fire it"}

// compare fires the hooks that the change affects.
func (d *differ) compare() (diffDocument, error) {
	doc := diffDocument{Version: 1, Base: d.sides[0].name, Head: d.sides[1].name, Registrations: []changedRegistration{}, Changes: []changedBehaviour{}, Left: max(d.sides[0].left, d.sides[1].left)}
	d.between()
	pairs := d.pairs()
	for _, p := range pairs {
		if r, changed := registration(p); changed {
			doc.Registrations = append(doc.Registrations, r)
		} else if !d.affected(p) {
			doc.Unaffected++
			continue
		}
		doc.Hooks++
		if why := p.any().NotRun(); why != "" {
			doc.NotFired = append(doc.NotFired, p.any().ID+": "+why)
			continue
		}
		changes, calls, err := d.behaviour(p)
		if err != nil {
			return doc, err
		}
		doc.Calls += calls
		doc.Changes = append(doc.Changes, changes...)
	}
	err := d.together(doc.Changes)
	doc.Firings = d.fired
	for _, c := range doc.Changes {
		if c.What == newlyAllowed && c.Together == "" {
			doc.Allowed++
		}
	}
	return doc, cmp.Or(err, d.ctx.Err())
}

// pairs matches the hooks of both sides by their IDs, then by event and command, script, name of
// the script, and position.
func (d *differ) pairs() (all []hookPair) {
	rest := [2][]discover.Hook{slices.Clone(d.sides[0].hooks), slices.Clone(d.sides[1].hooks)}
	script := func(i int, h discover.Hook) string {
		const most = 1 << 20
		of := d.sides[i].project
		text, err := of.Reader.ReadFile(of.Config.Abs(h.Scripts[0]), most)
		if err != nil || len(text) == 0 {
			return h.ID // equal to no other
		}
		return string(text)
	}
	for _, same := range []func(a, b discover.Hook) bool{
		func(a, b discover.Hook) bool { return a.ID == b.ID },
		func(a, b discover.Hook) bool {
			return a.Command == b.Command && slices.Equal(a.Args, b.Args) && a.Matcher == b.Matcher
		},
		func(a, b discover.Hook) bool { return a.Command == b.Command && slices.Equal(a.Args, b.Args) },
		func(a, b discover.Hook) bool {
			return len(a.Scripts) > 0 && len(b.Scripts) > 0 && (path.Base(a.Scripts[0]) == path.Base(b.Scripts[0]) || script(0, a) == script(1, b))
		},
		func(a, b discover.Hook) bool {
			return a.Source == b.Source || a.Matcher == b.Matcher && stem(a) == stem(b)
		},
	} {
		for i := 0; i < len(rest[0]); i++ {
			base := rest[0][i]
			j := slices.IndexFunc(rest[1], func(h discover.Hook) bool { return h.Event == base.Event && h.Client == base.Client && same(base, h) })
			if j < 0 {
				continue
			}
			head := rest[1][j]
			all = append(all, hookPair{[2]*discover.Hook{&base, &head}})
			rest[0], rest[1] = slices.Delete(rest[0], i, i+1), slices.Delete(rest[1], j, j+1)
			i--
		}
	}
	for i, hooks := range rest {
		for _, h := range hooks {
			var p hookPair
			p.hooks[i] = &h
			all = append(all, p)
		}
	}
	return all
}

// stem returns the name of a hook's script without its ending.
func stem(h discover.Hook) string {
	if len(h.Scripts) == 0 {
		return h.Command
	}
	base := path.Base(h.Scripts[0])
	return strings.TrimSuffix(base, path.Ext(base))
}

// affected reports whether anything that a hook depends on differs between the sides.
func (d *differ) affected(p hookPair) bool {
	var digests [2]string
	for i, h := range p.hooks {
		c := &suites.Case{Suite: "diff", ID: h.ID, Layer: suites.Direct, Registered: h.ID, Steps: []suites.Step{{Event: h.Event}}}
		for _, s := range h.Scripts {
			c.Steps = append(c.Steps, suites.Step{Event: h.Event, Hook: s})
		}
		for _, in := range d.sides[i].project.Graph.Inputs(c) {
			if !slices.Contains(d.sides[i].project.Registered.Files, in.Path) { // the registration itself is compared
				digests[i] += in.Path + "\x00" + in.Section + "\x00" + in.Digest + "\n"
			}
		}
	}
	return digests[0] != digests[1]
}

// behaviour compares what the hooks of a pair do with all calls that either may react to.
func (d *differ) behaviour(p hookPair) (changes []changedBehaviour, n int, err error) {
	calls, own := d.calls(p)
	if p.hooks[0] == nil || p.hooks[1] == nil || d.direct(p) {
		calls = append(calls, own...)
	} else if few := calls[:min(len(calls), fewCalls)]; len(d.differing) == 0 {
		return nil, 0, nil
	} else if touched, err := d.touches(p, few); err != nil || !touched {
		return nil, len(few), err
	} else {
		calls = append(calls, own...)
	}
	for round := 0; len(calls) > 0 && round < 2; round++ {
		n += len(calls)
		var did [2][]seen
		for i := range d.sides {
			if did[i], err = d.ask(i, p.hooks[i], calls, nil, nil); err != nil {
				return nil, n, err
			}
		}
		var differ []int
		for i := range calls {
			if did[0][i] != did[1][i] {
				differ = append(differ, i)
			}
		}
		again, err := d.confirmed(p, calls, did, differ)
		if err != nil {
			return nil, n, err
		}
		changes = append(changes, again...)
		calls = d.related(p, calls, did)
	}
	return changes, n, nil
}

// fewCalls is the number of calls that show whether a hook uses files other than its scripts.
const fewCalls = 16

// direct reports whether the scripts or the registration of the hooks of a pair differ.
func (d *differ) direct(p hookPair) bool {
	return registrationText(*p.hooks[0]) != registrationText(*p.hooks[1]) || slices.ContainsFunc(p.hooks[0].Scripts, func(s string) bool { return d.differing[s] })
}

// touches reports whether the hook of the base uses a file that differs between the sides, for one of
// the calls; or whether that is unknown.
func (d *differ) touches(p hookPair, calls []*sentCall) (touched bool, err error) {
	_, err = d.ask(0, p.hooks[0], calls, nil, func(o suites.Outcome) {
		touched = touched || o.Unobserved != ""
		for _, a := range o.Accesses {
			rest, inside := strings.CutPrefix(a.Path, o.Project+"/")
			if a.Path == o.Project {
				rest, inside = ".", true
			}
			touched = touched || inside && a.Input() && (d.differing[rest] || a.Kind&suites.Listed != 0 && d.listing[rest])
		}
	})
	return touched, err
}

// between finds the files that differ between the sides, and the directories that list others.
func (d *differ) between() {
	const gone = "\x00"
	states := [2]map[string]string{{}, {}}
	for i := range d.sides {
		for _, f := range d.sides[i].files {
			states[i][strings.TrimPrefix(f.Path, "{project}/")] = fmt.Sprint(f.Mode&0o100, f.Content)
		}
		for _, name := range d.sides[i].removed {
			states[i][name] = gone
		}
	}
	d.differing, d.listing = map[string]bool{}, map[string]bool{}
	for i := range states {
		for name, state := range states[i] {
			other, known := states[1-i][name]
			if d.differing[name] = state != other; d.differing[name] && (state == gone || other == gone || !known) {
				d.listing[path.Dir(name)] = true
			}
		}
	}
}

// confirmed fires both sides again where they differ, and returns what differs apart from what is
// not even equal between two runs of the same.
func (d *differ) confirmed(p hookPair, calls []*sentCall, did [2][]seen, differ []int) (changes []changedBehaviour, err error) {
	if len(differ) == 0 {
		return nil, nil
	}
	var again [2][]seen
	for i := range d.sides {
		if again[i], err = d.ask(i, p.hooks[i], calls, differ, nil); err != nil {
			return nil, err
		}
	}
	for _, i := range differ {
		base, head := did[0][i], did[1][i]
		what := whatChanged([2]seen{base, again[0][i]}, [2]seen{head, again[1][i]})
		if what == "" {
			continue
		}
		of := func(s seen) answer {
			if shown := calls[i].text; shown != nil {
				s.because, s.sees, s.rewrite, s.output = shown(s.because), shown(s.sees), shown(s.rewrite), shown(s.output)
			}
			return answer{s.effect, s.because, s.sees, s.rewrite, s.output}
		}
		c := changedBehaviour{
			Hook: p.any().ID, Event: p.any().Event, At: p.any().Source.String(), What: what, Input: calls[i].label, Case: calls[i].from, call: calls[i], at: place(p.any()), runs: [4]seen{base, again[0][i], head, again[1][i]},
			Base: of(base), Head: of(head),
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// What changed, the most important first.
const (
	newlyAllowed   = "newly_allowed"
	newlyBlocked   = "newly_blocked"
	changedRewrite = "rewrite"
	changedMessage = "message"
	changedEffect  = "effect"
	changedOutput  = "output" // that the client drops
)

var whats = []string{newlyAllowed, newlyBlocked, changedRewrite, changedMessage, changedEffect, changedOutput}

// whatChanged compares two runs of the base with two of the head.
func whatChanged(base, head [2]seen) string {
	steady := func(of func(seen) string) bool {
		b, h := [2]string{of(base[0]), of(base[1])}, [2]string{of(head[0]), of(head[1])}
		return b[0] == b[1] && h[0] == h[1] && b[0] != h[0]
	}
	text := func(of func(seen) string) bool {
		return steady(of) || different([4]string{of(base[0]), of(base[1]), of(head[0]), of(head[1])})
	}
	switch rank := func(s seen) string { return fmt.Sprint(s.rank()) }; {
	case steady(rank) && base[0].rank() > head[0].rank():
		return newlyAllowed
	case steady(rank):
		return newlyBlocked
	case text(func(s seen) string { return s.rewrite }):
		return changedRewrite
	case text(func(s seen) string { return s.sees }):
		return changedMessage
	case steady(func(s seen) string { return string(s.effect) }):
		return changedEffect
	case text(func(s seen) string { return s.output }):
		return changedOutput
	}
	return ""
}

var textParts = regexp.MustCompile(`\w+|\s+|.`)

// different reports whether two runs of the base and two of the head differ in words that are equal
// in both runs of either. Runs of one side with different numbers of words cannot be compared.
func different(texts [4]string) bool {
	var split [4][]string
	for i, t := range texts {
		split[i] = textParts.FindAllString(t, -1)
	}
	base, head := split[:2], split[2:]
	switch {
	case len(base[0]) != len(base[1]) || len(head[0]) != len(head[1]):
		return false
	case len(base[0]) != len(head[0]):
		return true
	}
	for i := range base[0] {
		if base[0][i] == base[1][i] && head[0][i] == head[1][i] && base[0][i] != head[0][i] {
			return true
		}
	}
	return false
}

// ask sends calls to a hook of a side, several in one environment. What it did before is known, unless
// the calls with some indexes are to be sent again, with those of their environment. used, if not
// nil, is called with the outcomes, whose accesses are then recorded.
func (d *differ) ask(i int, h *discover.Hook, calls []*sentCall, again []int, used func(suites.Outcome)) ([]seen, error) {
	s, out := &d.sides[i], make([]seen, len(calls))
	var cases [][]int // indexes of the calls that share a case
	for n, c := range calls {
		out[n] = unfired
		if h == nil || !firesFor(h, c) {
			continue
		}
		if did, known := s.seen[h.ID+"\x00"+c.key]; known {
			if out[n] = did; again == nil {
				continue
			}
		}
		const batch = 8
		last := len(cases) - 1
		if last < 0 || c.from != calls[cases[last][0]].from || c.from == "" && len(cases[last]) == batch {
			cases = append(cases, nil)
			last++
		}
		cases[last] = append(cases[last], n)
	}
	if again != nil {
		cases = slices.DeleteFunc(cases, func(of []int) bool {
			return !slices.ContainsFunc(of, func(n int) bool { return slices.Contains(again, n) })
		})
	}
	errs := make([]error, len(cases))
	inParallel(len(cases), d.jobs, func(k int) {
		if d.ctx.Err() != nil {
			return
		}
		c := d.asCase(h, calls, cases[k])
		if again != nil { // another process first, so that process numbers differ from those of the first time
			shift := suites.Fixture{Path: "{tmp}/.hookwatch-again", Age: time.Hour}
			c.Steps[0].Fixtures = append([]suites.Fixture{shift}, c.Steps[0].Fixtures...)
		}
		o, err := s.run(d.ctx, c, used != nil)
		if errs[k] = err; err != nil {
			return
		}
		names := replaced(o)
		for m, n := range cases[k] {
			if calls[n].from != "" {
				m = calls[n].step
			}
			if m < len(o.Results) {
				out[n] = seenIn(o.Results[m], names)
			} else if o.NotRun != nil {
				out[n] = seen{because: o.NotRun.Note()}
			}
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.fired += len(o.Results); d.progress != nil {
			d.progress(h)
		}
		if used != nil {
			used(o)
		}
	})
	for n, c := range calls {
		if h != nil && again == nil {
			s.seen[h.ID+"\x00"+c.key] = out[n]
		}
	}
	return out, cmp.Or(errors.Join(errs...), d.ctx.Err())
}

// asCase returns the case that sends some of the calls to a hook.
func (d *differ) asCase(h *discover.Hook, calls []*sentCall, some []int) *suites.Case {
	first := calls[some[0]]
	c := *first.c
	c.Suite, c.ID, c.Hook, c.Chain, c.Registered = "diff", h.ID, "", false, h.ID
	if c.Steps = slices.Clone(c.Steps); first.from == "" {
		c.Steps = nil
		for _, n := range some {
			c.Steps = append(c.Steps, calls[n].c.Steps[0])
		}
	}
	for i := range c.Steps {
		c.Steps[i].Hook, c.Steps[i].Registered = "", ""
	}
	return &c
}

// replaced returns a replacer of the names that differ between sandboxes.
func replaced(o suites.Outcome) *strings.Replacer {
	pairs := []string{}
	for i := 0; i+1 < len(o.Named); i += 2 {
		if len(o.Named[i+1]) > 3 { // not empty, nor a port
			pairs = append(pairs, o.Named[i+1], o.Named[i])
		}
	}
	if o.Sandbox != "" {
		pairs = append(pairs, o.Sandbox, "{sandbox}")
	}
	return strings.NewReplacer(pairs...)
}

// firesFor reports whether the client fires a hook for a call.
func firesFor(h *discover.Hook, c *sentCall) bool {
	st := &c.c.Steps[c.step]
	if h.Event != st.Event || h.NotRun() != "" {
		return false
	}
	payload := st.PayloadRaw
	if payload == nil {
		payload, _ = client.Payload(client.PayloadInput{Event: st.Event, Tool: st.Tool, Command: st.Command, FilePath: st.FilePath, Over: st.Payload}) // an event that the client has
	}
	value := cmp.Or(st.MatchedAs, client.MatchedValue(st.Event, st.Tool, payload))
	return (value == "" || client.Match(h.Event, h.Matcher, value)) && h.Takes(st.MatchedAs, payload)
}

// seenIn returns what a hook did, without names of the sandbox.
func seenIn(r suites.Result, names *strings.Replacer) seen {
	s := seen{fired: true, effect: r.Effect, because: names.Replace(r.EffectReason), decision: r.Decision, sees: names.Replace(strings.Join(r.ModelSees, "\n"))}
	s.output = names.Replace(fmt.Sprintf("exit %d %s%s\n%s\n%s", r.Exit, r.Signal, r.NotStarted, bytes.TrimSpace(r.Stdout), bytes.TrimSpace(r.Stderr)))
	if r.TimedOut {
		s.output = "timed out"
	}
	var printed struct {
		Specific map[string]json.RawMessage `json:"hookSpecificOutput"`
	}
	if json.Unmarshal(r.Stdout, &printed) == nil && r.Effect != suites.Ignored {
		kept := map[string]any{}
		for key, value := range printed.Specific {
			if strings.HasPrefix(key, "updated") {
				kept[key] = value
			}
		}
		if text, err := json.Marshal(kept); err == nil && len(kept) > 0 {
			s.rewrite = names.Replace(string(text))
		}
	}
	return s
}

// calls returns the calls that the hooks of a pair may react to: those of conform, and those of their
// cases.
func (d *differ) calls(p hookPair) (all, own []*sentCall) {
	known := map[string]bool{}
	add := func(to *[]*sentCall, c *sentCall) {
		step := c.c.Steps[c.step]
		c.key = fmt.Sprint(step.Event, "\x00", step.Tool, "\x00", step.Command, step.FilePath, string(step.Payload), string(step.PayloadRaw), step.Fixtures, c.from, c.step)
		if !known[c.key] {
			known[c.key] = true
			*to = append(*to, c)
		}
	}
	for i, h := range p.hooks {
		if h == nil {
			continue
		}
		for _, c := range d.sides[i].project.Every() {
			meant := c.Hook != "" && slices.Contains(h.Scripts, c.Hook) || c.Registered != "" && h.Answers(c.Registered) || c.Chain
			if !meant || c.Check != nil || c.Layer == suites.Live || c.Key().Generated() {
				continue
			}
			for step := range c.Steps {
				if c.Steps[step].Event == h.Event {
					add(&own, &sentCall{label: fmt.Sprintf("case %s (%s)", c.Key(), c.Name), from: c.Key().String(), c: c, step: step})
				}
			}
		}
		for _, c := range d.recorded {
			if c.c.Steps[0].Event == h.Event {
				add(&own, c)
			}
		}
		for _, t := range conform.Calls(d.sides[i].tree, *h) {
			add(&all, &sentCall{label: t.Input, c: t.Case})
		}
	}
	return all, own
}

// related returns calls that are near to those that either side stopped: other spellings of the
// command, and texts that only mention it.
func (d *differ) related(p hookPair, calls []*sentCall, did [2][]seen) (all []*sentCall) {
	const commands, spellings = 12, 8
	tried := 0
	for i, c := range calls {
		if c.from != "" || tried == commands || did[0][i].rank() < 2 && did[1][i].rank() < 2 {
			continue
		}
		var sent struct {
			Input struct {
				Command string `json:"command"`
			} `json:"tool_input"`
		}
		st := c.c.Steps[0]
		if json.Unmarshal(st.PayloadRaw, &sent) != nil || sent.Input.Command == "" {
			continue
		}
		tried++
		texts := []string{"echo " + quote(sent.Input.Command), sent.Input.Command + " # x"}
		rewrites, _ := prove.Rewrites(sent.Input.Command)
		for _, r := range rewrites {
			if r.Kind == prove.Habit && len(texts) < spellings {
				texts = append(texts, r.Text)
			}
		}
		for _, text := range texts {
			one := conform.Input{Tool: st.Tool, Command: text}.Case(*p.any())
			all = append(all, &sentCall{key: st.Event + "\x00" + st.Tool + "\x00" + text, label: text, c: one})
		}
	}
	return all
}

// together finds the effect of all hooks of an event where one of them lets through or stops
// something that it did not before. If that is the same on both sides, another hook decides.
func (d *differ) together(changes []changedBehaviour) error {
	var calls []*sentCall
	for _, c := range changes {
		if c.What == newlyAllowed || c.What == newlyBlocked {
			calls = append(calls, c.call)
		}
	}
	if len(calls) == 0 {
		return nil
	}
	var effects [2]map[*sentCall]seen
	for i := range d.sides {
		effects[i] = map[*sentCall]seen{}
		readings := map[*sentCall][]client.Reading{}
		for _, h := range d.sides[i].hooks {
			if !h.Scope.Everywhere() || h.Client != "" {
				continue
			}
			did, err := d.ask(i, &h, calls, nil, nil)
			if err != nil {
				return err
			}
			for n, c := range calls {
				if did[n].fired {
					readings[c] = append(readings[c], client.Reading{Effect: did[n].effect, Decision: did[n].decision})
				}
			}
		}
		for _, c := range calls {
			all := client.Combine(readings[c])
			effects[i][c] = seen{effect: all.Effect, decision: all.Decision}
		}
	}
	for i, c := range changes {
		base, head := effects[0][c.call], effects[1][c.call]
		if c.call != nil && (c.What == newlyAllowed && base.rank() <= head.rank() || c.What == newlyBlocked && base.rank() >= head.rank()) {
			changes[i].Together = head.effect
		}
	}
	return nil
}

// registration reports how the registration of a hook differs between the sides.
func registration(p hookPair) (r changedRegistration, changed bool) {
	base, head := p.hooks[0], p.hooks[1]
	r = changedRegistration{Hook: p.any().ID, Event: p.any().Event, At: p.any().Source.String(), What: "changed", at: p.any().Source}
	switch {
	case base == nil:
		r.What, r.Head = "added", registrationText(*head)
		return r, true
	case head == nil:
		r.What, r.Base = "removed", registrationText(*base)
		return r, true
	case base.Matcher != head.Matcher:
		r.What = "matcher"
	case !slices.Equal(base.Scripts, head.Scripts):
		r.What = "moved"
	}
	r.Base, r.Head = registrationText(*base), registrationText(*head)
	return r, r.Base != r.Head
}

// registrationText describes a registration in a line.
func registrationText(h discover.Hook) string {
	text := h.Event
	if h.Matcher != "" {
		text += " " + h.Matcher
	}
	text += ": " + strings.Join(append([]string{cmp.Or(h.Command, h.Type)}, h.Args...), " ")
	if h.If != "" {
		text += " if " + h.If
	}
	if h.Timeout != client.DefaultTimeout(h.Event, h.Type) {
		text += " timeout " + h.Timeout.String()
	}
	for name, set := range map[string]bool{"async": h.Entry.Async} {
		if set {
			text += " " + name
		}
	}
	if h.Entry.OnFailure != "" {
		text += " onFailure " + h.Entry.OnFailure
	}
	if h.Dead {
		text += " (dropped by the client)"
	}
	if !h.Scope.Everywhere() {
		text += " (" + string(h.Scope) + ")"
	}
	return text
}

// diffDocument is the JSON document of diff.
type diffDocument struct {
	Version       int                   `json:"version"`
	Project       string                `json:"project"`
	Base          string                `json:"base"`
	Head          string                `json:"head"`
	Registrations []changedRegistration `json:"registrations"`
	Changes       []changedBehaviour    `json:"changes"`
	Allowed       int                   `json:"newly_allowed"` // calls that no other hook stops
	Hooks         int                   `json:"hooks"`         // that the change may affect
	Unaffected    int                   `json:"unaffected"`
	NotFired      []string              `json:"not_fired,omitempty"`
	Calls         int                   `json:"calls"`
	Firings       int                   `json:"firings"`
	Left          int                   `json:"files_left_out,omitempty"` // files that differ and are far from any hook, if there are many
	Millis        int64                 `json:"duration_ms"`

	ranIn
}

// changedRegistration is a hook that one side alone registers, or both otherwise.
type changedRegistration struct {
	Hook  string `json:"hook"`
	Event string `json:"event"`
	At    string `json:"at"`
	What  string `json:"what"` // added, removed, matcher, moved, changed
	Base  string `json:"base,omitempty"`
	Head  string `json:"head,omitempty"`

	at suites.Position
}

// changedBehaviour is a call that the sides of a hook treat otherwise.
type changedBehaviour struct {
	Hook     string        `json:"hook"`
	Event    string        `json:"event"`
	At       string        `json:"at"`
	What     string        `json:"what"`
	Input    string        `json:"input"`
	Case     string        `json:"case,omitempty"`
	Base     answer        `json:"base"`
	Head     answer        `json:"head"`
	Together suites.Effect `json:"together,omitempty"` // of all hooks, if another one decides on both sides

	call *sentCall
	runs [4]seen         // two of the base and two of the head
	at   suites.Position // of the script, or of the registration of a command without one
}

// place returns the position that an annotation of a hook has.
func place(h *discover.Hook) suites.Position {
	if len(h.Scripts) > 0 {
		return suites.Position{File: h.Scripts[0], Line: 1}
	}
	return h.Source
}

// answer is what a hook did, and the client's reaction.
type answer struct {
	Effect  suites.Effect `json:"effect"`
	Because string        `json:"because"`
	Sees    string        `json:"model_sees,omitempty"`
	Rewrite string        `json:"rewrite,omitempty"`
	Output  string        `json:"output,omitempty"`
}

// Line returns a change as a separate JSON line.
func (d diffDocument) Line(i int) any {
	return struct {
		changedBehaviour
		ranIn
	}{d.Changes[i], d.ranIn}
}

// changedGroup are the changes of a hook of one kind, the shortest input first.
type changedGroup []changedBehaviour

// groups joins the changes of a hook of one kind, the most important first. Output that the client
// drops is left out unless all is set.
func (d diffDocument) groups(all bool) (groups []changedGroup) {
	for _, what := range whats {
		for _, together := range []bool{false, true} {
			at := map[string]int{}
			for _, c := range d.Changes {
				if c.What != what || (c.Together != "") != together || what == changedOutput && !all {
					continue
				}
				i, known := at[c.Hook]
				if !known {
					i = len(groups)
					at[c.Hook] = i
					groups = append(groups, nil)
				}
				groups[i] = append(groups[i], c)
			}
		}
	}
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b changedBehaviour) int { return len(a.Input) - len(b.Input) })
	}
	return groups
}

// inputs returns the first inputs of a group, and the number of others.
func (g changedGroup) inputs(all bool) string {
	var names []string
	for _, c := range g {
		names = append(names, strings.ReplaceAll(c.Input, "\n", `\n`))
	}
	return some(names, all)
}

// whatText are the first words of a group.
var whatText = map[string]string{
	newlyAllowed: "newly allowed", newlyBlocked: "newly blocked", changedRewrite: "rewritten otherwise", changedMessage: "another message",
	changedEffect: "another effect", changedOutput: "other output, which the client drops",
}

// details returns what the two sides do with the first input of a group.
func (g changedGroup) details() []string {
	c := g[0]
	of := func(s seen) string { return s.sees }
	switch c.What {
	case changedRewrite:
		of = func(s seen) string { return s.rewrite }
	case changedOutput:
		of = func(s seen) string { return s.output }
	case changedMessage:
	default:
		lines := []string{fmt.Sprintf("%s -> %s", c.Base.Effect, c.Head.Effect), "before: " + c.Base.Because, "after: " + c.Head.Because}
		if c.Together != "" {
			lines[0] += fmt.Sprintf("; with all hooks together it is %s as before", c.Together)
		}
		return lines
	}
	var lines [4][]string
	least := math.MaxInt
	for i, s := range c.runs {
		lines[i] = strings.Split(of(s), "\n")
		least = min(least, len(lines[i]))
	}
	at := 0 // the first line that differs otherwise than between two runs of the same
	for at < least-1 && !different([4]string{lines[0][at], lines[1][at], lines[2][at], lines[3][at]}) {
		at++
	}
	shown := func(line string) string {
		if c.call != nil && c.call.text != nil {
			line = c.call.text(line)
		}
		return cmp.Or(conform.Short(line), "(nothing)")
	}
	return []string{"before: " + shown(lines[0][at]), "after: " + shown(lines[2][at])}
}

// annotations returns the changes as annotations of the files of a project.
func (d diffDocument) annotations(p *session.Project, all bool) (list []annotation) {
	for _, r := range d.Registrations {
		list = append(list, annotation{"registration-" + r.What, suites.Warning, annotated(p, r.at), "registration " + r.What + ": " + cmp.Or(r.Head, r.Base), r.text(), []string{r.Hook}})
	}
	for _, g := range d.groups(all) {
		c := g[0]
		severity := suites.Warning
		if c.Together != "" || c.What != newlyAllowed && c.What != newlyBlocked && c.What != changedRewrite {
			severity = suites.Info
		}
		list = append(list, annotation{strings.ReplaceAll(c.What, "_", "-"), severity, annotated(p, c.at), whatText[c.What] + ": " + g.inputs(false), strings.Join(g.details(), "; "), []string{c.Hook, c.Input}})
	}
	return list
}

func (r changedRegistration) text() string {
	switch {
	case r.Base == "":
		return "now: " + r.Head
	case r.Head == "":
		return "before: " + r.Base
	}
	return "before: " + r.Base + "; now: " + r.Head
}

// printDiff prints the changes.
func printDiff(w io.Writer, doc diffDocument, verbose bool) {
	for _, r := range doc.Registrations {
		writef(w, "registration %s  %s\n", r.What, output(r.Hook))
		if r.Base != "" {
			writef(w, "  - %s\n", output(r.Base))
		}
		if r.Head != "" {
			writef(w, "  + %s\n", output(r.Head))
		}
	}
	for _, g := range doc.groups(verbose) {
		head := whatText[g[0].What]
		if g[0].What == newlyAllowed && g[0].Together == "" {
			head = strings.ToUpper(head)
		}
		writef(w, "%s  %s\n  on: %s\n", head, output(g[0].Hook), output(g.inputs(verbose)))
		for _, line := range g.details() {
			writef(w, "  %s\n", output(line))
		}
	}
	for _, why := range doc.NotFired {
		writef(w, "not fired: %s\n", output(why))
	}
	if doc.Left > 0 {
		writef(w, "%s far from any hook are as in the work tree, because too many differ\n", session.Count(doc.Left, "file"))
	}
	printIsolation(w, doc.ranIn)
	writef(w, "%s\n", doc.summary())
}

// summary returns the last line.
func (d *diffDocument) summary() string {
	return d.headline() + fmt.Sprintf("; %s affected, %d not; %s, %s in %.1f s", session.Count(d.Hooks, "hook"), d.Unaffected, session.Count(d.Calls, "call"), session.Count(d.Firings, "firing"), float64(d.Millis)/1000)
}

// headline returns the changes in a sentence.
func (d *diffDocument) headline() string {
	count := map[string]int{}
	for _, c := range d.Changes {
		if c.Together == "" {
			count[c.What]++
		}
	}
	text := fmt.Sprintf("%s -> %s: ", d.Base, d.Head)
	if len(d.Registrations) > 0 {
		text += session.Count(len(d.Registrations), "registration") + " changed, "
	}
	text += fmt.Sprintf("%s newly allowed, %d newly blocked", session.Count(count[newlyAllowed], "call"), count[newlyBlocked])
	for _, what := range whats[2:5] {
		if count[what] > 0 {
			text += fmt.Sprintf(", %d with %s", count[what], map[string]string{changedRewrite: "another rewrite", changedMessage: "another message", changedEffect: "another effect"}[what])
		}
	}
	return text
}
