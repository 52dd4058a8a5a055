package cli

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"time"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/printable"
)

var _ = register(&format{
	name: "junit", help: "JUnit XML of a run, as Jenkins and GitLab read it", layout: asDocument, onceOnly: true,
	view: func(a *app, _ *session.Project, o notify.Options, _ bool) session.View {
		o.Verbose = a.verbose
		describe := func(e session.CaseDone) string { return notify.Failure(e, o) }
		return session.Multi(newJUnit(a.raw.Out, describe), diagnostics{a.log()})
	},
})

// newJUnit returns a view that writes one JUnit document to out when a run is done.
// describe returns the text of a failure, without control characters except line ends.
// Close returns the first error of writing; it does not close out.
func newJUnit(out io.Writer, describe func(session.CaseDone) string) session.View {
	return &junit{out: out, describe: describe, failures: map[suites.Key]junitFailure{}}
}

type junit struct {
	out      io.Writer
	describe func(session.CaseDone) string
	failures map[suites.Key]junitFailure
	err      error
}

// A junitFailure is the description of a failure, and the line that caused it, if known.
type junitFailure struct{ text, at string }

func (v *junit) Close() error { return v.err }

func (v *junit) Handle(e session.Event) {
	switch e := e.(type) {
	case session.RunStarted:
		clear(v.failures)
	case session.CaseDone:
		if e.Verdict.Status == suites.Fail {
			v.failures[e.Record.Key()] = junitFailure{v.describe(e), e.Fault}
		}
	case session.RunDone:
		text, err := xml.MarshalIndent(v.document(e), "", "  ")
		if err == nil {
			_, err = v.out.Write(append([]byte(xml.Header), append(text, '\n')...))
		}
		v.err = cmp.Or(v.err, err)
	}
}

// The elements are those of junit-10.xsd, the schema that Jenkins' xUnit plugin checks.
type junitRun struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	junitCounts
	Suites []*junitSuite `xml:"testsuite"`
}

type junitCounts struct {
	Tests    int     `xml:"tests,attr"`
	Failures int     `xml:"failures,attr"`
	Errors   int     `xml:"errors,attr"`
	Time     seconds `xml:"time,attr"`
}

type junitSuite struct {
	Name string `xml:"name,attr"`
	junitCounts
	Skipped    int             `xml:"skipped,attr"`
	Timestamp  string          `xml:"timestamp,attr"` // UTC, without a zone
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Suite   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    seconds       `xml:"time,attr"`
	Failure *junitMessage `xml:"failure"`
	Error   *junitMessage `xml:"error"`
	Skipped *junitMessage `xml:"skipped"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",cdata"`
}

// seconds is a duration in seconds with three decimals.
type seconds time.Duration

// MarshalText formats the duration.
func (s seconds) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%.3f", time.Duration(s).Seconds()), nil
}

// document returns the document of a run: the suites in the order of their first case.
// Their time is that of their cases, which may have run in parallel.
func (v *junit) document(e session.RunDone) junitRun {
	run := junitRun{Name: printable.Field(e.Project)}
	named := map[string]*junitSuite{}
	for i := range e.Records {
		r := &e.Records[i]
		s := named[r.Suite]
		if s == nil {
			s = &junitSuite{Name: printable.Field(r.Suite), Properties: []junitProperty{{"isolation", e.Isolation}}}
			if e.Weaker != "" {
				s.Properties = append(s.Properties, junitProperty{"isolation_why", printable.Field(e.Weaker)})
			}
			named[r.Suite] = s
			run.Suites = append(run.Suites, s)
		}
		if at, err := time.Parse(suites.TimestampLayout, r.Timestamp); err == nil {
			if begun := at.UTC().Format("2006-01-02T15:04:05"); s.Timestamp == "" || begun < s.Timestamp {
				s.Timestamp = begun
			}
		}
		took := seconds(time.Duration(r.DurationMS) * time.Millisecond)
		c := junitCase{Suite: s.Name, Name: session.Label(*r), Time: took}
		message := &junitMessage{Message: printable.Field(r.Note), Type: string(r.Status())}
		counts := junitCounts{Tests: 1, Time: took}
		switch r.Status() {
		case suites.Fail:
			failure := v.failures[r.Key()]
			message.Text = failure.text
			if failure.at != "" { // the schema has no attribute for it
				message.Message = printable.Field(failure.at) + ": " + message.Message
			}
			c.Failure, counts.Failures = message, 1
		case suites.Aborted:
			c.Error, counts.Errors = message, 1
		case suites.Skip, suites.Unproven:
			c.Skipped = message
			s.Skipped++
		case suites.Pass:
		}
		s.Cases = append(s.Cases, c)
		s.add(counts)
		run.add(counts)
	}
	run.Time = seconds(e.Duration)
	return run
}

func (c *junitCounts) add(o junitCounts) {
	c.Tests, c.Failures, c.Errors, c.Time = c.Tests+o.Tests, c.Failures+o.Failures, c.Errors+o.Errors, c.Time+o.Time
}
