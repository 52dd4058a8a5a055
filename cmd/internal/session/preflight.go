package session

import (
	"slices"
	"strings"

	"hookwatch/cmd/internal/notify"
	"hookwatch/config"
	"hookwatch/suites"
)

// preflight lets a full run begin with what it requires. Where suites check
// that, all else waits behind them.
func (s *Session) preflight() {
	tools, checks := s.p.Requirements()
	if len(checks) == 0 {
		s.refuse(s.absent(tools))
		return
	}
	for _, c := range s.queue.Clear() {
		if c.Check == nil {
			s.current.behind = append(s.current.behind, c)
		} else {
			s.enqueue(c)
		}
	}
}

// passPreflight lets what waits go on once the required checks hold, or else
// ends the run when the other checks are done, too.
func (s *Session) passPreflight() {
	if len(s.current.behind) == 0 {
		return
	}
	tools, checks := s.p.Requirements()
	if slices.ContainsFunc(checks, func(c *suites.Case) bool { return s.pending(c.Key()) }) {
		return
	}
	reasons, missing := s.failedChecks(checks)
	if why, absent := s.absent(tools); why != "" {
		reasons, missing = append(reasons, why), append(missing, absent...)
	}
	if len(reasons) > 0 && s.p.Config.Preflight.Policy == config.PreflightAbort && s.underway() {
		return
	}
	if s.refuse(strings.Join(reasons, ", "), missing) {
		return
	}
	behind := s.current.behind
	s.current.behind = nil
	for _, c := range behind {
		s.enqueue(c)
	}
}

// failedChecks says of each required check that failed what it lacks.
func (s *Session) failedChecks(checks []*suites.Case) (reasons, missing []string) {
	for _, c := range checks {
		v, ran := s.current.own[c.Key()]
		switch {
		case !ran || v.Status != suites.Fail:
		case strings.HasPrefix(v.Note, suites.AbsentNote(c.Check.Tool)):
			reasons = append(reasons, c.ID+" "+c.Check.Tool+" absent")
			missing = append(missing, c.Check.Tool)
		default:
			reasons = append(reasons, c.ID+" "+v.Note)
		}
	}
	return reasons, missing
}

// absent says which of the tools are not there.
func (s *Session) absent(tools []string) (why string, missing []string) {
	for _, t := range s.tools.Find(tools) {
		if !t.Present() {
			missing = append(missing, t.Name)
		}
	}
	if len(missing) == 0 {
		return "", nil
	}
	return "preflight: required and absent: " + strings.Join(missing, ", "), missing
}

// refuse aborts the run for a reason, if there is one and the project does not
// merely want to know.
func (s *Session) refuse(why string, missing []string) bool {
	switch {
	case why == "":
		return false
	case s.p.Config.Preflight.Policy == config.PreflightReport:
		if !strings.HasPrefix(why, "preflight: ") {
			why = "preflight: " + why
		}
		s.o.View.Handle(notify.Warning{Text: why})
		return false
	}
	s.current.missing = missing
	s.abort(why)
	return true
}
