package session

import (
	"slices"
	"time"

	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
	"hookwatch/suites/record"
	"hookwatch/suites/verdict"
)

// transition tells how a verdict differs from the one it is compared with: the
// case's latest in the same definition.
func (s *Session) transition(before *lastVerdict, seen bool, now suites.Record) notify.Transition {
	switch {
	case before != nil:
	case seen:
		return notify.Edited
	default:
		return notify.New
	}
	explain := func(a, b string) bool { return s.toolsExplain(now.Key(), a, b) }
	switch verdict.Turn(before.status, now.Status(), before.digests, now.Digests, explain) {
	case verdict.Regression:
		return notify.Regression
	case verdict.Resolved:
		return notify.Resolved
	case verdict.Explained:
		return notify.Explained
	case verdict.Edited:
		return notify.Edited
	default:
		return notify.Same
	}
}

// toolFacts are the digests of single tools, by the digest of the set.
type toolFacts map[string]map[string]string

// add notes a set. What an earlier environment says counts only where its tools
// really are those of the set.
func (f toolFacts) add(set string, tools []suites.Tool) {
	if suites.ToolsDigest(tools) != set {
		return
	}
	facts := make(map[string]string, len(tools))
	for _, t := range tools {
		facts[t.Name] = t.Digest
	}
	f[set] = facts
}

// toolsExplain reports whether a tool that both sets have, and that concerns the
// case, is another one now.
func (s *Session) toolsExplain(k suites.Key, before, now string) bool {
	return len(s.explaining(k, before, now)) > 0
}

func (s *Session) explaining(k suites.Key, before, now string) []string {
	return slices.DeleteFunc(s.changedTools(before, now), func(tool string) bool { return !s.p.Concerns(k, tool) })
}

// toolChanged reports whether a tool of the set before is another one now. A set
// of which nothing is known may have changed.
func (s *Session) toolChanged(before, now string) bool {
	return s.facts[before] == nil || s.facts[now] == nil || len(s.changedTools(before, now)) > 0
}

// changedTools lists the tools that both sets have and that are others now: a
// tool that only one of them has is the doing of whoever edited the hook.
func (s *Session) changedTools(before, now string) []string {
	was, is := s.facts[before], s.facts[now]
	var changed []string
	for name, digest := range was {
		if other, both := is[name]; both && other != digest {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}

// recallTools takes over what is on record of the tools of verdicts. Earlier gives
// what tools there were before, the latest last; it is asked only where the latest
// environment does not know all.
func (s *Session) recallTools(env suites.Environment, earlier func() []suites.Environment) {
	lacking := make(map[string][]string)
	for set, names := range env.CaseTools {
		if s.facts.add(set, env.ToolSet(names)); s.facts[set] == nil {
			lacking[set] = names
		}
	}
	if len(lacking) == 0 || earlier == nil {
		return
	}
	for _, then := range slices.Backward(earlier()) {
		for set, names := range lacking {
			if s.facts.add(set, then.ToolSet(names)); s.facts[set] != nil {
				delete(lacking, set)
			}
		}
	}
}

// earlierTools are what tools there were, as far as it is on record.
func (s *Session) earlierTools() []suites.Environment {
	if s.o.Store == nil {
		return nil
	}
	earlier, _ := s.o.Store.Tools() // what cannot be read explains nothing
	return earlier
}

// RunOf makes a recorded run ready to be compared.
func RunOf(s *record.Snapshot) verdict.Run {
	r := verdict.Run{ID: s.Environment.RunID, Records: s.Records, Env: s.Environment}
	r.Time, _ = time.Parse(suites.TimestampLayout, s.Environment.Time)
	if len(s.Records) > 0 && r.ID == "" {
		r.ID = s.Records[0].RunID
	}
	return r
}
