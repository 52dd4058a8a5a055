package version

// Setting is for tests, which are in another package because of what they import.
var Setting = setting
