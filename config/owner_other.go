//go:build !unix

package config

// owners are not to be seen here.
func owners(string) (uids []int, known bool) { return nil, false }
