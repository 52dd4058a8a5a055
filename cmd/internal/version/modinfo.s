// The compiler accepts a function without a body, which modinfo is, only in a package with assembly.
