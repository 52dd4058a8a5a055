package session

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"strings"
	"time"
	"unicode/utf8"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
	"hookwatch/suites/verdict"
)

// recordValues holds the values from which a record is made.
type recordValues struct {
	Case      *suites.Case
	Outcome   suites.Outcome
	Verdict   suites.Verdict
	Digests   suites.Digests
	Ended     time.Time
	Run       string // its ID
	Isolation string
}

// shownStep returns the index of the step in the record: the first that failed, or the last.
func shownStep(c *suites.Case, v suites.Verdict) int {
	if len(v.Mismatches) > 0 {
		return v.Mismatches[0].Step
	}
	return len(c.Steps) - 1
}

// newRecord returns the record of a verdict.
func newRecord(m recordValues) suites.Record {
	c, o, i := m.Case, m.Outcome, shownStep(m.Case, m.Verdict)
	expect := c.Steps[i].Expect
	r := suites.Record{
		Hook:             hookName(c),
		TestName:         c.Name,
		Category:         c.Category,
		InputSummary:     c.Summary,
		ExpectedDecision: expectedDecision(c.Layer, expect),
		Pass:             m.Verdict.Status.OK(),
		Note:             m.Verdict.Note,
		Timestamp:        m.Ended.UTC().Format(suites.TimestampLayout),
		DurationMS:       o.Duration.Milliseconds(),
		ID:               c.ID,
		Suite:            c.Suite,
		Layer:            c.Layer,
		RunID:            m.Run,
		Digests:          m.Digests,
		ClientName:       c.Client,
		Isolation:        m.Isolation,
		Verdict:          m.Verdict.Status,
		Reason:           m.Verdict.Reason,
		Changes:          o.Changes[:min(len(o.Changes), suites.MaxChanges)],
		Stopped:          o.Stopped,
	}
	if len(expect.Exit) == 1 {
		r.ExpectedExit = &expect.Exit[0]
	}
	if i < len(o.Results) {
		res := o.Results[i]
		r.ActualDecision = actualDecision(c.Layer, expect, res)
		if !firing(c.Layer, expect) {
			r.ActualExit = exitOf(&res)
		}
		r.ActualOutput = recordText(res.Stdout, res.StdoutBytes)
		r.ActualStderr = recordText(res.Stderr, res.StderrBytes)
		r.Client, r.Live = res.Client, liveOf(res.Live, m.Verdict.Status)
		r.ClientName = cmp.Or(res.ClientName, r.ClientName)
	}
	return r
}

// liveOf returns the recorded part of a session with the client: request bodies are kept only if
// the case failed.
func liveOf(l *suites.LiveResult, s suites.Status) *suites.LiveResult {
	if l == nil || s == suites.Fail {
		return l
	}
	kept := *l
	kept.Bodies = nil
	return &kept
}

func hookName(c *suites.Case) string {
	switch {
	case c.Check != nil:
		return "infrastructure" // the name that other tools use
	case c.Chain:
		return "chain"
	}
	return c.Hook[strings.LastIndexByte(c.Hook, '/')+1:]
}

// firing reports whether the record states whether the client fired the hook: other tools write
// this for each layer 2 case and omit its exit code.
func firing(l suites.Layer, e suites.Expectation) bool {
	return l == suites.Live && e.Decision == "" && e.Exit == nil
}

func describeFired(did bool) string {
	if did {
		return "hook_fired"
	}
	return "hook_not_fired"
}

// expectedDecision returns the expected decision if there is one, otherwise the exit code in the
// format of other tools, otherwise the effect.
func expectedDecision(l suites.Layer, e suites.Expectation) string {
	switch {
	case firing(l, e):
		return describeFired(e.HookFired == nil || *e.HookFired)
	case e.Decision != "":
		return e.Decision
	case len(e.Exit) > 0:
		return "exit_" + strings.ReplaceAll(verdict.WantedExit(e.Exit), " ", "_")
	default:
		return string(e.Effect)
	}
}

