//go:build !race

package supervisor

// startThreads does nothing: the threads with which a program starts are enough for
// one goroutine, and more would cost each case a tenth of its own time.
func startThreads() {}
