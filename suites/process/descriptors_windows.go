package process

import "math"

// openFilesLimit is practically none here.
func openFilesLimit() int { return math.MaxInt32 }
