//go:build race

package supervisor

import "runtime"

// startThreads has the runtime start the threads that it may come to want: once a hook
// has used up all processes that there may be, it gets none, and gives up. Under the
// race detector threads are those of C, and it wants one more now and then.
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
