//go:build !linux

package disk

import "os"

func openReal(real string) (*os.File, error) { return openAndLook(real) }
