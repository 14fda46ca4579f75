//go:build !man

package main

import "github.com/spf13/cobra"

// extraCommands are those that only some builds have; see man.go.
func (a *app) extraCommands() []*cobra.Command { return nil }
