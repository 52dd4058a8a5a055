package run

import (
	"strings"
	"sync"
)

// saidByRunners is what runners such as npx said of tools, in one run. Asking one
// takes longer than many a case.
type saidByRunners struct {
	mu sync.Mutex
	of map[string]*saidByRunner // by the places
}

// It is held while a runner is asked: who wants to know the same waits, and nobody
// else.
type saidByRunner struct {
	mu         sync.Mutex
	known, has bool
}

func (a *saidByRunners) about(places []string) *saidByRunner {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := strings.Join(places, "\n")
	if a.of[key] == nil {
		if a.of == nil {
			a.of = make(map[string]*saidByRunner)
		}
		a.of[key] = new(saidByRunner)
	}
	return a.of[key]
}
