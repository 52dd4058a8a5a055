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
	ID       string
	Severity Severity
	What     string   // what the rule is about
	Client   string   // what the client does
	Remedy   string   // what to do about it; empty where nothing is wrong
	Observed []string // versions of the client on which that was seen; none: documented
}
