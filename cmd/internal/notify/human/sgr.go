package human

// A style is how a piece of text looks on a terminal that shows colour.
type style int

const (
	plain style = iota
	bold
	dim
	red
	green
	yellow
	whole // plain, and never broken: to be copied
)

// sgr holds each style's SGR parameters. A table of our own, because lipgloss
// costs 0.22 ms of package initialisation at every start of the program, of a
// re-executed one too, and that initialisation runs "tmux info" when it finds
// itself inside tmux: a second if tmux takes a second to answer.
var sgr = [...]string{bold: "1", dim: "2", red: "1;31", green: "32", yellow: "33"}

// paint wraps text, which must be clean, in the style's sequences.
func (s style) paint(text string) string {
	if s == plain || s == whole || text == "" {
		return text
	}
	return "\x1b[" + sgr[s] + "m" + text + "\x1b[m"
}
