package suites

// A Severity says how much a rule's finding weighs.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // as things stand, the hook does not do what it means to
	Warning Severity = "warning" // it may not, once the path, the machine or the input is another
	Info    Severity = "info"
)

// A Rule is something that can be said of a hook, and explained by its ID.
type Rule struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	What     string   `json:"what"`             // what the rule is about
	Client   string   `json:"client"`           // what the client does
	Remedy   string   `json:"remedy,omitempty"` // what to do about it; empty where nothing is wrong
	Observed []string `json:"observed"`         // versions of the client on which that was seen; none: documented
}
