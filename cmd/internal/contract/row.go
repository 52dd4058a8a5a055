package contract

// A Verdict is what became of a cell.
type Verdict string

// The verdicts.
const (
	Confirmed    Verdict = "confirmed"
	Changed      Verdict = "changed"
	NotReachable Verdict = "not reachable"
)

// A Row is one question with its verdict. Of an output predicted and seen are effects; of
// a matcher whether the hook runs, and of a settings file which of its hooks do.
type Row struct {
	ID        string  `json:"id"`
	Verdict   Verdict `json:"verdict"`
	Predicted string  `json:"predicted,omitempty"`
	Seen      string  `json:"seen,omitempty"`
	Because   string  `json:"because,omitempty"` // of a question that is not confirmed
}
