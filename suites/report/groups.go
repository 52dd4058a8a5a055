package report

import (
	"fmt"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/verdict"
)

// headline returns the common cause of several failures, with their number.
func headline(g *verdict.CauseGroup) string {
	return plain(brief(g.Headline(), 200)) + "; " + plural(len(g.Cases), "case")
}

func andMore(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// ids lists cases by suite, with ranges for consecutive ones.
func ids(keys []suites.Key) string {
	var order []string
	of := map[string][]string{}
	for _, k := range keys {
		if of[k.Suite] == nil {
			order = append(order, k.Suite)
		}
		of[k.Suite] = append(of[k.Suite], k.ID)
	}
	var parts []string
	for _, suite := range order {
		text := strings.Join(suites.ShortenIDs(of[suite]), " ")
		if suite != "" {
			text = suite + ": " + text
		}
		parts = append(parts, plain(text))
	}
	return strings.Join(parts, "; ")
}

// alike groups the deltas of a kind whose later sides fail for the same cause.
func alike(deltas []verdict.Delta, kind verdict.Kind) [][]*verdict.Delta {
	var out [][]*verdict.Delta
	type key struct {
		cause verdict.Cause
		why   string // from why, if the cause is not in a file
	}
	at := map[key]int{}
	for i := range deltas {
		d := &deltas[i]
		switch {
		case d.Kind != kind:
			continue
		case d.Cur == nil || d.Cur.Status != suites.Fail:
			out = append(out, []*verdict.Delta{d})
			continue
		}
		k := key{cause: d.Cur.Cause()}
		if k.cause.Kind == verdict.CauseEqual {
			k.why = why(d)
		}
		if j, known := at[k]; known {
			out[j] = append(out[j], d)
			continue
		}
		at[k] = len(out)
		out = append(out, []*verdict.Delta{d})
	}
	return out
}

// together returns one line for a group of deltas.
func together(same []*verdict.Delta) string {
	what := why(same[0])
	if c := same[0].Cur.Cause(); c.Kind != verdict.CauseEqual {
		what = c.Headline()
	}
	keys := make([]suites.Key, len(same))
	for i, d := range same {
		keys[i] = d.Key
	}
	return fmt.Sprintf("%s; %s: %s", plain(brief(what, 300)), plural(len(same), "case"), ids(keys))
}

// why describes the change of a case in a few words.
func why(d *verdict.Delta) string {
	var parts []string
	switch {
	case d.Prev == nil:
		parts = append(parts, "new, "+string(d.Cur.Status))
	case d.Cur == nil:
		parts = append(parts, "was "+string(d.Prev.Status))
	case d.Prev.Status != d.Cur.Status:
		parts = append(parts, fmt.Sprintf("%s -> %s", d.Prev.Status, d.Cur.Status))
	default:
		parts = append(parts, "still "+string(d.Cur.Status))
	}
	if d.Cur != nil && d.Cur.Note != "" && (d.Prev == nil || d.Prev.Note != d.Cur.Note) {
		parts = append(parts, brief(d.Cur.Note, 200))
	}
	if len(d.Tools) > 0 {
		var tools []string
		for _, t := range d.Tools {
			tools = append(tools, t.String())
		}
		parts = append(parts, "tools: "+strings.Join(tools, ", "))
	}
	if d.Inputs && d.Kind == verdict.Explained {
		parts = append(parts, "but what it tests changed as well")
	}
	return strings.Join(parts, "; ")
}
