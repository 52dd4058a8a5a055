package report

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/check"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/discover"
	"hookwatch/suites/pattern"
	"hookwatch/suites/printable"
	"hookwatch/suites/prove"
	"hookwatch/suites/verdict"
)

// PageMark is how every page begins, so that a file of another kind is not taken for one.
const PageMark = "<!doctype html>\n<!-- written by hookwatch report -->\n"

// A Page is what an HTML page shows of a project. Its texts may come from anywhere: they are escaped
// and cut when the page is written.
type Page struct {
	Project  string
	Program  string // version of hookwatch
	Made     time.Time
	Hooks    []PageHook
	Findings []check.Finding       // the worst first
	Fired    bool                  // the findings include those of firings
	Cases    []verdict.CaseHistory // of the project's cases that ran
	NotRun   int                   // cases that never ran
	Records  []suites.Record       // of all runs, by time
	Proved   *Proved               // nil if no search is known
	Sources  []Source              // by path
	Untraced int                   // cases whose executed lines are not known
}

// A PageHook is a registered hook, with the present verdicts of its cases.
type PageHook struct {
	discover.Hook
	suites.State
	Name    string   // its script, or the beginning of its command
	Idle    string   // why it never runs, or runs in vain; "" if it runs
	Clients []string // the names of those that run it
	// What a check saw: the effect of a typical call, an input that it stopped, or what was missing.
	Effect, Stops, Absent string
}

// Proved are the results of prove.
type Proved struct {
	Guards   []ProvenGuard   `json:"guards"`
	Findings []ProvenFinding `json:"findings"`
}

// A ProvenGuard is the result of one hook.
type ProvenGuard struct {
	ID         string   `json:"id"`
	Event      string   `json:"event"`
	At         string   `json:"at"`
	Stops      []string `json:"stops"`      // inputs
	Rewrites   int      `json:"rewrites"`   // that were executed
	Equivalent int      `json:"equivalent"` // of those, rewrites that do the same
	Passed     int      `json:"passed"`     // of those, rewrites that the hook lets through
	Firings    int      `json:"firings"`
	Complete   bool     `json:"complete"` // everything was tried within the budget
	// Ways are those to the goals of what the guard stops.
	Ways []prove.Ways `json:"ways,omitempty"`
	// Elsewhere are the inputs that it lets through and that something else of their call stops: hooks and
	// permission rules, which are named.
	Elsewhere int      `json:"stopped_elsewhere,omitempty"`
	StoppedBy []string `json:"stopped_by,omitempty"`
	Unproved  string   `json:"unproved,omitempty"`
	Millis    int64    `json:"duration_ms"`
}

// A ProvenFinding is a finding of prove.
type ProvenFinding struct {
	Hook     string          `json:"hook"`
	What     prove.What      `json:"what"`
	Kind     string          `json:"kind,omitempty"` // of the rewrite
	Rule     string          `json:"rule,omitempty"`
	Severity suites.Severity `json:"severity"`
	Input    check.Input     `json:"input"`
	From     check.Input     `json:"from"` // the input that the hook stops
	Does     string          `json:"does"` // as observed
	Effect   suites.Effect   `json:"effect"`
	Because  string          `json:"because"`
	Others   int             `json:"others"` // of the same kind from the same input
	Case     string          `json:"case,omitempty"`
}

// Label returns the kind of a rewrite, and the number of further ones.
func (f ProvenFinding) Label() (text string) {
	if f.Kind != "" {
		text = "   [" + f.Kind + "]"
	}
	if f.Others > 0 {
		text += fmt.Sprintf(" and %d more", f.Others)
	}
	return text
}

// A Source is a script with the lines that cases execute.
type Source struct {
	Path, Text string
	Unread     string          // why there is no text
	Coverage   *trace.Coverage // nil if it is not known
}

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"cell":    func(text any) string { return printable.Cell(fmt.Sprint(text)) },
		"text":    func(text any) string { return printable.Field(fmt.Sprint(text)) },
		"code":    func(line string) string { return printable.Cut(strings.ReplaceAll(line, "\t", "    "), 1000) },
		"cases":   func(keys []suites.Key) string { return printable.Field(ids(keys, printable.Field)) },
		"calls":   prove.ShowSteps,
		"count":   plural,
		"span":    func(ms int64) string { return fmt.Sprintf("%.3g s", float64(ms)/1000) },
		"bar":     bar,
		"times":   verdict.HookTimes,
		"begins":  strings.HasPrefix,
		"has":     func(all []string, one string) bool { return slices.Contains(all, one) },
		"add":     func(a, b int) int { return a + b },
		"less":    func(b, a int) int { return max(a-b, 0) },
		"percent": func(a, b int) int { return 100 * a / max(b, 1) },
		"log":     func(ms int64) float64 { return math.Round(640*min(math.Log10(float64(max(ms, 1))), 5)) / 10 }, // 64 a decade, 1 ms to 100 s
		"jitter":  func(i int) int { return 6 + 7*i%15 },                                                          // so that equal durations stay visible
		"column":  func(i int) int { return 20 * i },
		"on":      func(p *Page, value any) any { return map[string]any{"Page": p, "It": value} },
	}).Parse(pageHTML))
})

