package explore

import "sync"

// A memo keeps the results of a function of texts, which must not be changed. The firings of a hook differ little, so
// that most commands and patterns come again.
type memo[T any] struct {
	mu    sync.Mutex
	known map[string]T
}

// of returns the result for a text, by make if it is not known.
func (m *memo[T]) of(text string, make func() T) T {
	const most, longest = 4096, 4096 // results, and bytes of a text
	m.mu.Lock()
	result, known := m.known[text]
	m.mu.Unlock()
	if known {
		return result
	}
	if result = make(); len(text) > longest {
		return result
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || len(m.known) == most {
		m.known = map[string]T{}
	}
	m.known[text] = result
	return result
}
