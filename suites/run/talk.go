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

// A Part is one turn, made when it is its turn: what the one before left counts.
type Part struct {
	Make func() (live.Turn, error) // places what the turn needs
	Done func()                    // looks at what it left
	// Questions tells whether hooks answer a permission question of this tool.
	Questions func(tool string) bool
}

// talk is the conversation with a running client: what is said to it, and what it
// prints.
type talk struct {
	parts  []Part
	server *server
	next   live.Turn // of the part that comes

	stdin   io.Writer
	lines   chan live.Line // closed when the client prints no more
	version string
	garbage string
	seen    []live.Seen
	err     error
}

const (
	longestLine = 16 << 20
	mostPrinted = 64 << 20
	// hookGrace is how long the client may take to withdraw a question that a hook
	// has answered.
	hookGrace = 300 * time.Millisecond
	// hookPatience is how long hooks may take to answer one.
	hookPatience = 30 * time.Second
)

// hold is called with the client's stdin and stdout, and returns when there is
// nothing more to say.
func (t *talk) hold(stdin io.WriteCloser, stdout io.Reader) {
	t.stdin, t.lines = stdin, make(chan live.Line)
	go t.listen(stdout)
	for i := range t.parts {
		if !t.turn(i) {
			break
		}
	}
	_ = stdin.Close()
	for range t.lines { // until it is gone
	}
}

// listen reads lines until there are none, or until one is none.
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

// turn plays one part and tells whether there can be another.
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
		heard, _ := t.server.heard()
		seen.Before = append(seen.Before, len(heard))
		if _, err := t.stdin.Write(live.Prompt(prompt)); err != nil {
			return false
		}
		if over = t.until(&seen, i, live.Over); over && n == 0 && turn.Adds != "" {
			_, _ = t.stdin.Write(live.Add(turn.Adds)) // a client that is gone prints no more either
			over = t.until(&seen, i, live.Heeded)
		}
		if !over {
			break
		}
	}
	seen.Heard, seen.Tested = t.server.heard()
	t.seen = append(t.seen, seen)
	t.parts[i].Done()
	return over
}

// until reads lines up to one of a kind, which ends what the client was asked for, and
// answers what the client asks.
func (t *talk) until(seen *live.Seen, part int, end live.Kind) (over bool) {
	for l := range t.lines {
		if over = t.take(seen, part, l); over || l.Kind == end {
			return true
		}
	}
	return false
}

// take notes a line and reports whether it ends the turn.
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

// permission answers a question, unless a hook answers it first.
func (t *talk) permission(seen *live.Seen, part int, asks live.Line) (over bool) {
	if t.parts[part].Questions(asks.Tool) {
		answered, over := t.byHook(seen, part, asks)
		if answered || over {
			return over
		}
	}
	_, tested := t.server.heard()
	answer := live.Permit(asks)
	if asks.ToolUse == tested && !seen.Turn.Allow && !seen.Halts() {
		answer = live.Refuse(asks)
	}
	_, _ = t.stdin.Write(answer) // a client that is gone prints no more either
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
			case l.Hook.Event != client.Answering().Name:
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

// complete reports whether every part came to its end.
func (t *talk) complete() bool {
	if len(t.seen) < len(t.parts) {
		return false
	}
	last := t.seen[len(t.seen)-1]
	return slices.ContainsFunc(last.Lines, func(l live.Line) bool { return l.Kind == live.Over })
}

// readLog gives what the debug log tells of an event's hooks to the one part that is
// about the event.
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
