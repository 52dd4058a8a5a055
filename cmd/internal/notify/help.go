package notify

// Help asks a view that a person looks at to say which keys do what.
type Help struct{}

func (Help) event() {}

// A Key is one that a watching session listens to.
type Key struct {
	Key   string
	Short string // for the last line; "" where there is no room for it
	Does  string
}

// Keys lists them, the most used first.
func Keys() []Key {
	return []Key{
		{"?", "help", "show this; h does the same"},
		{"q", "quit", "end the session; so does Ctrl-C"},
		{"a", "all", "run all cases, and drop the filter"},
		{"f", "failed", "run the cases that fail now"},
		{"Enter", "again", "run the last selection again"},
		{"t", "name", "type a part of a name or ID: run those cases, and tell only of them"},
		{"p", "file", "type a part of a file: the same for its hook or its suite"},
		{"n N", "next", "show the next failure, the one before; so do the arrows down and up"},
		{"v", "whole", "show the whole output of failures, or its first and last lines"},
		{"e E", "edit", "open the hook of the failure shown last, or its case, in $VISUAL or $EDITOR"},
		{"o", "", "tell only of failures, or of all again"},
		{"Esc", "", "cancel the run; leave what is being typed; drop the filter"},
		{"c", "", "clear the screen"},
		{"Ctrl-Z", "", "stop; fg goes on, with what was saved meanwhile"},
	}
}
