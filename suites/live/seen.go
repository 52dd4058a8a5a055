package live

import (
	"cmp"
	"slices"
	"strings"
)

// Seen is what the client did in one turn.
type Seen struct {
	Turn   Turn
	Lines  []Line
	Heard  []Heard
	Before []int  // of each prompt: how much of Heard came before it
	Tested string // ID of the call that the step is about; "" when it was not made
	Log    []Logged
	Nth    int     // which firing of the event in this turn the step is about, from 0
	Saw    []Fired // by witnesses, of an event of whose hooks the client prints nothing
}

// Fired are the hooks of the firing that the step is about.
func (s *Seen) Fired() []HookLine {
	if len(s.Saw) > 0 {
		lines := make([]HookLine, len(s.Saw))
		for i, f := range s.Saw {
			lines[i] = f.HookLine
		}
		return lines
	}
	firings := s.firings()
	if s.Nth >= len(firings) {
		return nil
	}
	return firings[s.Nth]
}

// firings are the hooks of the step's event, those that ran side by side together.
func (s *Seen) firings() [][]HookLine {
	var all [][]HookLine
	running := 0
	place := make(map[string]int) // in the last firing, by ID
	for _, l := range s.Lines {
		h := l.Hook
		if h.Event != s.Turn.Event || s.Turn.Value != "" && h.Name != h.Event && h.Name != h.Event+":"+s.Turn.Value {
			continue
		}
		switch l.Kind {
		case HookStarted:
			if running == 0 {
				all = append(all, nil)
				place = make(map[string]int)
			}
			running++
			last := len(all) - 1
			place[h.ID] = len(all[last])
			all[last] = append(all[last], h)
		case HookEnded:
			at, started := place[h.ID]
			if !started { // not announced, as at a start
				all = append(all, []HookLine{h})
				place = make(map[string]int)
				continue
			}
			running--
			all[len(all)-1][at] = h
		}
	}
	return all
}

// Texts are what the model was told since the moment that the step is about.
func (s *Seen) Texts() []string {
	var out []string
	for _, h := range s.heard() {
		out = append(out, h.Texts...)
	}
	return out
}

// heard are the requests that can hold words of the step's hooks: those after the call or
// the prompt by which the event comes. After the end of the session there is none.
func (s *Seen) heard() []Heard {
	heard := s.Heard
	switch {
	case s.Turn.Event == "SessionEnd":
		return nil
	case s.Turn.From < len(s.Before):
		heard = heard[s.Before[s.Turn.From]:]
	}
	return slices.DeleteFunc(slices.Clone(heard), func(h Heard) bool { return h.Origin == Nested || h.Origin == Check || s.Tested != "" && !h.After })
}

// first is what the client first sent the model for itself.
func (s *Seen) first() string {
	for _, h := range s.Heard {
		if h.Origin == Main {
			return strings.Join(h.Texts, "\n")
		}
	}
	return ""
}

// models are those that the client asked first and last.
func (s *Seen) models() (first, last string) {
	for _, h := range s.Heard {
		if h.Origin == Main {
			first, last = cmp.Or(first, h.Model), h.Model
		}
	}
	return first, last
}

func (s *Seen) from(o Origin) (n int) {
	for _, h := range s.Heard {
		if h.Origin == o {
			n++
		}
	}
	return n
}

// Failed is the result of the call that the step is about, when it was an error, or why
// the client refused what it was asked to do.
func (s *Seen) Failed() string {
	if answered, ok := s.find(Answered); ok && answered.Failed {
		return answered.Text
	}
	for _, l := range s.Lines {
		if l.Kind == Heeded && l.Failed {
			return l.Text
		}
	}
	return ""
}

// find is the last line of a kind about the step's call.
func (s *Seen) find(k Kind) (found Line, ok bool) {
	for _, l := range s.Lines {
		if l.Kind == k && s.Tested != "" && l.ToolUse == s.Tested {
			found, ok = l, true
		}
	}
	return found, ok
}
