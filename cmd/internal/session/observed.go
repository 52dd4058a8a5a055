package session

import (
	"fmt"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/disk"
	"hookwatch/suites/record"
)

// An observation is the part of the evidence of a case that every selection needs: reading
// thousands of evidence files to find out that nothing changed would take too long.
type observation struct {
	of    string        // digest of the inputs that the verdict records
	now   string        // digest of the observed inputs that the verdict applies to
	paths []string      // that the case used
	used  []suites.Tool // programs that it ran or searched for; cases with equal ones share them
	// lapsed reports that the case was started on other content and has no verdict for it yet,
	// earlier that it has one and no trace of it: until then the paths are inputs in addition to
	// those of its scripts, because a script that no analysis found must still select the case.
	lapsed, earlier bool
}

// observations are those of all cases. They are read when they are first needed.
type observations struct {
	records func() storedContents
	byCase  map[suites.Key]observation // nil until they are read
	used    map[string][]suites.Tool   // see observation, by all their fields
	// replaced are the names of those of used that differ now, by their first; see ReplacedTools.
	replaced map[*suites.Tool][]string
	unsaved  bool
}

func (o *observations) all() map[suites.Key]observation {
	if o.byCase != nil {
		return o.byCase
	}
	kept := o.records().ReadObserved()
	o.byCase = make(map[suites.Key]observation, len(kept.Cases))
	used := kept.UsedTools()
	for _, list := range kept.Programs {
		o.share(list)
	}
	for _, c := range kept.Cases {
		if c.Set >= 0 && c.Set < len(kept.Sets) {
			o.byCase[c.Key] = observation{of: c.Of, now: c.Now, paths: kept.Sets[c.Set], used: used[c.Key], earlier: c.Earlier}
		}
	}
	return o.byCase
}

// share returns the list that cases with equal programs share.
func (o *observations) share(used []suites.Tool) []suites.Tool {
	id := fmt.Sprint(used)
	if one, known := o.used[id]; known {
		return one
	}
	o.used[id] = used
	return used
}

func (o *observations) put(k suites.Key, one observation) {
	o.all()[k] = one
	o.unsaved = true
}

// hold records that the verdict of an observed case applies to other inputs, too.
func (o *observations) hold(k suites.Key, of, now string) {
	if one, ok := o.all()[k]; ok {
		one.of, one.now, one.earlier, one.lapsed = of, now, one.earlier || one.lapsed, false
		o.put(k, one)
	}
}

func (o *observations) save(to contentKeeper) {
	if !o.unsaved {
		return
	}
	kept := record.Observed{}
	sets := make(map[string]int)
	programs := make(map[*suites.Tool]int)
	for k, one := range o.byCase {
		id := strings.Join(one.paths, "\x00")
		set, known := sets[id]
		if !known {
			set = len(kept.Sets)
			sets[id], kept.Sets = set, append(kept.Sets, one.paths)
		}
		c := record.ObservedCase{Key: k, Of: one.of, Now: one.now, Set: set, Earlier: one.earlier}
		if len(one.used) > 0 {
			if programs[&one.used[0]] == 0 {
				kept.Programs = append(kept.Programs, one.used)
				programs[&one.used[0]] = len(kept.Programs)
			}
			c.Used = programs[&one.used[0]]
		}
		kept.Cases = append(kept.Cases, c)
	}
	slices.SortFunc(kept.Cases, func(a, b record.ObservedCase) int { return strings.Compare(a.Key.String(), b.Key.String()) })
	o.unsaved = to.KeepObserved(kept) != nil
}

// Unobserve discards the observed paths of a case, so that its scripts determine its inputs.
func (s *selector) Unobserve(k suites.Key) {
	if _, ok := s.observed.all()[k]; ok {
		delete(s.observed.byCase, k)
		s.observed.unsaved = true
		s.graph.Observe(k, nil, false)
	}
}

// AppliedDigest returns the digest of the inputs that a recorded verdict applies to: the one that it
// records, or that of the inputs that were observed since.
func (s *selector) AppliedDigest(k suites.Key, recorded string) string {
	if one, ok := s.observed.all()[k]; ok && one.of == recorded {
		return one.now
	}
	return recorded
}

// UsedTools returns the programs that a case was seen to run or to search for, nil if they are not known.
func (s *selector) UsedTools(k suites.Key) []suites.Tool { return s.observed.all()[k].used }

// ReplacedTools returns the names of the programs that a case was seen to use and that appeared,
// vanished or were replaced since. Each program is looked at once until LookAgain.
func (s *selector) ReplacedTools(k suites.Key) []string {
	used := s.UsedTools(k)
	if len(used) == 0 {
		return nil
	}
	names, known := s.observed.replaced[&used[0]]
	if known {
		return names
	}
	for _, t := range used {
		if t.Path != "" && disk.ProgramDigest(t.Path) != t.Digest {
			names = append(names, t.Name)
		}
	}
	s.observed.replaced[&used[0]] = names
	return names
}

// LookAgain makes ReplacedTools look at the programs again.
func (s *selector) LookAgain() { clear(s.observed.replaced) }

// Starting must be called before a case runs. If its definition, tools or observed inputs have
// changed since they were observed, it may use other files now.
func (s *selector) Starting(c *suites.Case, now suites.Digests) {
	k := c.Key()
	one, ok := s.observed.all()[k]
	if !ok {
		return
	}
	was := s.memory.of(k).Digests
	s.Release(k)
	if one.now != now.Inputs || was.Case != now.Case || was.Tools != now.Tools || len(s.ReplacedTools(k)) > 0 {
		one.lapsed = true
		s.observed.byCase[k] = one // on disk it stays, in case there will be no verdict
		s.graph.Observe(k, one.paths, true)
	}
}

// Conclude must be called with the digests of a new verdict. The evidence of an earlier one for
// the same content applies to it.
func (s *selector) Conclude(k suites.Key, d suites.Digests) {
	one, ok := s.observed.all()[k]
	switch {
	case !ok:
	case one.lapsed:
		s.observed.put(k, observation{of: d.Inputs, now: d.Inputs, paths: one.paths, earlier: true})
		s.memory.put(k, &caseEvidence{})
	case one.of != d.Inputs:
		e := *s.memory.of(k)
		e.Digests = d
		s.memory.put(k, &e)
		s.observed.hold(k, d.Inputs, one.now)
	}
}
