//go:build !race

package supervisor

// startThreads does nothing, because the threads that a program starts with are enough for
// one goroutine, and more would add a tenth to the time of each case.
func startThreads() {}
