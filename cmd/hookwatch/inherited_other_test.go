//go:build !linux

package main

func keepInherited() {}
