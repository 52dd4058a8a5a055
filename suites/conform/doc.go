// Package conform says of the hooks of a project, without any suite, whether they
// would protect anyone: which the client would drop, could not launch or would not
// heed, which let through what they mean to stop. It judges what lies in the tree
// and what hooks were seen to do; it runs nothing.
package conform