// Write writes the page. It contains no script and loads nothing, which its policy forbids as well.
func (p *Page) Write(w io.Writer) error {
	var b bytes.Buffer
	if err := pageTemplate().Execute(&b, p); err != nil {
		return err
	}
	_, err := io.WriteString(w, PageMark+printable.Lines(b.String())) // the last line of defence
	return err
}

// Head returns the policy of the page, and the style that it permits.
func (*Page) Head() template.HTML {
	digest := sha256.Sum256([]byte(pageCSS))
	return template.HTML(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-` +
		base64.StdEncoding.EncodeToString(digest[:]) + "'\">\n<style>" + pageCSS + "</style>")
}

// State counts the present verdicts.
func (p *Page) State() suites.State {
	s := suites.State{NotRun: p.NotRun}
	for i := range p.Cases {
		s.Add(p.Cases[i].Last().Status())
	}
	return s
}

// Clients returns the clients that run any of the hooks.
func (p *Page) Clients() []clients.Client {
	return slices.DeleteFunc(clients.Clients(), func(c clients.Client) bool {
		return !slices.ContainsFunc(p.Hooks, func(h PageHook) bool { return slices.Contains(h.Clients, c.Name) })
	})
}

// A Block is a part of a script whose statements the same cases execute. Its state is "ran", "not" if
// no case executes it, "never" if no input that was tried comes to it, or "" if it has no statement.
type Block struct {
	State    string
	From     int // the first line
	Lines    []string
	By       []suites.Key
	Findings []check.Finding // of its only line
}

// Blocks returns the blocks of a source.
func (p *Page) Blocks(s Source) (all []Block) {
	ran, found := map[int]trace.CoveredLine{}, map[int][]check.Finding{}
	if s.Coverage != nil {
		for _, l := range s.Coverage.Lines {
			ran[l.Line] = l
		}
	}
	for _, f := range p.Findings {
		if file, line := place(cmp.Or(f.FaultAt, f.At)); file == s.Path {
			found[line] = append(found[line], f)
		}
	}
	for i, text := range strings.Split(strings.TrimSuffix(s.Text, "\n"), "\n") {
		l, statement := ran[i+1]
		b := Block{From: i + 1, Lines: []string{text}, Findings: found[i+1], By: l.By}
		switch {
		case l.Cases > 0:
			b.State = "ran"
		case slices.ContainsFunc(b.Findings, func(f check.Finding) bool { return f.Rule == "unreached" }):
			b.State = "never"
		case statement:
			b.State = "not"
		}
		if n := len(all); n > 1 && all[n-1].joins(Block{}) && all[n-2].joins(b) { // over lines without a statement
			all[n-2].Lines, all = append(all[n-2].Lines, all[n-1].Lines...), all[:n-1]
		}
		if n := len(all); n > 0 && all[n-1].joins(b) {
			all[n-1].Lines = append(all[n-1].Lines, text)
		} else {
			all = append(all, b)
		}
	}
	return all
}

// joins reports whether another block is of the same kind.
func (b Block) joins(o Block) bool {
	return b.State == o.State && slices.Equal(b.By, o.By) && len(b.Findings)+len(o.Findings) == 0
}

// position matches a place in a file: FILE:LINE or FILE:LINE:COLUMN.
var position = pattern.Lazy(`^(.+?):(\d+)(?::\d+)?$`)

// place returns file and line of a place.
func place(at string) (file string, line int) {
	if m := position().FindStringSubmatch(at); m != nil {
		line, _ = strconv.Atoi(m[2])
		return m[1], line
	}
	return at, 0
}

// Anchor returns the element that shows a place, "" if none does.
func (p *Page) Anchor(at string) string {
	file, line := place(at)
	i := slices.IndexFunc(p.Sources, func(s Source) bool { return s.Path == file && s.Unread == "" })
	if i < 0 || line == 0 {
		return ""
	}
	return fmt.Sprintf("s%d-%d", i, line)
}

// A Segment is a part of a bar; At is where it begins.
type Segment struct {
	Status     suites.Status
	At, Length float64
}

// bar returns the segments of the verdicts in a bar of this length, which stands for so many cases.
func bar(t suites.Tally, length float64, of int) (all []Segment) {
	at := 0.0
	for i, n := range parts(t) {
		if n > 0 {
			one := Segment{suites.Statuses[i], at, length * float64(n) / float64(of)}
			all, at = append(all, one), at+one.Length
		}
	}
	return all
}

// Recent returns the durations of the latest cases of a hook.
func (p *Page) Recent(hook string) (all verdict.Durations) {
	for i := len(p.Records) - 1; i >= 0 && len(all) < 100; i-- {
		if r := &p.Records[i]; r.Hook == hook && !slices.Contains([]suites.Status{suites.Skip, suites.Aborted}, r.Status()) {
			all = append(all, r.DurationMS)
		}
	}
	return all
}

// A PageRun is one run, as its records show it.
type PageRun struct {
	ID, Time string
	suites.State
}

// Runs returns the latest runs, at most 48, oldest first.
func (p *Page) Runs() (all []PageRun) {
	at := map[string]int{}
	for i := range p.Records {
		r := &p.Records[i]
		if _, known := at[r.RunID]; !known {
			at[r.RunID] = len(all)
			all = append(all, PageRun{ID: r.RunID, Time: r.Timestamp})
		}
		all[at[r.RunID]].Add(r.Status())
	}
	return all[max(0, len(all)-48):]
}
