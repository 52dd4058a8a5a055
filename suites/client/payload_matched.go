package client

// MatchedValue is the value that the event's matchers are compared with: the tool's
// name, or the field of the payload that the event names.
func MatchedValue(event, tool string, stdin []byte) string {
	about, ok := EventByName(event)
	if !ok {
		return ""
	}
	if v := about.MatcherValue(stdin); v != "" {
		return v
	}
	return tool
}
