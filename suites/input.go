package suites

// An Input is one thing a case's verdict depends on: a file, or one section of
// it, with the digest of its content when it was read.
type Input struct {
	Path    string `json:"path"`              // slash path from the project's root
	Section string `json:"section,omitempty"` // "" for the whole file
	Digest  string `json:"digest"`            // "" when the file or section does not exist
	Because string `json:"because"`           // why the case depends on it, in a few words
	By      By     `json:"by,omitempty"`      // what makes it one; the strongest where several do
}

// By tells what makes a file or a section an input of a case. Traces may exempt
// a case an edit of what its hooks merely reach.
type By string

// What makes inputs, the weakest first.
const (
	Reached By = ""       // its hooks run, source or name it, or find it where they look
	Marked  By = "marker" // a marker names it
	Needed  By = "case"   // the case itself names it, or depends on all of it
)

// Name formats the input as "path" or "path §section".
func (i Input) Name() string {
	if i.Section == "" {
		return i.Path
	}
	return i.Path + " §" + i.Section
}
