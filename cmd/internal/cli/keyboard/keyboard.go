// Package keyboard makes of keys what a watching engine is asked for.
package keyboard

import (
	"hookwatch/cmd/internal/cli/terminal"
	"hookwatch/cmd/internal/engine"
	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
)

// A Keyboard knows what a person is about: keys mean others while a filter is typed.
type Keyboard struct {
	filter notify.Filter // that holds
	typing *notify.Filter
}

// longest bounds a pattern.
const longest = 200

// Press makes commands of a key. That the terminal is to be lent to an editor, or the
// program to be stopped, is for the caller to see to.
func (k *Keyboard) Press(key terminal.Key) []engine.Command {
	if k.typing != nil {
		return k.typed(key)
	}
	switch key {
	case 'a':
		if k.filter == (notify.Filter{}) {
			return []engine.Command{engine.RunAll}
		}
		return []engine.Command{k.set(notify.Filter{}), engine.RunAll}
	case 'f':
		return []engine.Command{engine.RunFailed}
	case terminal.Enter, 'r':
		return []engine.Command{engine.RunAgain}
	case 't':
		return k.begin(notify.ByName)
	case 'p':
		return k.begin(notify.ByFile)
	case 'o':
		return show(notify.OnlyFailures{})
	case 'v':
		return show(notify.Whole{})
	case 'n', terminal.Down:
		return []engine.Command{engine.Failures{By: 1}}
	case 'N', terminal.Up:
		return []engine.Command{engine.Failures{By: -1}}
	case 'c':
		return show(notify.Clear{})
	case '?', 'h':
		return show(notify.Help{})
	case terminal.Escape:
		if k.filter == (notify.Filter{}) {
			return []engine.Command{engine.Cancel}
		}
		return []engine.Command{engine.Cancel, k.set(notify.Filter{})}
	case 'q', terminal.CtrlC, terminal.CtrlD:
		return []engine.Command{engine.Quit}
	default:
		return nil
	}
}

func show(e notify.Event) []engine.Command { return []engine.Command{engine.Show{Event: e}} }

func (k *Keyboard) set(f notify.Filter) engine.Command {
	k.filter = f
	return engine.Show{Event: notify.Filtered{Filter: f}}
}

func (k *Keyboard) begin(by notify.FilterBy) []engine.Command {
	k.typing = &notify.Filter{By: by}
	return []engine.Command{k.asTyped()}
}

func (k *Keyboard) asTyped() engine.Command {
	return engine.Typed{By: k.typing.By, Pattern: k.typing.Pattern, Lets: lets(*k.typing)}
}

// typed takes a key of a pattern that is typed.
func (k *Keyboard) typed(key terminal.Key) []engine.Command {
	f := k.typing
	switch {
	case key == terminal.CtrlC, key == terminal.CtrlD:
		return []engine.Command{engine.Quit}
	case key == terminal.Escape:
		k.typing = nil
		return show(notify.Untyped{})
	case key == terminal.Enter && f.Pattern == "":
		k.typing = nil
		return []engine.Command{k.set(notify.Filter{})}
	case key == terminal.Enter:
		k.typing = nil
		return []engine.Command{k.set(*f), lets(*f)}
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
	return []engine.Command{k.asTyped()}
}

func lets(f notify.Filter) engine.Matching {
	return func(c *suites.Case) bool { return f.Lets(c.Key(), c.Name, c.Hook, c.At.String()) }
}

// Typing reports whether keys are letters of a pattern.
func (k *Keyboard) Typing() bool { return k.typing != nil }
