package suites

// A Severity is the weight of a rule's finding.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // the hook currently does not work as intended
	Warning Severity = "warning" // it may fail with another path, machine or input
	Info    Severity = "info"
)

// A Rule is a check of hooks that is explained by its ID.
type Rule struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	What     string   `json:"what"`             // the subject of the rule
	Client   string   `json:"client"`           // the client's behaviour
	Remedy   string   `json:"remedy,omitempty"` // the fix; empty if nothing is wrong
	Observed []string `json:"observed"`         // client versions with which it was observed; none: documented
}
