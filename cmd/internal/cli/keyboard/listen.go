package keyboard

import (
	"os"

	"hookwatch/cmd/internal/cli/terminal"
	"hookwatch/cmd/internal/engine"
	"hookwatch/cmd/internal/notify"
)

// Listen gives what the keys of a terminal ask for until the session is done. It ends
// with the process: a read of a terminal cannot be called off.
func Listen(t *terminal.Terminal, done <-chan struct{}) <-chan engine.Command {
	l := &listener{terminal: t, commands: make(chan engine.Command), done: done}
	go t.Each(l.press)
	go l.follow()
	return l.commands
}

// follow shows the session again for each new size of the terminal.
func (l *listener) follow() {
	resized, stop := terminal.Resizes()
	defer stop()
	for {
		select {
		case <-resized:
			if !l.send(engine.Show{Event: notify.Resized{}}) {
				return
			}
		case <-l.done:
			return
		}
	}
}

type listener struct {
	Keyboard
	terminal *terminal.Terminal
	commands chan engine.Command
	done     <-chan struct{}
}

func (l *listener) press(key terminal.Key) (more bool) {
	switch {
	case key == terminal.CtrlZ:
		return l.stop()
	case !l.Typing() && (key == 'e' || key == 'E'):
		return l.edit(key == 'E')
	}
	for _, c := range l.Press(key) {
		if !l.send(c) {
			return false
		}
	}
	return true
}

func (l *listener) send(c engine.Command) bool {
	select {
	case l.commands <- c:
		return true
	case <-l.done:
		return false
	}
}

// wait waits for an answer to what was sent.
func (l *listener) wait(answer <-chan struct{}) bool {
	select {
	case <-answer:
		return true
	case <-l.done:
		return false
	}
}

// edit lends the terminal to the person's editor. Saves are followed meanwhile.
func (l *listener) edit(ofCase bool) bool {
	at, seen := new(notify.Place), make(chan struct{})
	if !l.send(engine.Show{Event: notify.Edit{Case: ofCase, At: at}, Done: seen}) || !l.wait(seen) {
		return false
	}
	if at.File == "" {
		return true
	}
	err := l.terminal.Lend(func() error { return terminal.Run(editor(os.Getenv, *at)) })
	if !l.send(engine.Show{Event: notify.Returned{}}) {
		return false
	}
	if err != nil {
		return l.send(engine.Show{Event: notify.Warning{Text: "the editor of $VISUAL or $EDITOR: " + err.Error()}})
	}
	return true
}

// stop stops the program until a shell's fg, once no case runs.
func (l *listener) stop() bool {
	still, goOn := make(chan struct{}), make(chan struct{})
	if !l.send(engine.Halt{Still: still, Go: goOn}) || !l.wait(still) {
		return false
	}
	err := l.terminal.Lend(terminal.Stop)
	close(goOn)
	return err == nil || l.send(engine.Show{Event: notify.Warning{Text: "not stopped: " + err.Error()}})
}
