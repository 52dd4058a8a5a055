package suites

// An Input is one thing a case's verdict depends on: a file, or one section of
// it, with the digest of its content when it was read.
type Input struct {
	Path    string `json:"path"`              // slash path from the project's root
	Section string `json:"section,omitempty"` // "" for the whole file
	Digest  string `json:"digest"`            // "" when the file or section does not exist
	Because string `json:"because"`           // why the case depends on it, in a few words
}

// Name formats the input as "path" or "path §section".
func (i Input) Name() string {
	if i.Section == "" {
		return i.Path
	}
	return i.Path + " §" + i.Section
}
