package suites

// A Deny is an input that a person says a hook must stop.
type Deny struct {
	At   Position
	Hook string // its ID, or a part of its command or of its script's path
	Tool string // "": Bash for a command, one that writes for a file
	// What is sent, one of them.
	Command, File, Prompt string
}

// Input is what is sent, in a few words.
func (d Deny) Input() string { return d.Command + d.File + d.Prompt }
