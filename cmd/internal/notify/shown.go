package notify

// Clean makes text safe to show on a terminal, for output outside of a view.
func Clean(text string) string { return clean(text) }
