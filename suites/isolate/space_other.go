//go:build !linux && !darwin

package isolate

func free(string) (left, size, files uint64) { return 0, 0, 0 }
