package suites

// A ChangeKind is what happened to a file.
type ChangeKind string

// The kinds of changes.
const (
	Created ChangeKind = "created"
	Changed ChangeKind = "changed"
	Deleted ChangeKind = "deleted"
	// Untouched is no change; it can be expected.
	Untouched ChangeKind = "none"
)

// A Change is a file that a case created, changed or deleted. Its path starts
// with {tmp}, {override}, {project} or ~ where the file lies in one of them; that
// of a directory ends with a slash, and counts only where nothing in it does.
type Change struct {
	Kind ChangeKind `json:"kind"`
	Path string     `json:"path"`
	Size int64      `json:"size"` // bytes; 0 when deleted
}
