package cli

import (
	"cmp"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"hookwatch/cmd/internal/cli/terminal"
	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
)

// editor returns the command that opens a place in the editor named by the environment. The shell
// splits the variable into words, as git does.
func editor(getenv func(string) string, at session.Place) []string {
	words := cmp.Or(getenv("VISUAL"), getenv("EDITOR"), "vi")
	return append([]string{"/bin/sh", "-c", words + ` "$@"`, "sh"}, opens(words, at)...)
}

// opens returns the arguments with which an editor opens a file at a line.
func opens(words string, at session.Place) []string {
	if at.Line == 0 {
		return []string{at.File}
	}
	line := strconv.Itoa(at.Line)
	program, _, _ := strings.Cut(strings.TrimSpace(words), " ")
	switch filepath.Base(program) {
	case "code", "code-insiders", "codium", "cursor", "windsurf":
		return []string{"--goto", at.File + ":" + line}
	case "subl", "zed", "hx", "helix", "atom", "mate":
		return []string{at.File + ":" + line}
	case "idea", "goland", "pycharm", "webstorm":
		return []string{"--line", line, at.File}
	default: // vi, vim, nvim, nano, emacs, emacsclient, micro, kak, joe and more
		return []string{"+" + line, at.File}
	}
}

// A keyboard converts keys into commands. It has a mode, because keys have other meanings while a
// filter is typed.
type keyboard struct {
	filter session.CaseFilter // in use
	typing *session.CaseFilter
}

// longest is the maximum length of a pattern.
const longest = 200

// Press returns the commands for a key. The caller must handle the keys that open an editor or
// suspend the program.
func (k *keyboard) Press(key terminal.Key) []session.Command {
	if k.typing != nil {
		return k.handleTyping(key)
	}
	switch key {
	case 'a':
		if k.filter == (session.CaseFilter{}) {
			return []session.Command{session.RunAll}
		}
		return []session.Command{k.set(session.CaseFilter{}), session.RunAll}
	case 'f':
		return []session.Command{session.RunFailed}
	case terminal.Enter, 'r':
		return []session.Command{session.RunAgain}
	case 'g':
		return []session.Command{session.Prove}
	case 't':
		return k.begin(session.ByName)
	case 'p':
		return k.begin(session.ByFile)
	case 'o':
		return show(session.OnlyFailures{})
	case 'v':
		return show(session.Whole{})
	case 'n', terminal.Down:
		return look(1)
	case 'N', terminal.Up:
		return look(-1)
	case 'c':
		return show(session.Clear{})
	case '?', 'h':
		return show(session.Help{})
	case terminal.Escape:
		if k.filter == (session.CaseFilter{}) {
			return []session.Command{session.Cancel}
		}
		return []session.Command{session.Cancel, k.set(session.CaseFilter{})}
	case 'q', terminal.CtrlC, terminal.CtrlD:
		return []session.Command{session.Quit}
	default:
		return nil
	}
}

// event returns a command that shows an event independent of the cases.
func event(e session.Event) session.Show {
	return session.Show{Event: func([]*suites.Case, []*suites.Case) session.Event { return e }}
}

func show(e session.Event) []session.Command { return []session.Command{event(e)} }

// look returns a command that shows the failure by places after the one shown last.
func look(by int) []session.Command {
	return []session.Command{session.Show{Event: func(_, failed []*suites.Case) session.Event {
		e := session.ShowFailure{By: by}
		for _, c := range failed {
			e.Failed = append(e.Failed, c.Key())
		}
		return e
	}}}
}

func (k *keyboard) set(f session.CaseFilter) session.Command {
	k.filter = f
	return event(session.Filtered{Filter: f})
}

func (k *keyboard) begin(by session.FilterBy) []session.Command {
	k.typing = &session.CaseFilter{By: by}
	return []session.Command{k.asTyped()}
}