func actualDecision(l suites.Layer, e suites.Expectation, r suites.Result) string {
	switch {
	case r.NotStarted != "":
		return "not_started"
	case r.Memory > 0:
		return "memory"
	case r.TimedOut:
		return "timeout"
	case firing(l, e):
		return describeFired(r.Fired)
	case e.Decision != "":
		return r.Decision
	case e.Exit == nil && e.Effect != "":
		return string(r.Effect)
	case r.Signal != "":
		return r.Signal
	default:
		return fmt.Sprintf("exit_%d", r.Exit)
	}
}

// textLimit is the number of bytes of one stream that a record keeps.
const textLimit = 64 << 10

// recordText converts output of a process for a record: at most textLimit bytes, followed by a line
// with the full size if some are missing. Bytes that are not UTF-8 are shown as \xNN, followed by
// a note. total is the number of bytes written, if that is more than b holds.
func recordText(b []byte, total int64) string {
	total = max(total, int64(len(b)))
	var text strings.Builder
	text.Grow(min(len(b), textLimit))
	rest, invalid := b, false
	for len(rest) > 0 {
		r, n := utf8.DecodeRune(rest)
		shown := rest[:n]
		if r == utf8.RuneError && n == 1 {
			shown = fmt.Appendf(nil, `\x%02x`, rest[0])
		}
		if text.Len()+len(shown) > textLimit {
			break
		}
		invalid = invalid || r == utf8.RuneError && n == 1
		text.Write(shown)
		rest = rest[n:]
	}
	if invalid {
		text.WriteString("\n[hookwatch: not all of this is UTF-8; other bytes are shown as \\xNN]")
	}
	if kept := int64(len(b) - len(rest)); kept < total {
		fmt.Fprintf(&text, "\n[hookwatch: cut after %d of %d bytes]", kept, total)
	}
	return text.String()
}

// printed is a checksum of the output and exit code of a run: a trace belongs to a verdict only
// if the traced run printed the same. Long numbers are left out, because PIDs, session numbers,
// temporary names and times differ between runs. For a case with steps only the step in its
// record is compared, because the record has no other output; a difference in another step shows
// only in the verdict.
type printed uint64

func printedOf(exit *int, stdout, stderr string) printed {
	h := fnv.New64a()
	if exit != nil {
		h.Write([]byte{1, byte(*exit)})
	}
	for _, text := range []string{stdout, stderr} {
		h.Write([]byte{0})
		h.Write(withoutNumbers(text))
	}
	return printed(h.Sum64())
}

// scratch matches names made by mktemp.
var scratch = pattern.Lazy(`\btmp\.[A-Za-z0-9]{6,}`)

// printedBy returns the checksum of one step of a run that is not recorded.
func printedBy(r suites.Result) printed {
	return printedOf(exitOf(&r), recordText(r.Stdout, r.StdoutBytes), recordText(r.Stderr, r.StderrBytes))
}

// exitOf returns the exit code of a step, or nil if it did not exit by itself.
func exitOf(r *suites.Result) *int {
	if r.NotStarted == "" && r.Signal == "" && !r.TimedOut {
		return &r.Exit
	}
	return nil
}

// longNumber is the number of digits from which a number may differ in the next run. The parts of
// a time or a version are counted together.
const longNumber = 3

func withoutNumbers(text string) []byte {
	if strings.Contains(text, "tmp.") {
		text = scratch().ReplaceAllString(text, "tmp.")
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		end, digits := i, 0
		for end < len(text) && (isDigit(text[end]) || digits > 0 && (text[end] == ':' || text[end] == '.')) {
			if isDigit(text[end]) {
				digits++
			}
			end++
		}
		switch {
		case digits >= longNumber:
			out = append(out, '0')
		case digits > 0:
			out = append(out, text[i:end]...)
		default:
			out = append(out, text[i])
			end++
		}
		i = end
	}
	return out
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
