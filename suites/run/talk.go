package run

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"time"

	"hookwatch/suites/client"
	"hookwatch/suites/live"
)

// A Part is one turn. It is created when it begins, because it depends on the files that the
// previous one left.
type Part struct {
	Make func() (live.Turn, error) // places the files of the turn
	Done func()                    // records the files that the turn left
	// Joins reports that the turn tests a call, which can follow another in one session.
	Joins bool
	// Questions reports whether hooks answer permission questions for this tool.
	Questions func(tool string) bool
}

// A talk is the conversation with a running client: its input and its output lines.
type talk struct {
	parts  []Part
	server *server
	next   live.Turn // of the next part

	stdin   io.Writer
	lines   chan live.Line // closed at the end of the client's output
	version string
	garbage string
	seen    []live.Seen
	err     error
}

const (
	longestLine = 16 << 20
	mostPrinted = 64 << 20
	// hookGrace is how long the client may take to withdraw a question after a hook has answered
	// it.
	hookGrace = 300 * time.Millisecond
	// hookPatience is how long hooks may take to answer a question.
	hookPatience = 30 * time.Second
)

// hold plays the parts through the client's stdin and stdout, and returns when the client has ended
// its output.
func (t *talk) hold(stdin io.WriteCloser, stdout io.Reader) {
	t.stdin, t.lines = stdin, make(chan live.Line)
	go t.listen(stdout)
	for i := range t.parts {
		if !t.turn(i) {
			break
		}
	}
	_ = stdin.Close()
	for range t.lines { // wait for the client to exit
	}
}

// listen reads lines until the end of the output or an invalid line.
func (t *talk) listen(stdout io.Reader) {
	defer close(t.lines)
	lines := bufio.NewScanner(stdout)
	lines.Buffer(make([]byte, 0, 64<<10), longestLine)
	printed := 0
	for lines.Scan() {
		if len(lines.Bytes()) == 0 {
			continue
		}
		if printed += len(lines.Bytes()); printed > mostPrinted {
			t.garbage = fmt.Sprintf("more than %d MiB", mostPrinted>>20)
			return
		}
		l, err := live.ReadLine(lines.Bytes())
		if err != nil {
			const most = 120
			t.garbage = string(lines.Bytes()[:min(most, len(lines.Bytes()))])
			return
		}
		t.lines <- l
	}
	if err := lines.Err(); err != nil {
		t.garbage = err.Error()
	}
}

// turn plays one part and reports whether another can follow.
func (t *talk) turn(i int) bool {
	turn := t.next
	if i > 0 {
		if turn, t.err = t.parts[i].Make(); t.err != nil {
			return false
		}
	}
	if turn.Again {
		last := t.seen[i-1]
		last.Turn.Event, last.Turn.Value, last.Nth = turn.Event, turn.Value, last.Nth+1
		t.seen = append(t.seen, last)
		t.parts[i].Done()
		return true
	}
	t.server.script(turn)
	seen := live.Seen{Turn: turn}
	over := true
	for n, prompt := range turn.Prompts {
		heard, _ := t.server.requests()
		seen.Before = append(seen.Before, len(heard))
		if _, err := t.stdin.Write(live.Prompt(prompt)); err != nil {
			return false
		}
		if over = t.until(&seen, i, live.Over); over && n == 0 && turn.Adds != "" {
			_, _ = t.stdin.Write(live.Add(turn.Adds)) // if the client is gone, its output ends as well
			over = t.until(&seen, i, live.RequestAnswered)
		}
		if !over {
			break
		}
	}
	seen.Heard, seen.Tested = t.server.requests()
	t.seen = append(t.seen, seen)
	t.parts[i].Done()
	return over
}

// until reads lines up to one of the given kind, or the end of the turn, and answers the client's
// questions. It reports whether it reached such a line.
func (t *talk) until(seen *live.Seen, part int, end live.Kind) (over bool) {
	for l := range t.lines {
		if over = t.take(seen, part, l); over || l.Kind == end {
			return true
		}
	}
	return false
}

// take records a line, answers it if it is a question, and reports whether it ends the turn.
func (t *talk) take(seen *live.Seen, part int, l live.Line) (over bool) {
	if l.Kind != live.Other {
		seen.Lines = append(seen.Lines, l)
	}
	switch l.Kind {
	case live.Began:
		t.version = l.Version
		t.server.follow(l.Session)
	case live.Asks:
		return t.permission(seen, part, l)
	case live.Elicits:
		_, _ = t.stdin.Write(live.Cancel(l))
	case live.Over:
		return true
	}
	return false
}

// permission answers a permission question, unless a hook answers it first.
func (t *talk) permission(seen *live.Seen, part int, asks live.Line) (over bool) {
	if t.parts[part].Questions(asks.Tool) {
		answered, over := t.byHook(seen, part, asks)
		if answered || over {
			return over
		}
	}
	_, tested := t.server.requests()
	answer := live.Permit(asks)
	if asks.ToolUse == tested && !seen.Turn.Allow && !seen.Halts() {
		answer = live.Refuse(asks)
	}
	_, _ = t.stdin.Write(answer) // if the client is gone, its output ends as well
	return false
}

// byHook waits for the hooks that may answer a question.
func (t *talk) byHook(seen *live.Seen, part int, asks live.Line) (answered, over bool) {
	wait := time.NewTimer(hookPatience)
	defer wait.Stop()
	running := 0
	for {
		select {
		case l, ok := <-t.lines:
			if !ok {
				return true, false
			}
			if over := t.take(seen, part, l); over {
				return true, true
			}
			switch {
			case l.Kind == live.Withdrawn && l.Request == asks.Request:
				return true, false
			case l.Hook.Event != client.PermissionEvent().Name:
			case l.Kind == live.HookStarted:
				running++
			case l.Kind == live.HookEnded:
				if running--; running <= 0 {
					wait.Reset(hookGrace)
				}
			}
		case <-wait.C:
			return false, false
		}
	}
}

// complete reports whether every part was played to its end.
func (t *talk) complete() bool {
	if len(t.seen) < len(t.parts) {
		return false
	}
	last := t.seen[len(t.seen)-1]
	return slices.ContainsFunc(last.Lines, func(l live.Line) bool { return l.Kind == live.Over })
}

// readLog adds the debug log's entries for an event to the part with this event, if there is only
// one.
func (t *talk) readLog(log []live.Logged) {
	for i := range t.seen {
		s := &t.seen[i]
		about, _ := client.EventByName(s.Turn.Event)
		same := 0
		for _, o := range t.seen {
			if o.Turn.Event == s.Turn.Event {
				same++
			}
		}
		for _, l := range log {
			if same == 1 && l.Event == s.Turn.Event && (s.Turn.Value == "" || l.Value == "" || l.Value == s.Turn.Value || about.BaseName) {
				s.Log = append(s.Log, l)
			}
		}
	}
}
