package cli

import (
	"fmt"
	"strconv"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/live"
)

// An otherCell is a measured cell of another client than Claude Code.
type otherCell struct {
	of clients.Client
	clients.Cell
}

// ID identifies the cell by the client's name of its event and by its case.
func (c otherCell) ID() string { return client.Cell{Event: c.Event, Case: c.Case}.ID() }

// otherQuestions returns the cells of another client.
func otherQuestions(of clients.Client) (all []question, err error) {
	cells, err := of.Cells()
	for _, c := range cells {
		all = append(all, otherCell{of, c})
	}
	return all, err
}

// An otherSession is a client with one hook, which plays the cells of one event.
type otherSession []otherCell

// otherSessions distributes cells over sessions. A time limit is part of the hook's entry, so that
// cells that run into it have sessions of their own.
func otherSessions(all []otherCell) (plays []play) {
	open := map[string]int{} // index in sessions
	var sessions []otherSession
	for _, c := range all {
		key := c.Event + strconv.FormatBool(c.Output.TimedOut)
		at, ok := open[key]
		if !ok || len(sessions[at]) == most {
			at = len(sessions)
			open[key], sessions = at, append(sessions, nil)
		}
		sessions[at] = append(sessions[at], c)
	}
	for _, s := range sessions {
		plays = append(plays, s)
	}
	return plays
}

func (s otherSession) ids() (ids []string) {
	for _, c := range s {
		ids = append(ids, c.ID())
	}
	return ids
}

func (s otherSession) hooksAnswer() bool { return false }

func (s otherSession) asCase(number int) *suites.Case {
	of, limit := s[0].of, 20*time.Second
	if s[0].Output.TimedOut {
		limit = time.Second
	}
	file, content := of.Register(s[0].Event, otherCommand, limit)
	c := &suites.Case{
		Suite: "contract", ID: fmt.Sprintf("%s-%d", s[0].Event, number), Name: s[0].Event, Layer: suites.Live, Chain: true,
		Timeout: 10 * time.Minute,
		Project: &suites.ProjectOverride{Files: map[string]string{file: string(content), "answer.sh": answers}},
	}
	for i, cell := range s {
		st := live.WayTo(of.Events[cell.Event].As).Step
		st.Event, st.Payload = of.Events[cell.Event].As, nil
		st.Fixtures = next(i, cell.Output)
		st.Expect.Files = []suites.FileExpectation{{Path: taken}}
		c.Steps = append(c.Steps, st)
	}
	return c
}

const otherCommand = "sh answer.sh"

func (s otherSession) judge(i int, r suites.Result, named func(string) string) []contractRow {
	c := s[i]
	j := client.Cell{Event: c.of.Events[c.Event].As, Output: c.Output}.Against(c.of.Interpret(c.Event, c.Output).Reading(), client.Observation{
		Command: otherCommand, Answered: string(r.Files[taken]) == strconv.Itoa(i), Effect: r.Effect, Texts: namedTexts(r, named),
	})
	return judgementRows(c.ID(), j)
}