// asTyped returns a command that shows the filter typed so far and the number of cases it
// selects.
func (k *keyboard) asTyped() session.Command {
	f := *k.typing
	return session.Show{Event: func(cases, _ []*suites.Case) session.Event {
		e := session.Typing{By: f.By, Pattern: f.Pattern}
		for _, c := range cases {
			if lets(f)(c) {
				e.Cases++
			}
		}
		return e
	}}
}

// handleTyping handles a key of a pattern being typed.
func (k *keyboard) handleTyping(key terminal.Key) []session.Command {
	f := k.typing
	switch {
	case key == terminal.CtrlC, key == terminal.CtrlD:
		return []session.Command{session.Quit}
	case key == terminal.Escape:
		k.typing = nil
		return show(session.Untyped{})
	case key == terminal.Enter && f.Pattern == "":
		k.typing = nil
		return []session.Command{k.set(session.CaseFilter{})}
	case key == terminal.Enter:
		k.typing = nil
		return []session.Command{k.set(*f), lets(*f)}
	case key == terminal.Backspace && f.Pattern != "":
		letters := []rune(f.Pattern)
		f.Pattern = string(letters[:len(letters)-1])
	case key == terminal.CtrlU:
		f.Pattern = ""
	case key >= ' ' && key != terminal.Backspace && len(f.Pattern) < longest:
		f.Pattern += string(rune(key))
	default:
		return nil
	}
	return []session.Command{k.asTyped()}
}

func lets(f session.CaseFilter) session.Matching {
	return func(c *suites.Case) bool { return f.Lets(c.Key(), c.Name, c.Hook, c.At.String()) }
}

// listen returns a channel with the commands of a terminal's keys until the session is done. Its
// reader ends only with the process, because a read of a terminal cannot be cancelled.
func listen(t *terminal.Terminal, done <-chan struct{}) <-chan session.Command {
	l := &listener{terminal: t, commands: make(chan session.Command), done: done}
	go t.Each(l.press)
	go l.follow()
	return l.commands
}

// follow redraws the session for each new size of the terminal.
func (l *listener) follow() {
	resized, stop := terminal.Resizes()
	defer stop()
	for {
		select {
		case <-resized:
			if !l.send(event(session.Resized{})) {
				return
			}
		case <-l.done:
			return
		}
	}
}

type listener struct {
	keyboard
	terminal *terminal.Terminal
	commands chan session.Command
	done     <-chan struct{}
}

func (l *listener) press(key terminal.Key) (more bool) {
	switch {
	case key == terminal.CtrlZ: // suspends the program until fg of the shell, once no case is running
		ready, resume := make(chan struct{}), make(chan struct{})
		if !l.send(session.Suspend{Ready: ready, Resume: resume}) || !l.wait(ready) {
			return false
		}
		err := l.terminal.Lend(terminal.Stop)
		close(resume)
		return err == nil || l.send(event(session.Warning{Text: "not stopped: " + err.Error()}))
	case l.keyboard.typing == nil && (key == 'e' || key == 'E'):
		return l.edit(key == 'E')
	}
	for _, c := range l.Press(key) {
		if !l.send(c) {
			return false
		}
	}
	return true
}

func (l *listener) send(c session.Command) bool {
	select {
	case l.commands <- c:
		return true
	case <-l.done:
		return false
	}
}

// wait waits for answer to be closed, and reports false if the session is done first.
func (l *listener) wait(answer <-chan struct{}) bool {
	select {
	case <-answer:
		return true
	case <-l.done:
		return false
	}
}

// edit lends the terminal to the user's editor. Saves are still followed meanwhile.
func (l *listener) edit(ofCase bool) bool {
	at, seen := new(session.Place), make(chan struct{})
	ask := event(session.Edit{Case: ofCase, At: at})
	ask.Done = seen
	if !l.send(ask) || !l.wait(seen) {
		return false
	}
	if at.File == "" {
		return true
	}
	err := l.terminal.Lend(func() error { return terminal.Run(editor(os.Getenv, *at)) })
	if !l.send(event(session.Resumed{})) {
		return false
	}
	if err != nil {
		return l.send(event(session.Warning{Text: "the editor of $VISUAL or $EDITOR: " + err.Error()}))
	}
	return true
}
