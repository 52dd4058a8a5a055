//go:build race

package supervisor

import "runtime"

// startThreads makes the runtime start spare threads: once a hook has used up all
// processes, the runtime gets no new thread and crashes. With the race detector threads
// are those of C, and the runtime occasionally needs one more.
func startThreads() {
	const spare = 3
	started, rest := make(chan bool), make(chan bool)
	for range spare {
		go func() {
			runtime.LockOSThread() // each on its own
			started <- true
			<-rest
			runtime.UnlockOSThread()
		}()
	}
	for range spare {
		<-started
	}
	close(rest)
}
